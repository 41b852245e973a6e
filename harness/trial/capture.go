package trial

import "github.com/failrate/failrate/harness/trial/process"

// Capture keeps an attempt's output in a file that never grows above a bound: head and tail stay, the middle is
// replaced by a line that says how much is missing. Executors share it, so that all cut alike. Several goroutines may
// write to it.
type Capture struct{ log *process.Log }

// NewCapture removes whatever bears the name; the file is made with the first byte, for the owner only. max is the
// bound in bytes; 0 means DefaultMaxOutput.
func NewCapture(path string, max int64) (*Capture, error) {
	if max <= 0 {
		max = DefaultMaxOutput
	}
	log, err := process.NewLog(path, max)
	if err != nil {
		return nil, err
	}
	return &Capture{log: log}, nil
}

// Write keeps the bytes. It takes them all even after a failure, so that a subject is not held up; the first failure
// is given every time and by Close.
func (c *Capture) Write(p []byte) (int, error) { return c.log.Write(p) }

// Close puts the file in order and says what is in it. An error means that output was lost: the attempt's Fault.
func (c *Capture) Close() (Captured, error) {
	k, err := c.log.Close()
	return Captured{Bytes: k.Bytes, Dropped: k.Dropped, SHA256: k.SHA256}, err
}
