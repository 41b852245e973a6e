package service

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
	"github.com/failrate/failrate/harness/trial/process"
	"github.com/failrate/failrate/harness/trial/tree"
)

// NativeOptions says what native services run in.
type NativeOptions struct {
	Trees     map[string]trial.Tree            // by variant: a service's command runs in the subject's tree
	Isolation study.NativeIsolation            // copy means that the services of a trial or block get a copy of the tree
	Session   func() (*process.Session, error) // the one of the attempts that the services run beside
}

// Native runs services as processes of this host: each in a process group of its own, with ports of the loopback address
// that it is told, ended as a whole tree, and on the session's record.
type Native struct {
	options NativeOptions
	ports   ports
	copier  tree.Copier

	mu   sync.Mutex
	made int
}

// NewNative makes the host.
func NewNative(o NativeOptions) *Native { return &Native{options: o} }

// Same is the tree's content.
func (n *Native) Same(variant string, _ study.Service) string {
	t := n.options.Trees[variant]
	if digest := t.Facts["tree"]; digest != "" {
		return digest
	}
	return t.Dir
}

// Open gives each service its ports and a folder.
func (n *Native) Open(ctx context.Context, a Ask) (Room, error) {
	t, ok := n.options.Trees[a.Variant]
	if !ok || t.Err != nil {
		return nil, errors.Join(fmt.Errorf("variant %q has no prepared tree", a.Variant), t.Err)
	}
	session, err := n.options.Session()
	if err != nil {
		return nil, err
	}
	r := &nativeRoom{host: n, session: session, tree: t.Dir, services: map[string]*nativeService{}}
	r.place.Services = map[string]string{}
	if err := r.furnish(ctx, a); err != nil {
		return nil, errors.Join(err, r.Close(ctx))
	}
	return r, nil
}

// folder makes a folder for one room.
func (n *Native) folder(session *process.Session) (string, error) {
	n.mu.Lock()
	n.made++
	dir := filepath.Join(session.Folder(), "services-"+strconv.Itoa(n.made))
	n.mu.Unlock()
	return dir, os.Mkdir(dir, 0o700)
}

// nativeRoom is services that live together on this host.
type nativeRoom struct {
	host     *Native
	session  *process.Session
	tree     string
	folder   string
	place    Place
	control  *control
	services map[string]*nativeService
}

// nativeService is one service: its ports, and its process while it runs.
type nativeService struct {
	service  study.Service
	temp     string
	ports    []int // that its process listens on, one for each of the study's
	forwards []*forwarder

	mu  sync.Mutex
	run *nativeRun
}

func (r *nativeRoom) Place() Place { return r.place }

func (r *nativeRoom) furnish(ctx context.Context, a Ask) (err error) {
	if r.folder, err = r.host.folder(r.session); err != nil {
		return err
	}
	if r.host.options.Isolation == study.NativeCopy {
		from := r.tree
		r.tree = filepath.Join(r.folder, "tree")
		if err := r.host.copier.Folder(ctx, from, r.tree); err != nil {
			return err
		}
	}
	if r.control, err = newControl(a.Act); err != nil {
		return err
	}
	r.place.Control = r.control.url
	for _, s := range a.Services {
		n := &nativeService{service: s, temp: filepath.Join(r.folder, "tmp-"+s.Name)}
		r.services[s.Name] = n
		if err := os.Mkdir(n.temp, 0o700); err != nil {
			return err
		}
		if err := r.connect(n); err != nil {
			return fmt.Errorf("service %s: %w", s.Name, err)
		}
	}
	return nil
}

// connect finds ports for a service, and puts a forwarder before each of one that can be cut off.
func (r *nativeRoom) connect(n *nativeService) error {
	for _, port := range n.service.Ports {
		own, err := r.host.ports.take()
		if err != nil {
			return err
		}
		n.ports = append(n.ports, own)
		address := net.JoinHostPort(loopback, strconv.Itoa(own))
		if n.service.Cut != study.CutNone {
			f, err := newForwarder(address, n.service.Cut)
			if err != nil {
				return err
			}
			n.forwards = append(n.forwards, f)
			address = f.address()
		}
		r.place.Services[n.service.PortName(port)] = address
	}
	return nil
}

// Close ends the processes side by side, then everything else.
func (r *nativeRoom) Close(ctx context.Context) error {
	var errs []error
	if r.control != nil {
		errs = append(errs, r.control.close())
	}
	var all sync.WaitGroup
	for _, n := range r.services {
		if run := n.running(); run != nil {
			all.Go(func() { run.end(ctx, trial.StopGrace) })
		}
	}
	all.Wait()
	for _, n := range r.services {
		for _, f := range n.forwards {
			errs = append(errs, f.close())
		}
		r.host.ports.give(n.ports...)
	}
	if r.folder != "" {
		errs = append(errs, tree.RemoveAll(r.folder))
	}
	return errors.Join(errs...)
}
