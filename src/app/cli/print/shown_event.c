#include "app/cli/print/shown_event.h"

#include "app/cli/print/out.h"
#include "base/os/clock.h"

bool shown_event_read(struct arena *mem, struct str raw, struct shown_event *ret)
{
	struct json v;
	int64_t at = 0;

	if (json_read_trusted(mem, raw, &v, NULL) != OK || !str_is(json_str(JSON_GET(v, "type"))))
		return false;
	if (!clock_time_read(json_str(JSON_GET(v, "timestamp")), &at))
		at = 0;
	*ret = (struct shown_event){
		.raw = raw,
		.v = v,
		.payload = JSON_GET(v, "payload"),
		.type = json_str(JSON_GET(v, "type")),
		.session = json_str(JSON_GET(v, "sessionId")),
		.thread = json_str(JSON_GET(v, "threadId")),
		.turn = json_str(JSON_GET(v, "turnId")),
		.action = json_str(JSON_GET(v, "actionId")),
		.tool_call = json_str(JSON_GET(v, "toolCallId")),
		.sequence = json_int(JSON_GET(v, "sequence"), 0),
		.at = at,
	};
	return true;
}

bool shown_event_is(const struct shown_event *f, const char *type)
{
	return str_eq(f->type, str_from(type));
}

struct str shown_event_str(const struct shown_event *f, const char *key)
{
	return json_str(json_get(f->payload, str_from(key)));
}

struct json shown_event_path(struct json v, struct str path)
{
	while (str_is(path)) {
		struct str key = str_cut(&path, '.');
		int64_t index;

		v = json_type(v) == JSON_ARR && str_to_i64(key, &index) ? json_at(v, (size_t)index)
		                                                        : json_get(v, key);
	}
	return v;
}

/* ---- one line ---- */

/*
 * What a class says in one line.  {path} is a member of the payload, {^path}
 * one of the envelope; a format may follow: :ms, :usd, :bytes, :until.  A
 * part in [brackets] is left out when a member in it is missing.
 */
static const struct {
	const char *type, *text;
} lines[] = {
	{ "session.created", "\"{title}\"[ in {cwd}]" },
	{ "session.updated",
	  "{changed}[ {runtime.state}][, the run before: {runtime.previousEnd}]" },
	{ "thread.started", "{kind}" },
	{ "thread.updated", "{profileStatus}[: {^statusReason}][, {queued} queued]" },
	{ "task.created", "{objective}" },
	{ "task.queued", "{reason}[, place {position}][ behind {behind}]" },
	{ "task.waiting", "for {for}[: {^statusReason}][, until {until:until}]" },
	{ "task.resumed", "was {from}" },
	{ "task.retrying", "attempt {attempt}: {reason}" },
	{ "task.cancel_requested", "{reason}" },
	{ "task.cancelled", "{reason}" },
	{ "task.failed", "{category}: {message}" },
	{ "task.lost", "{reason}" },
	{ "task.attempt.started", "attempt {attempt}: {cause}" },
	{ "task.attempt.completed", "attempt {attempt}" },
	{ "task.attempt.failed", "{failureCategory}[: {message}]" },
	{ "task.profile.resolved", "{kind}" },
	{ "turn.submitted", "{status}: [\"{input.0.preview}\"][ by {source}][ into {mergedInto}]" },
	{ "turn.started", "" },
	{ "turn.completed", "{outcome}[, {steps} steps][, {costUsd:usd}]" },
	{ "turn.failed", "{outcome}: {message}[ ({category})][ {remedy}]" },
	{ "queue.changed",
	  "{change}[ {queuedTurnId}][, place {position}][, waited {waitedMs:ms}]" },
	{ "context.resolved", "[{history.turns} turns][, {budget.usedTokens} tokens]" },
	{ "tool.catalog.resolved",
	  "{toolCount} tools, mode {mode}[, listed in event {unchangedSince}]" },
	{ "routing.candidates.resolved",
	  "{candidateCount} to choose from[, {excludedCount} left out]" },
	{ "routing.single_candidate", "{selectedModel}: {decisionReason}" },
	{ "routing.decided", "{selectedProvider}/{selectedModel} ({decisionSource})" },
	{ "routing.not_possible", "{capabilityGap}[: {^statusReason}][ {remedy}]" },
	{ "routing.fallback.applied", "{from.model} to {to.model}: {cause}" },
	{ "cost.estimated",
	  "[{estimatedUsd:usd} ]for at most {inputTokens} + {maxOutputTokens} tokens" },
	{ "cost.recorded",
	  "[{amountUsd:usd}][{amountState}][ {inputTokens} in][, {outputTokens} out]"
	  "[ by estimate, usage {usageState}]" },
	{ "model.requested", "{provider}/{model}, request {requestNumber}, attempt {attempt}" },
	{ "model.delta", "{kind}: {text}" },
	{ "model.completed", "{stopReason} after {durationMs:ms}[: \"{text.preview}\"]" },
	{ "model.failed", "{category}[ {httpStatus}]: {message}" },
	{ "reasoning.delta", "{text}" },
	{ "reasoning.summary", "[{preview}]" },
	{ "tool.started", "{toolName}[ {safeArgs}] ({policy})" },
	{ "tool.args", "{kind}[ by {updatedBy}][ {safeArgs}]" },
	{ "tool.progress", "[{kind}][: {message}][ {completed}/{total}]" },
	{ "tool.result", "{toolName} after {durationMs:ms}[, exit {exitCode}]: {displayPreview}" },
	{ "tool.failed",
	  "{toolName}: {category}, {reason}[: {^statusReason}][; ran: {executed}][. {advice}]" },
	{ "permission.evaluated", "{decision} by {decisionSource}[ for {toolName}]" },
	{ "permission.requested", "from {from}[ for {toolName}], {onExpiry} [{expiresAt:until}]" },
	{ "permission.resolved", "{decision} by {decisionSource}" },
	{ "action.required", "{prompt}" },
	{ "action.resolved",
	  "{decision}[ ({scope})] by {decidedBy.kind}[ {decidedBy.principal}] after {waitedMs:ms}"
	  "[: {reason}][: {answerPreview}]" },
	{ "sandbox.applied", "{mode}, tier {tier}[: {reason}]" },
	{ "sandbox.violation", "{operation}[ {path}][ {host}][ {syscall}][; {wouldAllow}]" },
	{ "context.compaction.started", "{trigger}[, {tokensBefore} tokens]" },
	{ "context.compaction.completed",
	  "{trigger}[, {tokens.before} to {tokens.after} tokens][: {summaryPreview}]" },
	{ "context.compaction.failed", "{category}: {message}" },
	{ "history.rollback.started", "to {targetTurnId}[: {reason}]" },
	{ "history.rollback.completed", "to {targetSequence}" },
	{ "hook.started", "{handlerRef} at {point}[: {preview}]" },
	{ "hook.completed", "{decision} at {point} after {durationMs:ms}[: {reason}]" },
	{ "hook.failed", "{category} at {point}, fails {failPolicy}: {message}" },
	{ "process.started", "{commandSummary}[, pid {pid}], {sandboxMode}, network {network}" },
	{ "process.output", "{bytes:bytes} from {offset} on" },
	{ "process.completed", "exit {exitCode} after {durationMs:ms}[, {maxRssBytes:bytes}]" },
	{ "process.failed", "{category}, {reason}[: {message}][; {liveness}]" },
	{ "process.terminated",
	  "by {by}, {cause}, {signal} after {durationMs:ms}; {survivors} left" },
	{ "quota.low", "{scope}[, {remainingUsd:usd} of {capUsd:usd} left]" },
	{ "subagent.spawned", "{role}[ {nickname}] on {childThreadId}" },
	{ "subagent.status", "{^status}[, was {from}][: {summary}]" },
	{ "subagent.input", "from {from}" },
	{ "subagent.completed", "[{summary}][, {costUsd:usd}]" },
	{ "subagent.failed", "{category}: {message}" },
	{ "subagent.closed", "{reason}" },
	{ "job.created", "{itemCount} items, {concurrency} at a time" },
	{ "job.progress", "[{progress.completed} of {progress.total}]" },
	{ "job.item.started", "item {index}, attempt {attempt}" },
	{ "job.item.completed", "item {index}, attempt {attempt}, after {durationMs:ms}" },
	{ "job.item.failed", "item {index}, attempt {attempt}: {category}[, {message}]" },
	{ "job.failed", "{category}: {message}" },
	{ "job.cancelled", "{reason}" },
	{ "task.accepted", "by {acceptedBy}" },
	{ "task.progress", "[{phase}][: {summary}]" },
	{ "task.blocked", "[{blocker.reason}]" },
	{ "task.paused", "{reason}" },
	{ "task.timed_out", "{limit} after {elapsedMs:ms}" },
	{ "task.archived", "{reason}" },
	{ "task.delegated", "to {to}[: {reason}]" },
	{ "task.dependency.updated", "{change}: {fromTaskId} {relationship}[ {toTaskId}]" },
	{ "output.redacted", "{count} by {ruleRef}[: {reason}]" },
	{ "output.expired", "{^outputRef}, {sizeBytes:bytes}[: {reason}]" },
	{ "process.input", "{bytes:bytes}" },
	{ "output.spilled", "{^outputRef}, {sizeBytes:bytes}" },
	{ "output.truncated", "{keptBytes:bytes} for the {for}, {omittedBytes:bytes} left out" },
	{ "artifact.changed", "{change} {kind}[ {path}][, {sizeBytes:bytes}]" },
	{ "policy.changed", "{change}[, {scope}][ for {match.tool}][ {mode}]" },
	{ "limit.changed", "{kind} per {scope}[: {after.capUsd:usd}]" },
	{ "rate_limit.hit", "{provider}: {action}[ after {retryAfterMs:ms}]" },
	{ "quota.blocked", "{reason}[ {remedy}]" },
	{ "run.status", "{title}: {detail}" },
	{ "runtime.warning", "{category}: {message}" },
	{ "runtime.error", "{category}: {message}" },
	{ "history.reconstructed", "{cause}, through {throughSequence}" },
	{ "history.window.loaded", "{cause}: {turns} turns" },
	{ "snapshot.updated", "through {reflectsSequence}" },
	{ "snapshot.repaired", "{reason}" },
	{ "channel.connected", "{transport}, {peerRole}" },
	{ "channel.disconnected", "{cause}" },
	{ "channel.resumed", "from {fromSequence}" },
	{ "channel.permission_returned", "{decision}" },
};

struct line {
	struct arena *mem;
	const struct shown_event *f;
	struct buf out;
};

static void add_value(struct line *l, struct json v, struct str format)
{
	struct arena *mem = l->mem;

	if (str_eq(format, STR("ms")))
		buf_add_c(&l->out, out_span(mem, json_int(v, 0)));
	else if (str_eq(format, STR("usd")))
		buf_add_c(&l->out, out_usd(mem, v));
	else if (str_eq(format, STR("bytes")))
		buf_add_c(&l->out, out_bytes(mem, json_int(v, 0)));
	else if (str_eq(format, STR("until")))
		buf_add_c(&l->out, out_until(mem, json_str(v)));
	else
		buf_add_c(&l->out,
		          out_safe_cut(mem,
		                       json_type(v) == JSON_STR ? json_str(v) : json_text(mem, v),
		                       400));
}

static struct json member(const struct line *l, struct str *spec)
{
	struct str path = str_cut(spec, ':');

	if (str_starts(path, STR("^")))
		return shown_event_path(l->f->v, str_skip(path, 1));
	return shown_event_path(l->f->payload, path);
}

/* False: a member is missing. */
static bool add_part(struct line *l, struct str text)
{
	bool is_whole = true;

	while (text.len) {
		ptrdiff_t at = str_find_char(text, '{');
		struct json v;
		struct str spec;

		buf_add_str(&l->out, at < 0 ? text : str_head(text, (size_t)at));
		if (at < 0)
			break;
		text = str_skip(text, (size_t)at + 1);
		spec = str_cut(&text, '}');
		v = member(l, &spec);
		if (json_is(v) && json_type(v) != JSON_NULL)
			add_value(l, v, spec);
		else
			is_whole = false;
	}
	return is_whole;
}

static void add_line(struct line *l, struct str text)
{
	while (text.len) {
		ptrdiff_t at = str_find_char(text, '[');
		size_t before;

		add_part(l, at < 0 ? text : str_head(text, (size_t)at));
		if (at < 0)
			return;
		text = str_skip(text, (size_t)at + 1);
		before = l->out.len;
		if (!add_part(l, str_cut(&text, ']')))
			l->out.len = before;
	}
}

const char *shown_event_summary(struct arena *mem, const struct shown_event *f)
{
	struct line l = { .mem = mem, .f = f };
	struct str text = json_str(JSON_GET(f->v, "statusReason"));
	struct str kept;

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		if (shown_event_is(f, lines[i].type)) {
			add_line(&l, str_from(lines[i].text));
			text = buf_str(&l.out);
			break;
		}
	kept = str_from(l.out.len ? arena_keep(mem, text).ptr : out_safe(mem, text));
	buf_done(&l.out);
	return kept.ptr;
}
