#!/bin/sh
# sh consent.sh <authorization URL>: sends the first form that it is led to, and follows the redirects to the redirect URI.
# The names of the fields are those of your login page.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
get() { curl -sSfL -b "$folder/cookies" -c "$folder/cookies" -o "$folder/page" -w '%{url_effective}' "$@"; }
page=$(get "$1")
action=$(sed -n 's/.*<form[^>]* action="\(http[^"]*\)".*/\1/p' "$folder/page" | head -n 1)
get --data-urlencode "username=${CONSENT_USER:-}" --data-urlencode "password=${CONSENT_PASSWORD:-}" \
  --data answer=allow "${action:-$page}" > /dev/null
