#!/bin/sh
# Builds a real Ollama for the tests beside this file, without its GPU parts, and
# prints where it is. What has been built once is reused: five minutes of one
# processor the first time, nothing later.
#
#   testdata/ollama/install.sh    prints the path of the program
#
# OLLAMA_CACHE names another folder than ~/.cache/relay-test/ollama-VERSION.
set -eu

version=0.17.4
malgo=v0.11.24
cache=${OLLAMA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/relay-test/ollama-$version}

say() { echo "install ollama: $*" >&2; }

packages() {
  DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 install -y -qq --no-install-recommends g++ nlohmann-json3-dev libstb-dev >&2
}

# The headers of three libraries are missing in Ollama's Go module: two come from
# the system's packages, one stands in another Go module.
headers() {
  if ! [ -e /usr/include/nlohmann/json.hpp ] || ! [ -e /usr/include/stb/stb_image.h ]; then
    command -v apt-get >/dev/null 2>&1 || {
      say "it needs the headers of nlohmann-json and stb in /usr/include; install them and try again"
      exit 1
    }
    packages || { apt-get update -qq >&2 && packages; }
  fi
  module=$(GOFLAGS='' go mod download -json "github.com/gen2brain/malgo@$malgo" | sed -n 's/^\t"Dir": "\(.*\)",\{0,1\}$/\1/p')
  mkdir -p "$cache/include/miniaudio"
  cp -f "$module/miniaudio.h" "$cache/include/miniaudio/"
}

build() {
  say "building Ollama $version in $cache; this takes five minutes of one processor"
  headers
  mkdir -p "$cache/bin" "$cache/new"
  CGO_ENABLED=1 CGO_CFLAGS="-O2 -g0" CGO_CXXFLAGS="-O2 -g0 -I$cache/include" GOFLAGS="" GOBIN="$cache/new" \
    nice -n 19 go install "github.com/ollama/ollama@v$version" >&2
  mv -f "$cache/new/ollama" "$program"
}

# One build at a time: whoever comes second waits for the first and finds it done.
mkdir -p "$cache"
cd "$cache"
cache=$PWD program=$PWD/bin/ollama
if command -v flock >/dev/null 2>&1; then
  exec 9>lock
  flock 9
fi
[ -x "$program" ] || build
echo "$program"
