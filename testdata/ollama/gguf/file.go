package gguf

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
)

// The types of GGUF's values, and the type of its weights.
const (
	typeUint32  = 4
	typeInt32   = 5
	typeFloat32 = 6
	typeString  = 8
	typeArray   = 9
	tensorF32   = 0
)

const (
	magic     = "GGUF"
	version   = 3
	alignment = 32 // bytes, of each tensor
)

// file collects the parts of a GGUF file: what describes the model, what
// describes its weights, and the weights.
type file struct {
	described, tensors            bytes.Buffer
	weights                       bytes.Buffer
	countOfValues, countOfTensors uint64
}

func newFile() *file { return &file{} }

func (f *file) write(path string) error {
	var b bytes.Buffer
	b.WriteString(magic)
	b.Write(binary.LittleEndian.AppendUint32(nil, version))
	put(&b, f.countOfTensors)
	put(&b, f.countOfValues)
	b.Write(f.described.Bytes())
	b.Write(f.tensors.Bytes())
	pad(&b)
	b.Write(f.weights.Bytes())
	return os.WriteFile(path, b.Bytes(), 0o600)
}

func (f *file) value(name string, kind uint32) {
	f.countOfValues++
	putText(&f.described, name)
	put32(&f.described, kind)
}

func (f *file) list(name string, kind uint32, n int) {
	f.value(name, typeArray)
	put32(&f.described, kind)
	put(&f.described, uint64(n))
}

func (f *file) text(name, value string) {
	f.value(name, typeString)
	putText(&f.described, value)
}

func (f *file) number(name string, value uint32) {
	f.value(name, typeUint32)
	put32(&f.described, value)
}

func (f *file) fraction(name string, value float32) {
	f.value(name, typeFloat32)
	put32(&f.described, math.Float32bits(value))
}

func (f *file) texts(name string, values []string) {
	f.list(name, typeString, len(values))
	for _, v := range values {
		putText(&f.described, v)
	}
}

func (f *file) fractions(name string, values []float32) {
	f.list(name, typeFloat32, len(values))
	for _, v := range values {
		put32(&f.described, math.Float32bits(v))
	}
}

func (f *file) numbers(name string, values []int32) {
	f.list(name, typeInt32, len(values))
	for _, v := range values {
		put32(&f.described, uint32(v))
	}
}

// tensor adds weights. The first size is that of a row.
func (f *file) tensor(name string, weights []float32, sizes ...int) {
	f.countOfTensors++
	putText(&f.tensors, name)
	put32(&f.tensors, uint32(len(sizes)))
	for _, n := range sizes {
		put(&f.tensors, uint64(n))
	}
	put32(&f.tensors, tensorF32)
	put(&f.tensors, uint64(f.weights.Len()))
	for _, w := range weights {
		put32(&f.weights, math.Float32bits(w))
	}
	pad(&f.weights)
}

func put(b *bytes.Buffer, n uint64)   { b.Write(binary.LittleEndian.AppendUint64(nil, n)) }
func put32(b *bytes.Buffer, n uint32) { b.Write(binary.LittleEndian.AppendUint32(nil, n)) }

func putText(b *bytes.Buffer, text string) {
	put(b, uint64(len(text)))
	b.WriteString(text)
}

func pad(b *bytes.Buffer) { b.Write(make([]byte, -b.Len()&(alignment-1))) }
