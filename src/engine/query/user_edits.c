/*
 * edit_files: a user changes files of a session's directory.
 *
 *   command ──► noted ──► apply_patch in the sandbox ──► session (loaded again) ──► artifact.changed
 *                                │                                                      │
 *                                └──► nothing was changed: refused                      └──► reply
 *
 * The call is that of the file tool, with the same sandbox and the paths that
 * rules deny; no model asked for it, so it belongs to no turn.  The old content
 * is stored before the tool writes.
 *
 * The note of an edit that has begun is durable before the tool starts, and is
 * removed when its events are durable.  After a crash the next start finds it and
 * warns in the session: the files may have changed without a record.
 */
#include "core/approval/permission.h"
#include "core/gen/inputs.h"
#include "core/tool/user_edit.h"
#include "base/jw.h"
#include "base/os/log.h"
#include "base/utf8.h"
#include "engine/query/query.h"
#include "engine/session/apply.h"
#include "engine/session/session_place.h"
#include "engine/settings/rules_cache.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/settings/toolsets.h"
#include "engine/engine_state.h"
#include "text/redact.h"
#include "ports/store_own.h"

struct user_edit {
	struct tool_change *changes;
	size_t count;
	struct str id; /* of its note */
};

/* ---- notes of edits that have begun ---- */

#define NOTES_KEY STR("open_edits")
#define NOTES_MAX 64
#define NAMES_MAX 400

/* The names of files in the patch, for people. */
static struct str names_in(struct arena *mem, struct str patch)
{
	static const struct str heads[] = { STR("+++ b/"), STR("*** Update File: "),
		                            STR("*** Add File: "), STR("*** Delete File: ") };
	CLEANUP(buf_done) struct buf out = { 0 };

	while (patch.len && out.len < NAMES_MAX) {
		struct str line = str_cut(&patch, '\n');

		for (size_t i = 0; i < COUNT_OF(heads); i++)
			if (str_starts(line, heads[i]))
				buf_printf(&out, "%s%.*s", out.len ? ", " : "",
				           STR_ARG(utf8_head(str_skip(line, heads[i].len), 200)));
	}
	return arena_keep(mem, buf_str(&out));
}

/* The stored notes; an array, empty if there are none. */
static struct json notes_of(struct engine *e, struct arena *mem)
{
	struct store *st = e->ports.store;
	struct json notes = { 0 };
	struct str text;

	if (port_store_get_own(st, mem, NOTES_KEY, &text, NULL) == OK)
		(void)!json_read_trusted(mem, text, &notes, NULL);
	return notes;
}

struct note {
	struct str id, session, names; /* names absent: the note is removed */
};

static void write_note(struct json_writer *w, const struct note *n)
{
	jw_obj(w);
	JW_KSTR(w, "id", n->id);
	JW_KSTR(w, "session", n->session);
	JW_KSTR(w, "names", n->names);
	jw_obj_end(w);
}

/* Stores the notes without this one, and with it if it has names.  Of too many the oldest go. */
static bool store_notes(struct engine *e, struct arena *mem, const struct note *n,
                        struct error *err)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct store *st = e->ports.store;
	struct json notes = notes_of(e, mem), other;
	struct json_iter it = json_iter(notes);
	struct json_writer w;
	struct str key;
	size_t left = json_is(notes) ? json_count(notes) : 0;

	jw_init(&w, &out);
	jw_arr(&w);
	for (; json_next(&it, &key, &other); left--)
		if (!str_eq(json_str(JSON_GET(other, "id")), n->id) && left <= NOTES_MAX)
			jw_value(&w, other);
	if (str_is(n->names))
		write_note(&w, n);
	jw_arr_end(&w);
	return port_store_set_own(st, NOTES_KEY, buf_str(&out), err) == OK;
}

/* If that fails the note stays, and the next start warns for nothing; that is harmless. */
static void forget_note(struct engine *e, struct arena *mem, struct str id)
{
	struct error err;

	if (!store_notes(e, mem, &(struct note){ .id = id, .names = STR_NONE }, &err))
		log_line(LOG_WARN, "engine", "%s", err.message);
}

/* A note that was found at the start; it is forgotten when the warning is durable. */
struct lost_edit {
	struct session_waiter waiter;
	struct arena *mem;
	struct engine *engine;
	struct note note;
};

static void warned(struct session_waiter *w)
{
	struct lost_edit *x = OWNER_OF(w, struct lost_edit, waiter);

	forget_note(x->engine, x->mem, x->note.id);
	arena_free(x->mem);
}

/* The next start tries again. */
static void not_warned(struct session_waiter *w, enum error_code why, const char *detail)
{
	struct lost_edit *x = OWNER_OF(w, struct lost_edit, waiter);

	(void)why, (void)detail;
	arena_free(x->mem);
}

static const struct session_waiter_ops waiter_ops = { .durable = warned, .lost = not_warned };

static void warn_of(struct session *s, void *arg)
{
	struct lost_edit *x = arg;
	struct decision *d;

	if (!s || s->phase != SESSION_LIVE) {
		arena_free(x->mem);
		return;
	}
	d = apply_begin(s, NULL);
	input_runtime_events_warning(
		d, WARNING_CATEGORY_UNDO_INCOMPLETE,
		arena_printf(d->mem,
	                     "An edit by the user was interrupted when the runtime ended. "
	                     "These files may have changed without a record, and undo does "
	                     "not cover that: %.*s",
	                     STR_ARG(x->note.names)));
	apply_end(s, d);
	x->waiter.ops = &waiter_ops;
	session_wait(s, &x->waiter);
}

void user_edits_recover(struct engine *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_iter it = json_iter(notes_of(e, mem));
	struct json note;
	struct str key;

	while (json_next(&it, &key, &note)) {
		struct arena *own = arena_new();
		struct lost_edit *x = ARENA_NEW(own, struct lost_edit);

		*x = (struct lost_edit){
			.mem = own,
			.engine = e,
			.note = { .id = arena_keep(own, json_str(JSON_GET(note, "id"))),
			          .session = arena_keep(own, json_str(JSON_GET(note, "session"))),
			          .names = arena_keep(own, json_str(JSON_GET(note, "names"))) },
		};
		request_job(e, x->note.session, false, warn_of, x);
	}
}

/* ---- the edit ---- */

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
			.place = arena_keep(r->mem, f->place),
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

static void edit_recorded(struct request *r)
{
	const struct user_edit *u = r->work;

	forget_note(r->engine, r->mem, u->id);
	request_reply(r);
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
	r->then = edit_recorded;
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
		forget_note(r->engine, r->mem, ((struct user_edit *)r->work)->id);
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

/* As a patch, so that rules about paths apply to them; the tool gets the files themselves. */
static struct str patch_naming(struct arena *mem, const struct cmd_edit_files *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_c(&out, "*** Begin Patch\n");
	for (uint32_t i = 0; i < c->files.count; i++)
		buf_printf(&out, "*** Delete File: %.*s\n", STR_ARG(c->files.items[i]->path));
	buf_add_c(&out, "*** End Patch\n");
	return arena_keep(mem, buf_str(&out));
}

static struct str files_text(struct arena *mem, const struct cmd_edit_files *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!c->files.count)
		return STR_NONE;
	jw_init(&w, &out);
	jw_arr(&w);
	for (uint32_t i = 0; i < c->files.count; i++)
		rec_write(&w, &rec_edited_file_desc, c->files.items[i]);
	jw_arr_end(&w);
	return arena_keep(mem, buf_str(&out));
}

/* NULL: the arguments are fine. */
static const char *fault_of(const struct cmd_edit_files *c)
{
	if (str_is(c->patch) == (c->files.count > 0))
		return "either a patch or files";
	for (uint32_t i = 0; i < c->files.count; i++) {
		if (!c->files.items[i]->path.len ||
		    memchr(c->files.items[i]->path.ptr, '\n', c->files.items[i]->path.len))
			return "files: a path is empty or has a line break";
		for (uint32_t n = 0; n < i; n++)
			if (str_eq(c->files.items[i]->path, c->files.items[n]->path))
				return "files: a path is there twice";
	}
	return NULL;
}

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
	struct str patch = c->files.count ? patch_naming(r->mem, c) : c->patch;
	struct tool_start start = { .call_id = r->command.request_id,
		                    .name = STR("apply_patch"),
		                    .restore = files_text(r->mem, c),
		                    .args = args_of(r->mem, str_is(patch) ? patch : STR("")),
		                    .cwd = arena_keep(r->mem, cwd) };
	const char *fault = session_place_is_here(r->session)
	                            ? fault_of(c)
	                            : "another node has the directory of the session";
	struct user_edit *u;
	struct note n;
	struct error err;

	if (fault)
		request_fail(r,
		             str_is(c->patch) || c->files.count ? ERROR_CODE_INVALID_VALUE
		                                                : ERROR_CODE_MISSING_FIELD,
		             "%s", fault);
	else if (!set || !str_is(cwd))
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
	r->work = u = ARENA_NEW(r->mem, struct user_edit);
	u->id = arena_keep(r->mem, r->command.request_id);
	n = (struct note){ .id = u->id,
		           .session = r->session_id,
		           .names = names_in(r->mem, patch) };
	if (!store_notes(r->engine, r->mem, &n, &err)) {
		request_fail(r, ERROR_CODE_STORE_FAILED, "%s", err.message);
		request_reply(r);
		return;
	}
	r->session = NULL; /* it may leave memory while the tool runs */
	set->ops->start(set, &start, &edit_sink, r);
}
