package hub

// FileName returns the name of a document, or, where it has none, one by which hosts
// know how to read it.
func (p *Part) FileName() Text {
	if len(p.Name) > 0 {
		return p.Name
	}
	switch p.MediaType.String() {
	case "text/plain":
		return Text("document.txt")
	case "text/markdown":
		return Text("document.md")
	case "text/html":
		return Text("document.html")
	case "text/csv":
		return Text("document.csv")
	}
	return Text("document.pdf")
}
