package store

import (
	"fmt"
	"os"
	"strings"
)

// busy makes the error for a database that another process has open.
func (db *DB) busy() error {
	return &Error{
		Code: CodeBusy,
		Message: fmt.Sprintf("data dir %s is in use, most likely by %s: stop that, or name another data dir",
			db.options.Dir, holder(db.path())),
	}
}

// holder names the process that holds the lock of the file, where the system
// tells.
func holder(path string) string {
	const unknown = "a running relay serve"
	inode, known := inodeOf(path)
	if !known {
		return unknown
	}
	locks, err := os.ReadFile("/proc/locks")
	if err != nil {
		return unknown
	}
	for line := range strings.Lines(string(locks)) {
		// 1: FLOCK ADVISORY WRITE 4711 08:01:131078 0 EOF
		fields := strings.Fields(line)
		if len(fields) > 5 && fields[1] == "FLOCK" && strings.HasSuffix(fields[5], fmt.Sprintf(":%d", inode)) {
			return processName(fields[4])
		}
	}
	return unknown
}

func processName(pid string) string {
	name, err := os.ReadFile("/proc/" + pid + "/comm")
	if err != nil {
		return "process " + pid
	}
	return fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), pid)
}
