// Package manifest reads records from YAML and writes them: many documents with
// apiVersion relay/v1, names in the place of ids, durations as text.
//
// Read is strict: members that do not exist, repeated members and values of the
// wrong form are refused with file, line and a near name, all at once. A member
// that refers to records has its name without Id (rateLimit, hostKeys), and
// {kind, id} is {kind, name}. ${NAME} in any value stands for an environment
// variable, $$ for a dollar; what a variable holds is never read as YAML.
//
// Secrets stay outside. A host key names its source, and a relay key or an admin
// token gives its hash or the variable that holds its plaintext, of which only
// the hash leaves the reader. A user names the variable of its first password,
// which is used when the user is made and never after.
//
// Apply puts documents onto a catalog within one write, in whatever order they
// refer to each other. A source that applies the same documents time and again,
// such as a folder that is read at every start, shares its records with people by
// the rule of store.Catalog.Rule: it writes what it says anew, and leaves what was
// edited or deleted since. Check tells everything that is wrong at once. Export writes a catalog so that Apply on an empty
// database makes an equal one. The value of a stored host key is not written:
// its place is taken by
//
//	source: {kind: env, env: OPENAI_MAIN, insteadOf: stored}
//
// which leaves a key alone whose value is stored, and makes any other read the
// variable. So an export applied where it came from changes nothing.
package manifest
