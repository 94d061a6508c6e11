/*
 * Projects events to updates.  Each event class that an editor shows is one row of the table at the
 * end; everything else is left out.
 */
#include "acp/message/acp_part.h"

#include "base/gen/words.h"

#define member acp_part_member

static bool chunk(struct acp_part *u, const char *kind, struct str text, struct str message_id)
{
	if (!text.len)
		return false;
	acp_part_begin(u, kind);
	JW_KEY(&u->w, "content");
	acp_part_write_text(&u->w, text);
	JW_KOPT(&u->w, "messageId", message_id);
	acp_part_end(u);
	return true;
}

/* ---- messages ---- */

/* Turns that the runtime makes itself have a text too, which no person has written. */
bool acp_update_is_of_person(struct json payload)
{
	struct str kind = member(payload, "kind");

	return !kind.len || str_eq(kind, STR(WORD_TURN_KIND_USER)) ||
	       str_eq(kind, STR(WORD_TURN_KIND_TASK)) || str_eq(kind, STR(WORD_TURN_KIND_IMPORTED));
}

/* A message that is not cut; acp_past.c shows the others. */
static bool on_submitted(struct acp_part *u)
{
	struct json_iter it = json_iter(JSON_GET(u->payload, "input"));
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json part;
	struct str key;

	if (!u->v->shows_input || !acp_update_is_of_person(u->payload))
		return false;
	while (json_next(&it, &key, &part)) {
		if (text.len)
			buf_add_char(&text, '\n');
		if (member(part, "preview").len)
			buf_add_str(&text, member(part, "preview"));
		else
			buf_printf(&text, "[%.*s]", STR_ARG(member(part, "type")));
	}
	return chunk(u, "user_message_chunk", buf_str(&text), member(u->event, "turnId"));
}

static bool on_delta(struct acp_part *u)
{
	if (str_eq(member(u->payload, "kind"), STR(WORD_DELTA_KIND_TOOL_ARGUMENTS)))
		return false;
	return chunk(u, "agent_message_chunk", member(u->payload, "text"),
	             member(u->event, "modelRequestId"));
}

static bool on_reasoning(struct acp_part *u)
{
	return chunk(u, "agent_thought_chunk", member(u->payload, "text"),
	             member(u->event, "modelRequestId"));
}

/* ---- the session ---- */

/* One compaction of a thread at a time: the thread names it, with the event that began it. */
static bool compaction(struct acp_part *u, const char *status)
{
	struct str item = member(JSON_GET(u->event, "item"), "itemId");
	struct str summary = member(u->payload, "summaryPreview");
	struct str error = member(u->payload, "message");

	if (!u->v->shows_compaction || !item.len)
		return false;
	acp_part_begin(u, "compaction_update");
	JW_KSTR(&u->w, "compactionId", item);
	JW_KSTR(&u->w, "status", str_from(status));
	if (summary.len) {
		JW_KEY(&u->w, "summary");
		jw_arr(&u->w);
		acp_part_write_text(&u->w, summary);
		jw_arr_end(&u->w);
	}
	JW_KOPT(&u->w, "error", error);
	acp_part_end(u);
	return true;
}

static bool on_compaction_started(struct acp_part *u)
{
	return compaction(u, "in_progress");
}

static bool on_compaction_completed(struct acp_part *u)
{
	return compaction(u, "completed");
}

static bool on_compaction_failed(struct acp_part *u)
{
	return compaction(u, "failed");
}

static bool on_session_updated(struct acp_part *u)
{
	struct str title = member(u->payload, "title");

	if (!title.len)
		return false;
	acp_part_begin(u, "session_info_update");
	JW_KSTR(&u->w, "title", title);
	acp_part_end(u);
	return true;
}

static bool on_policy_changed(struct acp_part *u)
{
	struct str mode = member(u->payload, "mode");

	if (!mode.len)
		return false;
	acp_part_begin(u, "current_mode_update");
	JW_KSTR(&u->w, "currentModeId", mode);
	acp_part_end(u);
	return true;
}

static const struct {
	const char *type;
	bool (*write)(struct acp_part *u);
} projections[] = {
	{ "turn.submitted", on_submitted },
	{ "model.delta", on_delta },
	{ "reasoning.delta", on_reasoning },
	{ "tool.started", acp_tool_started },
	{ "tool.progress", acp_tool_progress },
	{ "process.started", acp_tool_progress },
	{ "tool.result", acp_tool_end },
	{ "tool.failed", acp_tool_end },
	{ "context.compaction.started", on_compaction_started },
	{ "context.compaction.completed", on_compaction_completed },
	{ "context.compaction.failed", on_compaction_failed },
	{ "session.updated", on_session_updated },
	{ "policy.changed", on_policy_changed },
};

bool acp_update_write(struct buf *out, const struct acp_view *v, struct json event)
{
	struct acp_part u = { .v = v, .event = event, .payload = JSON_GET(event, "payload") };
	struct str type = member(event, "type");

	for (size_t i = 0; i < COUNT_OF(projections); i++)
		if (str_eq(type, str_from(projections[i].type))) {
			jw_init(&u.w, out);
			return projections[i].write(&u);
		}
	return false;
}

void acp_update_write_note(struct buf *out, struct str session_id, struct str call_id,
                           struct str text)
{
	struct acp_view v = { .session_id = session_id };
	struct acp_part u = { .v = &v };

	jw_init(&u.w, out);
	acp_tool_begin(&u, call_id);
	acp_tool_write_text(&u.w, text);
	acp_part_end(&u);
}

void acp_update_write_output(struct buf *out, struct str session_id, struct str call_id,
                             struct str text)
{
	struct acp_view v = { .session_id = session_id };
	struct acp_part u = { .v = &v };

	jw_init(&u.w, out);
	acp_tool_begin(&u, call_id);
	JW_KSTR(&u.w, "status", STR(ACP_CALL_IN_PROGRESS));
	acp_tool_write_text(&u.w, text);
	acp_part_end(&u);
}

void acp_update_write_user(struct buf *out, struct str session_id, struct str message_id,
                           struct str block)
{
	struct acp_view v = { .session_id = session_id };
	struct acp_part u = { .v = &v };

	jw_init(&u.w, out);
	acp_part_begin(&u, "user_message_chunk");
	JW_KEY(&u.w, "content");
	jw_raw(&u.w, block);
	JW_KOPT(&u.w, "messageId", message_id);
	acp_part_end(&u);
}

void acp_update_write_images(struct buf *out, struct str session_id, struct str call_id,
                             struct str text, struct str blocks)
{
	struct acp_view v = { .session_id = session_id };
	struct acp_part u = { .v = &v };

	jw_init(&u.w, out);
	acp_tool_begin(&u, call_id);
	JW_KSTR(&u.w, "status", STR(ACP_CALL_COMPLETED));
	acp_tool_write_images(&u.w, text, blocks);
	acp_part_end(&u);
}

void acp_update_write_notice(struct buf *out, struct str session_id, struct str text)
{
	struct acp_view v = { .session_id = session_id };
	struct acp_part u = { .v = &v };

	jw_init(&u.w, out);
	acp_part_begin(&u, "notice");
	JW_KSTR(&u.w, "severity", STR("warning"));
	JW_KSTR(&u.w, "title", text);
	acp_part_end(&u);
}
