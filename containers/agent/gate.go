package agent

// GateArgument comes after Argument for a program that is the gate of a private network: it asks services whether they
// are ready, and takes what subjects ask the harness for, over HTTP. It runs nothing.
const GateArgument = "gate"

// GatePort is the TCP port of the gate.
const GatePort = 8080

// GateOrder is one line on the gate's stdin; one of its fields is set.
type GateOrder struct {
	Probe  *Probe  `json:"probe,omitempty"`
	Answer *Answer `json:"answer,omitempty"`
}

// Probe asks once whether something answers.
type Probe struct {
	ID      int    `json:"id"`      // comes back in a Probed
	Address string `json:"address"` // host:port
	HTTP    string `json:"http,omitempty"`
	Status  int    `json:"status,omitempty"` // expected of a GET of HTTP
}

// Answer is the harness's to an Asked.
type Answer struct {
	ID     int    `json:"id"`
	Status int    `json:"status"`
	Text   string `json:"text,omitempty"`
}

// GateSaid is the payload of a KindGate frame; one of its fields is set.
type GateSaid struct {
	Probed *Probed `json:"probed,omitempty"`
	Asked  *Asked  `json:"asked,omitempty"`
}

// Probed is what came of a Probe.
type Probed struct {
	ID  int    `json:"id"`
	Why string `json:"why,omitempty"` // why it does not answer as it should; empty when it does
}

// Asked is a request that came to the gate.
type Asked struct {
	ID     int    `json:"id"`
	Method string `json:"method"`
	Path   string `json:"path"`
}
