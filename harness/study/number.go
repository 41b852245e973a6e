package study

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The spellings of a share in per cent: from 0% to 100%, and any, for a message that says how far.
var (
	sharePattern   = regexp.MustCompile(`^(100(\.0+)?|[1-9]?[0-9](\.[0-9]+)?)%$`)
	percentPattern = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?%$`)
)

// number reads a finite number.
func (r *reader) number(n *yaml.Node, into *float64) bool {
	n = resolve(n)
	var f float64
	if n.Kind != yaml.ScalarNode || (n.ShortTag() != "!!int" && n.ShortTag() != "!!float") || n.Decode(&f) != nil ||
		math.IsNaN(f) || math.IsInf(f, 0) {
		r.wrongKind(n, "a number")
		return false
	}
	*into = f
	return true
}

// whole reads a whole number from low to high.
func (r *reader) whole(n *yaml.Node, low, high int64, into *int64) bool {
	n = resolve(n)
	var f float64
	if n.Kind != yaml.ScalarNode || (n.ShortTag() != "!!int" && n.ShortTag() != "!!float") || n.Decode(&f) != nil || f != math.Trunc(f) {
		r.wrongKind(n, "a whole number")
		return false
	}
	if f < float64(low) || f > float64(high) {
		r.fail(n, "", "%s must be from %d to %d, not %s", r.label, low, high, n.Value)
		return false
	}
	*into = int64(f)
	return true
}

// count is whole for the fields that are an int.
func (r *reader) count(n *yaml.Node, low, high int64, into *int) {
	var v int64
	if r.whole(n, low, high, &v) {
		*into = int(v)
	}
}

// interval says which shares are allowed; words says it to people.
type interval struct {
	words string
	has   func(share float64) bool
}

// The intervals of the shares.
var (
	anyShare  = interval{"from 0% to 100%", func(x float64) bool { return x >= 0 && x <= 1 }}
	someShare = interval{"above 0% and at most 100%", func(x float64) bool { return x > 0 && x <= 1 }}
	sureShare = interval{"at least 50% and below 100%", func(x float64) bool { return x >= 0.5 && x < 1 }}
)

// share reads 2% or 0.02.
func (r *reader) share(n *yaml.Node, in interval, into *float64) {
	n = resolve(n)
	var f float64
	switch {
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!str" && percentPattern.MatchString(n.Value):
		f, _ = strconv.ParseFloat(strings.TrimSuffix(n.Value, "%")+"e-2", 64) // in one rounding: 99.9% is 0.999
	case n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float"):
		if !r.number(n, &f) {
			return
		}
	default:
		r.wrongKind(n, "a share such as 2% or 0.02")
		return
	}
	if percent := strings.HasSuffix(n.Value, "%"); !in.has(f) || percent && !sharePattern.MatchString(n.Value) {
		hint := ""
		if f > 1 && in.has(f/100) && !percent {
			hint = fmt.Sprintf("did you mean %s%%?", n.Value)
		}
		r.fail(n, hint, "%s must be %s, not %s", r.label, in.words, n.Value)
		return
	}
	*into = f
}
