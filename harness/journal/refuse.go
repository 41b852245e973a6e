package journal

import (
	"errors"
	"fmt"
)

// The refusals. Every error of this package that means "this journal is not to be used so" is an ErrRefused, and one of
// the others where a caller may want to tell them apart.
var (
	ErrRefused = errors.New("journal refused")
	ErrDamaged = errors.New("journal damaged")          // a *DamagedError, which has the position
	ErrLocked  = errors.New("journal in use")           // a *LockedError, which has the process
	ErrDiffers = errors.New("journal of another kind")  // a *DiffersError, which has what differs
	ErrEmpty   = errors.New("journal without a header") // nothing was measured: Create may be used on the folder
	ErrExists  = errors.New("journal already there")    // Create was used where Open is meant
	ErrNone    = errors.New("no journal")               // nothing to merge or open in that place
)

// refusal is a refused journal, with what to do about it.
type refusal struct {
	kind error
	text string
	hint string
}

func (r *refusal) Error() string { return r.text }

// Is makes a refusal both of its kind and an ErrRefused.
func (r *refusal) Is(target error) bool { return target == r.kind || target == ErrRefused }

// Hint is the next step.
func (r *refusal) Hint() string { return r.hint }

// DamagedError says where a journal is damaged. Everything before that position is whole.
type DamagedError struct {
	Path   string // the file's name as it was given; an archive's entry is written archive.zip:entry
	Line   int64  // from 1
	Offset int64  // of the line's first byte
	What   string
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("%s:%d: damaged at byte %d: %s", e.Path, e.Line, e.Offset, e.What)
}

// Is makes it an ErrDamaged and an ErrRefused.
func (e *DamagedError) Is(target error) bool { return target == ErrDamaged || target == ErrRefused }

// Hint is the next step.
func (e *DamagedError) Hint() string {
	return fmt.Sprintf("this is not what a crash leaves; restore the file from a copy, or measure again (the %d bytes before are whole)", e.Offset)
}

// LockedError says that another harness writes the journal.
type LockedError struct {
	Path string
	PID  int // of the process that holds it; 0 when it is not known
}

func (e *LockedError) Error() string {
	if e.PID == 0 {
		return fmt.Sprintf("%s: another failrate is writing it", e.Path)
	}
	return fmt.Sprintf("%s: another failrate is writing it (pid %d)", e.Path, e.PID)
}

// Is makes it an ErrLocked and an ErrRefused.
func (e *LockedError) Is(target error) bool { return target == ErrLocked || target == ErrRefused }

// Hint is the next step.
func (e *LockedError) Hint() string { return "wait for it to end, or stop it and resume" }
