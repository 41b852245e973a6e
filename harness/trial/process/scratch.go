package process

import (
	"os"
	"path/filepath"
)

// defaultScratch is the folder in which sessions make theirs: the temporary folder, where files are mostly kept in
// memory and paths are short enough for sockets. Where nothing may be executed there, as some distributions and
// administrators mount it, it is the user's cache: copies of trees have programs in them, and so does what test tools
// build in $TMPDIR.
func defaultScratch() string {
	temp := os.TempDir()
	if !noExec(temp) {
		return temp
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return temp
	}
	dir := filepath.Join(cache, "failrate", "scratch")
	if err := os.MkdirAll(dir, 0o700); err != nil || noExec(dir) {
		return temp
	}
	return dir
}
