package study

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/distribution/reference"
)

// InlineOptions make a study without a study.yaml: one command per variant, the first is the baseline.
type InlineOptions struct {
	Commands   []string          // NAME=COMMAND each; at least one
	Shell      bool              // run each by /bin/sh -c; without it they are split into words and run as they are
	Name       string            // of the study; empty means made from the variants' names
	Dir        string            // where the commands run; empty means the working directory
	Timeout    time.Duration     // per trial; 0 means DefaultTimeout
	Grace      time.Duration     // between TERM and KILL; 0 means DefaultGrace
	Iterations int               // per cell; 0 means DefaultIterations
	Format     ResultFormat      // how the commands report; empty means by exit status
	Files      string            // where the results are: a glob, as in Results; junit needs one
	Image      string            // for containers; empty means native only
	Platforms  []Platform        // empty means native, and with an image container too
	Env        map[string]string // added to every trial's environment
}

// inlineFile stands for the file in the errors of inline studies.
const inlineFile = "-c"

// Inline makes a study of commands. What is wrong with them comes as Errors, all of it at once.
func Inline(o InlineOptions) (*Study, error) {
	dir, err := filepath.Abs(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("working directory: %w", err)
	}
	s := withDefaults()
	s.Dir, s.Subject.Dir = dir, dir
	s.Subject.Shell = o.Shell
	s.Subject.Env = o.Env
	errs := o.settings(s)
	for i, c := range o.Commands {
		v, words, err := inlineVariant(c, o.Shell, variantNames(s))
		if err != nil {
			errs = append(errs, *err)
			continue
		}
		if i == 0 {
			s.Subject.Command, s.Baseline = words, v.Name
		} else {
			v.Command = words
		}
		s.Variants = append(s.Variants, v)
	}
	if len(o.Commands) == 0 {
		errs = append(errs, Error{File: inlineFile, Message: "no command given", Hint: "-c NAME=COMMAND"})
	}
	if len(errs) > 0 {
		return nil, errs
	}
	if s.Name = o.Name; s.Name == "" {
		s.Name = inlineName(variantNames(s))
	}
	return throughFile(s)
}

// settings takes over the options that stand beside the commands.
func (o InlineOptions) settings(s *Study) Errors {
	var errs Errors
	if o.Timeout != 0 {
		s.Subject.Timeout = o.Timeout
	}
	if o.Grace != 0 {
		s.Subject.Grace = o.Grace
	}
	if o.Iterations != 0 {
		s.Iterations = o.Iterations
	}
	if o.Format != "" {
		s.Subject.Results.Format = o.Format
	}
	s.Subject.Results.Files = o.Files
	if o.Image != "" {
		s.Subject.Image = Image{Name: o.Image, Pull: PullMissing}
		if _, err := reference.ParseNormalizedNamed(o.Image); err != nil {
			errs = append(errs, Error{File: "--image", Message: fmt.Sprintf("%s is not an image's name: %v", clip(o.Image), err)})
		}
	}
	s.Platforms = o.Platforms
	return errs
}

// inlineVariant reads NAME=COMMAND.
func inlineVariant(text string, shell bool, taken []string) (Variant, []string, *Error) {
	name, command, ok := strings.Cut(text, "=")
	if !ok || !namePattern.MatchString(name) {
		hint := fmt.Sprintf("-c before='%s'", strings.ReplaceAll(text, "'", `'\''`))
		return Variant{}, nil, &Error{File: inlineFile, Message: clip(text) + " is not of the form NAME=COMMAND; a name is " + nameForm, Hint: hint}
	}
	e := Error{File: inlineFile + " " + name}
	switch {
	case !utf8.ValidString(command):
		e.Message, e.Hint = "the command is not UTF-8", "put it in a script"
		return Variant{}, nil, &e
	case slices.Contains(taken, name):
		e.Message, e.Hint = fmt.Sprintf("there is a variant %q before it", name), "choose another name"
		return Variant{}, nil, &e
	case strings.TrimSpace(command) == "":
		e.Message = "the command is empty"
		return Variant{}, nil, &e
	case shell:
		return Variant{Name: name}, []string{command}, nil
	}
	words, err := Split(command)
	if err != nil {
		e.Message, e.Hint = err.Error(), "quote it, or let a shell run the commands: --shell"
		return Variant{}, nil, &e
	}
	return Variant{Name: name}, words, nil
}

// inlineName joins the variants' names into a study's: before-vs-after.
func inlineName(variants []string) string {
	const most = 64
	name := strings.NewReplacer(".", "-", "_", "-").Replace(strings.Join(variants, "-vs-"))
	if len(name) > most {
		name = strings.TrimRight(name[:most], "-")
	}
	return name
}

// throughFile gives the study that its own study.yaml would give: one set of checks for both ways in.
func throughFile(s *Study) (*Study, error) {
	data, err := Encode(s)
	if err != nil {
		return nil, err
	}
	out, err := Parse(inlineFile, data, s.Dir)
	var errs Errors
	if errors.As(err, &errs) {
		for i := range errs { // positions in a file that nobody has seen say nothing
			errs[i].Line, errs[i].Col = 0, 0
		}
		return nil, errs
	}
	return out, err
}
