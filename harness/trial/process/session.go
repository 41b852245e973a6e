// Package process runs one command as a whole process tree: what the command starts ends with it.
//
// It stands below package trial in the pipeline and knows nothing of trials: it takes a Command and gives an Exit.
// A Session is the record of what was started, so that Sweep ends what a killed harness left. It never decides which
// command to run or what its end means. What it finds left it ends by KILL and reports; it reaps no child that
// somebody else in this program waits for.
package process

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/failrate/failrate/harness/trial/tree"
)

// Marker is the environment variable by which a process tree is known: every process that inherits it belongs to the
// tree. A harness that runs inside a tree of another one appends to the value: outer.1/inner.7.
const Marker = "FAILRATE_ATTEMPT"

// Options says where a session keeps its record and its files.
type Options struct {
	Sessions string // folder of the session files; empty means DefaultSessions
	Scratch  string // folder in which the session's own one is made; empty means os.TempDir, or the user's cache where that cannot hold programs
}

// Session is what one harness started and where its temporary files are. Its file is locked as long as the harness
// lives, however it dies. Safe for use by several goroutines.
type Session struct {
	id      string
	file    string // the session file
	lock    *os.File
	folder  string
	outer   string // value of Marker that this harness was itself started with
	next    atomic.Int64
	null    *os.File
	buffers sync.Pool
	system  system // what this operating system needs to know

	mu     sync.Mutex
	active map[int]*Process // the trees whose first process was not reaped yet, by its pid
	trees  int              // that are not ended yet
}

// record is the content of a session file.
type record struct {
	Format  int       `json:"format"`
	ID      string    `json:"id"`
	Folder  string    `json:"folder"`
	PID     int       `json:"pid"`     // for people
	Started time.Time `json:"started"` // for people
}

// DefaultSessions is the folder of session files in the user's cache, or in the temporary folder for want of one.
func DefaultSessions() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		dir = filepath.Join(os.TempDir(), "failrate-of-"+strconv.Itoa(os.Getuid()))
	}
	return filepath.Join(dir, "failrate", "sessions")
}

// Open begins a session.
func Open(o Options) (*Session, error) {
	if o.Sessions == "" {
		o.Sessions = DefaultSessions()
	}
	if o.Scratch == "" {
		o.Scratch = defaultScratch()
	}
	scratch, err := filepath.Abs(o.Scratch)
	if err != nil {
		return nil, fmt.Errorf("begin a session: %w", err)
	}
	s := &Session{id: strings.ToLower(rand.Text()[:16]), outer: os.Getenv(Marker), active: map[int]*Process{}}
	s.folder = filepath.Join(scratch, folderPrefix+s.id)
	s.buffers.New = func() any { return new([32 << 10]byte) }
	if err := s.begin(o.Sessions); err != nil {
		return nil, errors.Join(fmt.Errorf("begin a session: %w", err), s.Close())
	}
	return s, nil
}

// folderPrefix begins the name of every session's folder; the id follows.
const folderPrefix = "failrate-"

// unnamed ends the name of a session file that is not locked yet.
const unnamed = ".new"

// begin writes the record first, so that whatever is made after it is on record.
func (s *Session) begin(sessions string) error {
	if err := ownFolder(sessions); err != nil {
		return err
	}
	if err := s.write(filepath.Join(sessions, s.id+".json")); err != nil {
		return err
	}
	if err := os.Mkdir(s.folder, 0o700); err != nil {
		return err
	}
	var err error
	if s.null, err = os.Open(os.DevNull); err != nil {
		return err
	}
	unignore()
	return s.system.prepare()
}

// unignore makes what we start react to signals that we were told to ignore, as nohup and a shell's & tell: a subject must
// not behave differently for how its harness was started. We go on to ignore them: a signal that is delivered to a
// channel that nobody reads does nothing to us, and what we start gets the default again.
func unignore() {
	for _, sig := range []os.Signal{unix.SIGHUP, unix.SIGINT} { // Go lets what it starts inherit no others
		if signal.Ignored(sig) {
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
}

// write locks the file before it bears its name, so that no Sweep takes it for a dead session's.
func (s *Session) write(path string) error {
	f, err := os.OpenFile(path+unnamed, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	s.lock, s.file = f, path
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return fmt.Errorf("lock %s: %w", path, err)
	}
	text, err := json.Marshal(record{Format: 1, ID: s.id, Folder: s.folder, PID: os.Getpid(), Started: time.Now()})
	if err != nil {
		return err
	}
	if _, err := f.Write(append(text, '\n')); err != nil {
		return err
	}
	return os.Rename(path+unnamed, path)
}

// ownFolder makes a folder that nobody else may write to.
func ownFolder(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	var st unix.Stat_t
	if err := unix.Lstat(path, &st); err != nil {
		return &os.PathError{Op: "lstat", Path: path, Err: err}
	}
	if int(st.Uid) != os.Getuid() || st.Mode&0o022 != 0 || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return fmt.Errorf("%s is not a folder of our own that only we can write to", path)
	}
	return nil
}

// Folder is the session's own folder for temporary files. It goes with the session, and Sweep removes it if need be.
func (s *Session) Folder() string { return s.folder }

// mark gives the next value of Marker.
func (s *Session) mark() string {
	own := s.id + "." + strconv.FormatInt(s.next.Add(1), 10)
	if s.outer != "" {
		return s.outer + "/" + own
	}
	return own
}

// isFirst reports whether the process is the first one of a tree that is still waited for.
func (p *Process) isFirst(pid int) bool {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	return p.session.active[pid] != nil
}

// alone reports whether a tree that is being ended is the only one that is not ended yet.
func (s *Session) alone() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trees <= 1
}

// count adds to the number of trees that are not ended yet.
func (s *Session) count(change int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trees += change
}

// Close ends the session: its folder and its file go. Every process that it started must have been waited for.
func (s *Session) Close() error {
	errs := []error{s.endStrays(), tree.RemoveAll(s.folder)}
	if s.null != nil {
		errs = append(errs, s.null.Close())
	}
	if s.lock != nil {
		os.Remove(s.file + unnamed)
		if err := os.Remove(s.file); !errors.Is(err, os.ErrNotExist) {
			errs = append(errs, err)
		}
		errs = append(errs, s.lock.Close())
	}
	return errors.Join(errs...)
}
