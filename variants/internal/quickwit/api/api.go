// Package api puts the HTTP interface of Quickwit on the model of its ingest routing: as much of it as it takes to create
// and delete indexes, to ingest and count documents, and to look at the routing table.
//
// It takes a cluster and the clock that the cluster runs on, which has to be one of real time; it gives an http.Handler
// for each node. Answers have the fields and the status codes of the product, documents are counted and not kept.
package api

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/failrate/failrate/variants/internal/quickwit"
)

// maxBody bounds a request's body, in bytes: the product's own limit for an ingest.
const maxBody = 10 << 20

// server answers for one node.
type server struct {
	cluster *quickwit.Cluster
	clock   quickwit.Clock
	node    int
	names   func(node int) string
}

// Handler serves the interface of one node of a cluster; names says how nodes are called.
func Handler(c *quickwit.Cluster, clock quickwit.Clock, node int, names func(node int) string) http.Handler {
	s := &server{cluster: c, clock: clock, node: node, names: names}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /health/livez", func(w http.ResponseWriter, _ *http.Request) { reply(w, http.StatusOK, true) })
	mux.HandleFunc("GET /health/readyz", s.ready)
	mux.HandleFunc("GET /api/v1/version", s.version)
	mux.HandleFunc("POST /api/v1/indexes", s.create)
	mux.HandleFunc("GET /api/v1/indexes/{index}", s.describe)
	mux.HandleFunc("DELETE /api/v1/indexes/{index}", s.remove)
	mux.HandleFunc("GET /api/v1/{index}/{action}", s.act)
	mux.HandleFunc("POST /api/v1/{index}/{action}", s.act)
	mux.HandleFunc("GET /api/developer/debug", s.debug)
	return mux
}

// act is chosen by hand: a mux finds /indexes/{index} and /{index}/search too much alike.
func (s *server) act(w http.ResponseWriter, r *http.Request) {
	switch action := r.PathValue("action"); {
	case action == "search":
		s.search(w, r)
	case action == "ingest" && r.Method == http.MethodPost:
		s.ingest(w, r)
	default:
		fail(w, &quickwit.Error{Code: http.StatusNotFound, Text: "Route not found"})
	}
}

// on runs f where the cluster runs, and waits until f's answer is there or the client has gone.
func (s *server) on(ctx context.Context, f func(done func())) bool {
	answered := make(chan struct{})
	s.clock.After(0, func() { f(func() { close(answered) }) })
	select {
	case <-answered:
		return true
	case <-ctx.Done():
		return false
	}
}

// look runs f where the cluster runs.
func (s *server) look(ctx context.Context, f func()) bool {
	return s.on(ctx, func(done func()) { f(); done() })
}

func (s *server) ready(w http.ResponseWriter, r *http.Request) {
	ok := false
	if !s.look(r.Context(), func() { ok = s.cluster.Status(s.node) == quickwit.Ready }) {
		return
	}
	status := http.StatusOK
	if !ok {
		status = http.StatusServiceUnavailable
	}
	reply(w, status, ok)
}

func (s *server) version(w http.ResponseWriter, _ *http.Request) {
	reply(w, http.StatusOK, map[string]any{"build": map[string]any{"version": "model", "cargo_pkg_version": "0.0.0"}})
}

// config is what is read of an index's configuration.
type config struct {
	Version  string `json:"version"`
	Index    string `json:"index_id"`
	Indexing struct {
		Commit int `json:"commit_timeout_secs"`
	} `json:"indexing_settings"`
}

func (s *server) create(w http.ResponseWriter, r *http.Request) {
	body, ok := read(w, r)
	if !ok {
		return
	}
	var c config
	if err := json.Unmarshal(body, &c); err != nil || c.Index == "" || c.Version == "" || c.Indexing.Commit < 0 {
		fail(w, &quickwit.Error{Code: http.StatusBadRequest, Text: "invalid index config: it has to be JSON with version and index_id"})
		return
	}
	var uid quickwit.IndexUID
	var err error
	if !s.on(r.Context(), func(done func()) {
		s.cluster.CreateIndex(c.Index, time.Duration(c.Indexing.Commit)*time.Second, func(u quickwit.IndexUID, e error) { uid, err = u, e; done() })
	}) {
		return
	}
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, http.StatusOK, metadata(uid))
}

func metadata(uid quickwit.IndexUID) map[string]any {
	return map[string]any{"version": "0.9", "index_uid": uid.String(), "index_config": map[string]any{"index_id": uid.Index}}
}

func (s *server) describe(w http.ResponseWriter, r *http.Request) {
	var uid quickwit.IndexUID
	known := false
	if !s.look(r.Context(), func() { uid, known = s.cluster.UID(r.PathValue("index")) }) {
		return
	}
	if !known {
		fail(w, missing(r))
		return
	}
	reply(w, http.StatusOK, metadata(uid))
}

func missing(r *http.Request) error {
	return &quickwit.Error{Code: http.StatusNotFound, Text: fmt.Sprintf("index `%s` not found", r.PathValue("index"))}
}

func (s *server) remove(w http.ResponseWriter, r *http.Request) {
	var err error
	if !s.on(r.Context(), func(done func()) {
		s.cluster.DeleteIndex(r.PathValue("index"), func(e error) { err = e; done() })
	}) {
		return
	}
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, http.StatusOK, []any{})
}

func (s *server) ingest(w http.ResponseWriter, r *http.Request) {
	wait, known := map[string]quickwit.Wait{"": quickwit.Auto, "auto": quickwit.Auto, "wait_for": quickwit.WaitFor, "force": quickwit.Force}[r.FormValue("commit")]
	if !known {
		fail(w, &quickwit.Error{Code: http.StatusBadRequest, Text: "commit is auto, wait_for or force"})
		return
	}
	body, ok := read(w, r)
	if !ok {
		return
	}
	docs := 0
	for line := range bytes.Lines(body) {
		if len(bytes.TrimSpace(line)) > 0 {
			docs++
		}
	}
	var got quickwit.Ingest
	if !s.on(r.Context(), func(done func()) {
		s.cluster.Ingest(s.node, r.PathValue("index"), docs, len(body), wait, func(i quickwit.Ingest) { got = i; done() })
	}) {
		return
	}
	if got.Err != nil {
		fail(w, got.Err)
		return
	}
	reply(w, http.StatusOK, map[string]int{"num_docs_for_processing": docs, "num_ingested_docs": docs, "num_rejected_docs": 0})
}

func (s *server) search(w http.ResponseWriter, r *http.Request) {
	n, err := 0, error(nil)
	if !s.look(r.Context(), func() { n, err = s.cluster.Count(r.PathValue("index")) }) {
		return
	}
	if err != nil {
		fail(w, err)
		return
	}
	reply(w, http.StatusOK, map[string]any{"num_hits": n, "hits": []any{}, "elapsed_time_micros": 0, "errors": []any{}})
}

// route is a row of the routing table as the product prints it.
type route struct {
	Source string  `json:"source_id"`
	Node   string  `json:"node_id"`
	Score  int     `json:"capacity_score"`
	Open   int     `json:"open_shard_count"`
	Zone   *string `json:"availability_zone"`
}

// debug shows every node's routing table, by node and index.
func (s *server) debug(w http.ResponseWriter, r *http.Request) {
	all := map[string]any{}
	if !s.look(r.Context(), func() {
		for n := range s.cluster.Nodes() {
			table := map[string][]route{}
			for _, row := range s.cluster.Routes(n) {
				table[row.UID.Index] = append(table[row.UID.Index], route{row.Source, s.names(row.Node), row.Score, row.Open, nil})
			}
			all[s.names(n)] = map[string]any{"ingest_router": map[string]any{"routing_table": table}}
		}
	}) {
		return
	}
	reply(w, http.StatusOK, all)
}

func read(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		fail(w, &quickwit.Error{Code: http.StatusRequestEntityTooLarge, Text: "the request payload is too large"})
	case err != nil:
		fail(w, &quickwit.Error{Code: http.StatusBadRequest, Text: "the request's body cannot be read"})
	}
	return body, err == nil
}

// fail answers as the product does: a message, with the status that the error has.
func fail(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	var e *quickwit.Error
	if errors.As(err, &e) {
		status = e.Code
	}
	reply(w, status, map[string]string{"message": err.Error()})
}

func reply(w http.ResponseWriter, status int, v any) {
	text, err := json.Marshal(v)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(append(text, '\n')) // a client that has gone needs no answer
}
