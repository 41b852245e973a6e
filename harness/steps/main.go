package steps

import (
	"context"
	"fmt"
	"os"
	"time"
)

// Main is the whole program when the first argument is Argument: it runs the script in Variable, writes the log to stdout
// and the record to the file in FAILRATE_RECORDS, and gives the exit status of the process. A signal ends it at once, as
// it does any program that does not ask for signals.
func Main() int {
	text, ok := os.LookupEnv(Variable)
	if !ok {
		fmt.Fprintf(os.Stderr, "error: %s holds no steps: this runs as the subject of a trial\n", Variable)
		return 2
	}
	script, err := Decode(text)
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		return 2
	}
	record, err := Runner{Env: os.LookupEnv, Dir: ".", Log: os.Stdout, Now: time.Now}.Run(context.Background(), script)
	if path := os.Getenv("FAILRATE_RECORDS"); path != "" && err == nil {
		err = record.append(path)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "error: %v\n", err)
		return 2
	}
	if record.Outcome != Passed {
		return 1
	}
	return 0
}
