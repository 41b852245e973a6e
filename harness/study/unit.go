package study

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/docker/go-units"
	"go.yaml.in/yaml/v3"
)

// The spellings of single values. The JSON Schema has the same ones.
var (
	durationPattern = regexp.MustCompile(`^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`)
	sizePattern     = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?(B|KiB|MiB|GiB|TiB)$`)
	perCorePattern  = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?x$`)
)

const (
	maxDuration = 30 * 24 * time.Hour
	maxSize     = 1 << 50 // bytes
)

// duration reads 10m, 1h30m or 50us; it must be above 0.
func (r *reader) duration(n *yaml.Node, into *time.Duration) {
	n = resolve(n)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || !durationPattern.MatchString(n.Value) {
		hint := ""
		if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!int" {
			hint = fmt.Sprintf("did you mean %ss?", n.Value)
		}
		r.fail(n, hint, "%s must be a duration such as 90s, 10m or 1h30m, not %s", r.label, describe(n))
		return
	}
	d, err := time.ParseDuration(n.Value)
	if err != nil || d <= 0 || d > maxDuration {
		r.fail(n, "", "%s must be above 0s and at most %s, not %s", r.label, short(maxDuration), n.Value)
		return
	}
	*into = d
}

// size reads 512MiB, or a number of bytes; it must be above 0.
func (r *reader) size(n *yaml.Node, into *int64) {
	n = resolve(n)
	if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float") {
		r.whole(n, 1, maxSize, into)
		return
	}
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || !sizePattern.MatchString(n.Value) {
		r.fail(n, "units are B, KiB, MiB, GiB and TiB", "%s must be a size such as 64MiB, not %s", r.label, describe(n))
		return
	}
	v, err := units.RAMInBytes(n.Value)
	if err != nil || v < 1 || v > maxSize {
		r.fail(n, "", "%s must be above 0B and at most %dTiB, not %s", r.label, int64(maxSize)>>40, n.Value)
		return
	}
	*into = v
}

// perCore reads 2x: two for every core.
func (r *reader) perCore(n *yaml.Node, into *float64) {
	const most = 64
	n = resolve(n)
	if n.Kind != yaml.ScalarNode || n.ShortTag() != "!!str" || !perCorePattern.MatchString(n.Value) {
		hint := ""
		if n.Kind == yaml.ScalarNode && (n.ShortTag() == "!!int" || n.ShortTag() == "!!float") {
			hint = fmt.Sprintf("%sx is %s busy workers for every core; workers: says how many in all", n.Value, n.Value)
		}
		r.fail(n, hint, "%s must be a factor such as 2x, not %s", r.label, describe(n))
		return
	}
	f, err := strconv.ParseFloat(strings.TrimSuffix(n.Value, "x"), 64)
	if err != nil || f <= 0 || f > most {
		r.fail(n, "", "%s must be above 0x and at most %dx, not %s", r.label, most, n.Value)
		return
	}
	*into = f
}

// short writes 10m for 10m0s.
func short(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
