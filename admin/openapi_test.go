package admin_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gorilla/mux"

	"relay/admin"
	"relay/store"
	"relay/store/storetest"
)

func TestOpenAPI_DescribesEveryRoute(t *testing.T) {
	o := admin.Options{DB: storetest.Open(t), Version: "1.2.3"}
	text, err := admin.NewLocalClient(admin.New(o)).Do(t.Context(), "GET", "/api/openapi.json", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var document struct {
		OpenAPI string
		Paths   map[string]map[string]struct{ OperationID string }
	}
	if err := json.Unmarshal(text.Body, &document); err != nil || !strings.HasPrefix(document.OpenAPI, "3.1") {
		t.Fatalf("OpenAPI %q, %v", document.OpenAPI, err)
	}
	routes, ids := 0, map[string]bool{}
	err = admin.Router(o).Walk(func(route *mux.Route, _ *mux.Router, _ []*mux.Route) error {
		path, pathErr := route.GetPathTemplate()
		methods, methodErr := route.GetMethods()
		if pathErr != nil || methodErr != nil || len(methods) != 1 {
			t.Errorf("route %s %v: %v %v", path, methods, pathErr, methodErr)
			return nil
		}
		operation, documented := document.Paths[path][strings.ToLower(methods[0])]
		if !documented || ids[operation.OperationID] {
			t.Errorf("%s %s: documented %v as %q", methods[0], path, documented, operation.OperationID)
		}
		routes, ids[operation.OperationID] = routes+1, true
		return nil
	})
	if err != nil || routes < 7*len(store.Kinds()) {
		t.Errorf("%d routes, %v", routes, err)
	}
	for _, name := range []string{`"Host":`, `"RelayKey":`, `"Problem":`, `"hostNames"`} {
		if !strings.Contains(string(text.Body), name) {
			t.Errorf("no schema or member %s", name)
		}
	}
	if strings.Contains(string(text.Body), "$schema") {
		t.Error("answers carry $schema links")
	}
}
