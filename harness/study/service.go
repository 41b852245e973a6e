package study

import (
	"slices"
	"strconv"
	"time"

	"github.com/failrate/failrate/harness/steps"
)

// Service is a program that runs beside the subject and that the subject talks to.
type Service struct {
	Name       string            // what the subject calls it: {name}, FAILRATE_SERVICE_NAME, and its name on the containers' network
	Image      Image             // in containers: this image as it is; zero means the subject's own image and Command
	Entrypoint []string          // instead of the image's own; nil means that
	Args       []string          // what the image's entry point is given; nil means the image's own
	Command    []string          // in the subject's tree: natively, and in containers when there is no Image; empty means containers only
	Env        map[string]string // added to its environment
	Ports      []int             // TCP ports it listens on in a container, the main one first; natively it is told free ones instead
	Ready      Ready
	Per        Per
	Death      Death
	Cut        CutMode
}

// Ready says how to see that a service can be used. Everything that it states must hold.
type Ready struct {
	HTTP    string        // path that a GET of Port answers with Status; empty means not asked
	Status  int           // above 0 when HTTP is given
	Port    int           // one of the service's ports that accepts connections; 0 means not asked
	Log     string        // RE2 that a line of its output matches; empty means not asked
	Timeout time.Duration // above 0
}

// Per says how long a service lives.
type Per string

// The lives of a service.
const (
	PerTrial Per = "trial" // the default: started for every trial
	PerBlock Per = "block" // shared by the trials of a block that have the same one
)

// Death says what it is when a service ends before the subject did, other than by a step.
type Death string

// What a service's death is.
const (
	DeathBroken Death = "broken" // the default: the trial could not be run
	DeathFail   Death = "fail"   // the failure that is measured
)

// CutMode says what a cut does natively to what goes to the service. In containers it is always CutDrop.
type CutMode string

// The ways to cut.
const (
	CutNone  CutMode = ""      // never cut: clients talk to the service directly
	CutDrop  CutMode = "drop"  // nothing passes; connections stay open, and what was sent arrives after the heal
	CutReset CutMode = "reset" // connections are reset, and new ones too
)

// ServiceChange is what a variant changes of one service. A zero field changes nothing.
type ServiceChange struct {
	Image      Image
	Entrypoint []string
	Args       []string // added to Command, and to Args where an image runs
	Command    []string
	Env        map[string]string
}

// DefaultReadyTimeout is how long a service may take to be ready.
const DefaultReadyTimeout = 60 * time.Second

// EnvName is the environment variable that says where the service's main port is, as host:port.
func (s Service) EnvName() string { return steps.ServiceVariable(s.Name) }

// PortName is the name of one of the service's ports in placeholders: the main one has the service's own.
func (s Service) PortName(port int) string {
	if len(s.Ports) > 0 && s.Ports[0] == port {
		return s.Name
	}
	return s.Name + "." + strconv.Itoa(port)
}

// names are what the service is called in placeholders: once for each port.
func (s Service) names() []string {
	var out []string
	for _, p := range s.Ports {
		out = append(out, s.PortName(p))
	}
	return out
}

// The placeholders of a service's own place.
const (
	hostPlaceholder = "host"
	portPlaceholder = "port"
)

// OwnNames are the placeholders that mean a service's own place: where it is to listen.
func (s Service) OwnNames() []string {
	names := []string{hostPlaceholder, portPlaceholder}
	for _, p := range s.Ports {
		names = append(names, portPlaceholder+"."+strconv.Itoa(p))
	}
	return names
}

// ServicesFor gives the services as the variant changes them.
func (s *Study) ServicesFor(variant string) []Service {
	v, _ := s.Find(variant)
	return s.Subject.servicesFor(v)
}

func (e Subject) servicesFor(v Variant) []Service {
	out := slices.Clone(e.Services)
	for i, s := range out {
		c, changed := v.Services[s.Name]
		if !changed {
			continue
		}
		if c.Image.given() {
			out[i].Image = c.Image
		}
		if c.Entrypoint != nil {
			out[i].Entrypoint = c.Entrypoint
		}
		if len(c.Command) > 0 {
			out[i].Command = c.Command
		}
		if len(c.Args) > 0 {
			out[i].Args = slices.Concat(s.Args, c.Args)
			if len(out[i].Command) > 0 {
				out[i].Command = slices.Concat(out[i].Command, c.Args)
			}
		}
		if len(c.Env) > 0 {
			out[i].Env = merged(s.Env, c.Env)
		}
	}
	return out
}

// service finds a service by its name.
func (e Subject) service(name string) (Service, bool) {
	for _, s := range e.Services {
		if s.Name == name {
			return s, true
		}
	}
	return Service{}, false
}

// stepNames are the marks that the steps leave when they succeed.
func (e Subject) stepNames() []string {
	var out []string
	for _, s := range e.Steps {
		if s.Name != "" {
			out = append(out, s.Name)
		}
	}
	return out
}

func (e Subject) serviceNames() []string {
	var out []string
	for _, s := range e.Services {
		out = append(out, s.Name)
	}
	return out
}
