package study

import (
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// servicePattern is the form of a service's name: it is a host name on the containers' network.
var servicePattern = regexp.MustCompile(`^[a-z]([a-z0-9-]{0,30}[a-z0-9])?$`)

const (
	maxServices = 64
	maxPorts    = 16
	maxPort     = 65535
)

var serviceKeys = []key[Service]{
	{"image", false, func(r *reader, n *yaml.Node, s *Service) { readImage(r, n, &s.Image) }},
	{"entrypoint", false, func(r *reader, n *yaml.Node, s *Service) { r.serviceWords(n, s, &s.Entrypoint) }},
	{"args", false, func(r *reader, n *yaml.Node, s *Service) { r.serviceArgs(n, s, &s.Args) }},
	{"ports", false, readPorts},
	{"command", false, func(r *reader, n *yaml.Node, s *Service) { r.serviceWords(n, s, &s.Command) }},
	{"env", false, func(r *reader, n *yaml.Node, s *Service) { r.serviceEnv(n, s, &s.Env) }},
	{"ready", false, func(r *reader, n *yaml.Node, s *Service) { readReady(r, n, s) }},
	{"per", false, func(r *reader, n *yaml.Node, s *Service) { one(r, n, &s.Per, PerTrial, PerBlock) }},
	{"death", false, func(r *reader, n *yaml.Node, s *Service) { one(r, n, &s.Death, DeathBroken, DeathFail) }},
	{"cut", false, func(r *reader, n *yaml.Node, s *Service) { one(r, n, &s.Cut, CutDrop, CutReset) }},
}

// readServices reads the names and ports of all services first: each may name the others.
func readServices(r *reader, n *yaml.Node, sub *Subject) {
	pairs, ok := r.pairs(n)
	if !ok {
		return
	}
	if len(pairs) > maxServices {
		r.fail(n, "", "more than %d services", maxServices)
		return
	}
	var values []*yaml.Node
	for _, p := range pairs {
		if r.serviceName(p, sub) {
			s := Service{Name: p.name, Ready: Ready{Timeout: DefaultReadyTimeout}, Per: PerTrial, Death: DeathBroken}
			sub.Services, values = append(sub.Services, s), append(values, p.value)
			r.peekPorts(p.value, &sub.Services[len(sub.Services)-1])
		}
	}
	for i := range sub.Services {
		s := &sub.Services[i]
		s.Ports = nil // read again, with its errors
		at := readKeys(r, values[i], "service", serviceKeys, s)
		if resolve(values[i]).Kind == yaml.MappingNode {
			r.serviceChecks(values[i], at, s)
		}
		if s.Per != sub.Services[0].Per {
			r.fail(values[i], "services of one study live for a trial each, or for a block each", "per: %s, but %q has per: %s", s.Per, sub.Services[0].Name, sub.Services[0].Per)
		}
	}
}

// serviceName refuses names that would hide another placeholder or another service's variable.
func (r *reader) serviceName(p pair, sub *Subject) bool {
	taken := func(name string) bool { return name == p.name }
	isParameter := func(x Parameter) bool { return x.Name == p.name }
	switch {
	case !servicePattern.MatchString(p.name):
		r.fail(p.at, "1 to 32 of a-z, 0-9 and hyphen, starting with a letter and not ending with a hyphen", "%s cannot name a service", clip(p.name))
	case slices.ContainsFunc(r.study.Parameters, isParameter):
		r.fail(p.at, "choose another name", "the service %q has the name of a parameter", p.name)
	case slices.ContainsFunc(ownNames(), taken):
		r.fail(p.at, "choose another name", "%q cannot name a service: {%s} means something else", p.name, p.name)
	default:
		return true
	}
	return false
}

// peekPorts takes the ports of a service as far as they are well; what is not is said when they are read.
func (r *reader) peekPorts(n *yaml.Node, s *Service) {
	if n = resolve(n); n.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == "ports" {
			quiet := &reader{}
			readPorts(quiet, n.Content[i+1], s)
		}
	}
}

func readPorts(r *reader, n *yaml.Node, s *Service) {
	items, ok := r.items(n, "ports")
	if !ok {
		return
	}
	if len(items) == 0 || len(items) > maxPorts {
		r.fail(n, "", "ports must be 1 to %d ports", maxPorts)
		return
	}
	for _, item := range items {
		var port int
		switch r.count(item, 1, maxPort, &port); {
		case port == 0:
		case slices.Contains(s.Ports, port):
			r.fail(item, "", "port %d is there twice", port)
		default:
			s.Ports = append(s.Ports, port)
		}
	}
}

// serviceWords reads a command of a service. It knows {port} and {host}, where the service is to listen, besides
// parameters and the other services.
func (r *reader) serviceWords(n *yaml.Node, s *Service, into *[]string) {
	texts, at := r.command(n, false, into)
	r.placeholdersOf(texts, at, r.serviceKnows(s))
}

func (r *reader) serviceArgs(n *yaml.Node, s *Service, into *[]string) {
	texts, at := r.words(n, "words")
	r.placeholdersOf(texts, at, r.serviceKnows(s))
	*into = texts
}

func (r *reader) serviceEnv(n *yaml.Node, s *Service, into *map[string]string) {
	r.environment(n, into)
	pairs, _ := (&reader{}).pairs(n)
	for _, p := range pairs {
		r.placeholdersOf([]string{resolve(p.value).Value}, []*yaml.Node{p.value}, r.serviceKnows(s))
	}
}

func (r *reader) serviceKnows(s *Service) []string { return append(r.knownNames(), s.OwnNames()...) }

// knownNames are the parameters and the ports of services.
func (r *reader) knownNames() []string {
	var known []string
	for _, p := range r.study.Parameters {
		known = append(known, p.Name)
	}
	for _, s := range r.study.Subject.Services {
		known = append(known, s.names()...)
	}
	return known
}

func (r *reader) serviceChecks(n *yaml.Node, at map[string]*yaml.Node, s *Service) {
	switch {
	case !s.Image.given() && len(s.Command) == 0 && at["image"] == nil && at["command"] == nil:
		r.fail(n, "command: of the subject's tree, image: for containers, or both", "service %q has neither image nor command", s.Name)
	case at["entrypoint"] != nil && at["image"] == nil:
		r.fail(at["entrypoint"], "command says what runs in the subject's tree", "entrypoint is for an image")
	case at["args"] != nil && at["image"] == nil:
		r.fail(at["args"], "add them to command", "args are for an image")
	}
	if at["ready"] == nil && at["ports"] == nil {
		r.fail(n, "ports: [8080], or ready: {log: 'started'}", "service %q does not say how to see that it is ready", s.Name)
	}
	if at["ready"] == nil && len(s.Ports) > 0 {
		s.Ready.Port = s.Ports[0]
	}
}

var readyKeys = []key[Ready]{
	{"http", false, readReadyPath},
	{"status", false, func(r *reader, n *yaml.Node, v *Ready) { r.count(n, 100, 599, &v.Status) }},
	{"port", false, func(r *reader, n *yaml.Node, v *Ready) { r.count(n, 1, maxPort, &v.Port) }},
	{"log", false, func(r *reader, n *yaml.Node, v *Ready) { r.pattern(n, &v.Log) }},
	{"timeout", false, func(r *reader, n *yaml.Node, v *Ready) { r.duration(n, &v.Timeout) }},
}

func readReadyPath(r *reader, n *yaml.Node, v *Ready) {
	var text string
	if !r.text(n, &text) {
		return
	}
	if !strings.HasPrefix(text, "/") || strings.ContainsAny(text, " \t\r\n") {
		r.fail(n, "such as /health/readyz", "%s is not the path of a URL", clip(text))
		return
	}
	v.HTTP = text
}

// readReady reads what is asked. http and port look at the main port unless they name another.
func readReady(r *reader, n *yaml.Node, s *Service) {
	at := readKeys(r, n, "ready", readyKeys, &s.Ready)
	if resolve(n).Kind != yaml.MappingNode {
		return
	}
	v := &s.Ready
	switch {
	case at["http"] == nil && at["port"] == nil && at["log"] == nil:
		r.fail(n, "http: /path, port: 8080 or log: 'started'", "ready does not say what is asked")
	case at["status"] != nil && at["http"] == nil:
		r.fail(at["status"], "add http: /path", "status is of an answer to http")
	case v.Port != 0 && !slices.Contains(s.Ports, v.Port):
		r.fail(at["port"], "", "port %d is not among the service's ports", v.Port)
	case at["http"] != nil && len(s.Ports) == 0:
		r.fail(at["http"], "ports: [8080]", "http needs the service's ports")
	}
	if v.HTTP != "" {
		if v.Status == 0 {
			v.Status = 200
		}
		if v.Port == 0 && len(s.Ports) > 0 {
			v.Port = s.Ports[0]
		}
	}
}

var serviceChangeKeys = []key[ServiceChange]{
	{"image", false, func(r *reader, n *yaml.Node, c *ServiceChange) { readImage(r, n, &c.Image) }},
	{"entrypoint", false, func(r *reader, n *yaml.Node, c *ServiceChange) { r.serviceWords(n, r.changing, &c.Entrypoint) }},
	{"args", false, func(r *reader, n *yaml.Node, c *ServiceChange) { r.serviceArgs(n, r.changing, &c.Args) }},
	{"command", false, func(r *reader, n *yaml.Node, c *ServiceChange) { r.serviceWords(n, r.changing, &c.Command) }},
	{"env", false, func(r *reader, n *yaml.Node, c *ServiceChange) { r.serviceEnv(n, r.changing, &c.Env) }},
}

// serviceChanges reads what a variant changes of services.
func (r *reader) serviceChanges(n *yaml.Node, into *map[string]ServiceChange) {
	pairs, ok := r.pairs(n)
	if !ok {
		return
	}
	for _, p := range pairs {
		s, known := r.study.Subject.service(p.name)
		if !known {
			r.fail(p.at, suggest(p.name, r.study.Subject.serviceNames()), "%s is not a service of the subject", clip(p.name))
			continue
		}
		r.changing = &s
		var c ServiceChange
		at := readKeys(r, p.value, "service change", serviceChangeKeys, &c)
		if at["entrypoint"] != nil && !s.Image.given() && !c.Image.given() {
			r.fail(at["entrypoint"], "command says what runs in the subject's tree", "entrypoint is for an image")
		}
		if *into == nil {
			*into = map[string]ServiceChange{}
		}
		(*into)[p.name] = c
	}
}
