#!/usr/bin/env bash
# What a user would write without preturn: pull, rank, print the envelope, acknowledge. Needs bash, curl and jq.
# It acknowledges what it printed whether or not a model ever saw it, and puts peer text into the prompt as it is.
#   INBOX_CONFIG  a JSON file {"url": "http://…", "token": "…"}
set -euo pipefail

input=$(cat)
[ "$(jq -r .hook_event_name <<<"$input")" = UserPromptSubmit ] || exit 0
IFS=$'\t' read -r url token < <(jq -r '[.url, .token] | @tsv' "$INBOX_CONFIG")

post() {
  curl -sS --fail --max-time 1.5 -H "authorization: Bearer $token" -H 'content-type: application/json' \
    -d "$1" "$url/v1/inbox:pull"
}

page=$(post '{"limit":50}')
high=$(jq -r 'if (.items | length) > 0 then .window_high else empty end' <<<"$page")
[ -n "$high" ] || exit 0

jq -c '
  .items
  | sort_by(-.delivery.score)
  | map("[\(.diff.metadata.kind) from \(.diff.metadata.from_handle)] \(.diff.content)")
  | join("\n")[0:9000]
  | {hookSpecificOutput: {hookEventName: "UserPromptSubmit", additionalContext: .}}
' <<<"$page"

post "{\"ack\":$high,\"limit\":1}" >/dev/null
