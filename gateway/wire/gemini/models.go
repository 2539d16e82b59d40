package gemini

import "relay/gateway/wire"

// AppendModels writes the list form of GET /v1beta/models
// (https://ai.google.dev/api/models), all models on one page: without a
// nextPageToken clients ask for no other.
func (c Codec) AppendModels(dst []byte, models []wire.Model) []byte {
	dst = append(dst, `{"models":[`...)
	for i, model := range models {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = c.AppendModel(dst, model)
	}
	return append(dst, "]}"...)
}

// AppendModel writes one model. Clients pick models by their
// supportedGenerationMethods; limits that are not known are left out.
func (Codec) AppendModel(dst []byte, model wire.Model) []byte {
	name := model.DisplayName
	if name == "" {
		name = model.ID
	}
	dst = wire.AppendText(dst, `{"name":`, modelsPrefix+model.ID)
	dst = wire.AppendText(dst, `,"version":"","displayName":`, name)
	return append(dst, `,"description":"","supportedGenerationMethods":["generateContent","streamGenerateContent","countTokens"]}`...)
}
