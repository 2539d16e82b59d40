package gguf_test

import (
	"os"
	"path/filepath"
	"testing"

	"relay/testdata/ollama/gguf"
)

func TestWrite_IsTheSameEveryTime(t *testing.T) {
	for _, endless := range []bool{false, true} {
		var files [2]string
		for i := range files {
			path := filepath.Join(t.TempDir(), "model.gguf")
			if err := gguf.Counter(endless).Write(path); err != nil {
				t.Fatal(err)
			}
			written, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			files[i] = string(written)
		}
		if files[0] != files[1] || files[0][:4] != "GGUF" || len(files[0]) > 6<<20 {
			t.Errorf("endless %v: %d and %d bytes", endless, len(files[0]), len(files[1]))
		}
	}
}
