#!/bin/sh
# Reviews the change between a base and HEAD, and writes the review to a file that the next step posts as a comment.
#
#   examples/ci/review.sh BASE [COMMENT_FILE]
#
# The exit code is that of thole: 0 the review was written, 3 settings or key, 4 something needs an approval, 5 denied, 6 the
# budget is used up, 7 the provider failed, 8 the sandbox, 124 the time is over.  events.jsonl keeps the whole run.
set -u
base=${1:?usage: review.sh BASE [COMMENT_FILE]}
comment=${2:-comment.md}
data=$(mktemp -d) || exit 1
trap 'rm -rf "$data"' EXIT

git diff "$base"...HEAD | thole run --here --unattended --data "$data" --mode plan --output stream-json \
	--budget-usd "${REVIEW_BUDGET_USD:-1}" --timeout "${REVIEW_TIMEOUT:-10m}" \
	"Review this change. Name bugs and missing tests with file and line; say so if there are none." - >events.jsonl
code=$?

# The last line is the result: {"type":"result","status":…,"exitCode":…,"answer":…,"costUsd":…}
{
	if [ $code -eq 0 ]; then
		tail -n 1 events.jsonl | jq -r '.answer'
	else
		echo "The review did not finish (exit code $code)."
		tail -n 1 events.jsonl | jq -r '.error.message // empty'
	fi
	echo
	tail -n 1 events.jsonl | jq -r '"_" + .status + (if .costUsd then ", $" + (.costUsd | tostring) else "" end) + "_"'
} >"$comment"
exit $code
