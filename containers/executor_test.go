package containers

import (
	"context"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/failrate/failrate/harness/study"
	"github.com/failrate/failrate/harness/trial"
)

func each(t *testing.T, o Options, f func(t *testing.T, x *Executor)) {
	t.Parallel()
	o.Engine = needEngine(t)
	o.Images = hostile(t, o.Engine)
	for _, i := range []study.ContainerIsolation{study.ContainerFresh, study.ContainerWarm} {
		t.Run(string(i), func(t *testing.T) {
			t.Parallel()
			o := o
			o.Isolation = i
			f(t, newExecutor(t, o))
		})
	}
}

func TestBurst(t *testing.T) {
	each(t, Options{}, func(t *testing.T, x *Executor) {
		r := attemptOf(t, "./hostile", "touch=$FAILRATE_BURST", "sleep=")
		r.Burst, r.Out.Burst = true, r.Out.Log+".burst"
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go func() { // the host's file appears while the subject still runs
			for ctx.Err() == nil {
				if _, err := os.Stat(r.Out.Burst); err == nil {
					cancel()
				}
			}
		}()
		if o := x.Execute(ctx, r); !o.Stopped || o.Fault != "" {
			t.Errorf("%+v", o)
		}
		r.Command = []string{"./hostile", "touch=$FAILRATE_BURST", "remove=$FAILRATE_BURST"}
		if o := x.Execute(t.Context(), r); o.Exit != 0 || o.Fault != "" {
			t.Errorf("%+v", o)
		}
		if _, err := os.Stat(r.Out.Burst); err == nil {
			t.Error("the burst file is still there")
		}
	})
}

func TestQuota(t *testing.T) {
	each(t, Options{}, func(t *testing.T, x *Executor) {
		r := attemptOf(t, "./hostile", "burn=100ms")
		r.Quota = 0.05
		o := x.Execute(t.Context(), r)
		if o.Fault != "" || o.Load == nil || o.Load.Periods == nil || *o.Load.Periods < 1 || *o.Load.Throttled < 1 {
			t.Fatalf("%+v, load %+v, want some throttled periods", o, o.Load)
		}
		if used := (o.User + o.System).Seconds() / o.Wall.Seconds(); used > 0.5 {
			t.Errorf("used %.2f cores, and may have 0.05", used)
		}
		r = attemptOf(t, "./hostile", "spin=1ms")
		if o := x.Execute(t.Context(), r); o.Load != nil {
			t.Errorf("load %+v without a quota", o.Load)
		}
	})
}

func TestInsideLoad(t *testing.T) {
	each(t, Options{}, func(t *testing.T, x *Executor) {
		r := attemptOf(t, "./hostile", "spin=1s")
		r.Inside = &trial.InsideLoad{Args: []string{"-level=workers 1"}}
		r.Quota = 1.9
		o := x.Execute(t.Context(), r)
		if o.Fault != "" || o.Exit != 0 || o.Load == nil || o.Load.Cores == nil || o.Load.Periods == nil {
			t.Fatalf("%+v, load %+v", o, o.Load)
		}
		if c := *o.Load.Cores; c < 0.01 || c > 1.5 {
			t.Errorf("one worker used %.2f cores", c)
		}
		if len(o.Leaked) > 0 {
			t.Errorf("the stress worker counts as leaked: %q", o.Leaked)
		}
		r.Inside.Args = []string{"-level=nonsense"}
		if o := x.Execute(t.Context(), r); !strings.Contains(o.Fault, "stress worker") {
			t.Errorf("with a worker that cannot hold its level: %+v", o)
		}
		r.Inside.Args, r.Command = []string{"-level=workers 1"}, []string{"./hostile", "kill-others"}
		if o := x.Execute(t.Context(), r); !strings.Contains(o.Fault, "the stress worker ended before") {
			t.Errorf("with a subject that kills it: %+v", o)
		}
		r.Timeout, r.Grace, r.Command, r.Inside.Args = 500*time.Millisecond, time.Minute, []string{"./hostile", "sleep="}, []string{"-level=workers 2"}
		if o := x.Execute(t.Context(), r); !o.Limit || o.Signal != "SIGTERM" {
			t.Errorf("beyond the limit: %+v", o)
		}
	})
}

func TestHostnameAndInterfaces(t *testing.T) {
	each(t, Options{}, func(t *testing.T, x *Executor) {
		r := attemptOf(t, "./hostile", "hostname", "interfaces", "status=CapEff,CapPrm,CapBnd,NoNewPrivs,Seccomp")
		o := x.Execute(t.Context(), r)
		const none = " 0000000000000000\n"
		got := readFile(t, r.Out.Log)
		if want := "failrate\nlo\n"; o.Exit != 0 || !strings.HasPrefix(got, want) {
			t.Errorf("%+v, log %q, want %q first", o, got, want)
		}
		for _, want := range []string{"CapEff" + none, "CapPrm" + none, "CapBnd" + none, "NoNewPrivs 1\n", "Seccomp 2\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("log %q lacks %q", got, want)
			}
		}
	})
}

func TestDefaults(t *testing.T) {
	each(t, Options{Limits: study.Limits{CPUs: 1.5, CPUSet: "0", Memory: 100 << 20}}, func(t *testing.T, x *Executor) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		r := attemptOf(t, "./hostile", "touch=$FAILRATE_BURST", "sleep=")
		r.Burst, r.Out.Burst, r.Env = true, r.Out.Log+".burst", []string{"SECRET=hidden"}
		done := make(chan trial.Observation)
		go func() { done <- x.Execute(ctx, r) }()
		awaitFile(t, r.Out.Burst)
		c, err := x.engine.cli.ContainerInspect(t.Context(), x.current(t))
		if err != nil {
			t.Fatal(err)
		}
		h := c.HostConfig
		if h.Privileged || !slices.Equal(h.CapDrop, []string{"ALL"}) || len(h.CapAdd) > 0 || !slices.Contains(h.SecurityOpt, "no-new-privileges") {
			t.Errorf("privileged %t, caps -%q +%q, security %q", h.Privileged, h.CapDrop, h.CapAdd, h.SecurityOpt)
		}
		if len(h.Binds)+len(h.Mounts)+len(c.Mounts)+len(h.PortBindings)+len(h.Devices) > 0 || h.PidMode != "" || h.UsernsMode != "" {
			t.Errorf("it shares with the host: %+v", h)
		}
		if h.NanoCPUs != 15e8 || h.CpusetCpus != "0" || h.Memory != 100<<20 || h.MemorySwap != h.Memory || *h.PidsLimit != DefaultPids+agentThreads {
			t.Errorf("limits %+v", h.Resources)
		}
		if m := h.NetworkMode; m != "none" && !m.IsContainer() {
			t.Errorf("network %q", m)
		}
		if text := strings.Join(append(c.Config.Env, c.Config.Entrypoint...), " "); strings.Contains(text, "hidden") || h.LogConfig.Type != "none" {
			t.Errorf("the attempt shows: %q, logs %q", text, h.LogConfig.Type)
		}
		cancel()
		if o := <-done; !o.Stopped {
			t.Errorf("%+v", o)
		}
	})
}

func awaitFile(t testing.TB, path string) {
	t.Helper()
	awaitTrue(t, func() bool { _, err := os.Stat(path); return err == nil })
}

func TestFacts(t *testing.T) {
	t.Parallel()
	e := needEngine(t)
	x := newExecutor(t, Options{Engine: e, Images: hostile(t, e)})
	o := x.Execute(t.Context(), attemptOf(t, "./hostile", "spin=20ms"))
	if o.Facts["tree"] == "" || o.Facts["image"] != "scratch" {
		t.Errorf("facts %v", o.Facts)
	}
	o.Facts["tree"] = "changed"
	if again := x.Execute(t.Context(), attemptOf(t, "./hostile")); again.Facts["tree"] == "changed" {
		t.Error("observations share their facts")
	}
	if o.MaxRSS < 1<<20 || o.MaxRSS > 1<<30 || o.Wall < 20*time.Millisecond {
		t.Errorf("%+v", o)
	}
	if f := e.Facts(); f["engine"] == "" || f["engine-platform"] != "linux/"+e.Arch {
		t.Errorf("engine facts %v", f)
	}
}
