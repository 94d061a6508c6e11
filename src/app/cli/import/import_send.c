/*
 * Sends the turns of a session file, a bounded number with each command.
 *
 *   scan ──► compare (get_session) ──► import_session, import_session, ...
 *
 * Turns that the daemon has are sent again only where the commands join, so that
 * it can compare them.  A command that is repeated adds nothing twice.
 */
#include "app/cli/import/import_send.h"

#include "app/cli/connection.h"
#include "app/cli/import/import_words.h"
#include "app/cli/print/out.h"
#include "base/gen/limits.h"
#include "base/gen/words.h"
#include "base/os/clock.h"
#include "base/os/id.h"
#include "base/path/foreign_file.h"
#include "base/utf8.h"

#include <unistd.h>

#define BATCH_BYTES (256u << 10)
#define TURN_JSON_MAX (700u << 10) /* below body_bytes */
#define VERSIONS_MAX 32
#define RUNNING_MS ((int64_t)10 * 60 * 1000) /* since the last change: the session may still run */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* ---- scanning ---- */

/* By the time of its last line: a copied file is new, and its session is not. */
static bool is_recent(const struct session_head *h)
{
	return h->ended && clock_wall_ms() - h->ended < RUNNING_MS;
}

bool import_send_scan(struct cli *c, enum session_program program, struct import_file file,
                      struct import_session *ret, const char **ret_why)
{
	CLEANUP(session_reader_done) struct session_reader r = { 0 };
	CLEANUP(close_fd) int fd = -1;
	struct foreign_stamp stamp;
	struct error e;

	*ret = (struct import_session){ .file = file };
	if (foreign_file_open(file.root, file.name.ptr, &fd, &stamp, &e) != OK) {
		*ret_why = out_safe(c->mem, str_from(e.message));
		return false;
	}
	if (!session_reader_scan(&r, c->mem, program, fd, stamp.size)) {
		*ret_why = "the file changed while it was read";
		return false;
	}
	ret->head = r.head;
	ret->is_running = r.head.is_open && is_recent(&r.head);
	*ret_why = ret->is_running && r.head.turns == 1 ? "its first turn is not finished yet"
	                                                : "it has no message of a person";
	/* The turn of a session that runs will be another one when it is finished. */
	ret->head.turns -= ret->is_running;
	return ret->head.turns > 0;
}

/* ---- comparing ---- */

/* Ids of the programs are UUIDs; anything else is replaced by the hash of the file's beginning. */
static struct str own_id(struct cli *c, const struct import_session *s)
{
	struct str id = s->head.source_id;
	struct sha256 hash;

	if (str_is(id) && id.len <= 64 && id_is_valid(id))
		return id;
	hash = sha256_of(s->file.name);
	return str_head(sha256_hex(c->mem, &hash), 32);
}

static struct str hex_of(struct cli *c, const struct sha256 *hash)
{
	return sha256_hex(c->mem, hash);
}

struct last_digest {
	struct cli *c;
	int64_t at, want;
	struct str digest;
};

static bool note_digest(void *arg, const struct session_turn *turn)
{
	struct last_digest *l = arg;

	if (++l->at < l->want)
		return true;
	l->digest = hex_of(l->c, &turn->digest);
	return false;
}

/* The digest of the file at that turn; absent: it has fewer. */
static struct str digest_at(struct cli *c, enum session_program program, struct import_session *s,
                            int64_t turns)
{
	CLEANUP(session_reader_done) struct session_reader r = { 0 };
	CLEANUP(close_fd) int fd = -1;
	struct last_digest l = { .c = c, .want = turns };
	struct foreign_stamp stamp;

	if (foreign_file_open(s->file.root, s->file.name.ptr, &fd, &stamp, NULL) == OK &&
	    session_reader_scan(&r, c->mem, program, fd, s->head.bytes) &&
	    session_reader_turns(&r, fd, s->head.bytes, note_digest, &l))
		return l.digest;
	return STR_NONE;
}

static enum import_status status_of(struct cli *c, enum session_program program,
                                    struct import_session *s, struct json imported, int64_t turns)
{
	struct str digest = json_str(JSON_GET(imported, "digest"));

	s->known = json_int(JSON_GET(imported, "turns"), 0);
	if (str_eq(json_str(JSON_GET(imported, "sha256")), hex_of(c, &s->head.hash)) &&
	    s->known >= s->head.turns)
		return IMPORT_KNOWN;
	if (!json_is(imported) || (s->known && !str_eq(digest, digest_at(c, program, s, s->known))))
		return IMPORT_ANOTHER;
	/* Lines without a message were added, or turns that are missing here. */
	if (s->known == s->head.turns)
		return IMPORT_KNOWN;
	return turns == s->known ? IMPORT_GROWN : IMPORT_ANOTHER;
}

/* Looks for a version of the session that this file is, or continues. */
int import_send_compare(struct cli *c, enum session_program program, struct import_session *s)
{
	struct str base = arena_printf(c->mem, "sess_%s_%.*s", import_words_key(program),
	                               STR_ARG(own_id(c, s)));
	bool is_another = false;

	for (int version = 1; version <= VERSIONS_MAX; version++) {
		struct json reply = { 0 }, history;
		struct params p;
		int code;

		s->session_id = version == 1
		                        ? base
		                        : arena_printf(c->mem, "%.*s.%d", STR_ARG(base), version);
		params_begin(&p);
		params_str(&p, "sessionId", s->session_id);
		params_raw(&p, "sections", STR("[\"historySummary\"]"));
		code = connection_try(c, "get_session", &p, true, &reply);
		if (code == THOLE_REFUSED && str_eq(json_str(JSON_GET(reply, "code")),
		                                    STR(WORD_ERROR_CODE_SESSION_NOT_FOUND))) {
			s->status = is_another ? IMPORT_ANOTHER : IMPORT_NEW;
			s->known = 0;
			return CODE_DONE;
		}
		if (code != THOLE_OK)
			return cli_failure_print(c, code, reply);
		history = JSON_GET(reply, "historySummary");
		s->status = status_of(c, program, s, JSON_GET(history, "imported"),
		                      json_int(JSON_GET(history, "turns"), 0));
		if (s->status != IMPORT_ANOTHER)
			return CODE_DONE;
		is_another = true;
	}
	out_error(c, "%s was imported %d times, each time with other turns; it is left alone.",
	          out_safe(c->mem, s->file.name), VERSIONS_MAX);
	return CODE_FAILED;
}

/* ---- sending ---- */

struct sending {
	struct cli *c;
	enum session_program program;
	struct import_session *s;
	struct buf turns; /* JSON of those that wait, separated by commas */
	int64_t count;
	int64_t next;  /* number of the turn that the reader gives next */
	int64_t first; /* of those that wait */
	int64_t added;
	int code;
};

static void write_time(struct json_writer *w, const char *key, int64_t at)
{
	if (at <= 0)
		return;
	jw_key(w, str_from(key));
	jw_time(w, at);
}

static void write_origin(struct sending *x, struct params *p)
{
	const struct session_head *h = &x->s->head;
	struct str path = arena_printf(x->c->mem, "%.*s/%.*s", STR_ARG(x->s->file.root),
	                               STR_ARG(x->s->file.name));

	JW_KEY(&p->w, "origin");
	jw_obj(&p->w);
	JW_KSTR(&p->w, "program", str_from(import_words_key(x->program)));
	if (h->version.len)
		JW_KSTR(&p->w, "programVersion", utf8_head(h->version, 64));
	JW_KSTR(&p->w, "sourceId", own_id(x->c, x->s));
	JW_KSTR(&p->w, "path", utf8_head(path, 4096));
	JW_KSTR(&p->w, "sha256", hex_of(x->c, &h->hash));
	JW_KINT(&p->w, "bytes", (int64_t)h->bytes);
	JW_KINT(&p->w, "turns", h->turns);
	JW_KINT(&p->w, "leftOut", h->unread + h->unknown + h->aside + h->cut);
	write_time(&p->w, "beganAt", h->began);
	write_time(&p->w, "endedAt", h->ended);
	if (h->branch.len)
		JW_KSTR(&p->w, "gitBranch", utf8_head(h->branch, 256));
	jw_obj_end(&p->w);
}

static void write_session(struct sending *x, struct params *p)
{
	const struct session_head *h = &x->s->head;
	struct str title = str_trim(h->title.len ? h->title : h->first);

	params_str(p, "sessionId", x->s->session_id);
	write_origin(x, p);
	params_str(p, "title", utf8_preview(x->c->mem, str_cut(&title, '\n'), 80));
	if (h->cwd.len && h->cwd.ptr[0] == '/')
		params_str(p, "cwd", h->cwd);
	params_raw(p, "labels",
	           arena_printf(x->c->mem, "[\"imported=%s\"]", import_words_key(x->program)));
	params_int(p, "firstTurn", x->first);
}

/* Replies are small but many, so they do not stay in the memory of the program. */
static bool flush_turns(struct sending *x)
{
	struct arena *kept = x->c->mem;
	struct json reply = { 0 };
	struct params p;

	if (!x->count)
		return true;
	x->c->mem = arena_new();
	params_begin(&p);
	write_session(x, &p);
	params_raw(&p, "turns", arena_printf(x->c->mem, "[%.*s]", STR_ARG(buf_str(&x->turns))));
	x->code = connection_call(x->c, "import_session", &p, &reply);
	x->added += json_int(JSON_GET(reply, "added"), 0);
	arena_free(x->c->mem);
	x->c->mem = kept;
	buf_clear(&x->turns);
	x->first += x->count;
	x->count = 0;
	return x->code == CODE_DONE;
}

static void write_item(struct json_writer *w, const struct session_item *item, size_t max)
{
	static const struct str kinds[] = { [SESSION_ITEM_TEXT] = STR(WORD_IMPORT_ITEM_KIND_TEXT),
		                            [SESSION_ITEM_CALL] =
		                                    STR(WORD_IMPORT_ITEM_KIND_TOOL_CALL),
		                            [SESSION_ITEM_RESULT] =
		                                    STR(WORD_IMPORT_ITEM_KIND_TOOL_RESULT) };
	struct str text = utf8_head(item->text, max);

	jw_obj(w);
	JW_KSTR(w, "kind", kinds[item->kind]);
	if (item->name.len)
		JW_KSTR(w, "name", item->name);
	if (item->id.len)
		JW_KSTR(w, "sourceId", item->id);
	write_time(w, "at", item->at);
	JW_KSTR(w, "text", text);
	if (item->bytes > (int64_t)text.len)
		JW_KINT(w, "bytes", item->bytes);
	if (item->is_error)
		JW_KBOOL(w, "isError", true);
	jw_obj_end(w);
}

/* Neither a reader nor a model takes the last call for an answer. */
static void write_end(struct sending *x, struct json_writer *w)
{
	jw_obj(w);
	JW_KSTR(w, "kind", STR(WORD_IMPORT_ITEM_KIND_TEXT));
	JW_KSTR(w, "text",
	        arena_printf(x->c->mem, "(This turn was not finished in %s.)",
	                     import_words_name(x->program)));
	jw_obj_end(w);
}

static void write_turn(struct sending *x, struct buf *out, const struct session_turn *t, size_t max)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KSTR(&w, "text", utf8_head(t->text, MAX(max, 1024)));
	if (t->id.len)
		JW_KSTR(&w, "sourceId", t->id);
	if (t->model.len)
		JW_KSTR(&w, "model", utf8_head(t->model, 256));
	write_time(&w, "beganAt", t->began);
	write_time(&w, "endedAt", t->ended);
	JW_KSTR(&w, "digest", hex_of(x->c, &t->digest));
	JW_KEY(&w, "items");
	jw_arr(&w);
	for (size_t i = 0; i < t->count; i++)
		write_item(&w, &t->items[i], max);
	if (t->is_unfinished)
		write_end(x, &w);
	jw_arr_end(&w);
	jw_obj_end(&w);
}

/* A text of control characters is six times as long in JSON: then less of each item is sent. */
static void write_fitting(struct sending *x, struct buf *out, const struct session_turn *t)
{
	for (size_t max = LIMIT_IMPORT_TEXT_BYTES; max; max /= 8) {
		buf_clear(out);
		write_turn(x, out, t, max);
		if (out->len <= TURN_JSON_MAX)
			return;
	}
}

static bool send_turn(void *arg, const struct session_turn *t)
{
	CLEANUP(buf_done) struct buf one = { 0 };
	struct sending *x = arg;

	/* The last one that is known is sent again: the daemon compares it. */
	if (x->next++ < x->s->known - 1 || x->next > x->s->head.turns)
		return true;
	if (!x->count)
		x->first = x->next - 1;
	write_fitting(x, &one, t);
	if (x->count && (x->turns.len + one.len > BATCH_BYTES || x->count == LIMIT_IMPORT_TURNS)) {
		if (!flush_turns(x))
			return false;
		x->first = x->next - 1;
	}
	buf_add_c(&x->turns, x->count ? "," : "");
	buf_add_str(&x->turns, buf_str(&one));
	x->count++;
	return true;
}

int import_send(struct cli *c, enum session_program program, struct import_session *s,
                int64_t *ret_added)
{
	CLEANUP(session_reader_done) struct session_reader r = { 0 };
	CLEANUP(close_fd) int fd = -1;
	struct sending x = { .c = c, .program = program, .s = s };
	struct foreign_stamp stamp;
	bool is_same;

	*ret_added = 0;
	if (foreign_file_open(s->file.root, s->file.name.ptr, &fd, &stamp, NULL) != OK ||
	    !session_reader_scan(&r, c->mem, program, fd, s->head.bytes) ||
	    !sha256_eq(&r.head.hash, &s->head.hash)) {
		out_error(
			c,
			"%s changed while it was read. To import the rest, run the command again.",
			out_safe(c->mem, s->file.name));
		return CODE_FAILED;
	}
	is_same = session_reader_turns(&r, fd, s->head.bytes, send_turn, &x);
	if (is_same && !x.code)
		flush_turns(&x);
	buf_done(&x.turns);
	*ret_added = x.added;
	return is_same ? x.code : CODE_FAILED;
}
