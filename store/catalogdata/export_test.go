package catalogdata

import "io/fs"

// Size returns how many bytes are embedded.
func Size() (size int64) {
	_ = fs.WalkDir(files, ".", func(_ string, entry fs.DirEntry, _ error) error {
		if file, err := entry.Info(); err == nil && !entry.IsDir() {
			size += file.Size()
		}
		return nil
	})
	return size
}
