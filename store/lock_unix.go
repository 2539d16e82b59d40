//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"os"
	"syscall"
)

// tryLock takes the lock that bbolt takes, and reports false when another
// process has it.
func tryLock(file *os.File) bool {
	return syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil
}

// unlock lets go of the lock that bbolt has taken. Closing the file is not
// enough while it is still mapped into memory.
func unlock(file *os.File) { _ = syscall.Flock(int(file.Fd()), syscall.LOCK_UN) }

// inodeOf returns the number that the file has on its file system.
func inodeOf(path string) (uint64, bool) {
	stat, err := os.Stat(path)
	if err != nil {
		return 0, false
	}
	system, ok := stat.Sys().(*syscall.Stat_t)
	if !ok {
		return 0, false
	}
	return system.Ino, true
}
