package journal

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/failrate/failrate/harness/plan"
)

// Difference is one thing that two headers say differently.
type Difference struct{ What, Here, There string }

// DiffersError says why two journals are not of one campaign, or a journal is not the one that is to be resumed.
type DiffersError struct {
	Differences []Difference // at least one
	Way         string       // what to do about it
}

func (e *DiffersError) Error() string {
	var parts []string
	for _, d := range e.Differences {
		parts = append(parts, fmt.Sprintf("%s is %.80q here and %.80q there", d.What, d.Here, d.There))
	}
	return strings.Join(parts, "; ")
}

// Is makes it an ErrDiffers and an ErrRefused.
func (e *DiffersError) Is(target error) bool { return target == ErrDiffers || target == ErrRefused }

// Hint is the next step.
func (e *DiffersError) Hint() string { return e.Way }

// The ways out of a difference.
const (
	wayTool   = "one version of failrate has to measure all of a campaign; report each by itself, or measure again with one version"
	wayStudy  = "the study changed in between; measure all of it from one commit, or report each by itself"
	wayPlan   = "they were asked for different trials; use the same study, seed, selection and number of trials, or report each by itself"
	wayRules  = "outcomes were derived by different rules; run failrate reclassify on both with the same rules"
	wayDesign = "they stop by different designs, and no interval is valid over both; report each by itself"
	wayRun    = "resume with the command that began it (campaign.json has it), or begin a new campaign"
)

// SameCampaign says why the results of two headers must not be added up; nil when they may be. Format version, tool
// version, study, plan, rules and stopping design have to agree; host, shard and attempt may differ.
func (h Header) SameCampaign(other Header) error {
	c := comparison{}
	c.differ("format version", strconv.Itoa(h.Version), strconv.Itoa(other.Version), wayTool)
	c.differ("the version of failrate", h.Tool, other.Tool, wayTool)
	c.differ("the study", h.Plan.Study, other.Plan.Study, wayPlan)
	c.differ("the study's digest", h.Plan.StudyDigest, other.Plan.StudyDigest, wayStudy)
	c.differ("the seed", strconv.FormatUint(h.Plan.Seed, 10), strconv.FormatUint(other.Plan.Seed, 10), wayPlan)
	c.differ("the number of trials per cell", strconv.Itoa(h.Plan.Iterations), strconv.Itoa(other.Plan.Iterations), wayPlan)
	c.differ("the baseline", h.Plan.Baseline, other.Plan.Baseline, wayPlan)
	if len(c.found) == 0 { // else it only repeats what was said
		c.differ("the plan's digest", h.PlanDigest, other.PlanDigest, wayPlan)
	}
	c.differ("the digest of the rules", h.Rules, other.Rules, wayRules)
	c.differ("the design", cmp.Or(h.Design, "fixed"), cmp.Or(other.Design, "fixed"), wayDesign)
	return c.err()
}

// SameRun says why a journal with this header must not be resumed by a harness that would begin one with the other;
// nil when it may be. On top of SameCampaign, campaign, shard, system and trials at once have to agree.
func (h Header) SameRun(other Header) error {
	if err := h.SameCampaign(other); err != nil {
		return err
	}
	c := comparison{}
	c.differ("the campaign", h.Campaign, other.Campaign, wayRun)
	c.differ("the shard", cmp.Or(h.Shard, "whole"), cmp.Or(other.Shard, "whole"), wayRun)
	c.differ("the system", h.Host.System(), other.Host.System(), wayRun)
	c.differ("the number of trials at once", strconv.Itoa(h.Jobs), strconv.Itoa(other.Jobs), wayRun)
	return c.err()
}

// System is the host's operating system and architecture, such as linux/amd64: part of a trial's identity.
func (h Host) System() string { return h.OS + "/" + h.Arch }

// comparison collects differences; the first one says the way out.
type comparison struct {
	found []Difference
	way   string
}

func (c *comparison) differ(what, here, there, way string) {
	if here == there {
		return
	}
	c.found = append(c.found, Difference{What: what, Here: here, There: there})
	c.way = cmp.Or(c.way, way)
}

func (c *comparison) err() error {
	if len(c.found) == 0 {
		return nil
	}
	return &DiffersError{Differences: c.found, Way: c.way}
}

// check says what is wrong with a header in itself, and gives its shard.
func (h Header) check() (plan.Shard, error) {
	if digest := h.Plan.Digest(); digest != h.PlanDigest {
		return plan.Shard{}, fmt.Errorf("the plan's digest is %s, but the header says %.80q", digest, h.PlanDigest)
	}
	if h.Attempt < 1 {
		return plan.Shard{}, fmt.Errorf("the attempt is %d, not at least 1", h.Attempt)
	}
	if h.Shard == "" {
		return plan.Shard{}, nil
	}
	return plan.ParseShard(h.Shard)
}

// takes reports whether the header's host runs the trials of a platform.
func (h Header) takes(platform string) bool {
	return len(h.Platforms) == 0 || slices.Contains(h.Platforms, platform)
}
