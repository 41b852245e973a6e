// Package plan turns a study and a seed into ordered, immutable trials.
//
// It stands between study and trial in the pipeline study → plan → trial → classify → journal → report.
// It takes a Study, a selection and a seed, and gives a Plan: strata, their cells, and blocks of trials in a
// shuffled order that the seed alone decides. Same input, same plan, on every machine. It runs nothing.
package plan

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/url"
	"strconv"

	"github.com/failrate/failrate/harness/study"
)

// Plan is every trial of a campaign, over all its shards. New makes one; it is not changed afterwards.
type Plan struct {
	Study       string    `json:"study"`        // the study's name
	StudyDigest string    `json:"study_digest"` // hex SHA-256 of the study and the files it names
	Seed        uint64    `json:"seed,string"`  // decides the order of the trials and FAILRATE_SEED; a string in JSON, as JSON numbers lose bits
	Iterations  int       `json:"iterations"`   // trials per cell that is not a control
	Baseline    string    `json:"baseline"`
	Strata      []Stratum `json:"strata"`
}

// Stratum is the set of cells that may be compared with each other: same platform, stress and parameters.
type Stratum struct {
	Platform   study.Platform `json:"platform"`
	Stress     string         `json:"stress"`
	Parameters []Setting      `json:"parameters,omitempty"` // in the study's order
	Cells      []Cell         `json:"cells"`                // the variants, in the study's order
	Controls   []Cell         `json:"controls,omitempty"`
}

// Setting is one parameter's value.
type Setting struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Cell is what one failure rate is estimated for.
type Cell struct {
	Variant    string         `json:"variant"`
	Control    bool           `json:"control,omitempty"`
	Platform   study.Platform `json:"platform"`
	Stress     string         `json:"stress"`
	Parameters []Setting      `json:"parameters,omitempty"`
	Trials     int            `json:"trials"` // over all shards
}

// ID is the cell's name, such as leaders-only/container/cpu-2x or a/native/none/delay=50us.
func (c Cell) ID() string { return c.Variant + "/" + stratumID(c.Platform, c.Stress, c.Parameters) }

// ID is the stratum's name: that of its cells without the variant.
func (s Stratum) ID() string { return stratumID(s.Platform, s.Stress, s.Parameters) }

func stratumID(p study.Platform, stress string, settings []Setting) string {
	id := string(p) + "/" + stress
	for _, s := range settings {
		id += "/" + s.Name + "=" + url.PathEscape(s.Value) // a value may hold / # or !, which an id means something by
	}
	return id
}

// Selection narrows a study and fixes what it leaves open. The zero value selects everything.
type Selection struct {
	Variants   []string            // names; empty means all; the baseline is always added
	Platforms  []study.Platform    // empty means the study's
	Stress     []string            // level names; empty means all
	Parameters map[string][]string // values by parameter name; a missing name means all its values
	Iterations int                 // 0 means the study's
	NoControls bool
	Seed       uint64
}

// New plans a study. The digest is the study's own (study.Digest). Names that the study lacks are errors.
func New(s *study.Study, digest string, sel Selection) (*Plan, error) {
	c, err := choose(s, sel)
	if err != nil {
		return nil, err
	}
	p := &Plan{Study: s.Name, StudyDigest: digest, Seed: sel.Seed, Iterations: c.iterations, Baseline: s.Baseline}
	for _, platform := range c.platforms {
		for _, level := range c.stress {
			for _, settings := range combinations(c.parameters) {
				p.Strata = append(p.Strata, c.stratum(s, platform, level, settings))
			}
		}
	}
	return p, nil
}

// Digest is the hex SHA-256 of the plan: two shards may be merged only when theirs are equal.
func (p *Plan) Digest() string {
	b, err := json.Marshal(p)
	if err != nil { // a Plan holds only strings and numbers
		panic(fmt.Sprintf("plan: encode: %v", err))
	}
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// Cells lists every cell, stratum by stratum, the variants before the controls.
func (p *Plan) Cells() []Cell {
	var out []Cell
	for _, s := range p.Strata {
		out = append(append(out, s.Cells...), s.Controls...)
	}
	return out
}

// Trials is how many trials the plan holds over all shards.
func (p *Plan) Trials() int {
	n := 0
	for _, c := range p.Cells() {
		n += c.Trials
	}
	return n
}

// derive gives a number that depends on the seed and every part, and on nothing else.
func derive(seed uint64, parts ...string) uint64 {
	text := strconv.AppendUint([]byte("failrate/1\x00"), seed, 10)
	for _, part := range parts {
		text = append(append(text, 0), part...)
	}
	sum := sha256.Sum256(text)
	return binary.BigEndian.Uint64(sum[:8])
}
