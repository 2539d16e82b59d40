module relay/testdata/e2e

go 1.26.0

ignore node_modules
