package steps

import "embed"

// Sources holds this package's own source files. They import the standard library alone, so that the program for
// containers can be compiled from them on a machine that has Go and nothing else.
//
//go:embed *.go
var Sources embed.FS
