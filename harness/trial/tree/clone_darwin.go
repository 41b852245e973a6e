package tree

import "golang.org/x/sys/unix"

// clone makes a copy that shares its blocks with the original until one of them changes (APFS).
func clone(from, to string) error { return unix.Clonefile(from, to, unix.CLONE_NOFOLLOW) }
