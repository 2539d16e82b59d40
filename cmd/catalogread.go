package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"relay/store"
	"relay/store/catalogdata"
)

// readCatalogue reads the catalogue at a path or URL, checks it, and returns it in
// one text. Only what the person names is asked for.
func (a *app) readCatalogue(ctx context.Context, from string) ([]byte, error) {
	data, err := a.catalogueAt(ctx, from)
	if err != nil {
		return nil, err
	}
	return data.Text()
}

func (a *app) catalogueAt(ctx context.Context, from string) (*catalogdata.Data, error) {
	if strings.Contains(from, "://") {
		text, err := a.fetchCatalogue(ctx, from)
		if err != nil {
			return nil, err
		}
		return checkedCatalogue(from)(catalogdata.ReadText(text))
	}
	info, err := os.Stat(from)
	if err != nil {
		return nil, usagef("read catalogue: %v", err)
	}
	if info.IsDir() {
		return checkedCatalogue(from)(catalogdata.Read(os.DirFS(from)))
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return nil, usagef("read catalogue: %v", err)
	}
	return checkedCatalogue(from)(catalogdata.ReadText(text))
}

// catalogueName is what is kept of where a catalogue was read from: of a URL
// nothing that may be a secret.
func catalogueName(from string) string {
	if u, err := url.Parse(from); err == nil && u.Scheme != "" && u.Host != "" {
		return u.Scheme + "://" + u.Host + u.EscapedPath()
	}
	return from
}

// checkedCatalogue says of a text that is no catalogue where it was read from.
func checkedCatalogue(from string) func(*catalogdata.Data, error) (*catalogdata.Data, error) {
	return func(d *catalogdata.Data, err error) (*catalogdata.Data, error) {
		if err != nil {
			return nil, &store.Error{Code: store.CodeInvalid, Message: fmt.Sprintf("%s is no catalogue:\n%v", catalogueName(from), err)}
		}
		return d, nil
	}
}

const fetchTimeout = 30 * time.Second

// fetchCatalogue asks for the text at a URL: over TLS, or from this machine.
func (a *app) fetchCatalogue(ctx context.Context, from string) ([]byte, error) {
	if err := checkCatalogueURL(from); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, fetchTimeout)
	defer cancel()
	name := catalogueName(from)
	defer a.whenSlow("Asking for %s ...", name)()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, usagef("%s is no URL of a catalogue: https://HOST/PATH", name)
	}
	client := http.Client{CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 5 {
			return fmt.Errorf("it leads on and on")
		}
		return checkCatalogueURL(r.URL.String())
	}}
	answer, err := client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", name, withoutURL(err))
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("get %s: it answers %s", name, answer.Status)
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, catalogdata.MaxText+1))
	if err != nil {
		return nil, fmt.Errorf("get %s: %w", name, err)
	}
	return text, nil
}

// withoutURL leaves out the URL that net/http puts before its errors: a query may
// hold a secret.
func withoutURL(err error) error {
	var told *url.Error
	if errors.As(err, &told) {
		return told.Err
	}
	return err
}

func checkCatalogueURL(from string) error {
	u, err := url.Parse(from)
	if err != nil || u.Host == "" || u.User != nil {
		return usagef("that is no URL of a catalogue: https://HOST/PATH, without a password")
	}
	if ip := net.ParseIP(u.Hostname()); u.Scheme == "https" || u.Scheme == "http" && (u.Hostname() == "localhost" || ip.IsLoopback()) {
		return nil
	}
	return usagef("%s would be read unencrypted, and somebody between could set prices: use https, or a file", catalogueName(from))
}
