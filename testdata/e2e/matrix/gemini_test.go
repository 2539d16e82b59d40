package matrix_test

import (
	"context"
	"errors"

	"google.golang.org/genai"

	"relay/testdata/e2e/strict"
)

func genAI() caller {
	return caller{
		name: "genai", shape: strict.Gemini, begin: beginGemini, keeps: true, filtered: "filter",
		kinds: kinds{"INVALID_ARGUMENT", "RESOURCE_EXHAUSTED", "UNAVAILABLE"},
		failure: func(err error) failure {
			var e genai.APIError
			if !errors.As(err, &e) {
				return failure{}
			}
			return failure{e.Code, e.Status, "", e.Message}
		},
		tells: openAIChat().tells,
	}
}

// generating is a conversation by generateContent.
type generating struct {
	question
	setup
	config   *genai.GenerateContentConfig
	contents []*genai.Content
	results  []*genai.Part // that the next turn is of
}

func beginGemini(s setup, q question) conversation {
	system := genai.NewContentFromText("Be kind.", genai.RoleUser)
	c := &generating{question: q, setup: s, config: &genai.GenerateContentConfig{SystemInstruction: system, MaxOutputTokens: int32(q.most)}}
	parts := []*genai.Part{genai.NewPartFromText(q.prompt)}
	if q.image != nil {
		parts = append(parts, genai.NewPartFromBytes(q.image, "image/png"))
	}
	c.contents = []*genai.Content{genai.NewContentFromParts(parts, genai.RoleUser)}
	if offered := q.offered(); offered != nil {
		var declarations []*genai.FunctionDeclaration
		for _, t := range offered {
			declarations = append(declarations, c.declaration(t))
		}
		c.config.Tools = []*genai.Tool{{FunctionDeclarations: declarations}}
	}
	if q.named != "" {
		calling := &genai.FunctionCallingConfig{Mode: genai.FunctionCallingConfigModeAny, AllowedFunctionNames: []string{q.named}}
		c.config.ToolConfig = &genai.ToolConfig{FunctionCallingConfig: calling}
	}
	if q.think {
		c.config.ThinkingConfig = &genai.ThinkingConfig{IncludeThoughts: true, ThinkingBudget: genai.Ptr[int32](2000)}
	}
	if q.schema != nil {
		c.config.ResponseMIMEType = "application/json"
		if c.config.ResponseJsonSchema = q.schema; !q.streamed {
			c.config.ResponseJsonSchema, c.config.ResponseSchema = nil, googleSchema(q.schema)
		}
	}
	return c
}

// declaration has its schema in Google's spelling in calls whose answer is whole,
// and in that of JSON Schema in the others.
func (c *generating) declaration(t tool) *genai.FunctionDeclaration {
	d := &genai.FunctionDeclaration{Name: t.name, Description: t.about}
	if c.streamed {
		d.ParametersJsonSchema = t.schema
	} else {
		d.Parameters = googleSchema(t.schema)
	}
	return d
}

func googleSchema(of any) *genai.Schema {
	schema, _ := of.(map[string]any)
	types := map[any]genai.Type{"object": genai.TypeObject, "string": genai.TypeString, "integer": genai.TypeInteger, "array": genai.TypeArray}
	s := &genai.Schema{Type: types[schema["type"]]}
	if properties, is := schema["properties"].(map[string]any); is {
		s.Properties = map[string]*genai.Schema{}
		for name, property := range properties {
			s.Properties[name] = googleSchema(property)
		}
	}
	if items := schema["items"]; items != nil {
		s.Items = googleSchema(items)
	}
	choices, _ := schema["enum"].([]any)
	for _, choice := range choices {
		s.Enum = append(s.Enum, choice.(string))
	}
	switch required := schema["required"].(type) {
	case []string:
		s.Required = required
	case []any:
		for _, name := range required {
			s.Required = append(s.Required, name.(string))
		}
	}
	return s
}

func (c *generating) next(ctx context.Context) (answer, error) {
	if c.results != nil {
		c.contents = append(c.contents, genai.NewContentFromParts(c.results, genai.RoleUser))
		c.results = nil
	}
	client, err := genai.NewClient(ctx, &genai.ClientConfig{APIKey: c.key, Backend: genai.BackendGeminiAPI, HTTPClient: c.http, HTTPOptions: genai.HTTPOptions{BaseURL: c.url}})
	if err != nil {
		return answer{}, err
	}
	var a answer
	var said []*genai.Part
	if c.streamed {
		for chunk, err := range client.Models.GenerateContentStream(ctx, c.model, c.contents, c.config) {
			if err != nil {
				return answer{}, err
			}
			said = append(said, c.add(&a, chunk)...)
		}
	} else {
		whole, err := client.Models.GenerateContent(ctx, c.model, c.contents, c.config)
		if err != nil {
			return answer{}, err
		}
		said = c.add(&a, whole)
		a.pieces = 0 // of no stream
	}
	if len(a.calls) > 0 && a.stop == "stop" {
		a.stop = "calls"
	}
	c.contents = append(c.contents, genai.NewContentFromParts(said, genai.RoleModel))
	return a, nil
}

// add adds a chunk to an answer and returns the parts that are worth sending back.
func (c *generating) add(a *answer, chunk *genai.GenerateContentResponse) (said []*genai.Part) {
	if u := chunk.UsageMetadata; u != nil {
		a.tokens = strict.Tokens{
			Input: int64(u.PromptTokenCount - u.CachedContentTokenCount), CacheRead: int64(u.CachedContentTokenCount),
			Output: int64(u.CandidatesTokenCount + u.ThoughtsTokenCount), Reasoning: int64(u.ThoughtsTokenCount),
		}
	}
	if len(chunk.Candidates) == 0 {
		return nil
	}
	candidate := chunk.Candidates[0]
	stops := map[genai.FinishReason]string{genai.FinishReasonStop: "stop", genai.FinishReasonMaxTokens: "length", genai.FinishReasonSafety: "filter"}
	if candidate.FinishReason != "" && candidate.FinishReason != genai.FinishReasonUnspecified {
		a.stop = stops[candidate.FinishReason]
	}
	if candidate.Content == nil {
		return nil
	}
	for _, part := range candidate.Content.Parts {
		switch {
		case part.FunctionCall != nil:
			a.calls = append(a.calls, call{part.FunctionCall.ID, part.FunctionCall.Name, encoded(part.FunctionCall.Args)})
		case part.Thought:
			a.reasoning += part.Text
		case part.Text != "":
			a.text += part.Text
			a.pieces++
			c.said()
		case len(part.ThoughtSignature) == 0:
			continue
		}
		if c.forgetful {
			if part.ThoughtSignature = nil; part.Thought || part.FunctionCall == nil && part.Text == "" {
				continue
			}
		}
		said = append(said, part)
	}
	return said
}

func (c *generating) result(of call, text string) {
	response := &genai.FunctionResponse{ID: of.id, Name: of.name, Response: map[string]any{"output": text}}
	c.results = append(c.results, &genai.Part{FunctionResponse: response})
}

func (c *generating) say(text string) {
	c.contents = append(c.contents, genai.NewContentFromText(text, genai.RoleUser))
}

func (c *generating) move(model string) { c.model = model }
