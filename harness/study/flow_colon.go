package study

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// A word that starts with a colon, such as Gradle's :solr:core:test, is plain text inside [ ] and { } in YAML 1.2. The
// YAML reader still follows YAML 1.1 there and refuses it. So such colons are hidden from it behind a character of the
// same width, which keeps every position, and put back into the values.
const hiddenColon = "\ue000" // private use; a file that has it is read as it is

var leadingColon = regexp.MustCompile(`([\[{,][ \t\r\n]*|:[ \t]+):([^\s,\[\]{}])`)

func hideColons(data []byte) []byte {
	if bytes.Contains(data, []byte(hiddenColon)) {
		return data
	}
	return leadingColon.ReplaceAll(data, []byte("${1}"+hiddenColon+"${2}"))
}

func showColons(n *yaml.Node) {
	n.Value = strings.ReplaceAll(n.Value, hiddenColon, ":")
	for _, c := range n.Content {
		showColons(c)
	}
}
