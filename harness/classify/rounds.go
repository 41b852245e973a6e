package classify

import (
	"cmp"
	"maps"
	"slices"
)

// waiting reports whether failed rounds wait for what the rules find in the output. Of several rounds the output is
// everyone's, so it says nothing about one that has a message of its own.
func (t *tally) waiting() bool { return t.silent > 0 || t.unmatched > 0 && t.total() == 1 }

// settle classes the failed rounds that wait, by the rule that matched the output; without one they are other.
func (t *tally) settle(r rule, matched bool) {
	n := t.silent
	if t.total() == 1 {
		n += t.unmatched
	} else if t.unmatched > 0 {
		t.count(OtherClass, t.unmatched)
	}
	t.silent, t.unmatched = 0, 0
	switch {
	case n == 0:
	case !matched:
		t.count(OtherClass, n)
	case r.Broken:
		t.failed -= n
		t.broken += n
	default:
		t.count(r.Name, n)
	}
}

// interrupted counts one more failed round: the one in which the subject died or hung.
func (t *tally) interrupted(class string) {
	t.failed++
	t.count(class, 1)
}

// class gives the most frequent class; of equals the one that the rules name first, then the first by name.
func (t *tally) class() string {
	rank := func(name string) int {
		i := slices.IndexFunc(t.rules, func(r rule) bool { return r.Name == name })
		if i < 0 {
			return len(t.rules)
		}
		return i
	}
	names := slices.SortedFunc(maps.Keys(t.classes), func(a, b string) int {
		return cmp.Or(cmp.Compare(t.classes[b], t.classes[a]), cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
	})
	if len(names) == 0 {
		return OtherClass
	}
	return names[0]
}

// rounds gives the counts for the judgement; nil for a trial of one round, which the outcome says in full.
func (t *tally) rounds() *Rounds {
	if t.total() < 2 {
		return nil
	}
	r := &Rounds{N: t.passed + t.failed, Failed: t.failed, Broken: t.broken, Unexercised: t.unexercised}
	if len(t.classes) > 0 {
		r.Classes = maps.Clone(t.classes)
	}
	return r
}

// medians gives each metric's median over the rounds that counted.
func (t *tally) medians() map[string]float64 {
	if len(t.metrics) == 0 {
		return nil
	}
	out := map[string]float64{}
	for name, values := range t.metrics {
		slices.Sort(values)
		n := len(values)
		out[name] = values[(n-1)/2]/2 + values[n/2]/2
	}
	return out
}
