package agents_test

import (
	"fmt"
	"os"
	"os/exec"
)

// alone is set in the process that has the namespace.
const alone = "RELAY_E2E_ALONE"

func isAlone() bool { return os.Getenv(alone) != "" }

// again runs this program once more, in a namespace of its own, and returns what
// that exits with.
func again() int {
	if out, err := exec.Command("unshare", "-n", "ip", "link", "set", "lo", "up").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "agents are tested in a network namespace of their own: run this on Linux with util-linux and iproute2, as root or with CAP_SYS_ADMIN (unshare -n ip link set lo up: %v: %s)\n", err, out)
		return 1
	}
	command := exec.Command("unshare", append([]string{"-n", "--", "sh", "-c", `ip link set lo up && exec "$0" "$@"`}, os.Args...)...)
	command.Env = append(os.Environ(), alone+"=1")
	command.Stdout, command.Stderr = os.Stdout, os.Stderr
	if command.Run() != nil {
		return 1 // it has said why
	}
	return 0
}
