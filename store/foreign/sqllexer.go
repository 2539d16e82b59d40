package foreign

import (
	"bytes"
	"strings"
)

// lexer takes SQL apart into words, quoted texts and signs.
type lexer struct {
	text []byte
	at   int
}

// lexeme is a piece of SQL. A literal is quoted text that is a value and no name.
type lexeme struct {
	text            string
	quoted, literal bool
	end             bool
}

// skip passes over blanks and comments and returns where the next piece begins,
// or -1 at the end.
func (l *lexer) skip() int {
	for l.at < len(l.text) {
		rest := l.text[l.at:]
		switch {
		case strings.IndexByte(" \t\r\n", rest[0]) >= 0:
			l.at++
		case bytes.HasPrefix(rest, []byte("--")), rest[0] == '#':
			l.to("\n")
		case bytes.HasPrefix(rest, []byte("/*")):
			l.to("*/")
		default:
			return l.at
		}
	}
	return -1
}

// to goes behind the next mark, or to the end.
func (l *lexer) to(mark string) {
	i := bytes.Index(l.text[l.at:], []byte(mark))
	if i < 0 {
		l.at = len(l.text)
		return
	}
	l.at += i + len(mark)
}

func (l *lexer) token() lexeme {
	if l.skip() < 0 {
		return lexeme{end: true}
	}
	c := l.text[l.at]
	switch {
	case c == '\'' || c == '"' || c == '`':
		return lexeme{text: l.quoted(c), quoted: true, literal: c == '\''}
	case strings.IndexByte("(),;", c) >= 0:
		l.at++
		return lexeme{text: string(c)}
	}
	start := l.at
	for l.at < len(l.text) && strings.IndexByte(" \t\r\n(),;'\"`", l.text[l.at]) < 0 {
		l.at++
	}
	return lexeme{text: string(l.text[start:l.at])}
}

// quoted reads a quoted text: a doubled quote stands for one, and a backslash
// escapes as in MySQL. In SQLite and PostgreSQL a backslash is itself, which
// makes no difference for the JSON, names and keys of these tables.
func (l *lexer) quoted(quote byte) string {
	var out []byte
	for l.at++; l.at < len(l.text); l.at++ {
		c := l.text[l.at]
		switch {
		case c == quote && l.at+1 < len(l.text) && l.text[l.at+1] == quote:
			out = append(out, quote)
			l.at++
		case c == quote:
			l.at++
			return string(out)
		case c == '\\' && quote == '\'' && l.at+1 < len(l.text):
			l.at++
			out = append(out, unescaped(l.text[l.at])...)
		default:
			out = append(out, c)
		}
	}
	return string(out)
}

func unescaped(c byte) string {
	switch c {
	case 'n':
		return "\n"
	case 'r':
		return "\r"
	case 't':
		return "\t"
	case '0':
		return "\x00"
	case '\'', '"', '\\', '%':
		return string(c)
	}
	return `\` + string(c)
}
