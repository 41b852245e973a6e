package process

import "golang.org/x/sys/unix"

// noExec reports whether a folder lies in a file system that is mounted so that nothing in it can be executed.
func noExec(dir string) bool {
	var st unix.Statfs_t
	return unix.Statfs(dir, &st) == nil && st.Flags&unix.MNT_NOEXEC != 0
}
