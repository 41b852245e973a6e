// Noop does nothing: what is left is the cost of running it.
package main

func main() {}
