package containers

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Owner is the harness that containers and images belong to. It is written on each of them, so that a later Sweep can
// tell whether it still lives.
type Owner struct {
	Session  string    // the id of the harness's session, whose file in the sessions folder it keeps locked; may be empty
	PID      int       // of the harness
	PIDStart string    // when that process started, as its host counts it
	Host     string    // name of its host
	BootID   string    // of that host's running system
	Deadline time.Time // when all of it is due to be over; zero means not known
}

// Self is this process as an owner.
func Self(session string) Owner {
	pid := os.Getpid()
	start, _ := processStart(pid) // without it the session's lock decides alone
	host, _ := os.Hostname()      // without it nobody but the session's lock tells
	return Owner{Session: session, PID: pid, PIDStart: start, Host: host, BootID: bootID()}
}

// labels are the owner's part of the labels.
func (o Owner) labels() map[string]string {
	l := map[string]string{
		labelSession:  o.Session,
		labelPID:      strconv.Itoa(o.PID),
		labelPIDStart: o.PIDStart,
		labelHost:     o.Host,
		labelBootID:   o.BootID,
	}
	if !o.Deadline.IsZero() {
		l[labelDeadline] = o.Deadline.UTC().Format(time.RFC3339)
	}
	return l
}

// ownerOf reads the owner from labels.
func ownerOf(labels map[string]string) Owner {
	pid, _ := strconv.Atoi(labels[labelPID])
	deadline, _ := time.Parse(time.RFC3339, labels[labelDeadline])
	return Owner{Session: labels[labelSession], PID: pid, PIDStart: labels[labelPIDStart], Host: labels[labelHost],
		BootID: labels[labelBootID], Deadline: deadline}
}

// witness tells the living from the dead. Its fields are what it asks of the host.
type witness struct {
	sessions string // folder of the session files
	host     string
	bootID   string
	now      time.Time
	start    func(pid int) (string, error)
}

func hostWitness(sessions string) witness {
	self := Self("")
	return witness{sessions: sessions, host: self.Host, bootID: self.BootID, now: time.Now(), start: processStart}
}

// alive reports whether the owner still runs, or may. A session file that is there decides by its lock; without one
// the process decides, and it must be the same one: process ids are used again, within one boot and after it. Of
// another host that uses the same engine nothing can be known here but that its deadline has passed.
func (w witness) alive(o Owner) bool {
	if held, known := w.locked(o.Session); known {
		return held
	}
	if o.Host != w.host {
		return o.Deadline.IsZero() || w.now.Before(o.Deadline)
	}
	if o.BootID != w.bootID || o.PID <= 0 {
		return false
	}
	start, err := w.start(o.PID)
	return err == nil && start == o.PIDStart
}

// locked reports whether the session's file is locked by a living process; known is false where there is no file.
func (w witness) locked(session string) (held, known bool) {
	if session == "" || session != filepath.Base(session) {
		return false, false // a label is anybody's to write: it must not choose a path
	}
	f, err := os.OpenFile(filepath.Join(w.sessions, session+sessionSuffix), os.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK, 0)
	if err != nil {
		return false, false
	}
	defer f.Close()
	return unix.Flock(int(f.Fd()), unix.LOCK_SH|unix.LOCK_NB) != nil, true
}

// anybody reports whether any session is open.
func (w witness) anybody() bool {
	list, _ := os.ReadDir(w.sessions) // no folder, no sessions
	for _, f := range list {
		name, is := strings.CutSuffix(f.Name(), sessionSuffix)
		if held, _ := w.locked(name); is && held {
			return true
		}
	}
	return false
}

// sessionSuffix ends the names of session files.
const sessionSuffix = ".json"
