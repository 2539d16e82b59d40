package hub

// SetThink reads the member think of local runners, which says all of what the
// caller wants of reasoning: true, false, or one of the words low, medium, high
// and max. ok says that it is one of those, or null, which says nothing.
func (r *Reasoning) SetThink(value []byte) (ok bool) {
	said := Reasoning{Summary: r.Summary}
	switch string(value) {
	case "", "null":
		return true
	case "true":
		said.Think, said.Budget = "true", -1
	case "false":
		said.Think, said.Effort = "false", "none"
	case `"low"`, `"medium"`, `"high"`, `"max"`:
		said.Effort = string(value[1 : len(value)-1])
		said.Think = said.Effort
	default:
		return false
	}
	*r = said
	return true
}
