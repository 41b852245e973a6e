package containers

import (
	"github.com/docker/docker/api/types/container"
	"github.com/failrate/failrate/containers/agent"
	"github.com/failrate/failrate/harness/study"
)

// DefaultPids is the limit of processes and threads where the study gives none.
const DefaultPids = 512

// hostname is the same for all containers, so that it is no difference between trials.
const hostname = "failrate"

// agentThreads is what the agent itself takes of the processes and threads of its container.
const agentThreads = 16

// spec is one container whose process 1 is the agent.
type spec struct {
	kind    string // what it is for: a value of labelKind
	image   string // id or reference
	network container.NetworkMode
	limits  study.Limits
	labels  map[string]string
	setup   bool     // may do what a build of an image may: package managers need that
	gate    bool     // is the gate of a private network
	hosts   []string // name:address of others on its network
	address string   // on its network; empty means the engine's choice
	keep    bool     // stays after its end, so that its state can be asked for
}

// config is what the container runs. The image's own entry point, command and health check play no part, and nothing
// of the attempt is in it: commands and environment go to the agent, where docker inspect does not show them.
func (s spec) config() *container.Config {
	host := hostname
	if s.network.IsContainer() {
		host = "" // it has the one of the namespace's holder, and that is the same
	}
	words := []string{agent.Program, agent.Argument}
	if s.gate {
		words = append(words, agent.GateArgument)
	}
	return &container.Config{
		Hostname:     host,
		Image:        s.image,
		Entrypoint:   words,
		WorkingDir:   "/",
		Labels:       s.labels,
		AttachStdin:  true,
		AttachStdout: true,
		AttachStderr: true,
		OpenStdin:    true,
		StdinOnce:    true, // the engine ends stdin when the harness goes, and the agent ends with it
		Healthcheck:  &container.HealthConfig{Test: []string{"NONE"}},
	}
}

// host is what the container may do: no capabilities, no new privileges, no network unless asked, bounded processes.
// Set-up may do what a build of an image may.
func (s spec) host() *container.HostConfig {
	h := &container.HostConfig{
		NetworkMode: s.network,
		ExtraHosts:  s.hosts,
		AutoRemove:  !s.keep,
		LogConfig:   container.LogConfig{Type: "none"}, // the output goes to the harness alone
		Resources: container.Resources{
			NanoCPUs:   int64(s.limits.CPUs * 1e9),
			CpusetCpus: s.limits.CPUSet,
			Memory:     s.limits.Memory,
			MemorySwap: s.limits.Memory, // the same: no swap
		},
	}
	if s.setup {
		return h
	}
	pids := s.limits.Pids
	if pids <= 0 {
		pids = DefaultPids
	}
	pids += agentThreads
	h.PidsLimit = &pids
	h.CapDrop = []string{"ALL"}
	h.SecurityOpt = []string{"no-new-privileges"}
	return h
}

// limited is the limits with a further CPU quota; the smaller one holds.
func limited(l study.Limits, quota float64) study.Limits {
	if quota > 0 && (l.CPUs == 0 || quota < l.CPUs) {
		l.CPUs = quota
	}
	return l
}
