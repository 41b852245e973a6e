package stress

import "syscall"

// processAttributes puts the workers into a process group of their own and ends them with the thread that starts them.
func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// ownProgram is the file of this process, even when another one has its name by now.
func ownProgram() (string, error) { return "/proc/self/exe", nil }
