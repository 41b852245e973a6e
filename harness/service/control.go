package service

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/failrate/failrate/harness/steps"
	"github.com/failrate/failrate/harness/trial"
)

// control is the HTTP server that takes a subject's actions. It listens on loopback; a token in its URL keeps other users
// of the machine, and other trials, from acting on services that are not theirs.
type control struct {
	url    string
	server *http.Server
	done   chan struct{}
}

func newControl(act Act) (*control, error) {
	l, err := net.Listen("tcp", loopback+":0")
	if err != nil {
		return nil, fmt.Errorf("listen for actions: %w", err)
	}
	token := "/" + strings.ToLower(rand.Text())
	c := &control{url: "http://" + l.Addr().String() + token, done: make(chan struct{})}
	c.server = &http.Server{ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 16 << 10, Handler: http.HandlerFunc(
		func(w http.ResponseWriter, r *http.Request) {
			path := r.URL.Path
			if len(path) < len(token) || subtle.ConstantTimeCompare([]byte(path[:len(token)]), []byte(token)) != 1 {
				http.NotFound(w, r)
				return
			}
			if r.Method != http.MethodPost {
				http.Error(w, "actions are sent by POST", http.StatusMethodNotAllowed)
				return
			}
			status, text := Carry(r.Context(), path[len(token):], act)
			w.Header().Set("Content-Type", "text/plain; charset=utf-8")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, text) //nolint:gosec // plain text, and its type says so
		})}
	go func() {
		defer close(c.done)
		_ = c.server.Serve(l) // it ends when it is closed
	}()
	return c, nil
}

func (c *control) close() error {
	err := c.server.Close()
	<-c.done
	return err
}

// Carry carries out the action in a path, /ACTION/SERVICE, and gives the HTTP status and the text of the answer.
func Carry(ctx context.Context, path string, act Act) (status int, text string) {
	name, service, ok := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	action := steps.Action(name)
	if !ok || !slices.Contains(steps.Actions(), action) {
		return http.StatusNotFound, "what is asked for is not of the form /ACTION/SERVICE with an action that is known\n"
	}
	err := act(ctx, action, service)
	switch {
	case err == nil:
		return http.StatusNoContent, ""
	case errors.Is(err, errUnknown):
		return http.StatusNotFound, trial.OneLine(err.Error()) + "\n"
	}
	return http.StatusConflict, trial.OneLine(err.Error()) + "\n"
}
