package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"
)

// serve is a service for scripts: an HTTP server that says its name, and does what the words after its address say.
func serve(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	fmt.Println("starting with", strings.Join(args[1:], " "))
	var lines []string
	for _, word := range args[1:] {
		switch name, value, _ := strings.Cut(word, "="); name {
		case "exit":
			return 3
		case "silent":
			<-ctx.Done()
			return 0
		case "say":
			lines = append(lines, value)
		}
	}
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /name", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintf(w, "pid %d\n", os.Getpid()) })
	mux.HandleFunc("POST /die", func(http.ResponseWriter, *http.Request) { os.Exit(4) })
	go func() {
		<-ctx.Done()
		fmt.Println("asked to end")
		l.Close()
	}()
	for _, line := range lines {
		fmt.Println(line)
	}
	_ = http.Serve(l, mux) //nolint:gosec // it ends with its listener
	return 0
}

// ask is a subject for scripts: it carries out its words in order, and fails when one of them does not do what it should.
func ask(args []string) int {
	client := &http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	for _, word := range args {
		fmt.Println("*", word)
		method, rest, _ := strings.Cut(word, " ")
		var err error
		switch method {
		case "down":
			client := &http.Client{Timeout: 300 * time.Millisecond, Transport: &http.Transport{DisableKeepAlives: true}}
			if err = request(client, http.MethodGet, rest); err == nil {
				err = fmt.Errorf("it answered")
			} else {
				err = nil
			}
		case "refused":
			if err = request(client, http.MethodPost, os.Getenv("FAILRATE_CONTROL")+"/"+rest); err == nil {
				err = fmt.Errorf("it was done")
			} else {
				fmt.Println(err)
				err = nil
			}
		case "control":
			err = request(client, http.MethodPost, os.Getenv("FAILRATE_CONTROL")+"/"+rest)
		case "env":
			fmt.Println(os.Getenv(rest))
		case "sleep":
			var d time.Duration
			if d, err = time.ParseDuration(rest); err == nil {
				time.Sleep(d)
			}
		default:
			err = request(client, method, rest)
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
	}
	return 0
}

func request(c *http.Client, method, url string) error {
	r, err := http.NewRequest(method, url, nil)
	if err != nil {
		return err
	}
	a, err := c.Do(r)
	if err != nil {
		return err
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	fmt.Printf("%d %s\n", a.StatusCode, strings.TrimSpace(string(body)))
	if err == nil && a.StatusCode > 299 {
		err = fmt.Errorf("status %d: %s", a.StatusCode, strings.TrimSpace(string(body)))
	}
	return err
}
