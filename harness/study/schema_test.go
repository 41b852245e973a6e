package study

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
)

// compiled is the published schema, ready to judge.
func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// plainValue turns YAML into what an editor checks against the schema: JSON's kinds of value.
func plainValue(n *yaml.Node) (any, error) {
	n = resolve(n)
	switch n.Kind {
	case yaml.MappingNode:
		out := map[string]any{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k := resolve(n.Content[i])
			if _, twice := out[k.Value]; twice || k.Kind != yaml.ScalarNode {
				return nil, fmt.Errorf("no JSON has the key %q", k.Value)
			}
			v, err := plainValue(n.Content[i+1])
			if err != nil {
				return nil, err
			}
			out[k.Value] = v
		}
		return out, nil
	case yaml.SequenceNode:
		out := []any{}
		for _, c := range n.Content {
			v, err := plainValue(c)
			if err != nil {
				return nil, err
			}
			out = append(out, v)
		}
		return out, nil
	}
	return plainScalar(n)
}

func plainScalar(n *yaml.Node) (any, error) {
	switch n.ShortTag() {
	case "!!null":
		return nil, nil
	case "!!bool":
		var b bool
		err := n.Decode(&b)
		return b, err
	case "!!int", "!!float":
		var f float64
		if err := n.Decode(&f); err != nil || f-f != 0 { // not a number that JSON has
			return n.Value, nil
		}
		return f, nil
	}
	return n.Value, nil
}

// schemaRefuses reports whether an editor would mark the document.
func schemaRefuses(judge *jsonschema.Schema, doc string) bool {
	root, err := document("study.yaml", []byte(doc))
	if err != nil {
		return true
	}
	v, err := plainValue(root)
	return err != nil || judge.Validate(v) != nil
}

// schemaKeys gives the keys of every mapping that the schema describes, by the name of its definition.
func schemaKeys(t *testing.T) map[string][]string {
	t.Helper()
	var doc struct {
		Properties map[string]any
		Defs       map[string]struct {
			Properties           map[string]any
			AdditionalProperties any
		} `json:"$defs"`
	}
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	out := map[string][]string{"study": slices.Sorted(maps.Keys(doc.Properties))}
	for name, def := range doc.Defs {
		if len(def.Properties) > 0 {
			if def.AdditionalProperties != false {
				t.Errorf("$defs/%s lets unknown keys pass", name)
			}
			out[name] = slices.Sorted(maps.Keys(def.Properties))
		}
	}
	return out
}

func TestSchemaAndLoaderHaveTheSameKeys(t *testing.T) {
	t.Parallel()
	inSchema, inLoader := schemaKeys(t), tables()
	for name, keys := range inLoader {
		slices.Sort(keys)
		if !slices.Equal(inSchema[name], keys) {
			t.Errorf("%s: the schema has %q, the loader %q", name, inSchema[name], keys)
		}
	}
	for name := range inSchema {
		if inLoader[name] == nil {
			t.Errorf("the schema's %s is in no table of the loader", name)
		}
	}
}

func TestSchemaHasTheLoadersSpellings(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{
		studyPattern.String(), namePattern.String(), sharePattern.String(), durationPattern.String(), sizePattern.String(),
		perCorePattern.String(), cpusetPattern.String(), refPattern.String(), envPattern.String(), buildArgPattern.String(), servicePattern.String(),
	} {
		quoted, err := json.Marshal(pattern)
		if err != nil {
			t.Fatal(err)
		}
		var plain bytes.Buffer
		e := json.NewEncoder(&plain)
		e.SetEscapeHTML(false)
		if err := e.Encode(pattern); err != nil {
			t.Fatal(err)
		}
		if !bytes.Contains(Schema(), bytes.TrimSpace(plain.Bytes())) {
			t.Errorf("no pattern %s in the schema", quoted)
		}
	}
	for _, word := range Signals() {
		if !bytes.Contains(Schema(), []byte(`"`+word+`"`)) {
			t.Errorf("no signal %s in the schema", word)
		}
	}
}

func TestSchemaDescribesWhatAnEditorShows(t *testing.T) {
	t.Parallel()
	var doc map[string]any
	if err := json.Unmarshal(Schema(), &doc); err != nil {
		t.Fatal(err)
	}
	defs := doc["$defs"].(map[string]any)
	described := func(property map[string]any) bool {
		if property["description"] != nil {
			return true
		}
		ref, _ := property["$ref"].(string)
		if strings.Contains(ref, "/properties/") { // the description is there
			return true
		}
		def, _ := defs[strings.TrimPrefix(ref, "#/$defs/")].(map[string]any)
		return def["description"] != nil
	}
	walk := func(name string, properties any) {
		for key, p := range properties.(map[string]any) {
			if !described(p.(map[string]any)) && !slices.Contains([]string{"name", "env", "build-args"}, key) {
				t.Errorf("%s.%s has no description", name, key)
			}
		}
	}
	walk("study", doc["properties"])
	for name, def := range defs {
		if properties := def.(map[string]any)["properties"]; properties != nil {
			walk(name, properties)
		}
	}
}

func TestSchemaTakesWhatLoads(t *testing.T) {
	t.Parallel()
	judge := compiled(t)
	dir := badFolder(t)
	for _, doc := range goodFiles {
		if _, err := Parse(FileName, []byte(doc), dir); err != nil {
			t.Errorf("the loader refuses\n%s\n%v", doc, err)
		}
		if schemaRefuses(judge, doc) {
			t.Errorf("the schema refuses\n%s", doc)
		}
	}
	for _, name := range []string{"solr-recovery", "all-keys"} {
		data, err := os.ReadFile(filepath.Join("testdata", name, FileName))
		if err != nil {
			t.Fatal(err)
		}
		if schemaRefuses(judge, string(data)) {
			t.Errorf("the schema refuses testdata/%s", name)
		}
	}
}

// goodFiles are spellings at the edge of what is allowed. They load in badFolder.
var goodFiles = []string{
	oneStudy,
	oneStudy + "iterations: 1.0\n",
	oneStudy + "iterations: 1e2\nexposure: 100%\n",
	oneStudy + "exposure: 0.5%\nclaims: {tolerate: 0, margin: 0%, confidence: 50%}\n",
	oneStudy + "claims: {tolerate: 1, margin: 100.0%, confidence: 99.999%}\nbroken: {retries: 100, at-most: 1}\n",
	oneStudy + "claims: {}\nbroken: {}\ncontrols: {}\nparameters: {}\nclasses: []\nevidence: []\nvariants: {a: }\n",
	oneStudy + "variants: {a: , b: {args: []}, c: {env: {A: 5, B: true, C: 1.50, D: ''}, files: folder}}\nbaseline: a\n",
	oneStudy + "variants: {baseline: {}, b: {patch: ok.patch}, c: {patch: [ok.patch, ./ok.patch], files: {a/b: plain.txt}, setup: []}}\n",
	oneStudy + "stress: {none: , a: {}, b: {cpu: 0.5x, duty: 1, burst: false}, c: {workers: 1, place: inside}, d: {quota: {cpus: 0.01}}}\n",
	oneStudy + "parameters: {a: [0, 0.0, true, x, -1], b.c: ['a b']}\n",
	oneStudy + "classes: [{class: a, match: x, exit: 0, signal: SIGKILL}, {broken: true, exit: 255}, {class: z}]\n",
	oneStudy + "classes: [{class: a, match: x}]\ncontrols: {c: {expect: {class: a, at-least: 1, at-most: 100%}}, d: {expect: {class: other, at-most: 0}, iterations: 1}}\n",
	oneStudy + "evidence: [{name: a, match: x, optional: false, except: baseline}]\nvariants: {baseline: {}}\n",
	oneSubject + "timeout: 1h1m1s1ms1us1ns\n  grace: 0.5s\n  max-output: 1.5KiB\n",
	oneSubject + "shell: true\n",
	oneSubject + "shell: true\n  setup: a | b\n  isolation: copy\n  network: none\n",
	oneSubject + "setup: [a, 5]\n  results: {records: }\nevidence: [{name: a}]\n",
	oneSubject + "results: {exit: , retried-pass: pass}\n",
	oneSubject + "results: tap\n  limits: {}\n  isolation: {}\n",
	oneSubject + "results: {go-test-json: '*.json'}\n  limits: {cpuset: 0, memory: 1}\n",
	oneSubject + "image: {build: folder, args: {A_1: 2}, pull: never}\nvariants: {a: {build-args: {B: x}}}\n",
	oneSubject + "image: registry.example.org:5000/a/b_c:1.2@sha256:" + strings.Repeat("0", 64) + "\nplatforms: [container]\n",
	oneSubject + "git: {url: 'git@example.org:a/b.git', ref: 9.10}\nvariants: {a: {ref: feature/x}, b: {ref: 1234567}}\nbaseline: a\n",
	oneSubject + "git: {url: 'ssh://git@example.org/a/b.git'}\n",
	oneSubject + "compile: [go, build, -o, '{out}', .]\n  build: folder\n",
}

func TestSchemaAndLoaderHaveTheSameEdges(t *testing.T) {
	t.Parallel()
	judge := compiled(t)
	dir := badFolder(t)
	long := strings.Repeat("x", 65)
	for _, edge := range []struct{ within, beyond string }{
		{"iterations: 1000000", "iterations: 1000001"},
		{"exposure: 0.001", "exposure: 0"},
		{"exposure: 0.1%", "exposure: 0.0%"},
		{"exposure: 1", "exposure: 1.01"},
		{"exposure: 100.00%", "exposure: 100.01%"},
		{"claims: {tolerate: 0}", "claims: {tolerate: -0.01}"},
		{"claims: {margin: 9%}", "claims: {margin: 09%}"},
		{"claims: {confidence: 0.5}", "claims: {confidence: 0.49}"},
		{"claims: {confidence: 0.99}", "claims: {confidence: 1}"},
		{"claims: {confidence: 50%}", "claims: {confidence: 49.9%}"},
		{"broken: {retries: 100}", "broken: {retries: 101}"},
		{"broken: {at-most: 100%}", "broken: {at-most: 101%}"},
		{"variants: {" + long[:64] + ": {}}", "variants: {" + long + ": {}}"},
		{"stress: {a: {cpu: 0.1x}}", "stress: {a: {cpu: 0.0x}}"},
		{"stress: {a: {workers: 4096}}", "stress: {a: {workers: 4097}}"},
		{"stress: {a: {workers: 1, duty: 0.1}}", "stress: {a: {workers: 1, duty: 0}}"},
		{"stress: {a: {quota: {cpus: 4096}}}", "stress: {a: {quota: {cpus: 4096.5}}}"},
		{"classes: [{class: a, exit: 255}]", "classes: [{class: a, exit: 256}]"},
		{"classes: [{class: a, exit: 0}]", "classes: [{class: a, exit: -1}]"},
		{"classes: [{class: a, match: " + strings.Repeat("x", 4000) + "}]", "classes: [{class: a, match: " + strings.Repeat("x", 4001) + "}]"},
		{"parameters: {a: [1]}", "parameters: {a: []}"},
		{"controls: {c: {expect: {fail: true, at-most: 0}, iterations: 1}}", "controls: {c: {expect: {fail: true, at-most: 0}, iterations: 0}}"},
	} {
		agree(t, judge, dir, oneStudy+edge.within+"\n", false)
		agree(t, judge, dir, oneStudy+edge.beyond+"\n", true)
	}
	for _, edge := range []struct{ within, beyond string }{
		{"timeout: 0.1ms", "timeout: 0ms"},
		{"grace: 1h0m", "grace: 0h0.0m"},
		{"max-output: 1", "max-output: 0"},
		{"max-output: 0.5KiB", "max-output: 0.0KiB"},
		{"max-output: 1125899906842624", "max-output: 1125899906842625"},
		{"limits: {cpus: 0.01}", "limits: {cpus: 0}"},
		{"limits: {pids: 4194304}", "limits: {pids: 4194305}"},
		{"limits: {cpuset: 9999}", "limits: {cpuset: 10000}"},
		{"limits: {cpuset: '0-1,3'}", "limits: {cpuset: '0-1,'}"},
	} {
		agree(t, judge, dir, oneSubject+edge.within+"\n", false)
		agree(t, judge, dir, oneSubject+edge.beyond+"\n", true)
	}
}

// agree checks that the loader and the schema both refuse a document, or both take it.
func agree(t *testing.T, judge *jsonschema.Schema, dir, doc string, refuse bool) {
	t.Helper()
	_, err := Parse(FileName, []byte(doc), dir)
	if byLoader, bySchema := err != nil, schemaRefuses(judge, doc); byLoader != refuse || bySchema != refuse {
		t.Errorf("%.100s\nrefused by the loader: %v (%.200v), by the schema: %v; want %v", doc, byLoader, err, bySchema, refuse)
	}
}
