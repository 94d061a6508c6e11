/*
 * edit_files: a user changes files of a session's directory.
 *
 *   command ──► apply_patch in the sandbox ──► session (loaded again) ──► artifact.changed ──► reply
 *                       │
 *                       └──► nothing was changed: refused with the reason
 *
 * The call is that of the file tool, with the same sandbox and the paths that
 * rules deny; no model asked for it, so it belongs to no turn.  The old content
 * is stored before the tool writes.
 */
#include "core/approval/permission.h"
#include "core/gen/inputs.h"
#include "core/tool/user_edit.h"
#include "base/jw.h"
#include "engine/query/query.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"
#include "text/redact.h"

struct user_edit {
	struct tool_change *changes;
	size_t count;
};

/* The log shows the diff; the old content is not redacted, because it may have to be restored. */
static struct str redacted(struct request *r, struct str diff)
{
	struct scrub *s = r->engine->ports.scrub;
	struct scrub_stream counts = { 0 };

	return arena_keep(r->mem, s && diff.len ? redact_text(s, r->mem, diff, &counts) : diff);
}

static void keep_changes(struct request *r, const struct tool_end *end)
{
	struct user_edit *u = r->work;

	u->count = end->change_count;
	u->changes = ARENA_ARRAY(r->mem, struct tool_change, end->change_count + 1);
	for (size_t i = 0; i < end->change_count; i++) {
		const struct tool_change *f = &end->changes[i];

		u->changes[i] = (struct tool_change){
			.change = f->change,
			.kind = arena_keep(r->mem, f->kind),
			.mode = arena_keep(r->mem, f->mode),
			.previous_mode = arena_keep(r->mem, f->previous_mode),
			.path = arena_keep(r->mem, f->path),
			.hash = arena_keep(r->mem, f->hash),
			.diff = redacted(r, f->diff),
			.before = arena_keep(r->mem, f->before),
			.has_before = f->has_before,
			.size = f->size,
			.media_type = arena_keep(r->mem, f->media_type),
		};
	}
}

/* The tool has changed the files; their events are durable before the reply. */
static void record_edit(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_edit_files *c = r->args;
	struct user_edit *u = r->work;
	struct reply_edit_files reply = { 0 };
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE) {
		request_fail(r, ERROR_CODE_SESSION_UNREADABLE,
		             "the files were changed, but the session cannot be written now");
		request_reply(r);
		return;
	}
	d = apply_begin(s, &r->command);
	input_user_edit_record(d, u->changes, u->count, c->reason);
	apply_end(s, d);
	for (size_t i = 0; i < u->count; i++)
		rec_list_str_add(r->mem, &reply.paths, u->changes[i].path);
	reply.sequence = s->state->s->sequence;
	r->session = s;
	r->response.reply = rec_text(r->mem, &reply_edit_files_desc, &reply);
	request_keep(r);
	request_wait(r);
}

static enum error_code code_of(enum error_category category)
{
	switch (category) {
	case ERROR_CATEGORY_INVALID_INPUT:
	case ERROR_CATEGORY_NOT_FOUND:
		return ERROR_CODE_VERSION_MISMATCH;
	case ERROR_CATEGORY_SANDBOX_DENIED:
	case ERROR_CATEGORY_PERMISSION:
		return ERROR_CODE_FORBIDDEN;
	default:
		return ERROR_CODE_UNAVAILABLE;
	}
}

static void on_edit_end(void *owner, const struct tool_end *end)
{
	struct request *r = owner;

	if (end->failed || end->cancelled || end->is_error) {
		request_fail(r, code_of(end->category), "%.*s", STR_ARG(end->message));
		request_reply(r);
		return;
	}
	keep_changes(r, end);
	request_job(r->engine, r->session_id, false, record_edit, r);
}

static void ignore_progress(void *owner, struct str message, int64_t completed, int64_t total)
{
	(void)owner, (void)message, (void)completed, (void)total;
}

static void ignore_output(void *owner, struct str data)
{
	(void)owner, (void)data;
}

static void ignore_start(void *owner, int64_t pid)
{
	(void)owner, (void)pid;
}

/* The end of the call says the same. */
static void ignore_violation(void *owner, const struct tool_violation *v)
{
	(void)owner, (void)v;
}

static void ignore_question(void *owner, struct str prompt, struct str schema, struct str requests)
{
	(void)owner, (void)prompt, (void)schema;
}

static const struct tool_sink edit_sink = { .progress = ignore_progress,
	                                    .output = ignore_output,
	                                    .started = ignore_start,
	                                    .violation = ignore_violation,
	                                    .ask = ignore_question,
	                                    .end = on_edit_end };

static struct str args_of(struct arena *mem, struct str patch)
{
	struct buf out = { 0 };
	struct json_writer w;
	struct str text;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "patch", patch);
	jw_obj_end(&w);
	text = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return text;
}

/*
 * The mode is about the agent, so only rules count; a path that they deny stays denied, also where
 * the sandbox cannot hide it because it does not exist yet.
 */
static bool is_allowed(struct request *r, const struct settings *here,
                       const struct tool_start *start)
{
	struct rec_permission_decision why = { 0 };
	struct permission_ask ask = {
		.mem = r->mem,
		.w = r->session->state,
		.settings = here,
		.now = r->engine->ports.clock->ops->wall_ms(r->engine->ports.clock),
		.tool = decision_settings_tool(here, start->name),
		.args = start->args,
		.work = start->cwd,
		.mode = PERMISSION_MODE_DEFAULT,
	};

	if (ask.tool && permission_forbids(&ask, &why))
		request_fail(r, ERROR_CODE_FORBIDDEN, "%.*s", STR_ARG(why.decision_reason));
	return !r->response.code;
}

void query_edit_files(struct request *r, const struct cmd_edit_files *c)
{
	const struct settings *here = rules_cache_settings(r->session, r->mem, true);
	struct str cwd = session_place_cwd(r->session);
	struct toolset *set = toolsets_find(r->engine, cwd, STR_NONE, STR("apply_patch"));
	struct tool_start start = { .call_id = r->command.request_id,
		                    .name = STR("apply_patch"),
		                    .args = args_of(r->mem, c->patch),
		                    .cwd = arena_keep(r->mem, cwd) };

	if (!set || !str_is(cwd))
		request_fail(r, ERROR_CODE_UNAVAILABLE,
		             "This session has no directory or no file tools.");
	if (r->response.code || !is_allowed(r, here, &start)) {
		request_reply(r);
		return;
	}
	r->session_id = arena_keep(r->mem, r->session->id);
	start.session_id = r->session_id;
	start.deny = sandbox_probe_denies(r->mem, rules_cache_settings(r->session, r->mem, true),
	                                  start.name, start.cwd);
	r->work = ARENA_NEW(r->mem, struct user_edit);
	r->session = NULL; /* it may leave memory while the tool runs */
	set->ops->start(set, &start, &edit_sink, r);
}
