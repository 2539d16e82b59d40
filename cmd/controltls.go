package cmd

import (
	"crypto/tls"
	"fmt"
	"os"
	"sync"
	"time"
)

// certificate is one that lies in files and is read again when they change. It
// is safe for concurrent use.
type certificate struct {
	certFile, keyFile string

	mu      sync.Mutex
	current *tls.Certificate
	changed time.Time // of the files, when they were read
	looked  time.Time
}

// certificateInterval lies between looks at the files.
const certificateInterval = 10 * time.Second

// loadCertificate reads the files, which have to be right at first.
func loadCertificate(certFile, keyFile string) (*certificate, error) {
	c := &certificate{certFile: certFile, keyFile: keyFile}
	if err := c.read(); err != nil {
		return nil, fmt.Errorf("read control.tls: %w", err)
	}
	c.looked = time.Now()
	return c, nil
}

func (c *certificate) read() error {
	changed := changeOf(c.certFile, c.keyFile)
	pair, err := tls.LoadX509KeyPair(c.certFile, c.keyFile)
	if err != nil {
		return err
	}
	c.current, c.changed = &pair, changed
	return nil
}

// changeOf is when the files were last changed, as far as that can be told.
func changeOf(paths ...string) time.Time {
	var last time.Time
	for _, path := range paths {
		if stat, err := os.Stat(path); err == nil && stat.ModTime().After(last) {
			last = stat.ModTime()
		}
	}
	return last
}

// get returns the certificate. Files that are not right just now, such as half
// of a renewal, leave the former one in use.
func (c *certificate) get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.Sub(c.looked) >= certificateInterval {
		c.looked = now
		if changeOf(c.certFile, c.keyFile).After(c.changed) {
			_ = c.read()
		}
	}
	return c.current, nil
}

// names are the names and addresses that the certificate is for, without those
// that stand for many.
func (c *certificate) names() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.current.Leaf == nil {
		return nil
	}
	var names []string
	for _, name := range c.current.Leaf.DNSNames {
		if name != "" && name[0] != '*' {
			names = append(names, name)
		}
	}
	for _, addr := range c.current.Leaf.IPAddresses {
		names = append(names, addr.String())
	}
	return names
}

func (c *certificate) config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetCertificate: c.get, NextProtos: []string{"http/1.1"}}
}
