//go:build unix

package cmd

import "syscall"

// openFiles is how many files the process may have open; 0: not known. The Go
// runtime has raised the limit as far as it may at the start.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) //nolint:unconvert // signed on some systems
}
