package admin

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"time"
)

// maxSocketPath keeps clear of what systems take: 104 bytes on some, 108 on
// others.
const maxSocketPath = 100

// SocketServer serves the control API on a Unix socket.
type SocketServer struct {
	server *http.Server
	served chan error
}

// ServeSocket listens on a Unix socket at path, mode 0600, and serves handler
// there as trusted until Close. A socket that nobody listens on is replaced;
// anything else at path, and a path over 100 bytes, is an error.
func ServeSocket(path string, handler http.Handler) (*SocketServer, error) {
	listener, err := listenSocket(path)
	if err != nil {
		return nil, err
	}
	s := &SocketServer{
		server: &http.Server{Handler: Trusted(handler), ReadHeaderTimeout: 10 * time.Second},
		served: make(chan error, 1),
	}
	go func() { s.served <- s.server.Serve(listener) }()
	return s, nil
}

// Close stops listening and waits for requests under way until ctx ends.
func (s *SocketServer) Close(ctx context.Context) error {
	err := s.server.Shutdown(ctx)
	if served := <-s.served; !errors.Is(served, http.ErrServerClosed) {
		err = errors.Join(err, served)
	}
	return err
}

func listenSocket(path string) (net.Listener, error) {
	if len(path) > maxSocketPath {
		return nil, fmt.Errorf("socket path %s is longer than %d bytes: set another with socket: in the configuration", path, maxSocketPath)
	}
	if err := removeStale(path); err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", path)
	if err != nil {
		return nil, fmt.Errorf("listen on socket %s: %w", path, err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return nil, errors.Join(fmt.Errorf("protect socket %s: %w", path, err), listener.Close())
	}
	return listener, nil
}

func removeStale(path string) error {
	stat, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("look at socket %s: %w", path, err)
	}
	if stat.Mode().Type() != fs.ModeSocket {
		return fmt.Errorf("%s is not a socket: move it away or set another path with socket: in the configuration", path)
	}
	if conn, err := net.DialTimeout("unix", path, time.Second); err == nil {
		return errors.Join(fmt.Errorf("another process answers on socket %s: stop it first", path), conn.Close())
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("replace stale socket %s: %w", path, err)
	}
	return nil
}
