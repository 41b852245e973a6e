package stress

import "time"

// Achieved is the load of a window of time: what was asked for, what the workers did, and what the machine was like
// meanwhile, whoever caused it. A nil pointer, left out in JSON, means not known; 0 means measured and none.
type Achieved struct {
	Asked       string        `json:"asked"`                  // the level in words, as Level.String gives them
	Workers     int           `json:"workers"`                // busy workers held here; 0 for none and for a level inside a container
	Wall        time.Duration `json:"wall_ns"`                // length of the window
	WorkerCores *float64      `json:"worker_cores,omitempty"` // CPU time of the workers' process per wall time; nil for a level inside a container
	BusyShare   *float64      `json:"busy_share,omitempty"`   // of the whole machine's CPU time, 0 to 1
	Pressure    *float64      `json:"pressure,omitempty"`     // share of the wall time in which some task waited for a CPU, 0 to 1 (Linux)
	Throttled   *Throttled    `json:"throttled,omitempty"`    // of the cgroup in Options.Cgroup; nil without one
	Bursts      *Bursts       `json:"bursts,omitempty"`       // nil unless the level has bursts that are held here
}

// Bursts are the bursts that the subject announced.
type Bursts struct {
	Count int           `json:"count"`   // 0 means that the subject announced none, and ran without load
	Time  time.Duration `json:"time_ns"` // length of all of them together
}
