package wire

// Form is what a body of multipart/form-data holds (RFC 7578).
type Form struct {
	Model       Range // value of the field model; zero when absent
	Streamed    bool  // the field stream says true
	Steering    Range // name of a field by which callers try to name an upstream, see IsSteering
	FileBytes   int   // of all files together
	LargestFile int   // bytes of the largest
	File        Range // content of the first
}

// ScanForm checks a whole body of multipart/form-data.
func ScanForm(contentType string, body []byte, f *Form) error {
	return NewError(CodeParseError, "The request body cannot be read.")
}
