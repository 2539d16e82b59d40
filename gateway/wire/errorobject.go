package wire

import "strconv"

// scalar returns what a value says: the text of a string, nothing for null, and
// JSON for anything else.
func scalar(doc []byte, r Range) []byte {
	if text, ok := Text(doc, r, nil); ok {
		return text
	}
	if value := r.Of(doc); string(value) != "null" {
		return value
	}
	return nil
}

// failureOf reads an error object, which is well formed.
func failureOf(object []byte) Failure {
	var f Failure
	var status, statusCode string
	w := Walk(object)
	for more := w.Object(); more; more = w.Member() {
		switch string(w.Name()) {
		case "code":
			f.Code = w.said()
		case "type":
			f.Type = w.said()
		case "param":
			f.Param = w.said()
		case "message":
			f.Message = w.said()
		case "status":
			status = w.said()
		case "status_code":
			statusCode = w.said()
		case "details":
			f.readDetails(&w)
		}
	}
	f.Status = statusIn(status, statusCode, f.Code, f.Type)
	if isStatus(f.Code) {
		f.Code = "" // told in Status
	}
	if f.Type == "error" {
		f.Type = ""
	}
	if f.Code == "" && !isStatus(status) {
		f.Code = status
	}
	return f
}

// said returns what the value says, at most maxMessage bytes of it.
func (w *Walker) said() string { return cut(scalar(w.doc, w.Value())) }

// isStatus reports whether a word is a number.
func isStatus(word string) bool {
	_, err := strconv.Atoi(word)
	return err == nil
}
