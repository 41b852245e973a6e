package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// TestServesUntilItIsEnded runs the program on a free port, as the study does.
func TestServesUntilItIsEnded(t *testing.T) {
	t.Parallel()
	env := map[string]string{"MODEL_BUILD": "fix1", "QW_NODE_ID": "node-7"}
	ctx, cancel := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan int, 1)
	go func() {
		ended <- run(ctx, []string{"--listen", "127.0.0.1:0", "run"}, func(k string) string { return env[k] }, in, io.Discard)
		in.Close()
	}()
	lines := bufio.NewScanner(out)
	if !lines.Scan() || !strings.Contains(lines.Text(), "REST server is ready") || !strings.Contains(lines.Text(), "build=fix1") {
		t.Fatalf("its first line is %q", lines.Text())
	}
	_, address, _ := strings.Cut(lines.Text(), "address=")
	address, _, _ = strings.Cut(address, " ")
	go func() { _, _ = io.Copy(io.Discard, out) }()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/api/developer/debug", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if text, _ := io.ReadAll(resp.Body); !strings.Contains(string(text), `"node-7"`) {
		t.Errorf("debug: %s", text)
	}
	cancel()
	if status := <-ended; status != exitDone {
		t.Errorf("ended with %d", status)
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	env := map[string]string{"QW_LISTEN_ADDRESS": "0.0.0.0", "QW_REST_LISTEN_PORT": "7281", "MODEL_RETAIN": "15s"}
	o, err := parse([]string{"run"}, func(k string) string { return env[k] }, io.Discard)
	if err != nil || o.host != "0.0.0.0" || o.port != 7281 || o.id != "node-1" || o.cluster.RetainDelay != 15*time.Second || !o.cluster.Build.CompareUIDs {
		t.Errorf("%+v, %v", o, err)
	}
	if o, err = parse([]string{"--retain", "lost"}, func(string) string { return "" }, io.Discard); err != nil || !o.cluster.RetainLost || o.port != 7280 {
		t.Errorf("%+v, %v", o, err)
	}
	for args, want := range map[string]string{
		"--listen x": "is not HOST:PORT", "--listen x:-1": "is not from 0 to 65535", "--build x": "is not one of good-92a526b",
		"--retain soon": "neither lost nor a duration", "--retain -1s": "neither lost nor a duration", "stop": `"stop" is neither`, "--y": "-y",
	} {
		var errs bytes.Buffer
		if status := run(t.Context(), strings.Fields(args), func(string) string { return "" }, io.Discard, &errs); status != exitUsage || !strings.Contains(errs.String(), want) {
			t.Errorf("%s: %d, %s", args, status, errs.String())
		}
	}
	var out bytes.Buffer
	if status := run(t.Context(), []string{"--help"}, func(string) string { return "" }, &out, io.Discard); status != exitDone || !strings.HasPrefix(out.String(), "quickwit-503 ") {
		t.Errorf("--help: %d, %s", status, out.String())
	}
}
