package gateway_test

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"strconv"
	"strings"
)

// answerNames is the dial of a resolver whose server answers at once.
func answerNames(context.Context, string, string) (net.Conn, error) {
	here, there := net.Pipe()
	go func() {
		defer there.Close()
		for {
			var size [2]byte
			if _, err := io.ReadFull(there, size[:]); err != nil {
				return
			}
			query := make([]byte, binary.BigEndian.Uint16(size[:]))
			if _, err := io.ReadFull(there, query); err != nil {
				return
			}
			reply := answerName(query)
			if _, err := there.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(reply))), reply...)); err != nil {
				return
			}
		}
	}()
	return here, nil
}

// answerName answers a DNS query for one name (RFC 1035, section 4).
func answerName(query []byte) []byte {
	var labels []string
	at := 12
	for query[at] != 0 {
		labels = append(labels, string(query[at+1:at+1+int(query[at])]))
		at += 1 + int(query[at])
	}
	question := query[12 : at+5]
	kind := binary.BigEndian.Uint16(query[at+1:])
	var records []byte
	count := 0
	for _, addr := range addresses(strings.ToLower(strings.Join(labels, "."))) {
		if (kind == 1) == addr.Is4() {
			count++
			records = append(records, 0xc0, 12, 0, byte(kind), 0, 1, 0, 0, 0, 0, 0, byte(len(addr.AsSlice())))
			records = append(records, addr.AsSlice()...)
		}
	}
	reply := append([]byte{query[0], query[1], 0x81, 0x80, 0, 1, 0, byte(count), 0, 0, 0, 0}, question...)
	return append(reply, records...)
}

func addresses(name string) (all []netip.Addr) {
	if addr, ok := aton(name); ok {
		return []netip.Addr{addr}
	}
	for _, text := range names()[name] {
		all = append(all, netip.MustParseAddr(text))
	}
	return all
}

// aton reads numbers as inet_aton(3) does, which the resolvers of C libraries
// use.
func aton(text string) (netip.Addr, bool) {
	parts := strings.Split(text, ".")
	if len(parts) > 4 {
		return netip.Addr{}, false
	}
	var value uint64
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 0, 33)
		room := uint64(8)
		if i == len(parts)-1 {
			room = 8 * uint64(5-len(parts))
		}
		if err != nil || n >= 1<<room {
			return netip.Addr{}, false
		}
		value = value<<room | n
	}
	return netip.AddrFrom4([4]byte(binary.BigEndian.AppendUint32(nil, uint32(value)))), true
}
