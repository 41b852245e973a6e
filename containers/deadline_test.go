package containers

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/failrate/failrate/harness/trial"
)

func TestCallDeadline(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e := &Engine{deadline: time.Minute}
		hang := func(ctx context.Context) (int, error) { <-ctx.Done(); return 0, ctx.Err() }
		began := time.Now()
		_, err := call(t.Context(), e, "create container", hang)
		if want := "create container: the engine has not answered for 1m0s"; err == nil || err.Error() != want {
			t.Errorf("error %v, want %q", err, want)
		}
		if took := time.Since(began); took != time.Minute {
			t.Errorf("took %v", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		began = time.Now()
		if _, err := call(ctx, e, "create container", hang); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if took := time.Since(began); took != time.Second+trial.StopGrace {
			t.Errorf("a call whose context ended after 1 s took %v", took)
		}
		synctest.Wait()
	})
}

func TestOneLine(t *testing.T) {
	t.Parallel()
	err := oneLine(&os.PathError{Op: "a\nb", Path: "c", Err: os.ErrNotExist})
	if got := err.Error(); strings.Contains(got, "\n") || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("%q", got)
	}
}
