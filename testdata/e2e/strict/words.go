package strict

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
)

// The scripts, as [script:NAME] in a prompt asks for them.
const (
	PlayText      = "text"      // Text
	PlayTools     = "tools"     // Preface and calls of the tools on offer, then Sum once their results have come
	PlayReasoned  = "reasoned"  // likewise, without words, by a model that thinks before, unless it must not
	PlayCommand   = "command"   // a call of whichever tool runs commands, then Done once it has printed Printed
	PlayImage     = "image"     // which image has come, as Saw says
	PlayStructure = "structure" // JSON by the schema that was asked for, see Instance
	PlayReasoning = "reasoning" // Thoughts, where they were asked for or come anyway, and Text
	PlayBare      = "bare"      // a call without arguments, then Text once its result has come
	PlayFilter    = "filter"    // Text, cut off by the provider's filter, where it has one
	PlayLength    = "length"    // Text, cut off by the limit of output
	PlayRefuse    = "refuse"    // status 400
	PlayLimit     = "limit"     // status 429 with Retry-After
	PlayOverload  = "overload"  // status 503, of Anthropic 529, with Retry-After
	PlayDie       = "die"       // a stream that tells an error once it is released, see Server.Release
	PlayEndless   = "endless"   // a stream, or a wait, until the caller has gone
)

// What is said. It holds what JSON must escape and what UTF-16 writes in halves.
const (
	Text     = "Hello, 雨🙂 \"you\" \\ <b>there</b>.\nBye."
	Preface  = "Let me see. "
	Sum      = "The sum is 42 and it rains."
	Thoughts = "First I think, 雨. \"Then\" I answer."
	Limit    = "Rate limit reached, 雨."
	Overload = "Overloaded, 雨."
	Refusal  = "This prompt is refused, 雨."
)

// The tools, and the results that they are called for.
const (
	Add, AddResult         = "add", "42"
	Weather, WeatherResult = "weather", "rain"
	Now, NowResult         = "now", "noon"
)

// What a coding agent does for PlayCommand.
const (
	Done    = "The command has printed what it should."
	Printed = "relay-42"
	command = "echo relay-$((40+2))"
)

// commands are the tools of agents that run commands, with arguments that do.
func commands() []Call {
	return []Call{
		{"Bash", `{"command":"` + command + `","description":"Prints a number"}`},
		{"exec_command", `{"cmd":"` + command + `"}`},
		{"shell_command", `{"command":"` + command + `"}`},
		{"shell", `{"command":["bash","-c","` + command + `"]}`},
	}
}

// Call is a call of a tool, arguments as JSON; empty: there are none, which shapes
// tell in their own ways.
type Call struct{ Name, Arguments string }

// Calls are what PlayTools calls, in order.
func Calls() []Call {
	return []Call{{Add, `{"a":17,"b":25}`}, {Weather, `{"city":"Zürich \"雨\"","days":[1,2]}`}}
}

// Saw is what PlayImage says of an image.
func Saw(mediaType string, image []byte) string {
	sum := sha256.Sum256(image)
	return fmt.Sprintf("I see %s of sha256 %s.", mediaType, hex.EncodeToString(sum[:8]))
}
