// Served is a service and the subject that talks to it, for tests.
//
//	served serve ADDRESS [ECHO-ADDRESS]   an HTTP server, and one that says every line again
//	served ask WORDS…                     does what the words say, one after the other, and fails with the first that fails
package main

import (
	"bufio"
	"errors"
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

func main() {
	if len(os.Args) < 3 {
		fmt.Println("usage: served serve|ask …")
		os.Exit(2)
	}
	if os.Args[1] == "serve" {
		os.Exit(serve(os.Args[2:]))
	}
	for _, word := range os.Args[2:] {
		fmt.Println("*", word)
		if err := ask(word); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
}

func serve(args []string) int {
	runs := 1
	if text, err := os.ReadFile("/tmp-runs"); err == nil {
		runs += len(text)
	}
	_ = os.WriteFile("/tmp-runs", []byte(strings.Repeat("x", runs)), 0o600) // where it may
	fmt.Println("starting with", strings.Join(args, " "))
	if args[0] == "exit" {
		return 3
	}
	l, err := net.Listen("tcp", args[0])
	if err != nil {
		fmt.Println(err)
		return 1
	}
	if len(args) > 1 {
		go echo(args[1])
	}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGTERM)
	go func() {
		<-ended
		fmt.Println("asked to end")
		os.Exit(0)
	}()
	began := time.Now()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /name", func(w http.ResponseWriter, _ *http.Request) {
		name, _ := os.Hostname()
		fmt.Fprintln(w, name, began.UnixNano())
	})
	mux.HandleFunc("POST /die", func(http.ResponseWriter, *http.Request) {
		fmt.Fprintln(os.Stderr, "told to die")
		os.Exit(4)
	})
	fmt.Println("open")
	fmt.Println(http.Serve(l, mux))
	return 1
}

func echo(address string) {
	l, err := net.Listen("tcp", address)
	for err == nil {
		var c net.Conn
		if c, err = l.Accept(); err == nil {
			go io.Copy(c, c)
		}
	}
	fmt.Println(err)
	os.Exit(5)
}

func ask(word string) error {
	verb, rest, _ := strings.Cut(word, " ")
	control := os.Getenv("FAILRATE_CONTROL")
	switch verb {
	case "control":
		return request(http.MethodPost, control+"/"+rest, time.Minute)
	case "looked-at":
		return request(http.MethodGet, control+"/"+rest, time.Minute)
	case "refused":
		err := request(http.MethodPost, control+"/"+rest, time.Minute)
		if err == nil {
			return errors.New("it was done")
		}
		fmt.Println(err)
		return nil
	case "foreign": // somebody on the network who does not know the token
		return request(http.MethodPost, control[:strings.LastIndex(control, "/")]+"/"+rest, time.Minute)
	case "down":
		err := request(http.MethodGet, rest, time.Second)
		if err == nil {
			return errors.New("it answered")
		}
		fmt.Println(err)
		return nil
	case "held":
		return held(rest, control)
	case "wait":
		select {}
	}
	return request(verb, rest, time.Minute)
}

func request(method, url string, patience time.Duration) error {
	c := &http.Client{Timeout: patience, Transport: &http.Transport{DisableKeepAlives: true}}
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
	text := strings.TrimSpace(string(body))
	fmt.Println(a.StatusCode, text)
	if err == nil && a.StatusCode > 299 {
		err = fmt.Errorf("status %d: %s", a.StatusCode, text)
	}
	return err
}

// held keeps a connection open while the service is cut off: nothing comes, and all of it comes when it is healed.
func held(name, control string) error {
	c, err := net.Dial("tcp", os.Getenv("FAILRATE_SERVICE_"+strings.ToUpper(name)+"_81"))
	if err != nil {
		return err
	}
	defer c.Close()
	lines := bufio.NewReader(c)
	say := func(text string, patience time.Duration) error {
		if text != "" {
			if _, err := fmt.Fprintln(c, text); err != nil {
				return err
			}
		}
		_ = c.SetReadDeadline(time.Now().Add(patience))
		got, err := lines.ReadString('\n')
		fmt.Printf("heard %q, %v\n", got, err)
		return err
	}
	if err := say("one", time.Minute); err != nil {
		return err
	}
	if err := request(http.MethodPost, control+"/cut/"+name, time.Minute); err != nil {
		return err
	}
	if err := say("two", 700*time.Millisecond); !errors.Is(err, os.ErrDeadlineExceeded) {
		return fmt.Errorf("while it was cut: %w", err)
	}
	if err := request(http.MethodPost, control+"/heal/"+name, time.Minute); err != nil {
		return err
	}
	return say("", time.Minute)
}
