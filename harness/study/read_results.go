package study

import (
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

const (
	retriedFail = "fail"
	retriedPass = "pass"
)

var resultsKeys = []key[Results]{
	resultFormat(ResultExit), resultFormat(ResultRecords), resultFormat(ResultJUnit), resultFormat(ResultGoTest), resultFormat(ResultTAP),
	{"retried-pass", false, func(r *reader, n *yaml.Node, v *Results) {
		one(r, n, &v.RetriedPass, retriedFail, retriedPass)
	}},
}

// resultFormat is the key that names a format; its value is a glob, or nothing.
func resultFormat(f ResultFormat) key[Results] {
	return key[Results]{string(f), false, func(r *reader, n *yaml.Node, v *Results) {
		v.Format = f
		switch {
		case isNull(n) && f == ResultJUnit:
			r.fail(n, "junit: path/to/*.xml", "junit needs to know its files")
		case isNull(n):
		case f == ResultExit:
			r.fail(n, "", "the exit status has no files")
		default:
			r.glob(n, &v.Files)
		}
	}}
}

// readResults reads a mapping of one format to its files, or the format's name alone.
func readResults(r *reader, n *yaml.Node, into *Results) {
	if resolve(n).Kind == yaml.ScalarNode {
		one(r, n, &into.Format, ResultExit, ResultRecords, ResultJUnit, ResultGoTest, ResultTAP)
		if into.Format == ResultJUnit {
			r.fail(n, "results: {junit: path/to/*.xml}", "junit needs to know its files")
		}
		return
	}
	at := readKeys(r, n, "results", resultsKeys, into)
	formats := len(at)
	if at["retried-pass"] != nil {
		formats--
	}
	if resolve(n).Kind == yaml.MappingNode && formats != 1 {
		r.fail(n, "known are exit, records, junit, go-test-json, tap", "results has to have one format, not %d", formats)
	}
}

// glob reads a pattern of files in the subject's tree.
func (r *reader) glob(n *yaml.Node, into *string) {
	var text string
	if !r.text(n, &text) {
		return
	}
	_, bad := path.Match(text, "")
	climbs := strings.HasPrefix(text, "/") || strings.Contains("/"+text+"/", "/../")
	switch {
	case text == "" || bad != nil:
		r.fail(n, "", "%s is not a pattern of files", clip(text))
	case climbs:
		r.fail(n, "", "%s leaves the subject's tree", clip(text))
	default:
		*into = text
	}
}
