package socketproxy

import "syscall"

// claim holds nothing here: macOS drops, and does not refuse, a connection to a port that is bound without a listener.
// Proxies keep apart by starting their search at random ports; a port that was taken in between makes Reopen wait.
type claim struct{}

func (claim) take(int) error { return nil }

func (claim) drop() {}

func shareWithClaim(_, _ string, _ syscall.RawConn) error { return nil }
