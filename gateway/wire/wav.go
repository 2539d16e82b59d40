package wire

// WAVSeconds returns the play time of a RIFF/WAVE file.
func WAVSeconds(file []byte) (seconds float64, ok bool) { return 0, false }
