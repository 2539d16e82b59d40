#!/bin/sh
# Fetches what vendor.lock lists from npm into static/vendor. To renew a
# package, write its version and "-" for the checksums, and run this.
set -eu
cd "$(dirname "$0")"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fetch() { # package version
  [ -d "$work/$1-$2" ] && return
  (cd "$work" && npm pack --silent --ignore-scripts "$1@$2" >/dev/null)
  mkdir "$work/$1-$2"
  tar -xzf "$work/$1-$2.tgz" -C "$work/$1-$2" --strip-components=1
}

mkdir -p static/vendor
cp vendor.lock "$work/before"
while read -r file package version path licence sum; do
  case $file in ''|'#'*) continue ;; esac
  fetch "$package" "$version"
  got=$(sha256sum "$work/$package-$version/$path" | cut -d' ' -f1)
  if [ "$sum" = - ]; then
    sed "/^$file /s/-\$/$got/" vendor.lock >"$work/after"
    cp "$work/after" vendor.lock
  elif [ "$sum" != "$got" ]; then
    echo "$file of $package $version is $got, not $sum as vendor.lock says" >&2
    exit 1
  fi
  cp "$work/$package-$version/$path" "static/vendor/$file"
  echo "$file  $package $version  $licence"
done <"$work/before"
