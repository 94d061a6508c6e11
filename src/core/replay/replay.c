/*
 * Folds a log and writes its read models: what a pack holds below views/, and
 * what `thole replay` compares with it.
 */
#include "core/replay/replay.h"

#include "core/evidence/evidence.h"
#include "core/index.h"
#include "core/view/view.h"

void replay_init(struct replay *r)
{
	*r = (struct replay){ .state = state_new(), .mem = arena_new(), .event = arena_new() };
	sha256_begin(&r->row_sum);
	review_init(&r->review);
	r->settings = (struct settings){ .config = &settings_config_defaults,
		                         .mode = PERMISSION_MODE_DEFAULT,
		                         .on_busy = DELIVERY_QUEUE,
		                         .fold_version = FOLD_VERSION };
}

void replay_done(struct replay *r)
{
	if (!r->mem)
		return;
	state_free(r->state);
	review_done(&r->review);
	arena_free(r->mem);
	arena_free(r->event);
	*r = (struct replay){ 0 };
}

/* The text of retention's floor: sequence, hash and state in one object. */
enum err replay_floor(struct replay *r, struct str text, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct buf out = { 0 };
	struct json_writer w;
	struct state *state;
	struct json doc;
	enum err code;

	if (json_read(mem, text, &doc, e) != OK)
		return ERR_INVALID;
	jw_init(&w, &out);
	jw_value(&w, JSON_GET(doc, "state"));
	code = state_read(buf_str(&out), &state, e);
	buf_done(&out);
	if (code != OK)
		return code;
	/* It may come from anyone, and folds rely on the records that are required. */
	code = rec_check(&st_session_desc, state->s, e);
	if (code != OK) {
		state_free(state);
		return code;
	}
	state_free(r->state);
	r->state = state;
	return OK;
}

enum err replay_read(struct replay *r, struct str line, struct event **ret, struct error *e)
{
	struct event *ev;
	struct json doc;
	enum err code;

	arena_reset(r->event);
	ev = ARENA_NEW(r->event, struct event);
	code = json_read_wrapped(r->event, line, &doc, e);
	if (code == OK)
		code = rec_read(r->event, doc, &event_desc, REC_FOREIGN, ev, e);
	if (code == OK)
		code = catalog_event_class_check(ev, e);
	if (code == OK)
		*ret = ev;
	return code;
}

struct event *replay_read_own(struct replay *r, struct str line)
{
	struct event *ev;
	struct json doc;

	arena_reset(r->event);
	ev = ARENA_NEW(r->event, struct event);
	return json_read_trusted(r->event, line, &doc, NULL) == OK &&
	                       rec_read(r->event, doc, &event_desc, REC_TRUSTED, ev, NULL) == OK
	               ? ev
	               : NULL;
}

/* ---- index rows ---- */

static void add_part(struct sha256_stream *s, struct str part)
{
	uint64_t len = str_is(part) ? part.len : UINT64_MAX;

	sha256_more(s, str_of((const char *)&len, sizeof len));
	if (str_is(part))
		sha256_more(s, part);
}

static void add_row(struct replay *r, const struct index_row *row)
{
	int64_t numbers[] = { row->table, row->at, row->open, row->remove };

	sha256_more(&r->row_sum, str_of((const char *)numbers, sizeof numbers));
	add_part(&r->row_sum, row->key);
	add_part(&r->row_sum, row->status);
	add_part(&r->row_sum, row->parent);
	add_part(&r->row_sum, row->body);
	r->rows++;
}

void replay_fold(struct replay *r, const struct event *ev)
{
	struct rows rows = { .mem = r->event };

	if (!str_is(r->settings.runtime_id))
		r->settings.runtime_id = arena_keep(r->mem, ev->runtime_id);
	state_fold(r->state, ev);
	index_event(&rows, r->state, ev);
	for (size_t i = 0; i < rows.count; i++)
		add_row(r, &rows.items[i]);
	review_event(&r->review, ev);
	r->events++;
}

/* ---- views ---- */

static void put_session(struct json_writer *w, const struct replay *r)
{
	view_session(w, r->state, &r->settings);
}

static void put_tasks(struct json_writer *w, const struct replay *r)
{
	view_tasks(w, r->state);
}

static void put_permission(struct json_writer *w, const struct replay *r)
{
	view_permission(w, r->state, &r->settings);
}

static void put_routing(struct json_writer *w, const struct replay *r)
{
	view_routing(w, r->state, &r->settings);
}

static void put_work(struct json_writer *w, const struct replay *r)
{
	view_subagents_and_jobs(w, r->state);
}

static void put_channels(struct json_writer *w, const struct replay *r)
{
	view_channels(w, r->state);
}

static void put_artifacts(struct json_writer *w, const struct replay *r)
{
	view_artifacts(w, r->state);
}

static void put_evidence(struct json_writer *w, const struct replay *r)
{
	view_evidence(w, r->state, NULL);
}

static void put_state(struct json_writer *w, const struct replay *r)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	jw_raw(w, state_text(mem, r->state));
}

static void put_rows(struct json_writer *w, const struct replay *r)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sha256_stream so_far = r->row_sum;
	struct sha256 sum = sha256_end(&so_far);

	jw_obj(w);
	JW_KINT(w, "rows", (int64_t)r->rows);
	JW_KSTR(w, "sha256", sha256_hex(mem, &sum));
	jw_obj_end(w);
}

static void put_review(struct json_writer *w, const struct replay *r)
{
	review_write_json(w, &r->review);
}

static void put_thread(struct json_writer *w, const struct replay *r, const struct st_thread *th)
{
	view_thread(w, r->state, &r->settings, th);
}

static void put_context(struct json_writer *w, const struct replay *r, const struct st_thread *th)
{
	view_context(w, r->state, th);
}

/* One document, one line per thread, or a text. */
static const struct {
	const char *path;
	void (*whole)(struct json_writer *w, const struct replay *r);
	void (*thread)(struct json_writer *w, const struct replay *r, const struct st_thread *th);
	void (*text)(struct buf *out, const struct review *r);
} views[] = {
	{ "views/session.json", put_session, NULL, NULL },
	{ "views/threads.jsonl", NULL, put_thread, NULL },
	{ "views/tasks.json", put_tasks, NULL, NULL },
	{ "views/permission.json", put_permission, NULL, NULL },
	{ "views/routing.json", put_routing, NULL, NULL },
	{ "views/subagents_and_jobs.json", put_work, NULL, NULL },
	{ "views/channels.json", put_channels, NULL, NULL },
	{ "views/artifacts.json", put_artifacts, NULL, NULL },
	{ "views/context.jsonl", NULL, put_context, NULL },
	{ "views/evidence.json", put_evidence, NULL, NULL },
	{ "views/snapshot.json", put_state, NULL, NULL },
	{ "views/rows.json", put_rows, NULL, NULL },
	{ "review.json", put_review, NULL, NULL },
	{ "review.md", NULL, NULL, review_write_markdown },
};

size_t replay_view_count(void)
{
	return COUNT_OF(views);
}

struct str replay_view_path(size_t view)
{
	return str_from(views[view].path);
}

void replay_view_write(struct buf *out, const struct replay *r, size_t view)
{
	struct json_writer w;

	for (uint32_t i = 0; views[view].thread && i < r->state->s->threads.count; i++) {
		jw_init(&w, out);
		views[view].thread(&w, r, r->state->s->threads.items[i]);
		buf_add_char(out, '\n');
	}
	if (views[view].whole) {
		jw_init(&w, out);
		views[view].whole(&w, r);
		buf_add_char(out, '\n');
	}
	if (views[view].text)
		views[view].text(out, &r->review);
}

bool replay_view_is_of_state(size_t view)
{
	return !views[view].text && views[view].whole != put_rows &&
	       views[view].whole != put_review;
}
