package echo

import (
	"net/http"
	"slices"
)

type model struct {
	ID      string `json:"id"`
	Object  string `json:"object"`
	Created int64  `json:"created"`
	OwnedBy string `json:"owned_by"`
}

type modelList struct {
	Object string  `json:"object"`
	Data   []model `json:"data"`
}

// createdAt is the same for every model: 2025-11-29 00:00 UTC.
const createdAt = 1764374400

func newModel(id string) model { return model{id, "model", createdAt, "echo"} }

func (h *handler) listModels(w http.ResponseWriter, _ *http.Request) {
	list := modelList{"list", []model{}}
	for _, id := range h.options.Models {
		list.Data = append(list.Data, newModel(id))
	}
	answer(w, http.StatusOK, list)
}

func (h *handler) showModel(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if !h.serves(id) {
		refuseModel(w, r, id)
		return
	}
	answer(w, http.StatusOK, newModel(id))
}

func (h *handler) serves(id string) bool { return slices.Contains(h.options.Models, id) }

func refuseModel(w http.ResponseWriter, r *http.Request, id string) {
	refuse(w, r, http.StatusNotFound, "model_not_found", "The model `"+id+"` does not exist; GET /v1/models lists those that do.")
}
