package classify

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// goEvent is one line of go test -json (see go doc test2json; the build events are in go help buildjson).
type goEvent struct {
	Action, Package, Test, Output, ImportPath, FailedBuild string
}

// parseGoEvent reads a line that may be an event.
func parseGoEvent(l []byte) (goEvent, bool) {
	var e goEvent
	if !bytes.HasPrefix(l, []byte("{")) {
		return e, false
	}
	err := json.Unmarshal(l, &e)
	return e, err == nil && e.Action != ""
}

// goText writes what the tests and everything else printed: the output of events, and lines that are none.
func goText(r io.Reader, w io.Writer) error {
	lines := newLineReader(r, maxGoLine)
	for {
		l, err := lines.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if e, ok := parseGoEvent(l); ok {
			_, err = io.WriteString(w, e.Output)
		} else {
			_, err = w.Write(append(l, '\n'))
		}
		if err != nil {
			return err
		}
	}
}
