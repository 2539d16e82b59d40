#!/bin/sh
# Builds relay, checks the types of the admin UI and tests it in a browser:
#   sh testdata/e2e/browser/run.sh
# It needs Go, and installs Node, npm and Chromium through apt where they are
# missing (elsewhere CHROMIUM names the browser). RELAY names a program to test
# instead of building one. Screenshots go to ui/screens (SCREENS overrides).
set -eu
cd "$(dirname "$0")"
: "${CHROMIUM:=/usr/bin/chromium}"
missing=
[ -x "$CHROMIUM" ] || missing="chromium fonts-liberation"
command -v npm >/dev/null 2>&1 || missing="$missing nodejs npm"
if [ -n "$missing" ]; then
  echo "the browser tests need $missing; installing"
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
fi
export CHROMIUM
npm ci --ignore-scripts --no-audit --no-fund --silent --fetch-timeout=30000 --fetch-retries=5
if [ -z "${RELAY:-}" ]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  (cd ../../.. && CGO_ENABLED=0 go build -mod=readonly -trimpath -o "$work/relay" .)
  RELAY=$work/relay
  export RELAY
fi
npx tsc -p .
node --test
