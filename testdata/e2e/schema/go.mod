module relay/testdata/e2e/schema

go 1.26.0

require (
	github.com/santhosh-tekuri/jsonschema/v6 v6.0.3
	relay/testdata/e2e v0.0.0
)

require golang.org/x/text v0.14.0 // indirect

replace relay/testdata/e2e => ..
