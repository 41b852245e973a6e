package study

import _ "embed"

//go:embed schema.json
var schema string

// Schema gives the JSON Schema (draft 2020-12) of study.yaml, for editors. What it refuses, Parse refuses too; Parse
// also checks names that refer to each other, files, patches and the study's size.
func Schema() []byte { return []byte(schema) }
