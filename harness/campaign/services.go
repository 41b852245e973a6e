package campaign

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"

	"github.com/failrate/failrate/harness/plan"
	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

// BlockEnder is an executor that keeps something for the trials of a block, such as services.
type BlockEnder interface {
	// EndBlock is called when no trial of the block runs any more and none will. What it cannot remove is removed, or
	// reported, when the executor is closed.
	EndBlock(ctx context.Context, block string)
}

// services are those of a cell's trials: the variant's, with the cell's parameters filled in, and all of their
// environment. Nothing in it differs between the trials of a block unless the study or the variant says so, so that
// trials that need the same service can share one.
func (c Config) services(cell plan.Cell) []study.Service {
	list := c.Study.ServicesFor(cell.Variant)
	for i, s := range list {
		known := c.places(cell.Parameters)
		for _, name := range s.OwnNames() {
			known = append(known, plan.Setting{Name: name, Value: trial.Place(name)})
		}
		fill := filler(known, false)
		words := func(texts []string) []string {
			if texts == nil {
				return nil
			}
			out := make([]string, len(texts))
			for i, t := range texts {
				out[i] = fill.Replace(t)
			}
			return out
		}
		s.Entrypoint, s.Args, s.Command = words(s.Entrypoint), words(s.Args), words(s.Command)
		env := c.inherited(cell)
		for name, value := range s.Env {
			env[name] = fill.Replace(value)
		}
		for _, p := range cell.Parameters {
			env[study.Parameter{Name: p.Name}.EnvName()] = p.Value
		}
		env["FAILRATE_PLATFORM"], env["FAILRATE_STRESS"] = string(cell.Platform), cell.Stress
		s.Env = env
		list[i] = s
	}
	return list
}

// places adds the ports of services, which are known only when they run, to a cell's parameters.
func (c Config) places(settings []plan.Setting) []plan.Setting {
	out := slices.Clone(settings)
	for _, s := range c.Study.Subject.Services {
		for _, p := range s.Ports {
			out = append(out, plan.Setting{Name: s.PortName(p), Value: trial.Place(s.PortName(p))})
		}
	}
	return out
}

// withSeed gives services the block's seed.
func withSeed(list []study.Service, seed uint64) []study.Service {
	if len(list) == 0 {
		return nil
	}
	out := slices.Clone(list)
	for i, s := range out {
		out[i].Env = maps.Clone(s.Env)
		out[i].Env["FAILRATE_SEED"] = strconv.FormatUint(seed, 10)
	}
	return out
}

// blockOf names a block among all of the campaign.
func blockOf(b plan.Block) string { return fmt.Sprintf("%s/%d/%d", b.Phase, b.Stratum, b.Number) }

// pending counts the trials of blocks that still run, and tells the executor when the last one of a block has ended.
type pending struct {
	mu   sync.Mutex
	open map[string]int
}

// begin holds the block open until end was called as often.
func (p *pending) begin(block string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open == nil {
		p.open = map[string]int{}
	}
	p.open[block]++
}

func (p *pending) end(block string) (last bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.open[block]--; p.open[block] > 0 {
		return false
	}
	delete(p.open, block)
	return true
}

// leave ends what begin began, and the block with the last one.
func (r *runner) leave(ctx context.Context, b plan.Block) {
	if !r.pending.end(blockOf(b)) {
		return
	}
	if e, ok := r.cfg.Executors[r.cfg.Plan.Strata[b.Stratum].Platform].(BlockEnder); ok {
		e.EndBlock(ctx, blockOf(b))
	}
}
