/*
 * The steps of a move, and what refuses one.
 *
 * How far it has come is a value of the target, "VERSION SOURCE STEP": the part and where its
 * last page ended, or that it is complete.  SOURCE is the runtime's id with the last position
 * of its log, so that a source which was used in between is noticed.
 */
#include "lib/move/move.h"

#include "base/json.h"
#include "base/gen/words.h"
#include "base/os/clock.h"
#include "base/os/sys.h"
#include "core/index.h"
#include "lib/files.h"
#include "lib/move/move_check.h"
#include "lib/move/move_outputs.h"
#include "lib/move/move_rows.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define COMPLETE "complete"
/* How long other nodes are waited for: after a lease one that was killed counts as dead. */
#define NODES_WAIT_MS 4000

struct move {
	const struct move_options *o;
	struct move_result *result;
	struct arena *mem;
	sem_t woken;
	struct move_end from, to;
	const char *source; /* the SOURCE above */
	uint64_t last_position;
	/* What the target says. */
	bool has_begun, is_complete;
	unsigned part;
	struct str after;
};

/* ---- what refuses a move ---- */

static bool is_same_place(const struct move_end *a, const struct move_end *b)
{
	char one[PATH_MAX], other[PATH_MAX];

	if (a->is_database != b->is_database)
		return false;
	if (a->is_database)
		return strcmp(a->name, b->name) == 0 && strcmp(a->schema, b->schema) == 0;
	return realpath(a->name, one) && realpath(b->name, other) && strcmp(one, other) == 0;
}

static enum err refuse_same(struct move *m, struct error *e)
{
	if (is_same_place(&m->from, &m->to))
		return fail(e, ERR_INVALID, "move_same: the log is in %s already", m->from.place);
	return OK;
}

/* A node that was killed counts as dead after a lease. */
static enum err refuse_nodes(struct move_end *end, struct arena *mem, struct error *e)
{
	int64_t until = clock_mono_ms() + NODES_WAIT_MS;
	struct store_contents now = { 0 };
	enum err err;

	do {
		err = end->store->move->look(end->store, mem, &now, e);
		if (err != OK || !now.other_nodes)
			return err;
		move_end_poll(end);
	} while (clock_mono_ms() < until);
	return fail(e, ERR_BUSY, "move_in_use: the node \"%.*s\" uses %s. Stop it%s",
	            STR_ARG(now.other_node), end->place,
	            now.other_nodes > 1 ? ", and the other nodes" : "");
}

static bool row_runs(const struct index_found *row)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str word = STR(WORD_THREAD_STATUS_RUNNING);
	struct json doc;

	return str_eq(row->status, word) ||
	       (str_is(row->body) && json_read_trusted(mem, row->body, &doc, NULL) == OK &&
	        str_eq(json_str(JSON_GET(doc, "status")), word));
}

static bool is_background(const struct index_found *row)
{
	(void)row;
	return true;
}

/* The first session with such a row; absent: none. */
static enum err find_running(struct move *m, struct store_read like,
                             bool (*runs)(const struct index_found *row), struct str *ret,
                             struct error *e)
{
	struct str from_key = STR_NONE;
	int64_t from_at = 0;
	bool more = true;
	enum err err = OK;

	*ret = STR_NONE;
	while (err == OK && more && !str_is(*ret)) {
		struct store_read r = like;

		r.from_at = from_at;
		r.from_key = from_key;
		err = move_end_read(&m->from, &r, e);
		for (size_t i = 0; err == OK && i < r.row_count && !str_is(*ret); i++)
			if (runs(&r.rows[i]))
				*ret = arena_keep(m->mem, r.rows[i].session);
		more = err == OK && r.more && r.row_count;
		if (more) {
			from_at = r.rows[r.row_count - 1].at;
			from_key = arena_keep(m->mem, r.rows[r.row_count - 1].key);
		}
		port_store_read_done(&r);
	}
	return err;
}

static enum err refuse_running(struct move *m, struct error *e)
{
	static const struct store_read sessions = { .kind = READ_INDEX,
		                                    .table = INDEX_SESSION,
		                                    .open_only = true };
	struct store_read background = { .kind = READ_INDEX,
		                         .table = INDEX_ITEM,
		                         .parent = STR(INDEX_BACKGROUND),
		                         .open_only = true };
	struct str turn = STR_NONE, process = STR_NONE;
	enum err err = find_running(m, sessions, row_runs, &turn, e);

	if (err == OK && !str_is(turn))
		err = find_running(m, background, is_background, &process, e);
	if (err != OK || (!str_is(turn) && !str_is(process)))
		return err;
	return fail(e, ERR_BUSY,
	            "move_session_running: %s of %.*s is running. Start %s once, stop or wait for "
	            "what runs, end it in order, and move again",
	            str_is(turn) ? "a turn" : "a background process",
	            STR_ARG(str_is(turn) ? turn : process), m->from.place);
}

static enum err refuse_elsewhere(struct move *m, struct error *e)
{
	struct store *s = m->from.store;
	struct store_contents has = { 0 };
	enum err err = s->move->look(s, m->mem, &has, e);

	if (err != OK || !has.outputs_elsewhere)
		return err;
	return fail(e, ERR_UNSUPPORTED,
	            "move_outputs: %llu outputs of %s are in an object store, and a move does not "
	            "read them from there",
	            (unsigned long long)has.outputs_elsewhere, m->from.place);
}

static enum err refuse_source(struct move *m, struct error *e)
{
	struct store_stats stats;
	struct str moved, move;
	enum err err = move_end_value(&m->from, m->mem, STORE_MOVED_KEY, &moved, e);

	if (err == OK)
		err = move_end_value(&m->from, m->mem, STORE_MOVE_KEY, &move, e);
	if (err != OK)
		return err;
	if (moved.len && !m->has_begun && !m->o->is_forced)
		return fail(e, ERR_INVALID,
		            "move_again: the log of %s was moved to %.*s. Move it from there, or "
		            "take this older state with --force",
		            m->from.place, STR_ARG(moved));
	if (str_is(move) && !str_ends(move, STR(" " COMPLETE)))
		return fail(e, ERR_INVALID,
		            "store_moving: a move into %s has not ended; run it again first",
		            m->from.place);
	m->from.store->ops->stats(m->from.store, &stats);
	if (stats.needs_rebuild)
		return fail(e, ERR_BUSY,
		            "move_rebuild: lists of %s have to be made again first: start it once, "
		            "and stop it",
		            m->from.place);
	err = refuse_elsewhere(m, e);
	return err == OK ? refuse_running(m, e) : err;
}

enum err move_refuse(struct store *s, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct str move = STR_NONE, moved = STR_NONE;
	enum err err = s->ops->get_meta(s, mem, STR(STORE_MOVE_KEY), &move, e);

	if (err == OK || err == ERR_NOT_FOUND)
		err = s->ops->get_meta(s, mem, STR(STORE_MOVED_KEY), &moved, e);
	if (err != OK && err != ERR_NOT_FOUND)
		return err;
	if (str_is(move) && !str_ends(move, STR(" " COMPLETE)))
		return fail(e, ERR_STORE,
		            "store_moving: a log is being moved here and is not whole. Run thole "
		            "move again, with the same --from and --to");
	if (moved.len)
		return fail(e, ERR_STORE, "store_moved: the log was moved to %.*s. Use it there",
		            STR_ARG(moved));
	return OK;
}

/* ---- how far it has come ---- */

/* What the source is now. */
static enum err name_source(struct move *m, struct error *e)
{
	struct store_contents now;
	struct str id;
	enum err err = move_end_value(&m->from, m->mem, "runtime_id", &id, e);

	if (err == OK)
		err = m->from.store->move->look(m->from.store, m->mem, &now, e);
	if (err != OK)
		return err;
	if (now.is_empty)
		return fail(e, ERR_INVALID, "move_source_missing: the log of %s is empty",
		            m->from.place);
	m->last_position = now.last_position;
	m->source = arena_printf(m->mem, "%.*s:%llu", STR_ARG(str_is(id) ? id : STR("none")),
	                         (unsigned long long)now.last_position)
	                    .ptr;
	return OK;
}

static enum err not_ours(struct move *m, struct str source, struct error *e)
{
	struct str id = str_cut(&source, ':'), own = str_from(m->source);

	if (str_eq(id, str_cut(&own, ':')))
		return fail(e, ERR_INVALID,
		            "move_source_changed: the log of %s was used after a move of it to %s "
		            "had begun. Remove what was moved (for a database: DROP SCHEMA %s "
		            "CASCADE), and move again",
		            m->from.place, m->to.place, m->to.is_database ? m->to.schema : "");
	return fail(e, ERR_INVALID,
	            "move_target_not_empty: a move of another log into %s has begun. End that one, "
	            "or choose another target",
	            m->to.place);
}

/* Reads what the target says: nothing, the rest of this move, or something else. */
static enum err read_progress(struct move *m, struct error *e)
{
	struct store_contents there;
	struct str text, version, source;
	uint64_t part;
	enum err err = move_end_value(&m->to, m->mem, STORE_MOVE_KEY, &text, e);

	if (err == OK)
		err = m->to.store->move->look(m->to.store, m->mem, &there, e);
	if (err != OK)
		return err;
	version = str_cut(&text, ' ');
	source = str_cut(&text, ' ');
	m->has_begun =
		str_eq(version, STR(MOVE_ROWS_VERSION)) && str_eq(source, str_from(m->source));
	m->is_complete = m->has_begun && str_eq(text, STR(COMPLETE));
	if (m->is_complete)
		return OK;
	if (str_is(version) && !m->has_begun && !str_eq(text, STR(COMPLETE)))
		return not_ours(m, source, e);
	if (!m->has_begun && !there.is_empty)
		return fail(e, ERR_INVALID,
		            "move_target_not_empty: %s has a log of its own. Name a new directory, "
		            "another schema (--to-schema) or another database",
		            m->to.place);
	if (m->has_begun) {
		if (!str_to_u64(str_cut(&text, ' '), &part) || part > STORE_PARTS)
			return not_ours(m, source, e);
		m->part = (unsigned)part;
		m->after = text;
	}
	return OK;
}

/* ---- rows and outputs ---- */

static enum err copy_rows(struct move *m, struct error *e)
{
	struct move_rows rows = { .from = &m->from,
		                  .to = &m->to,
		                  .o = m->o,
		                  .source = m->source,
		                  .part = m->part,
		                  .after = m->after };
	enum err err = OK;

	if (!m->has_begun)
		err = m->to.store->ops->set_meta(m->to.store, STR(STORE_MOVE_KEY),
		                                 move_rows_progress(m->mem, m->source, 0, STR_NONE),
		                                 e);
	return err == OK ? move_rows_run(&rows, e) : err;
}

static bool has_files(const char *dir)
{
	char path[4200];

	snprintf(path, sizeof path, "%s/blobs", dir);
	return access(path, F_OK) == 0;
}

static enum err copy_outputs(struct move *m, struct error *e)
{
	const char *files = m->from.is_database ? m->o->files : m->from.name;
	enum err err = OK;

	if (files && has_files(files))
		err = move_end_open_files(&m->from, files, e);
	if (err == OK && !m->to.is_database)
		err = move_end_open_files(&m->to, m->to.name, e);
	return err == OK ? move_outputs_run(
				   &m->from, &m->to,
				   move_rows_progress(m->mem, m->source, STORE_PARTS, STR_NONE),
				   m->result, e)
	                 : err;
}

/* ---- the end ---- */

/*
 * The source says where its log is, then it is looked at once more: a node that started before
 * is seen, one that starts later reads it.
 */
static enum err leave_source(struct move *m, struct error *e)
{
	struct store *s = m->from.store;
	struct store_contents now;
	enum err err = s->ops->set_meta(s, STR(STORE_MOVED_KEY), str_from(m->to.place), e);

	if (err == OK)
		err = s->move->look(s, m->mem, &now, e);
	if (err != OK || (!now.other_nodes && now.last_position == m->last_position))
		return err;
	err = s->ops->set_meta(s, STR(STORE_MOVED_KEY), STR(""), e);
	return err == OK ? not_ours(m, str_from(m->source), e) : err;
}

/* A store that was opened with events and without index rows has noted that they are missing. */
static enum err complete(struct move *m, struct error *e)
{
	struct store *s = m->to.store;
	struct str text = arena_printf(m->mem, MOVE_ROWS_VERSION " %s " COMPLETE, m->source);
	enum err err = s->ops->set_meta(s, STR("rebuild"), STR("0"), e);

	return err == OK ? s->ops->set_meta(s, STR(STORE_MOVE_KEY), text, e) : err;
}

/*
 * The directory stays that of a node: its token, keys and outputs are there.  It gets the note
 * of its database, and the old log another name.
 */
static enum err leave_directory(struct move *m, struct error *e)
{
	const char *log = arena_printf(m->mem, "%s/log.db", m->from.name).ptr;
	const char *kept = arena_printf(m->mem, "%s/log.db.moved", m->from.name).ptr;

	if (m->from.is_database || !m->to.is_database)
		return OK;
	if (files_write(arena_printf(m->mem, "%s/store", m->from.name).ptr, str_from(m->to.place),
	                e) != OK)
		return e->code;
	if (rename(log, kept) != 0 || sys_sync_dir_of(kept) != 0)
		return fail_errno(e, ERR_IO, "cannot rename %s", log);
	return OK;
}

/* ---- all steps ---- */

static enum err prepare(struct move *m, struct error *e)
{
	enum err err = refuse_same(m, e);

	if (err == OK)
		err = move_end_open_source(&m->from, e);
	if (err == OK)
		err = refuse_nodes(&m->from, m->mem, e);
	if (err == OK)
		err = name_source(m, e);
	if (err == OK)
		err = move_end_open_target(&m->to, e);
	if (err == OK)
		err = refuse_nodes(&m->to, m->mem, e);
	if (err == OK)
		err = read_progress(m, e);
	return err == OK && !m->is_complete ? refuse_source(m, e) : err;
}

static enum err carry_out(struct move *m, struct error *e)
{
	enum err err = copy_rows(m, e);

	if (err == OK)
		err = copy_outputs(m, e);
	if (err == OK)
		err = move_check_run(&m->from, &m->to, m->o, m->result, e);
	if (err == OK)
		err = leave_source(m, e);
	return err == OK ? complete(m, e) : err;
}

/* What a store says of damage has no code. */
static enum err name_damage(enum err err, struct error *e)
{
	struct error why = *e;

	if (err != ERR_CORRUPT || str_starts(str_from(why.message), STR("move_")))
		return err;
	return fail(e, err, "move_damaged: %.380s. `thole verify` names what is damaged",
	            why.message);
}

enum err move_run(const struct move_options *o, struct move_result *ret, struct error *e)
{
	struct move m = { .o = o, .result = ret, .mem = arena_new() };
	enum err err;

	*ret = (struct move_result){ 0 };
	sem_init(&m.woken, 0, 0);
	move_end_init(&m.from, m.mem, o->from, o->from_schema, &m.woken);
	move_end_init(&m.to, m.mem, o->to, o->to_schema, &m.woken);
	err = prepare(&m, e);
	ret->is_again = m.is_complete;
	if (err == OK && !m.is_complete)
		err = carry_out(&m, e);
	move_end_close(&m.from);
	move_end_close(&m.to);
	if (err == OK)
		err = leave_directory(&m, e);
	sem_destroy(&m.woken);
	arena_free(m.mem);
	return name_damage(err, e);
}
