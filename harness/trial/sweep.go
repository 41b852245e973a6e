package trial

import "github.com/failrate/failrate/harness/trial/process"

// Swept says what dead sessions had left: ids of the sessions, processes that were ended as "name (pid)", folders that
// were removed.
type Swept = process.Swept

// Sweep ends the processes and removes the temporary folders that killed harnesses left on this host. dir is the
// folder of the session files; empty means the user's cache. What a live harness started is left alone.
func Sweep(dir string) (Swept, error) { return process.Sweep(dir) }
