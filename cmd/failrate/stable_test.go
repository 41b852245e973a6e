package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
)

// stableTable is a table's JSON without what only a run can measure: its circumstances, and the footnotes, some of which
// doubt a cell by its durations.
func stableTable(raw []byte) ([]byte, error) {
	var m map[string]any
	if err := json.Unmarshal(raw, &m); err != nil {
		return nil, err
	}
	delete(m, "circumstances")
	withoutNotes(m)
	return json.MarshalIndent(m, "", " ")
}

func withoutNotes(v any) {
	switch v := v.(type) {
	case map[string]any:
		delete(v, "notes")
		for _, member := range v {
			withoutNotes(member)
		}
	case []any:
		for _, element := range v {
			withoutNotes(element)
		}
	}
}

// sametable is a command of the scripts: it exits with 1 unless two tables in JSON are equal in their stable part.
func sametable(args []string) int {
	var stable [2][]byte
	for i, path := range args[:2] {
		raw, err := os.ReadFile(path)
		if err == nil {
			stable[i], err = stableTable(raw)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "sametable:", path, err)
			return 1
		}
	}
	if !bytes.Equal(stable[0], stable[1]) || !bytes.Contains(stable[0], []byte(`"cells"`)) {
		fmt.Fprintf(os.Stderr, "sametable: %s\n%s\n%s\n%s\n", args[0], stable[0], args[1], stable[1])
		return 1
	}
	return 0
}
