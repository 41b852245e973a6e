package stress

import (
	"os"
	"syscall"
)

// processAttributes puts the workers into a process group of their own. What ends them with their parent is the end of
// their standard input.
func processAttributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// ownProgram is the path of this process's program.
func ownProgram() (string, error) { return os.Executable() }
