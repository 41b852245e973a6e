package plan

import (
	"fmt"
	"strconv"
	"strings"
)

// TrialID joins a cell's name and a trial number: a/native/none and 42 give a/native/none#0042.
func TrialID(cell string, number int) string {
	digits := strconv.Itoa(number)
	return cell + "#" + "0000"[min(len(digits), 4):] + digits
}

// AttemptID names one attempt of a trial: the first bears the trial's own id, a second one …#0042!2.
func AttemptID(trial string, attempt int) string {
	if attempt <= 1 {
		return trial
	}
	return trial + "!" + strconv.Itoa(attempt)
}

// ParseID splits a trial or attempt id into its cell's name, trial number and attempt. It reads only what TrialID and
// AttemptID write, so that one trial has one name: #42 and #+042 are errors.
func ParseID(id string) (cell string, number, attempt int, err error) {
	attempt = 1
	rest := id
	if head, tail, ok := strings.Cut(id, "!"); ok {
		if attempt, err = strconv.Atoi(tail); err != nil || attempt < 2 {
			return "", 0, 0, fmt.Errorf("id %q: the attempt after ! is not a number of at least 2", id)
		}
		rest = head
	}
	at := strings.LastIndexByte(rest, '#')
	if at < 1 {
		return "", 0, 0, fmt.Errorf("id %q has no #number", id)
	}
	if number, err = strconv.Atoi(rest[at+1:]); err != nil || number < 1 {
		return "", 0, 0, fmt.Errorf("id %q: the number after # is not at least 1", id)
	}
	if AttemptID(TrialID(rest[:at], number), attempt) != id {
		return "", 0, 0, fmt.Errorf("id %q is not written as failrate writes it, %q", id, AttemptID(TrialID(rest[:at], number), attempt))
	}
	return rest[:at], number, attempt, nil
}
