package cmd

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"relay/admin"
	"relay/store"
)

// firstKeyName is the name of the relay key that first boot makes.
const firstKeyName = "first"

// firstRunFile holds what first boot has to say when nobody watches.
const firstRunFile = "first-run.txt"

// firstRun makes the first relay key of a new data directory and returns its
// plaintext; zero when there are keys already.
func (p *process) firstRun() (store.Secret, error) {
	if !p.db.FirstBoot() || p.db.Catalog().RelayKeys.Len() > 0 {
		return store.Secret{}, nil
	}
	return admin.FirstKey(p.db, firstKeyName)
}

// uiLink signs one browser in; without a listener, or when it cannot be made,
// it is the address alone.
func (p *process) uiLink() string {
	if p.controlAddr == nil {
		return p.controlURL()
	}
	client := admin.NewSocketClient(p.cfg.Socket)
	defer client.Close()
	link, err := client.NewSetupLink(context.Background())
	if err != nil {
		p.log.Error().Err(err).Msg("the link to the admin UI cannot be made; make another with relay setup --link")
		return p.controlURL()
	}
	return link.URL
}

// announce tells where Relay listens, and on first boot the key: on a terminal
// directly, else in a file, since what a service prints is a log.
func (a *app) announce(p *process, first store.Secret) {
	text := p.addresses()
	if !first.IsZero() {
		text = p.welcome(first)
		if !isTerminal(a.Stderr) {
			a.leaveFirstRun(p, text)
			return
		}
	}
	if isTerminal(a.Stderr) && !a.global.quiet {
		fmt.Fprint(a.Stderr, text)
		return
	}
	p.log.Info().Str("inference", p.inferenceURL()).Str("control", p.controlURL()).Str("data_dir", p.cfg.DataDir).Msg("relay is listening")
}

func (a *app) leaveFirstRun(p *process, text string) {
	path := filepath.Join(p.cfg.DataDir, firstRunFile)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.log.Error().Err(err).Msg("the first key cannot be written; make another with relay key add")
		return
	}
	p.log.Info().Str("inference", p.inferenceURL()).Str("control", p.controlURL()).Str("first_run", path).Msg("relay is listening; the first key is in the file first_run")
}

func (p *process) inferenceURL() string { return "http://" + p.inferenceAddr.String() }

func (p *process) controlURL() string {
	if p.controlAddr == nil {
		return "off"
	}
	if p.cfg.Control.TLS.given() {
		return "https://" + p.controlAddr.String() + "/"
	}
	return "http://" + p.controlAddr.String() + "/"
}

// browserURL is where browsers find the admin UI, or "".
func (p *process) browserURL() string {
	if p.controlAddr == nil {
		return ""
	}
	return p.controlURL()
}

func (p *process) addresses() string {
	return fmt.Sprintf("Relay is listening on %s, control on %s (data in %s).\n", p.inferenceURL(), p.controlURL(), p.cfg.DataDir)
}

// welcome is the block that a newcomer reads.
func (p *process) welcome(first store.Secret) string {
	var b strings.Builder
	b.WriteString(p.addresses())
	fmt.Fprintf(&b, `
  Base URL, OpenAI SDKs   %[1]s/v1
  Relay key (shown once)  %[2]s
  Admin UI (opens once)   %[3]s
  Master key              %[4]s  (keep a copy apart from the database)

  export OPENAI_BASE_URL=%[1]s/v1
  export OPENAI_API_KEY=%[2]s
  curl $OPENAI_BASE_URL/models -H "Authorization: Bearer $OPENAI_API_KEY"

`, p.inferenceURL(), first.Reveal(), p.uiLink(), p.masterKeyPlace())
	if p.db.Catalog().HostKeys.Len() == 0 {
		b.WriteString("No provider yet. Add one, for example:\n  relay connect openai\n\n")
	}
	return b.String()
}

func (p *process) masterKeyPlace() string {
	switch {
	case !p.cfg.MasterKey.IsZero():
		return "RELAY_MASTER_KEY"
	case p.cfg.MasterKeyFile != "":
		return p.cfg.MasterKeyFile
	}
	return filepath.Join(p.cfg.DataDir, "master.key")
}
