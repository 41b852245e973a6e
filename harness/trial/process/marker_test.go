package process

import "testing"

func TestMarkers(t *testing.T) {
	t.Parallel()
	inner := &Session{id: "in", outer: "out.1"}
	p := &Process{session: inner, marker: inner.mark()}
	if p.marker != "out.1/in.1" || p.own() != "in.1" {
		t.Errorf("marker %q with own part %q", p.marker, p.own())
	}
	for _, c := range []struct {
		value, within string
		ours, inner   bool
	}{
		{"", "", false, false},
		{"out.1", "", false, false},
		{"out.1/in.1", "in.1", true, true},
		{"out.1/in.11", "in.11", false, true},
		{"out.1/in.1/deep.7", "in.1/deep.7", true, true},
		{"other.1", "other.1", false, false},
		{"xin.1", "xin.1", false, false},
	} {
		if got := inner.within(c.value); got != c.within {
			t.Errorf("%q within the outer tree is %q, want %q", c.value, got, c.within)
		}
		if got := has(c.value, p.own()); got != c.ours {
			t.Errorf("%q belongs to the tree: %t, want %t", c.value, got, c.ours)
		}
		if got := ofSession(c.value, "in"); got != c.inner {
			t.Errorf("%q belongs to the session: %t, want %t", c.value, got, c.inner)
		}
	}
	if ofSession("out.1/in.1", "") {
		t.Error("an empty id has processes")
	}
}

func TestEntryIsPlainText(t *testing.T) {
	t.Parallel()
	if got := (entry{pid: 7, name: "a\x1b[2J\n\xffb"}).String(); got != "a?[2J??b (7)" {
		t.Errorf("entry %q", got)
	}
}
