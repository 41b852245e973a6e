package trial

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A file that is written right after the snapshot must get another time than one that was written right before it.
func TestSnapshotOutlastsTheTick(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a.xml")
	for range 20 {
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := takeSnapshot(dir, "*.xml")
		if err != nil || len(s) != 1 {
			t.Fatalf("%v (%v)", s, err)
		}
		if written := s["a.xml"].changed; !fileClock().After(time.Unix(written.Unix())) {
			t.Fatalf("the files' clock is at %v and the file is of %v", fileClock(), written)
		}
	}
}
