package admin

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"relay/store"
)

const (
	relayKeyBytes = 48
	displayPrefix = 14 // characters of a plaintext that are kept
)

func (s *server) relayKeyRoutes(api huma.API) {
	keys := relayKeys{newResource[store.RelayKeySpec](s, api)}
	keys.createRoute()
	keys.rotateRoute()
	keys.revokeRoute()
	keys.topUpRoute()
}

type relayKeys struct {
	*resource[store.RelayKeySpec]
}

// newRelayKey is the body that makes a relay key: a relay key whose principal
// may be absent.
type newRelayKey struct {
	Metadata store.Metadata  `json:"metadata"`
	Spec     newRelayKeySpec `json:"spec"`
}

type newRelayKeySpec struct {
	Principal *store.Ref `json:"principal,omitempty" doc:"Absent: a service account of the key's name, made in the project."`
	store.RelayKeySpec
}

// shownKey is a relay key and, once, its plaintext.
type shownKey struct {
	Key       json.RawMessage `json:"key"`
	Plaintext string          `json:"plaintext,omitempty"`
}

type shownKeyOutput struct {
	Location   string `header:"Location"`
	ETag       string `header:"ETag"`
	Generation uint64 `header:"X-Relay-Generation"`
	Body       shownKey
}

func (k relayKeys) shownSchema() *huma.Schema {
	return &huma.Schema{
		Type:     huma.TypeObject,
		Required: []string{"key"},
		Properties: map[string]*huma.Schema{
			"key":       k.schema,
			"plaintext": {Type: huma.TypeString, Description: "The key itself. It is in no other answer; absent when the caller brought keyHash."},
		},
	}
}

func (k relayKeys) createRoute() {
	op := withBody(k.operation(http.MethodPost, "", "create", "Create, and show the plaintext once"),
		recordSchema(k.api, reflect.TypeFor[newRelayKey]()))
	huma.Register(k.api, answering(op, http.StatusCreated, k.shownSchema()), func(ctx context.Context, in *createInput) (*shownKeyOutput, error) {
		rec, plaintext, err := k.draft(in.Body)
		if err != nil {
			return nil, k.refusal(err)
		}
		c, err := k.write(ctx, func(e *store.Edit) error { return k.putNew(e, rec, plaintext, in.Body) })
		if err != nil {
			return nil, k.refusal(err)
		}
		out, err := k.shown(c, rec.Metadata.ID, plaintext)
		if err != nil {
			return nil, err
		}
		out.Location = k.path + "/by-id/" + rec.Metadata.ID
		return out, nil
	})
}

// draft reads a new key, with a plaintext unless the caller brings its hash.
func (k relayKeys) draft(body json.RawMessage) (rec *store.RelayKey, plaintext string, err error) {
	if rec, err = k.decode(body); err == nil && rec.Spec.KeyHash == "" {
		plaintext = newPlaintext()
	}
	return rec, plaintext, err
}

// putNew writes a key whose read-only members are the server's: they are set
// once those that the caller sent have been refused.
func (k relayKeys) putNew(e *store.Edit, rec *store.RelayKey, plaintext string, body json.RawMessage) error {
	empty := new(store.RelayKey)
	if err := keepReadOnly(rec, empty); err != nil {
		return err
	}
	if err := ownPrincipal(e, rec); err != nil {
		return err
	}
	if plaintext != "" {
		holdPlaintext(rec, plaintext)
	}
	return k.place(e, rec, empty, body)
}

// ownPrincipal gives a key without a principal a service account of its own
// name, in the project that it names or else in project default.
func ownPrincipal(e *store.Edit, rec *store.RelayKey) error {
	if rec.Spec.Principal != (store.Ref{}) {
		return nil
	}
	project, err := find(e.Catalog(), store.KindProject, or(rec.Spec.ProjectID, defaultName))
	if err != nil {
		return unprocessable(store.Problem{Field: "spec.projectId", Message: "there is no such project"})
	}
	rec.Spec.ProjectID = ""
	account, err := serviceAccountFor(e, rec, project.Meta().ID)
	if err != nil {
		return err
	}
	rec.Spec.Principal = store.Ref{Kind: store.KindServiceAccount, ID: account}
	return nil
}

func serviceAccountFor(e *store.Edit, rec *store.RelayKey, project string) (string, error) {
	name := or(rec.Metadata.Name, store.NameFrom(rec.Metadata.DisplayName, func(string) bool { return false }))
	if known := e.Catalog().ServiceAccounts.ByName(name); known != nil {
		if known.Spec.ProjectID != project {
			return "", unprocessable(store.Problem{Field: "spec.principal",
				Message: "a service account of this name is in another project: give it as the principal, or the key another name"})
		}
		return known.Metadata.ID, nil
	}
	account := &store.ServiceAccount{Metadata: store.Metadata{Name: name}}
	account.Spec.ProjectID = project
	err := e.Put(account)
	return account.Metadata.ID, err
}

func unprocessable(problems ...store.Problem) error {
	return store.ProblemsError(store.CodeUnprocessable, problems)
}

func newPlaintext() string { return store.RelayKeyPrefix + randomText(relayKeyBytes) }

// holdPlaintext keeps what is kept of a plaintext.
func holdPlaintext(rec *store.RelayKey, plaintext string) {
	hash := sha256.Sum256([]byte(plaintext))
	rec.Spec.KeyHash = hex.EncodeToString(hash[:])
	rec.Spec.Prefix = plaintext[:displayPrefix]
}

func (k relayKeys) shown(c *store.Catalog, id, plaintext string) (*shownKeyOutput, error) {
	row, err := k.row(c, c.RelayKeys.Get(id))
	if err != nil {
		return nil, err
	}
	return &shownKeyOutput{ETag: row.ETag, Generation: row.Generation, Body: shownKey{Key: row.Body, Plaintext: plaintext}}, nil
}

// settleRelayKey keeps the hash when none is sent. Another hash is another key,
// of which nothing is known that could be shown.
func settleRelayKey(rec, former *store.RelayKey) {
	if rec.Spec.KeyHash == "" {
		rec.Spec.KeyHash = former.Spec.KeyHash
	}
	if rec.Spec.KeyHash != former.Spec.KeyHash {
		rec.Spec.Prefix, rec.Spec.PreviousHash, rec.Spec.PreviousUntil = "", "", nil
	}
}
