package study

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// oneModel is a subject of steps with a service of the study's own tree.
const oneModel = `study: s
parameters: {sleep: [0s, 10s]}
subject:
  env: {INDEX: a}
  services:
    node:
      image: quickwit/quickwit:v0.9.0
      args: [run]
      command: [./model, --listen, "{host}:{port}", --peer, "{peer}", --grpc, "{port.7281}"]
      ports: [7280, 7281]
      ready: {http: /health/readyz, log: 'started', timeout: 30s}
    peer: {command: ./model, ports: [7280], env: {SEED: "{node.7281}"}, death: fail}
  compile: [go, build, -o, "{out}", .]
`

const oneSteps = oneModel + `  steps:
    - {name: create, post: "http://{node}/api/v1/indexes", headers: {Content-Type: application/json}, body: '{"index_id":"${INDEX}"}', status: [200, 201], save: {uid: /index_uid}}
    - {wait: "{sleep}"}
    - {wait: 0s}
    - {name: ingest, post: "http://{node}/api/v1/${INDEX}/ingest", body: '{"t":"{now}"}', json: {/num: 3}, classes: [{class: stale, status: 503, match: 'no shards', after: create}, {class: rest}], go-on: true}
    - {name: look, get: "http://{node}/y", optional: true, after: [create, ingest], unless: ingest}
    - {name: recover, get: "http://{node}/x/{uid}", within: 30s, every: 500ms, metric: recovery_ms, class: never}
    - {differ: ["{uid}", "{trial}"]}
    - {cut: peer, only: changed}
    - {heal: [peer, node], except: [baseline]}
variants:
  baseline: {}
  changed: {services: {node: {image: "quickwit/quickwit:edge", args: [--fix1], env: {A: "1"}}}, env: {INDEX: b}}
evidence: [{name: ingest}]
`

func TestServicesAndSteps(t *testing.T) {
	t.Parallel()
	s := parse(t, oneSteps, t.TempDir())
	if schemaRefuses(compiled(t), oneSteps) {
		t.Error("the schema refuses it")
	}
	equal(t, again(t, s), unplaced(s))
	if s.Subject.Results.Format != ResultRecords || len(s.Platforms) != 2 || len(s.Subject.Steps) != 9 {
		t.Errorf("results %s, platforms %v, %d steps", s.Subject.Results.Format, s.Platforms, len(s.Subject.Steps))
	}
	node, peer := s.Subject.Services[0], s.Subject.Services[1]
	if node.Ready.Status != 200 || node.Ready.Port != 7280 || peer.Ready.Port != 7280 {
		t.Errorf("ready: %+v and %+v", node.Ready, peer.Ready)
	}
	if node.Cut != CutNone || peer.Cut != CutDrop {
		t.Errorf("cut: %q and %q, want the one that a step cuts", node.Cut, peer.Cut)
	}
	changed := s.ServicesFor("changed")[0]
	if got := strings.Join(changed.Args, " "); changed.Image.Name != "quickwit/quickwit:edge" || got != "run --fix1" || changed.Env["A"] != "1" {
		t.Errorf("changed: %+v", changed)
	}
	if s.ServicesFor("baseline")[0].Image.Name != "quickwit/quickwit:v0.9.0" || len(s.Warnings) > 0 {
		t.Errorf("baseline %+v, warnings %q", s.ServicesFor("baseline")[0], s.Warnings)
	}
}

func TestBadServicesAndSteps(t *testing.T) {
	t.Parallel()
	judge := compiled(t)
	for _, c := range []struct {
		doc, want string
		bySchema  bool
	}{
		{"study: s\nsubject: {dir: .}", "subject has neither command nor steps", schemaToo},
		{"study: s\nsubject: {command: x, steps: [{wait: 1s}]}", "study.yaml:2:30: subject has both command and steps", schemaToo},
		{"study: s\nsubject: {steps: [{wait: soon}]}", `study.yaml:2:26: wait: "soon" is not a duration`, loaderOnly},
		{"study: s\nsubject: {steps: [{name: a}]}", "a step does not say what it does", schemaToo},
		{"study: s\nsubject: {steps: [{wait: 1s, get: 'http://a/'}]}", "a step cannot both get and wait", schemaToo},
		{"study: s\nsubject: {steps: [{wait: 1s, status: 200}]}", "status belongs to a request, not to wait", loaderOnly},
		{"study: s\nsubject: {steps: [{get: 'http://{nod}/'}]}", "{nod} is not a parameter", loaderOnly},
		{"study: s\nsubject: {steps: [{get: 'http://a/${X}'}]}", "${X} is not in the subject's env", loaderOnly},
		{"study: s\nsubject: {steps: [{cut: a}]}", `"a" is not a service of the subject`, loaderOnly},
		{"study: s\nsubject: {steps: [{name: aa, wait: 1s}, {name: b, wait: 1s, after: a}]}", `"a" is not the name of an earlier step`, loaderOnly},
		{"study: s\nsubject: {steps: [{get: 'http://a/', optional: true, class: x}]}", "an optional step cannot fail the trial", loaderOnly},
		{"study: s\nsubject: {steps: [{wait: 1s, only: x}]}", `"x" is neither a variant nor a control`, loaderOnly},
		{"study: s\nsubject: {steps: [{get: 'http://a/', json: {/a~2: 1}}]}", `"/a~2" is not a JSON pointer`, loaderOnly},
		{"study: s\nsubject: {steps: [{get: 'http://a/', save: {x: a}}]}", `"a" is not a JSON pointer`, loaderOnly},
		{"study: s\nsubject: {steps: [{get: 'http://a/', name: " + strings.Repeat("a", 62) + "}]}", "has a name of more than 64 characters", loaderOnly},
		{"study: s\nsubject: {steps: [" + manySteps(33) + "]}", "the steps report 33 metrics, and a record holds 32", loaderOnly},
		{"study: s\nsubject: {steps: [{wait: 1s}], results: tap}", "steps report by records", loaderOnly},
		{"study: s\nsubject: {command: x, services: {A: {command: x, ports: [1]}}}", `"A" cannot name a service`, schemaToo},
		{"study: s\nsubject: {command: x, services: {a: {ports: [1]}}}", `service "a" has neither image nor command`, schemaToo},
		{"study: s\nsubject: {command: x, services: {a: {command: y}}}", `service "a" does not say how to see that it is ready`, loaderOnly},
		{"study: s\nsubject: {command: x, services: {a: {command: y, ports: [80], ready: {port: 81}}}}", "port 81 is not among the service's ports", loaderOnly},
		{"study: s\nsubject: {command: x, services: {a: {command: y, ports: [0]}}}", "ports must be from 1 to 65535", schemaToo},
		{"study: s\nsubject: {command: x, services: {a: {image: y, ports: [1]}}}\nplatforms: [native]", `the service "a" has none`, loaderOnly},
		{oneModel + "  command: x\nvariants: {b: {services: {nod: {}}}}", `hint: did you mean "node"?`, loaderOnly},
	} {
		_, err := Parse(FileName, []byte(c.doc), t.TempDir())
		var errs Errors
		if !errors.As(err, &errs) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s\ngot  %v\nwant %s", c.doc, err, c.want)
		}
		if schemaRefuses(judge, c.doc) != c.bySchema {
			t.Errorf("%s\nrefused by the schema: %v", c.doc, !c.bySchema)
		}
	}
}

func manySteps(n int) string {
	var out []string
	for i := range n {
		out = append(out, fmt.Sprintf("{name: s%d, get: 'http://a/'}", i))
	}
	return strings.Join(out, ", ")
}

// A request that a container without network cannot make is warned of.
func TestStepWarnings(t *testing.T) {
	t.Parallel()
	const services = "  services: {node: {command: ./node, ports: [80, 81]}}\n  compile: [go, build, -o, '{out}', .]\n"
	for doc, want := range map[string]string{
		"  steps: [{wait: 1s}, {get: 'http://a/{now}'}]":                              "study.yaml:3:23: GET \"http://a/{now}\" reaches nobody from a container without network: subject.network: bridge gives it one",
		"  network: bridge\n  steps: [{get: 'http://a/'}]":                            "",
		services + "  steps: [{get: 'http://{node}/'}, {post: 'https://{node.81}/'}]": "",
		services + "  steps: [{get: 'http://{seed}.{node}/'}]":                        "study.yaml:5:11: GET",
		"  steps: [{get: 'http://a/'}]\nplatforms: [native]":                          "",
	} {
		s := parse(t, "study: s\nsubject:\n"+doc, t.TempDir())
		if got := strings.Join(s.Warnings, "; "); !strings.HasPrefix(got, want) || want == "" && got != "" {
			t.Errorf("%s\ngot  %s\nwant %s", doc, got, want)
		}
	}
}
