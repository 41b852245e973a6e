package main

import (
	"bytes"
	"os"
	"runtime"
	"testing"
)

// The drawing in the documentation is the one that this program makes. Other processors
// may round a coordinate differently, so there only its size is compared.
func TestDrawingIsUpToDate(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("../coverage.svg")
	if err != nil {
		t.Fatal(err)
	}
	got, err := render(400)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOARCH == "amd64" && !bytes.Equal(got, want) {
		t.Error("coverage.svg is out of date; run: go run ./coverage -out coverage.svg")
	}
	if diff := len(got) - len(want); diff > 200 || diff < -200 {
		t.Errorf("coverage.svg has %d bytes, the program makes %d", len(want), len(got))
	}
}
