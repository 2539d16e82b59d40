package admin

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"
)

const backupType = "application/octet-stream"

// backupRoute streams a copy that lies in a file by then, so that a slow reader
// holds up nothing. What is sent has a length: an answer cut short shows.
func (s *server) backupRoute(api huma.API) {
	op := operation(http.MethodGet, "/api/backup", "backup", "A consistent copy of the database, without its master key")
	op.Responses = map[string]*huma.Response{"200": {
		Description: "OK",
		Content:     map[string]*huma.MediaType{backupType: {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}},
	}}
	huma.Register(api, op, func(context.Context, *struct{}) (*huma.StreamResponse, error) {
		made, err := s.DB.Copy()
		if err != nil {
			return nil, s.refusal(err)
		}
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			defer made.Close()
			ctx.SetHeader("Content-Type", backupType)
			ctx.SetHeader("Content-Disposition", `attachment; filename="relay.db"`)
			ctx.SetHeader("Content-Length", strconv.FormatInt(made.Size(), 10))
			_, _ = io.Copy(ctx.BodyWriter(), made) // the reader sees that bytes are missing
		}}, nil
	})
}

// Backup writes a consistent copy of the server's database to w and returns its
// size in bytes. A copy that is cut short is an error.
func (c *Client) Backup(ctx context.Context, w io.Writer) (int64, error) {
	answer, err := c.open(ctx, request{method: http.MethodGet, path: "/api/backup"})
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK || answer.Header.Get("Content-Type") != backupType {
		text, err := io.ReadAll(io.LimitReader(answer.Body, maxBody))
		if err != nil {
			return 0, fmt.Errorf("read the answer of the server: %w", err)
		}
		return 0, asProblem(answer, text)
	}
	n, err := io.Copy(w, answer.Body)
	if err != nil {
		return n, fmt.Errorf("receive the backup: %w", err)
	}
	return n, nil
}
