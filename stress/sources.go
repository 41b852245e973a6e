package stress

import "embed"

// Sources holds this package's own source files. On Linux they import the standard library alone, so that a program for
// a container of another architecture, or on a host of another system, can be compiled with Worker in it.
//
//go:embed *.go
var Sources embed.FS
