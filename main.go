// Relay is a self-hosted gateway to LLM providers.
package main

import (
	"os"

	"relay/cmd"
)

func main() {
	os.Exit(cmd.Main(os.Args[1:]))
}
