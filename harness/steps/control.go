package steps

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
)

// ControlVariable is the environment variable that says where actions on services go: unix:///path/to/socket, or
// http://host:port/token. An action is POST <address>/<action>/<service> without a body, and 204 when it is done;
// otherwise a line of text says why it is not.
const ControlVariable = "FAILRATE_CONTROL"

// errNotDone says that whoever carries out actions is there and could not carry this one out.
var errNotDone = errors.New("not done")

// control sends actions to whoever carries them out.
type control struct {
	client *http.Client
	base   string
}

func newControl(address string) (control, error) {
	u, err := url.Parse(address)
	if err != nil {
		return control{}, fmt.Errorf("%s is not an address", ControlVariable) // it may hold a token
	}
	client := newClient()
	switch {
	case u.Scheme == "unix" && u.Host == "" && u.Path != "":
		client.Transport = &http.Transport{DisableKeepAlives: true, MaxResponseHeaderBytes: maxHeaders,
			DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
				return (&net.Dialer{}).DialContext(ctx, "unix", u.Path)
			}}
		return control{client, "http://control"}, nil
	case u.Scheme == "http" && u.Host != "":
		return control{client, strings.TrimSuffix(address, "/")}, nil
	}
	return control{}, fmt.Errorf("%s is not the address of a socket or a server", ControlVariable)
}

// do has one action done. It waits as long as that takes; the trial's time limit ends it.
func (c control) do(ctx context.Context, a Action, service string) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+"/"+url.PathEscape(string(a))+"/"+url.PathEscape(service), http.NoBody)
	if err != nil {
		return fmt.Errorf("%s is not the address of a server", ControlVariable)
	}
	resp, err := c.client.Do(r)
	if err != nil {
		why, _ := reason(err, connecting, 0)
		return fmt.Errorf("the harness cannot be asked: %s", why)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusNoContent {
		return nil
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxMessage))
	if err != nil {
		return fmt.Errorf("the harness did not finish its answer: %w", err)
	}
	return fmt.Errorf("%w: status %d: %s", errNotDone, resp.StatusCode, excerpt([]byte(strings.TrimSpace(string(text))), maxMessage))
}
