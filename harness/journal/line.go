package journal

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/crc32"
)

// MaxLine bounds a line with its newline, in bytes. Writers and readers refuse a longer one.
const MaxLine = 16 << 20

// The words for the kinds of records, in a line's member "type".
const (
	typeHeader   = "header"
	typeStarted  = "started"
	typeFinished = "finished"
	typeNote     = "note"
)

// A line ends in its checksum: `,"crc":"` with eight lower-case hexadecimal digits and `"}`.
const (
	lineOpen = `{"type":"`
	sumOpen  = `,"crc":"`
	sumClose = `"}`
	sumLen   = len(sumOpen) + 8 + len(sumClose)
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// The lines' forms: a record's members come after its type.
type (
	headerLine struct {
		Type string `json:"type"`
		*Header
	}
	startedLine struct {
		Type string `json:"type"`
		*Started
	}
	finishedLine struct {
		Type string `json:"type"`
		*Finished
	}
	noteLine struct {
		Type string `json:"type"`
		*Note
	}
)

// seal encodes one of the forms into buf as a line and gives the checksum that the next line goes on from.
//
// The checksum is the CRC-32C of the bytes before `,"crc"` of this line and of all lines before it, so that it also
// tells of a line that was taken out, doubled or moved.
func seal(buf *bytes.Buffer, form any, sum uint32) (uint32, error) {
	buf.Reset()
	e := json.NewEncoder(buf)
	e.SetEscapeHTML(false)
	if err := e.Encode(form); err != nil {
		return sum, fmt.Errorf("a record cannot be written as JSON: %w", err)
	}
	buf.Truncate(buf.Len() - len("}\n"))
	sum = crc32.Update(sum, castagnoli, buf.Bytes())
	fmt.Fprintf(buf, "%s%08x%s\n", sumOpen, sum, sumClose)
	if buf.Len() > MaxLine {
		return sum, fmt.Errorf("a record of %d bytes is too long: a line has at most %d", buf.Len(), MaxLine)
	}
	return sum, nil
}

// unseal splits a line without its newline into what the checksum covers and the checksum. It verifies nothing.
func unseal(line []byte) (body []byte, sum uint32, ok bool) {
	at := len(line) - sumLen
	if at < len(lineOpen) || string(line[at:at+len(sumOpen)]) != sumOpen || string(line[len(line)-len(sumClose):]) != sumClose {
		return nil, 0, false
	}
	digits := line[at+len(sumOpen) : len(line)-len(sumClose)]
	var raw [4]byte
	if _, err := hex.Decode(raw[:], digits); err != nil || bytes.ContainsAny(digits, "ABCDEF") {
		return nil, 0, false
	}
	return line[:at], uint32(raw[0])<<24 | uint32(raw[1])<<16 | uint32(raw[2])<<8 | uint32(raw[3]), true
}

// verify checks a line without its newline and gives the checksum that the next line goes on from.
// The text is empty when the line is as it was written.
func verify(line []byte, before uint32) (sum uint32, damage string) {
	body, sum, ok := unseal(line)
	if !ok {
		return 0, "the line does not end in a checksum"
	}
	if got := crc32.Update(before, castagnoli, body); got != sum {
		return 0, fmt.Sprintf("the checksum is %08x, but the lines up to here give %08x", sum, got)
	}
	return sum, ""
}

// tornTail says what is wrong with bytes after the last newline; empty when they are what a crash leaves: the start of
// a record, or zeros where the file system had made room and not yet written.
func tornTail(tail []byte, before uint32) string {
	text := bytes.TrimRight(tail, "\x00")
	if n := min(len(text), len(lineOpen)); string(text[:n]) != lineOpen[:n] {
		return fmt.Sprintf("%.40q is not the start of a record", text)
	}
	if bytes.IndexByte(text, 0) >= 0 {
		return "there are zeros inside the last line"
	}
	at := bytes.LastIndex(text, []byte(sumOpen))
	if at < 0 || len(text) <= at+sumLen {
		return ""
	}
	if _, damage := verify(text[:at+sumLen], before); damage == "" {
		return "the last record is whole, but other bytes follow it in place of its newline"
	}
	return ""
}
