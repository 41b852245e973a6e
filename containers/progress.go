package containers

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/docker/docker/pkg/jsonmessage"
)

// tailLines is how much of a failed build's or set-up's output goes with the error.
const tailLines = 20

// readProgress reads what the engine says while it pulls, builds or imports, and gives the last thing that looks like
// an image's id. An error that the engine reports inside the stream is an error here, with the end of the output.
func readProgress(from io.Reader, log io.Writer) (id string, err error) {
	messages := json.NewDecoder(from)
	var end lines
	for {
		var m jsonmessage.JSONMessage
		err := messages.Decode(&m)
		if errors.Is(err, io.EOF) {
			return id, nil
		}
		if err != nil {
			return "", fmt.Errorf("read the engine's progress: %w", err)
		}
		if m.Error != nil {
			return "", &OutputError{Why: oneLine(m.Error).Error(), Tail: end.last()}
		}
		text := m.Stream
		if text == "" && m.Status != "" && m.Progress == nil {
			text = strings.TrimSpace(m.ID+" "+m.Status) + "\n"
		}
		if strings.HasPrefix(m.Status, "sha256:") {
			id = strings.TrimSpace(m.Status)
		}
		end.add(text)
		if _, err := io.WriteString(log, text); err != nil {
			return "", fmt.Errorf("write the log: %w", err)
		}
	}
}

// OutputError is a pull, build or set-up that failed, with the end of what it wrote.
type OutputError struct {
	Why  string
	Tail []string // the last lines, at most 20
}

// Error gives one line.
func (e *OutputError) Error() string { return e.Why }

// lines keeps the end of a text that comes in pieces.
type lines struct {
	whole []string
	open  string
}

// longestLine bounds one kept line.
const longestLine = 500

func (l *lines) add(text string) {
	for {
		line, rest, ended := strings.Cut(text, "\n")
		if room := longestLine - len(l.open); room > 0 {
			l.open += line[:min(len(line), room)]
		}
		if !ended {
			return
		}
		l.whole = append(l.whole, l.open)
		l.open = ""
		if len(l.whole) > tailLines {
			l.whole = append(l.whole[:0], l.whole[len(l.whole)-tailLines:]...)
		}
		text = rest
	}
}

// last gives the last lines, each of them safe to print.
func (l *lines) last() []string {
	all := l.whole
	if l.open != "" {
		all = append(slices.Clone(all), l.open)
	}
	var out []string
	for _, s := range all[max(0, len(all)-tailLines):] {
		out = append(out, strings.Map(func(r rune) rune {
			if r < ' ' && r != '\t' || r == 0x7f || r == '�' {
				return '?'
			}
			return r
		}, strings.TrimRight(strings.ToValidUTF8(s, "?"), "\r")))
	}
	return out
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }

// dockerQuote quotes a value for a Dockerfile instruction.
func dockerQuote(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `$`, `\$`, "\n", " ", "\r", " ").Replace(s) + `"`
}
