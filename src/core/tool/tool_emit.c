/*
 * Ends a tool call without its tool: with a text, or as failed.  Also the
 * records of output, redaction and changed files that ends carry.
 */
#include "core/tool/tool_emit.h"
#include "base/hash/base64.h"
#include "base/hash/sha256.h"
#include "base/utf8.h"

#define DAY_MS ((int64_t)24 * 3600000)

/*
 * What `executed` says is derived from the marks of the call, never guessed: not dispatched means
 * that nothing ran, unless an earlier run in a sandbox was denied (escalation); a cancelled call
 * may have run in part; in all other cases the outcome is unknown.
 */
void tool_emit_failed(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      const struct st_call *c, enum status status, struct tool_error error)
{
	enum executed executed = !c->dispatched ? c->sandbox_mode ? EXECUTED_PARTLY : EXECUTED_NO
	                         : status == STATUS_CANCELLED ? EXECUTED_PARTLY
	                                                      : EXECUTED_UNKNOWN;
	struct event *ev = decision_in_call(
		EMIT(d, TOOL_FAILED, tool_failed, .tool_name = c->tool_name,
	             .category = rec_enum_read(&enum_error_category, error.category),
	             .reason = error.reason, .retryable = status == STATUS_CANCELLED,
	             .executed = executed, .advice = error.advice, .display_preview = error.message,
	             .permission_decision = call_decision(c), .decision_id = call_decision_id(c),
	             .sandbox_mode = c->sandbox_mode, .violation_refs = c->violation_refs,
	             .hook_run_ids = c->hook_run_ids),
		th, t, c);

	ev->status = status;
	ev->status_reason = error.message;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, status);
	ev->output_ref = c->output_ref;
	ev->process_id = c->process_id;
}

int64_t tool_emit_ran_ms(const struct decision *d, const struct st_call *c)
{
	return c->dispatched_at ? since(d, c->dispatched_at) : 0;
}

void tool_emit_text(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                    const struct st_call *c, struct str text, bool is_error, struct str structured)
{
	struct ev_tool_result p = {
		.tool_name = c->tool_name,
		.duration_ms = tool_emit_ran_ms(d, c),
		.display_preview = text,
		.truncation = TRUNCATION_NONE,
		.permission_decision = call_decision(c),
		.decision_id = call_decision_id(c),
		.is_error = is_error,
	};
	struct event *ev;

	if (str_is(structured))
		p.structured_content_ref =
			decision_new_blob(d, STR("application/json"), structured);
	ev = decision_in_call(decision_emit_event(d, EV_TOOL_RESULT, &p), th, t, c);
	ev->status = STATUS_COMPLETED;
	ev->item = turn_item(d, c->step_id, c->kind, c->index, STATUS_COMPLETED);
	if (str_is(structured))
		decision_add_ref(d, ev, STR("structuredContent"), p.structured_content_ref);
}

/* One word for all redactions of an output: a secret outweighs a pattern of the operator. */
static enum redaction redaction_of(const struct tool_end *e)
{
	enum redaction kind = REDACTION_NONE;

	for (size_t i = 0; i < e->redaction_count; i++)
		if (kind != REDACTION_SECRET)
			kind = e->redactions[i].kind;
	return kind;
}

struct event *tool_emit_redaction(struct decision *d, const struct tool_redaction *r)
{
	return EMIT(d, OUTPUT_REDACTED, output_redacted, .redaction = r->kind,
	            .reason = r->kind == REDACTION_POLICY
	                              ? STR("the operator's pattern matched")
	                              : STR("it is a secret, or has the shape of one"),
	            .count = r->count, .rule_ref = r->rule);
}

/* An image cannot be redacted; one with a secret counts as plain bytes. */
bool tool_emit_is_image(const struct tool_end *e)
{
	return str_is(e->media_type) && !e->redaction_count && e->output_bytes <= LIMIT_IMAGE_BYTES;
}

/* A record without output.keep_days never expires. */
struct rec_output *tool_emit_output_record(struct decision *d, struct str ref,
                                           enum output_owner owner, struct str owner_id,
                                           const struct tool_end *e)
{
	return KEPT(d, struct rec_output, .output_ref = ref, .owner = owner, .owner_id = owner_id,
	            .media_type = tool_emit_is_image(e) ? e->media_type
	                          : e->is_text          ? STR("text/plain")
	                                                : STR("application/octet-stream"),
	            .encoding = e->is_text ? STR("utf-8") : STR("binary"),
	            .size_bytes = e->output_bytes, .sha256 = e->sha256, .complete = e->is_complete,
	            .preview =
	                    KEPT(d, struct rec_preview, .head = utf8_preview(d->mem, e->head, 500),
	                         .tail = utf8_tail(e->tail, 500)),
	            .truncation = TRUNCATION_HEAD_TAIL, .redaction = redaction_of(e),
	            .expires_at = d->settings->config->output_keep_days
	                                  ? d->now + d->settings->config->output_keep_days * DAY_MS
	                                  : 0);
}

/* ---- changes of files ---- */

static const struct st_artifact *artifact_at(const struct decision *d, struct str path)
{
	for (uint32_t i = d->w->s->artifacts.count; i-- > 0;)
		if (str_eq(d->w->s->artifacts.items[i]->path, path))
			return d->w->s->artifacts.items[i];
	return NULL;
}

/* Invalid text counts as not validated. */
static struct rec_artifact_validation *validation_of(struct decision *d, struct str text)
{
	struct rec_artifact_validation *v = ARENA_NEW(d->mem, struct rec_artifact_validation);
	struct json doc;

	if (!str_is(text) || json_read_trusted(d->mem, text, &doc, NULL) != OK ||
	    rec_read(d->mem, doc, &rec_artifact_validation_desc, REC_TRUSTED, v, NULL) != OK)
		return NULL;
	return v;
}

/*
 * Artifacts are identified by their path; versions count the changes that tools and users have
 * reported.
 */
struct event *tool_emit_change(struct decision *d, const struct tool_change *f)
{
	const struct st_artifact *old = artifact_at(d, f->path);
	struct rec_artifact_validation *v = validation_of(d, f->validation);
	bool has_issues =
		v && (v->state == VALIDATION_STATE_PASSED || v->state == VALIDATION_STATE_FAILED);
	struct event *ev =
		EMIT(d, ARTIFACT_CHANGED, artifact_changed, .change = f->change,
	             .kind = str_is(f->kind) ? f->kind : STR("file"), .path = f->path,
	             .place = f->place, .mode = f->mode, .previous_mode = f->previous_mode,
	             .version_id = arena_printf(d->mem, "v%d", old ? (int)old->version + 1 : 1),
	             .previous_version_id = old ? old->version_id : STR_NONE, .size_bytes = f->size,
	             .has_size_bytes = str_is(f->hash), .sha256 = f->hash,
	             .media_type = f->media_type, .owner = STR("workspace"), .validation = v,
	             .issues = has_issues ? v->issues : 0, .has_issues = has_issues);

	ev->artifact_id = old ? old->artifact_id : decision_new_id(d, "art");
	decision_add_ref(d, ev, STR("read"), arena_printf(d->mem, "file:%.*s", STR_ARG(f->path)));
	if (str_is(f->diff))
		decision_add_ref(d, ev, STR("diff"),
		                 decision_new_blob(d, STR("text/x-diff"), f->diff));
	if (f->has_before)
		decision_add_ref(d, ev, STR("checkpoint"),
		                 decision_new_blob(d, STR("application/octet-stream"), f->before));
	return ev;
}

/* A file that is elsewhere: the runtime knows its address and nothing else. */
struct event *tool_emit_link(struct decision *d, const struct tool_part *part, struct str owner)
{
	struct event *ev =
		EMIT(d, ARTIFACT_CHANGED, artifact_changed, .change = ARTIFACT_CHANGE_OBSERVED,
	             .kind = STR("link"), .name = part->name, .version_id = STR("v1"),
	             .media_type = part->media_type, .owner = owner);

	ev->artifact_id = decision_new_id(d, "art");
	decision_add_ref(d, ev, STR("read"), part->url);
	return ev;
}

/* Small files with a name are in the event too; absent: the reader asks for the stored bytes. */
static struct str content_of(struct decision *d, const struct tool_part *part)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	if (!str_is(part->name) || part->bytes.len > LIMIT_PART_CONTENT_BYTES)
		return STR_NONE;
	base64_write(&out, part->bytes);
	return arena_keep(d->mem, buf_str(&out));
}

struct event *tool_emit_part(struct decision *d, const struct tool_part *part, struct str owner,
                             struct str *ret_ref)
{
	struct sha256 h = sha256_of(part->bytes);
	struct str hash = sha256_hex(d->mem, &h);
	struct event *ev =
		EMIT(d, ARTIFACT_CHANGED, artifact_changed, .change = ARTIFACT_CHANGE_CREATED,
	             .kind = STR("data"), .name = part->name, .content = content_of(d, part),
	             .version_id = str_head(hash, 16), .media_type = part->media_type,
	             .size_bytes = (int64_t)part->bytes.len, .has_size_bytes = true, .sha256 = hash,
	             .owner = owner, .last_chunk = true, .has_last_chunk = true);

	*ret_ref = decision_new_blob(d, part->media_type, part->bytes);
	ev->artifact_id = decision_new_id(d, "art");
	decision_add_ref(d, ev, STR("read"), *ret_ref);
	return ev;
}
