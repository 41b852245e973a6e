package containers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/trial"
)

const (
	answerPatience = 10 * time.Second // what an agent may take beyond the limit and grace of its attempt
	stopPatience   = 5 * time.Second  // the same, and for the removal of its container, when the attempt was stopped
)

// errAgent says that the container's agent is not the one of this program.
var errAgent = errors.New("the container's agent speaks another protocol")

// talk has the agent run something, hands every frame to hear until the result, and gives the result. The end of ctx
// stops the attempt, as trial.Executor says. An error means that the connection is of no use any more.
func (l *link) talk(ctx context.Context, run agent.Run, hear func(kind byte, payload []byte) error) (agent.Result, error) {
	l.seq++
	run.Seq = l.seq
	var limit time.Time
	if run.Timeout > 0 {
		limit = time.Now().Add(run.Timeout + run.Grace + min(answerPatience, l.engine.deadline))
	}
	if err := l.conn.SetDeadline(limit); err != nil {
		return agent.Result{}, fmt.Errorf("talk to the container: %w", err)
	}
	if err := l.order(agent.Order{Run: &run}); err != nil {
		return agent.Result{}, err
	}
	defer l.stopWith(ctx, run)()
	for {
		kind, payload, err := agent.ReadFrame(l.frames, l.buf)
		l.buf = payload
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return agent.Result{}, errors.New("the container has not answered in time")
		case err != nil:
			return agent.Result{}, fmt.Errorf("the connection to the container ended: %w", oneLine(err))
		case kind == agent.KindResult:
			var r agent.Result
			if json.Unmarshal(payload, &r) != nil || r.Seq != run.Seq {
				return agent.Result{}, errAgent
			}
			return r, nil
		default:
			err = hear(kind, payload)
		}
		if err != nil {
			return agent.Result{}, err
		}
	}
}

// awaitHello waits until the agent is ready for orders.
func (l *link) awaitHello(ctx context.Context) error {
	if err := l.conn.SetReadDeadline(time.Now().Add(l.engine.deadline)); err != nil {
		return fmt.Errorf("talk to the container: %w", err)
	}
	defer context.AfterFunc(ctx, func() { _ = l.conn.SetReadDeadline(time.Now().Add(stopPatience)) })()
	kind, payload, err := agent.ReadFrame(l.frames, l.buf)
	if err != nil {
		return fmt.Errorf("the container's agent did not start: %w%s", oneLine(err), l.complaint())
	}
	l.buf = payload
	if kind != agent.KindHello || json.Unmarshal(payload, &l.hello) != nil || l.hello.Version != agent.Version {
		return errAgent
	}
	return nil
}

// stopWith stops the attempt when ctx ends. The function that it gives undoes it, and waits for a stop that has begun.
func (l *link) stopWith(ctx context.Context, run agent.Run) (release func()) {
	done := make(chan struct{})
	undo := context.AfterFunc(ctx, func() {
		defer close(done)
		grace := min(run.Grace, trial.StopGrace)
		if errors.Is(context.Cause(ctx), trial.ErrKillNow) {
			grace = 0
		}
		_ = l.conn.SetDeadline(time.Now().Add(grace + stopPatience)) // a dead connection shows where it is read
		_ = l.order(agent.Order{Stop: &agent.Stop{Seq: run.Seq, Grace: grace}})
	})
	return func() {
		if !undo() {
			<-done
		}
	}
}

// order sends one order to the agent.
func (l *link) order(o agent.Order) error {
	b, err := json.Marshal(o)
	if err != nil {
		return fmt.Errorf("encode order: %w", err)
	}
	if _, err := l.conn.Write(append(b, '\n')); err != nil {
		return fmt.Errorf("send to the container: %w", oneLine(err))
	}
	return nil
}

// complaint is what the agent last wrote to its stderr, for an error's end.
func (l *link) complaint() string {
	if len(l.frames.stderr.kept) == 0 {
		return ""
	}
	return fmt.Sprintf(": %.500q", l.frames.stderr.kept)
}
