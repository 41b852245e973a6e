package steps

import (
	"fmt"
	"net/http"
	"time"
)

// ask sends a step's request as often as the step says, and judges the answers.
func (x *run) ask(s Step) *failure {
	want, err := x.wanted(s)
	if err != nil {
		return unclear(err)
	}
	every, begin := s.Every, x.now()
	if every <= 0 {
		every = DefaultEvery
	}
	tries := tryLog{logger: x.logger}
	var last *failure
	for n := 1; ; n++ {
		r, err := x.request(s, x.dir)
		if err != nil {
			return unclear(err)
		}
		limit, cut := s.limit(x.now().Sub(begin))
		a := send(x.ctx, x.client, r, limit)
		if x.ctx.Err() != nil {
			return &failure{why: "stopped"}
		}
		saved, f := want.judge(a)
		done := f == nil && n >= s.Repeat
		over := f != nil && (s.Within <= 0 || x.now().Add(every).Sub(begin) >= s.Within)
		tries.add(r, a, n == 1 || done || over)
		if f == nil || last == nil || !cut || a.broken == "" { // an answer says more than that there was no time for another
			last = f
		}
		switch {
		case done:
			x.keep(s, saved, x.now().Sub(begin), n)
			return nil
		case f == nil: // once more
		case over:
			return last.after(s, n)
		case !x.sleep(every):
			return &failure{why: "stopped"}
		}
	}
}

// limit is the time that one request has, when so much has passed since the step's begin; cut says that it is the step's
// time that ends it.
func (s Step) limit(passed time.Duration) (limit time.Duration, cut bool) {
	limit = s.Timeout
	if limit <= 0 {
		limit = DefaultTimeout
	}
	if s.Within > 0 && s.Within-passed < limit {
		return max(s.Within-passed, time.Millisecond), true
	}
	return limit, false
}

// after says how often was asked for this.
func (f *failure) after(s Step, tries int) *failure {
	switch {
	case s.Within > 0:
		f.why = fmt.Sprintf("not within %s, in %d tries; at last: %s", s.Within, tries, f.why)
	case s.Repeat > 1:
		f.why = fmt.Sprintf("request %d of %d: %s", tries, s.Repeat, f.why)
	}
	return f
}

// keep notes what a step that succeeded has to give.
func (x *run) keep(s Step, saved map[string]string, took time.Duration, tries int) {
	if metric := s.MetricName(); metric != "" {
		x.record.Metrics[metric] = milliseconds(took)
	}
	for name, value := range saved {
		x.saved[name] = value
		delete(x.lost, name)
		x.line("saved %s: %s", name, excerpt([]byte(value), maxShown))
	}
	if tries > 1 {
		x.line("ok after %s and %d requests", shown(took), tries)
		return
	}
	x.line("ok after %s", shown(took))
}

// tryLog writes down requests and their answers. Of many that follow one another with the same status only the first and
// the last are written: a step may ask a thousand times.
type tryLog struct {
	logger
	last   string
	silent int
}

func (l *tryLog) add(r *http.Request, a answer, always bool) {
	key := fmt.Sprint(a.status, a.broken)
	if !always && key == l.last {
		l.silent++
		return
	}
	if l.silent > 0 {
		l.line("(%d more with the same status)", l.silent)
	}
	l.last, l.silent = key, 0
	sent := ""
	if r.ContentLength > 0 {
		sent = fmt.Sprintf(", %d bytes sent", r.ContentLength)
	}
	l.line("%s %s%s", r.Method, excerpt([]byte(r.URL.Redacted()), maxLogged), sent)
	if a.broken != "" {
		l.line("%s (%s)", excerpt([]byte(a.broken), maxLogged), shown(a.took))
		return
	}
	size := fmt.Sprintf("%d bytes", len(a.body))
	if a.more {
		size = fmt.Sprintf("more than %d bytes", maxBody)
	}
	l.line("status %d, %s in %s%s", a.status, size, shown(a.took), said(a))
}
