// Package agent is the program that runs as process 1 of every container of a campaign: it runs one attempt of a
// trial at a time inside the container and reports the facts of it.
//
// It stands inside package containers, below trial in the pipeline study → plan → trial → classify → journal →
// report. It takes orders as JSON lines on stdin and gives frames on stdout: the subject's output while it runs, its
// files, then a Result. It never judges and, unless it is a gate, never uses the network, and it ends with all that it
// started when stdin ends, so a container does not outlive its harness. It imports the standard library alone, because
// it is compiled from the sources that the harness carries, and is linked statically, because an image may hold nothing
// else.
package agent

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// Version is the version of the protocol; it is part of every prepared image's key.
const Version = 1

// The places inside a container.
const (
	Folder   = "/failrate"       // writable by everybody, holds the two below
	Program  = Folder + "/agent" // this program
	Scratch  = Folder + "/trial" // made for each attempt, removed after it
	Tree     = "/work"           // the subject's tree, where the command runs
	Argument = "__agent"         // the first argument, which tells this program from others in the same binary
)

// Order is one line on the agent's stdin; one of its fields is set.
type Order struct {
	Run  *Run  `json:"run,omitempty"`
	Stop *Stop `json:"stop,omitempty"`
}

// Run asks for one attempt.
type Run struct {
	Seq       int           `json:"seq"` // comes back in the Result
	Argv      []string      `json:"argv"`
	Shell     bool          `json:"shell,omitempty"` // run Argv[0] by /bin/sh -c, the others are its arguments
	Env       []string      `json:"env,omitempty"`   // over the image's own
	Dir       string        `json:"dir"`
	Timeout   time.Duration `json:"timeout,omitempty"` // 0 means no limit
	Grace     time.Duration `json:"grace"`
	Split     bool          `json:"split,omitempty"`     // stdout apart from stderr
	Records   bool          `json:"records,omitempty"`   // give the subject FAILRATE_RECORDS and send what it writes there
	Artifacts bool          `json:"artifacts,omitempty"` // the same for FAILRATE_ARTIFACTS
	Results   []string      `json:"results,omitempty"`   // globs below Dir of the result files to send
	Files     int64         `json:"files"`               // the most bytes of files to send
	Burst     bool          `json:"burst,omitempty"`     // watch for $FAILRATE_BURST
	Load      []string      `json:"load,omitempty"`      // arguments of the stress worker to run meanwhile
	CPU       bool          `json:"cpu,omitempty"`       // report the CPU quota's counters
	Last      bool          `json:"last,omitempty"`      // exit after the Result
}

// Stop ends the attempt with the number Seq: TERM to its process group, then KILL to everything after Grace.
type Stop struct {
	Seq   int           `json:"seq"`
	Grace time.Duration `json:"grace"` // 0 means KILL at once
}

// Hello is what the agent says when it is ready for orders.
type Hello struct {
	Version int `json:"version"`
	UID     int `json:"uid"`
	GID     int `json:"gid"`
}

// Result is the facts of one attempt. The names are those of trial.Observation where both have them.
type Result struct {
	Seq       int           `json:"seq"`
	Fault     string        `json:"fault,omitempty"`
	Wall      time.Duration `json:"wall"`
	Exit      int           `json:"exit"`
	Signal    string        `json:"signal,omitempty"`
	Limit     bool          `json:"limit,omitempty"`
	Stopped   bool          `json:"stopped,omitempty"`
	OOM       bool          `json:"oom,omitempty"`
	User      time.Duration `json:"user"`
	System    time.Duration `json:"system"`
	MaxRSS    int64         `json:"max_rss"`
	Leaked    []string      `json:"leaked,omitempty"`
	Load      time.Duration `json:"load,omitempty"` // CPU time of the stress workers
	Periods   *int64        `json:"periods,omitempty"`
	Throttled *int64        `json:"throttled,omitempty"`
	Packets   int64         `json:"packets"` // that went through the container's network namespace since it was made; only after Last
}

// The kinds of frames on the agent's stdout.
const (
	KindHello  = 'h' // a Hello
	KindOutput = 'o' // the subject's stdout, or both its streams unless Split
	KindError  = 'e' // the subject's stderr when Split
	KindBurst  = 'b' // the subject has touched or removed $FAILRATE_BURST: BurstTouched or BurstRemoved
	KindFiles  = 't' // a piece of the tar of its files
	KindGate   = 'g' // a GateSaid, of a gate alone
	KindResult = 'r' // a Result; the last frame of an attempt
)

// The payloads of a KindBurst frame.
const (
	BurstTouched = "touched" // the file was made, written to or had its time set
	BurstRemoved = "removed"
)

// The names in the tar of an attempt's files.
const (
	RecordsName   = "records.jsonl"
	ArtifactsName = "artifacts"
	ResultsName   = "results"
)

// maxFrame bounds what a reader believes: the writer's frames are far smaller.
const maxFrame = 1 << 20

// Writer writes frames. It is safe for use by several goroutines.
type Writer struct {
	To io.Writer

	mu  sync.Mutex
	buf []byte
}

// Frame writes one frame with one Write.
func (w *Writer) Frame(kind byte, payload []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.buf = append(w.buf[:0], kind, 0, 0, 0, 0)
	binary.BigEndian.PutUint32(w.buf[1:], uint32(len(payload)))
	w.buf = append(w.buf, payload...)
	_, err := w.To.Write(w.buf)
	return err
}

// Value writes a frame whose payload is v in JSON.
func (w *Writer) Value(kind byte, v any) error {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("encode frame %q: %w", kind, err)
	}
	return w.Frame(kind, b)
}

// ErrFrame says that the bytes are not those of an agent.
var ErrFrame = errors.New("not a frame of the agent")

// ReadFrame reads one frame into buf, growing it where needed. The payload is valid until the next call with buf.
func ReadFrame(r io.Reader, buf []byte) (kind byte, payload []byte, err error) {
	var head [5]byte
	if _, err = io.ReadFull(r, head[:]); err != nil {
		return 0, buf, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	switch head[0] {
	case KindHello, KindOutput, KindError, KindBurst, KindFiles, KindGate, KindResult:
	default:
		return 0, buf, fmt.Errorf("%w: kind %q", ErrFrame, head[0])
	}
	if size > maxFrame {
		return 0, buf, fmt.Errorf("%w: %d bytes", ErrFrame, size)
	}
	if cap(buf) < int(size) {
		buf = make([]byte, size)
	}
	buf = buf[:size]
	if _, err = io.ReadFull(r, buf); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return head[0], buf, err
}
