package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"runtime"
	"strings"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/host"
	"github.com/shirou/gopsutil/v4/mem"

	"github.com/failrate/failrate/harness/journal"
)

// hostFacts describes this machine for the record. What cannot be learnt is left empty: it is no reason not to measure.
func hostFacts(ctx context.Context, name string) journal.Host {
	h := journal.Host{Name: name, OS: runtime.GOOS, Arch: runtime.GOARCH, Cores: runtime.NumCPU()}
	if h.Name == "" {
		h.Name = hashedHostName()
	}
	if kernel, err := host.KernelVersionWithContext(ctx); err == nil {
		h.Kernel = kernel
	}
	if cpus, err := cpu.InfoWithContext(ctx); err == nil && len(cpus) > 0 {
		h.CPU = strings.TrimSpace(cpus[0].ModelName)
	}
	if m, err := mem.VirtualMemoryWithContext(ctx); err == nil {
		h.Memory = int64(m.Total)
	}
	if id, err := os.ReadFile("/proc/sys/kernel/random/boot_id"); err == nil {
		h.BootedAt = strings.TrimSpace(string(id))
	}
	return h
}

// hashedHostName tells machines apart without naming them: host names can be private, and reports are attached in public.
func hashedHostName() string {
	name, err := os.Hostname()
	if err != nil {
		return "unknown"
	}
	sum := sha256.Sum256([]byte(name))
	return "host-" + hex.EncodeToString(sum[:4])
}
