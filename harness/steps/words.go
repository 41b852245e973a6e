package steps

import (
	"fmt"
	"strings"
)

// label is the step's name and place for messages.
func (s Step) label() string {
	var words []string
	if s.Name != "" {
		words = append(words, s.Name)
	}
	if s.Source != "" {
		words = append(words, "("+s.Source+")")
	}
	if len(words) == 0 {
		return ""
	}
	return strings.Join(words, " ") + ": "
}

// String is the step in one line of bounded length: its name and place, what it does, and when it is left out.
func (s Step) String() string {
	out := s.label() + s.does()
	if len(s.Only) > 0 {
		out += ", only " + strings.Join(s.Only, ", ")
	}
	if len(s.Except) > 0 {
		out += ", except " + strings.Join(s.Except, ", ")
	}
	if len(s.After) > 0 {
		out += ", after " + strings.Join(s.After, ", ")
	}
	if len(s.Unless) > 0 {
		out += ", unless " + strings.Join(s.Unless, ", ")
	}
	if s.Optional {
		out += ", optional"
	}
	return excerpt([]byte(out), maxLogged)
}

func (s Step) does() string {
	switch {
	case s.Method != "":
		out := s.Method + " " + s.URL
		if s.Within > 0 {
			out += fmt.Sprintf(", within %s", s.Within)
		}
		if s.Repeat > 1 {
			out += fmt.Sprintf(", %d times", s.Repeat)
		}
		return out
	case s.Wait != "":
		return "wait " + s.Wait
	case s.Action != "":
		return string(s.Action) + " " + strings.Join(s.Services, ", ")
	case len(s.Same) > 0:
		return "same " + strings.Join(s.Same, ", ")
	}
	return "differ " + strings.Join(s.Differ, ", ")
}
