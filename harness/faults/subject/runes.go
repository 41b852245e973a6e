package main

import (
	"fmt"
	"strings"
)

// runes writes runes of three bytes in one piece, none of which ends where 16 KiB do, and fails.
func runes([]string) int {
	fmt.Print("x", strings.Repeat("€", 100_000), "END\n")
	return 1
}
