package cmd

import (
	"context"
	"encoding/json"

	"relay/admin"
	"relay/store"
)

// creation makes records one after another, and takes them back when a later
// one is refused.
type creation struct {
	*session
	made []madeRecord
}

type madeRecord struct {
	kind store.Kind
	id   string
}

func (c *creation) create(ctx context.Context, kind store.Kind, metadata, spec map[string]any) (*admin.Answer, error) {
	body, err := json.Marshal(map[string]any{"metadata": metadata, "spec": spec})
	if err != nil {
		return nil, err
	}
	answer, err := c.CreateRaw(ctx, kind, body)
	if err != nil {
		return nil, err
	}
	head, err := decodeRow[envelope](answer.Body)
	c.add(kind, head.Metadata.ID)
	return answer, err
}

// add notes a record that was made.
func (c *creation) add(kind store.Kind, id string) {
	c.made = append(c.made, madeRecord{kind, id})
}

func (c *creation) takeBack(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	for i := len(c.made) - 1; i >= 0; i-- {
		if err := c.Delete(ctx, c.made[i].kind, c.made[i].id, false); err != nil {
			return err
		}
	}
	return nil
}
