module relay/testdata/ollama

go 1.26.0
