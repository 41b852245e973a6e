package classify

import (
	"fmt"
	"maps"
	"slices"
)

// tally collects the rounds of one trial.
type tally struct {
	rules    []rule   // that may class a round by its message, in order
	marks    []string // names of the study's evidence
	required []string // evidence that every passed round must carry itself, since no output can show it

	passed, failed, broken, unexercised int

	classes   map[string]int // failed rounds by class, without the next two
	silent    int            // failed rounds without class and message: the output decides
	unmatched int            // failed rounds with a message that no rule matches
	first     failure        // the first failed round
	why       string         // of the first broken round
	evidence  map[string]bool
	metrics   map[string][]float64 // of the rounds that passed or failed
	values    int                  // in all metrics
	facts     map[string]string    // the first value of each
}

func newTally(rules []rule, marks []evidence, variant string) *tally {
	t := &tally{
		rules: rules, classes: map[string]int{}, evidence: map[string]bool{},
		metrics: map[string][]float64{}, facts: map[string]string{},
	}
	for _, m := range marks {
		t.marks = append(t.marks, m.Name)
		if m.match == nil && m.Required(variant) {
			t.required = append(t.required, m.Name)
		}
	}
	return t
}

// total is the number of rounds of every kind.
func (t *tally) total() int { return t.passed + t.failed + t.broken + t.unexercised }

// add takes in one round. It gives what is wrong with it, or "".
func (t *tally) add(rec record) string {
	if t.total() == maxRounds {
		return fmt.Sprintf("more than %d rounds", maxRounds)
	}
	for _, e := range rec.Evidence {
		if slices.Contains(t.marks, e) {
			t.evidence[e] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(rec.Facts)) {
		if _, known := t.facts[name]; !known && len(t.facts) < maxFacts && fitName(name) {
			t.facts[name] = printable([]byte(clip(rec.Facts[name], maxFact)), maxFact)
		}
	}
	counts := true
	switch rec.Outcome {
	case "pass":
		if counts = t.exercised(rec.Evidence); counts {
			t.passed++
		} else {
			t.unexercised++
		}
	case "fail":
		counts = t.fail(rec)
	case "broken":
		counts = false
		t.breaks(rec.Message)
	case "unexercised":
		counts = false
		t.unexercised++
	}
	if counts {
		return t.measure(rec.Metrics)
	}
	return ""
}

// exercised reports whether the evidence of a passed round is all that is required of it.
func (t *tally) exercised(evidence []string) bool {
	for _, r := range t.required {
		if !slices.Contains(evidence, r) {
			return false
		}
	}
	return true
}

// fail counts a failed round by its own class or by its message. It gives false when a rule says that it was broken.
func (t *tally) fail(rec record) bool {
	class := rec.Class
	switch {
	case class != "" && !fitName(class):
		class = OtherClass
	case class == "" && rec.Message != "":
		for _, r := range t.rules {
			if r.pattern != nil && r.pattern.find([]byte(rec.Message)) == nil {
				continue
			}
			if r.Broken {
				t.breaks(r.String() + ": " + rec.Message)
				return false
			}
			class = r.Name
			break
		}
	}
	if t.failed++; t.failed == 1 {
		t.first = failure{name: "round " + fmt.Sprint(t.total()), message: clip(rec.Message, 4*MaxReason), excerpt: head([]byte(rec.Message))}
	}
	switch {
	case class != "":
		t.count(class, 1)
	case rec.Message != "":
		t.unmatched++
	default:
		t.silent++
	}
	return true
}

// count adds failed rounds to a class; beyond maxNames classes, to other.
func (t *tally) count(class string, n int) {
	if _, known := t.classes[class]; !known && len(t.classes) >= maxNames {
		class = OtherClass
	}
	t.classes[class] += n
}

// breaks counts a broken round.
func (t *tally) breaks(why string) {
	if t.broken++; t.broken == 1 {
		t.why = clip(why, 4*MaxReason)
	}
}

// measure keeps the metrics of a round.
func (t *tally) measure(metrics map[string]float64) string {
	for name, value := range metrics {
		switch _, known := t.metrics[name]; {
		case !fitName(name):
			return fmt.Sprintf("%q cannot name a metric", clip(name, maxName))
		case !known && len(t.metrics) == maxMetrics:
			return fmt.Sprintf("more than %d metrics", maxMetrics)
		case t.values == maxMetricCount:
			return fmt.Sprintf("more than %d values of metrics", maxMetricCount)
		}
		t.metrics[name] = append(t.metrics[name], value)
		t.values++
	}
	return ""
}
