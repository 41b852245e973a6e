package steps

import (
	"bufio"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// rude is a server that says what it likes once it has read a request's head. It gives the address.
func rude(t *testing.T, talk func(c *net.TCPConn)) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	t.Cleanup(func() { _ = l.Close(); <-done })
	go func() {
		defer close(done)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				for in := bufio.NewScanner(c); in.Scan() && in.Text() != ""; {
				}
				if tcp, ok := c.(*net.TCPConn); ok {
					talk(tcp)
				}
			}()
		}
	}()
	return l.Addr().String()
}

func says(text string) func(*net.TCPConn) {
	return func(c *net.TCPConn) { _, _ = c.Write([]byte(text)) }
}

// reset ends a connection with an RST.
func reset(c *net.TCPConn) { _ = c.SetLinger(0) }

// hold keeps a connection open until the client ends it.
func hold(c *net.TCPConn) {
	var b [1]byte
	_, _ = c.Read(b[:])
}

// TestFailureKinds wants each kind of failure to have its own words, at the start of the message.
func TestFailureKinds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		talk func(*net.TCPConn)
		want string
	}{
		"hangs up":             {func(*net.TCPConn) {}, "connection closed: no answer: EOF"},
		"resets":               {reset, "connection reset: no answer: .*connection reset by peer"},
		"silent":               {hold, "timeout: no answer within 1s"},
		"half a body":          {says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf"), "connection closed: the answer's body is incomplete: unexpected EOF"},
		"reset in the body":    {func(c *net.TCPConn) { says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")(c); reset(c) }, "connection reset: (no answer|the answer's body is incomplete): .*"},
		"silent in the body":   {func(c *net.TCPConn) { says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf")(c); hold(c) }, "timeout: the answer's body is incomplete within 1s"},
		"silent in the head":   {func(c *net.TCPConn) { says("HTTP/1.1 200 OK\r\nX: y")(c); hold(c) }, "timeout: no answer within 1s"},
		"not HTTP":             {says("SSH-2.0-x\x1b[2J\r\n\r\n"), `not HTTP: no answer: .*malformed HTTP response .*`},
		"a bad length":         {says("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n"), "not HTTP: no answer: .*"},
		"a bad chunk":          {says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n"), "not HTTP: the answer's body is incomplete: .*"},
		"a header line":        {says("HTTP/1.1 200 OK\r\nno colon\r\n\r\n"), "not HTTP: no answer: .*"},
		"headers without end":  {endless("HTTP/1.1 200 OK\r\n", "X-A: "+strings.Repeat("y", 1000)+"\r\n"), "not HTTP: no answer: .*headers exceeded.*"},
		"a header without end": {endless("HTTP/1.1 200 OK\r\nX-A: ", "y"), "not HTTP: no answer: .*headers exceeded.*"},
		"answers without end":  {endless("", "HTTP/1.1 103 Early Hints\r\n\r\n"), "not HTTP: no answer: .*"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil)
			step := Step{Method: "GET", URL: "http://" + rude(t, c.talk) + "/", Timeout: time.Second}
			if !strings.HasPrefix(c.want, "timeout") {
				step.Timeout = time.Minute
			}
			kind, _, _ := strings.Cut(c.want, ":")
			step.Classes = []Class{{Class: "status", Status: []int{200}}, {Class: "right", Match: "^" + kind + ": "}}
			b.wants(b.run(step), Failed, "right", c.want)
			if strings.Contains(b.log.String(), "\x1b") {
				t.Errorf("%q", b.log.String())
			}
		})
	}
}

// endless sends a start and then the same again and again.
func endless(start, again string) func(*net.TCPConn) {
	return func(c *net.TCPConn) {
		_, err := c.Write([]byte(start))
		for err == nil {
			_, err = c.Write([]byte(strings.Repeat(again, max(1, 10_000/len(again)))))
		}
	}
}

func TestNoServer(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	free := l.Addr().String()
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	secure := httptest.NewUnstartedServer(http.HandlerFunc(zoo))
	secure.Config.ErrorLog = log.New(io.Discard, "", 0) // it complains of handshakes
	secure.StartTLS()
	t.Cleanup(secure.Close)
	plain := httptest.NewServer(http.HandlerFunc(zoo))
	t.Cleanup(plain.Close)
	for _, c := range []struct{ url, outcome, want string }{
		{"http://" + free, Failed, "connection refused: dial tcp " + free + ": .*connection refused"},
		{"https://" + strings.TrimPrefix(secure.URL, "https://"), "", "(TLS failed|no CA certificates on this machine): .*"},
		{"https://" + strings.TrimPrefix(plain.URL, "http://"), Failed, "TLS failed: http: server gave HTTP response to HTTPS client"},
		{"ftp://" + free, Broken, ".* is not the URL of a request"},
		{"http:///x", Broken, ".* is not the URL of a request"},
	} {
		b := newBench(t, nil)
		r := b.run(Step{Method: "GET", URL: c.url, Timeout: 5 * time.Second})
		if c.outcome == "" {
			c.outcome = r.Outcome
		}
		b.wants(r, c.outcome, "", c.want)
	}
}

// What this machine has run out of is no failure of what is measured.
func TestLocalReasons(t *testing.T) {
	t.Parallel()
	for _, k := range errnoKinds {
		text, local := reason(&net.OpError{Op: "dial", Net: "tcp", Err: k.errno}, connecting, time.Second)
		if !strings.HasPrefix(text, k.kind+": dial tcp: ") || local != k.local {
			t.Errorf("%v: %q, %v", k.errno, text, local)
		}
	}
	for want, err := range map[string]*net.DNSError{"host not found: ": {Name: "nowhere", Err: "no such host", IsNotFound: true}, "timeout: no connection within 1s": {Name: "nowhere", IsTimeout: true}} {
		if text, local := reason(err, connecting, time.Second); !strings.HasPrefix(text, want) || local {
			t.Errorf("%q, %v, want %q", text, local, want)
		}
	}
	text, local := reason(&net.OpError{Op: "dial", Net: "tcp", Err: syscall.EMFILE}, connecting, time.Second)
	_, f := wanted{}.judge(answer{broken: text, local: local})
	if f == nil || !f.broken {
		t.Errorf("%q: %+v", text, f)
	}
}

// Answers may be of any size: a bounded part is looked at, and one that cannot be judged by it is not failed.
func TestHugeAnswers(t *testing.T) {
	t.Parallel()
	block := []byte(strings.Repeat("0123456789abcde\n", 1<<12))
	b := newBench(t, func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(map[bool]int{true: 503, false: 200}[r.URL.Path == "/503"])
		for sent := 0; r.URL.Path == "/endless" || sent < 100<<20; sent += len(block) {
			if _, err := w.Write(block); err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for _, path := range []string{"/large", "/endless"} {
		get := Step{Name: "x", Method: "GET", URL: "http://{node}" + path}
		b.wants(b.run(get), Passed, "", "")
		get.Match = "^0123456789abcde\n"
		b.wants(b.run(get), Passed, "", "")
		get.Match = "never"
		b.wants(b.run(get), Broken, "", `x: the answer is longer than 1048576 bytes, .*: so far it does not match "never"`)
		get.Match, get.JSON = "", map[string]string{"/a": "1"}
		b.wants(b.run(get), Broken, "", `x: the answer is longer than 1048576 bytes, .*not enough for JSON`)
	}
	b.wants(b.run(Step{Method: "GET", URL: "http://{node}/503"}), Failed, "", "status 503, not 200 to 299: 0123.*…")
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 200<<20 { // 9 answers, each of which a growing buffer takes in
		t.Errorf("%d MB for 9 answers", used>>20)
	}
	if text := b.log.String(); !strings.Contains(text, "status 200, more than 1048576 bytes in ") || len(text) > 20_000 {
		t.Errorf("%d bytes of log: %.2000s", len(text), text)
	}
}

// JSON may be of any form.
func TestHostileJSON(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ body, outcome, want string }{
		"deep":          {strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000), Failed, "the answer is not JSON: .*"},
		"deep enough":   {`{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}", Failed, `/a is \[+…, not 1`},
		"invalid UTF-8": {"{\"a\":\"\xff\xfe\"}", Failed, "/a is \ufffd\ufffd, not 1"},
		"wide":          {`{"a":1` + strings.Repeat(`,"b":[]`, 100_000) + "}", Passed, ""},
		"controls":      {`{"a":"\u001b[2J\u202e\u0000"}`, Failed, `/a is \\u001b\[2J\\u202e\\u0000, not 1`},
		"a long number": {`{"a":` + strings.Repeat("9", 100_000) + "}", Failed, "/a is 9+…, not 1"},
	} {
		b := newBench(t, func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, c.body) })
		t.Run(name, func(t *testing.T) {
			b.wants(b.run(Step{Method: "GET", URL: "http://{node}/", JSON: map[string]string{"/a": "1"}}), c.outcome, "", c.want)
		})
	}
}
