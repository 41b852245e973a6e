package wire

import (
	"io"
	"log"
	"net"
	"net/http"
)

// Server answers HTTP/1.1 and HTTP/2 without TLS on a port of the loopback. Create it with Serve.
type Server struct {
	listener net.Listener
	server   *http.Server
	done     chan struct{}
}

// Serve starts a server for the handler.
func Serve(handler http.Handler) (*Server, error) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{listener: l, done: make(chan struct{})}
	s.server = &http.Server{Handler: handler, Protocols: new(http.Protocols), ErrorLog: log.New(io.Discard, "", 0)}
	s.server.Protocols.SetHTTP1(true)
	s.server.Protocols.SetUnencryptedHTTP2(true)
	go func() {
		defer close(s.done)
		s.server.Serve(l) // its end is always Close
	}()
	return s, nil
}

// Addr is the server's host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Close ends the listener and every connection, and waits for the accepting goroutine.
func (s *Server) Close() error {
	err := s.server.Close()
	<-s.done
	return err
}
