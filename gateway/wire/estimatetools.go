package wire

// What tools count at least. Sources: the spec of limits; Anthropic's pages on tool
// use, which puts up to 346 tokens before the tools of a request, and on computer use,
// whose tool counts 735 and puts 499 before it: the most that is published of a tool
// whose definition the provider writes.
const (
	tokensPerTool    = 300
	tokensPerOwnTool = 1_250
	tokensOfTooling  = 350
)

// tooling is what the tools of a request cost, in hundredths of a token.
type tooling struct {
	written int64 // as they are written
	least   int64 // where each counts the least that a tool does
}

// cost is the larger of what short definitions and long ones come to.
func (t tooling) cost() int64 {
	if t.least == 0 {
		return 0
	}
	return max(t.least, tokensOfTooling*hundred+t.written)
}

// tools reads a list of tools, or an object that holds one.
func (e *estimate) tools() {
	if e.w.First() != '[' {
		e.tool()
		return
	}
	for more := e.w.Array(); more; more = e.w.Element() {
		e.tool()
	}
}

// tool reads the definition of a tool, or an object with lists of them: Gemini's,
// a namespace, or what Relay's own shape has around its definitions.
func (e *estimate) tool() {
	if e.w.First() != '{' {
		e.written()
		return
	}
	before := e.cost
	var is definition
	for more := e.w.Object(); more; more = e.w.Member() {
		e.name.only(&e.w)
		if is.read(e.name.bytes()) {
			e.tools()
			continue
		}
		e.cost += costOfText(inside(e.w.named.Of(e.w.doc)))
		e.written()
	}
	if !is.list {
		written := e.cost - before
		e.cost = before
		e.tooling.add(written, is.provided())
	}
}

// add adds a tool.
func (t *tooling) add(written int64, provided bool) {
	if provided {
		written = max(written, tokensPerOwnTool*hundred)
	}
	t.written += written
	t.least += max(written, tokensPerTool*hundred)
}

// definition is what the names of its members say of a tool.
type definition struct{ list, named, typed, described bool }

// read takes a name, folded. It reports whether the member is a list of tools.
func (d *definition) read(name []byte) (isList bool) {
	switch string(name) {
	case "tools", "definitions", "functions", "functiondeclarations":
		d.list = true
		return true
	case "name":
		d.named = true
	case "type":
		d.typed = true
	case "description", "parameters", "inputschema", "function", "parametersjsonschema", "format":
		d.described = true
	}
	return false
}

// provided reports whether the provider writes the definition.
func (d definition) provided() bool { return !d.described && (d.typed || !d.named) }
