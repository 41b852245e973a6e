package main

import (
	"context"
	"errors"
	"slices"

	"github.com/failrate/failrate/containers"
	"github.com/failrate/failrate/harness/study"
)

// engine is the Docker Engine of this machine, or why there is none.
type engine struct {
	engine *containers.Engine
	err    error
}

var errNotAsked = errors.New("no container platform was asked for")

// findEngine connects when the study or --on asks for containers.
func (a *app) findEngine(ctx context.Context, j *job) engine {
	wanted := j.opts.selection.On
	if len(wanted) == 0 {
		wanted = toStrings(j.study.Platforms)
	}
	if !slices.Contains(wanted, string(study.Container)) {
		return engine{err: errNotAsked}
	}
	e, err := containers.Connect(ctx, containers.ConnectOptions{})
	return engine{engine: e, err: err}
}

func (e engine) version() string {
	if e.engine == nil {
		return ""
	}
	return "Docker " + e.engine.Version
}

func (e engine) close() error {
	if e.engine == nil {
		return nil
	}
	return e.engine.Close()
}
