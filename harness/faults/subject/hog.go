package main

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// hog fills so many megabytes, and then fails in a way that has a class: hog MEGABYTES.
func hog(args []string) int {
	if len(args) != 1 {
		return 99
	}
	n, err := strconv.Atoi(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "subject:", err)
		return 99
	}
	fmt.Println("connection reset by peer")
	held := bytes.Repeat([]byte{1}, n<<20)
	fmt.Println("holds", len(held))
	return 1
}
