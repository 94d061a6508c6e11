/* Makes turns of the lines of a session file, in two passes; session_reader.h draws them. */
#include "app/cli/import/session_reader.h"

#include "app/cli/import/session_lines.h"
#include "base/jw.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "base/utf8.h"

#include <string.h>
#include <unistd.h>

#define TEXT_MAX (64u << 10)
#define OUTPUT_MAX (16u << 10)
#define TURN_MAX (256u << 10)
#define SMALL_MAX 128 /* of an item, when its turn is full */
#define ITEMS_MAX 1000

/* ---- helpers of the dialects ---- */

void session_reader_note(struct session_reader *r, struct str *field, struct str value,
                         bool is_last)
{
	if (value.len && (is_last || !str_is(*field)))
		*field = arena_keep(r->keep, utf8_head(value, 1000));
}

int64_t session_reader_at(struct json line)
{
	int64_t at;

	return clock_time_read(json_str(JSON_GET(line, "timestamp")), &at) ? at : 0;
}

void session_reader_time(struct session_reader *r, struct json line)
{
	int64_t at = session_reader_at(line);

	if (!at)
		return;
	r->head.began = r->head.began ? MIN(r->head.began, at) : at;
	r->head.ended = MAX(r->head.ended, at);
}

/* ---- one turn ---- */

/* The middle is left out. */
static struct str cut_text(struct session_reader *r, struct str text, size_t max)
{
	struct str head, tail;

	if (text.len <= max)
		return arena_keep(r->mem, text);
	head = utf8_head(text, max * 2 / 3);
	tail = utf8_tail(text, max / 3);
	return arena_printf(r->mem, "%.*s\n[%zu bytes left out]\n%.*s", STR_ARG(head),
	                    text.len - head.len - tail.len, STR_ARG(tail));
}

/* Each part with its length, so that no two turns have the same text. */
static void digest_part(struct sha256_stream *s, struct str part)
{
	uint64_t len = part.len;

	sha256_more(s, str_of((const char *)&len, sizeof len));
	sha256_more(s, part);
}

static void digest_turn(struct session_reader *r)
{
	struct session_turn *t = &r->turn;
	struct sha256_stream s;
	struct sha256 hash;

	sha256_begin(&s);
	digest_part(&s, t->text);
	for (size_t i = 0; i < t->count; i++) {
		digest_part(&s, t->items[i].name);
		digest_part(&s, t->items[i].text);
		digest_part(&s, str_of((const char[]){ (char)t->items[i].kind }, 1));
	}
	hash = sha256_end(&s);
	r->digest = sha256_link_hash(&r->digest, &hash);
	t->digest = r->digest;
}

/* A command of that program's own, such as /clear, without an answer. */
static bool is_local_command(const struct session_turn *t)
{
	return !t->count && str_starts(t->text, STR("/"));
}

/* Both programs end a turn with a text. */
static bool is_unfinished(const struct session_turn *t)
{
	return !t->count || t->items[t->count - 1].kind != SESSION_ITEM_TEXT;
}

static void end_turn(struct session_reader *r)
{
	if (!r->has_turn)
		return;
	r->has_turn = false;
	if (is_local_command(&r->turn)) {
		r->head.aside++;
	} else {
		digest_turn(r);
		r->turn.is_unfinished = r->head.is_open = is_unfinished(&r->turn);
		r->head.turns++;
		if (!str_is(r->head.first))
			r->head.first = arena_keep(r->keep, utf8_head(str_trim(r->turn.text), 400));
		if (r->on_turn && !r->on_turn(r->arg, &r->turn))
			r->stops = true;
	}
	arena_reset(r->mem);
	r->turn = (struct session_turn){ 0 };
	buf_clear(&r->joined);
}

static void begin_turn(struct session_reader *r, struct str text, struct str id, int64_t at)
{
	end_turn(r);
	r->has_turn = true;
	r->room = TURN_MAX;
	r->turn.text = cut_text(r, text, TEXT_MAX);
	r->turn.id = arena_keep(r->mem, utf8_head(id, 256));
	r->turn.began = r->turn.ended = at;
}

/* In one buffer, because a file may hold any number of them; what is too much is dropped. */
static void join_text(struct session_reader *r, struct str text)
{
	if (!r->joined.len)
		buf_add_str(&r->joined, r->turn.text);
	if (r->joined.len + text.len + 2 > TEXT_MAX) {
		r->head.cut++;
		return;
	}
	buf_add_c(&r->joined, "\n\n");
	buf_add_str(&r->joined, text);
	r->turn.text = buf_str(&r->joined);
}

/* Messages that follow each other without an answer are one. */
void session_reader_user(struct session_reader *r, struct str text, struct str id, int64_t at)
{
	text = str_trim(text);
	if (!text.len)
		return;
	if (!r->has_turn || r->turn.count || is_local_command(&r->turn)) {
		begin_turn(r, text, id, at);
		return;
	}
	join_text(r, text);
}

static struct session_item *add_item(struct session_reader *r)
{
	struct session_turn *t = &r->turn;

	if (t->count == t->cap) {
		size_t cap = t->cap ? t->cap * 2 : 16;

		t->items = arena_grow(r->mem, t->items, t->count * sizeof *t->items,
		                      cap * sizeof *t->items);
		t->cap = cap;
	}
	return &t->items[t->count++];
}

void session_reader_item(struct session_reader *r, struct session_item item)
{
	size_t max = item.kind == SESSION_ITEM_TEXT ? TEXT_MAX : OUTPUT_MAX;
	struct session_item *to;

	if (item.kind == SESSION_ITEM_TEXT && !str_trim(item.text).len)
		return;
	if (!r->has_turn)
		begin_turn(r, STR("(The conversation begins before this point.)"), STR(""),
		           item.at);
	if (r->turn.count == ITEMS_MAX) {
		r->head.cut++;
		return;
	}
	to = add_item(r);
	*to = item;
	to->bytes = (int64_t)item.text.len;
	to->name = arena_keep(r->mem, utf8_head(item.name, 256));
	to->id = arena_keep(r->mem, utf8_head(item.id, 256));
	to->text =
		cut_text(r, item.text.ptr ? item.text : STR(""), r->room > max ? max : SMALL_MAX);
	r->room -= MIN(r->room, to->text.len);
	r->turn.ended = MAX(r->turn.ended, item.at);
	if (r->model.len)
		r->turn.model = arena_keep(r->mem, r->model);
}

/* ---- passes ---- */

static void read_line(struct session_reader *r, struct str text, bool is_second)
{
	struct json line;

	arena_reset(r->line);
	r->number++;
	if (!str_trim(text).len)
		return;
	if (json_read(r->line, text, &line, NULL) != OK || json_type(line) != JSON_OBJ)
		r->head.unread++;
	else if (is_second)
		r->dialect->take(r, line);
	else
		r->dialect->scan(r, line);
}

static bool read_all(struct session_reader *r, int fd, uint64_t size, bool is_second)
{
	CLEANUP(session_lines_done) struct session_lines l;
	struct str line;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return false;
	session_lines_init(&l, fd, size);
	r->number = -1;
	while (!r->stops && session_lines_next(&l, &line)) {
		int64_t unread = r->head.unread;

		read_line(r, line, is_second);
		/* A session that runs is written to: the rest of the line follows later. */
		if (l.is_half && r->head.unread > unread) {
			r->head.unread = unread;
			r->head.is_half = true;
		}
	}
	if (r->stops)
		return true;
	end_turn(r);
	r->head.lines = r->number + 1;
	r->head.unread += l.too_long;
	r->head.bytes = l.bytes;
	r->head.hash = session_lines_hash(&l);
	return !l.failed;
}

/* Everything that is counted while turns are made, from the start. */
static void begin_pass(struct session_reader *r)
{
	r->head.unread = r->head.unknown = r->head.aside = r->head.turns = r->head.cut = 0;
	r->digest = (struct sha256){ 0 };
	r->message = 0;
	r->skips = r->has_turn = r->stops = false;
	r->model = STR_NONE;
	r->turn = (struct session_turn){ 0 };
	buf_clear(&r->joined);
	arena_reset(r->mem);
}

bool session_reader_scan(struct session_reader *r, struct arena *keep, enum session_program program,
                         int fd, uint64_t size)
{
	*r = (struct session_reader){
		.keep = keep,
		.line = arena_new(),
		.mem = arena_new(),
		.dialect = program == SESSION_CLAUDE ? &claude_lines_dialect : &codex_lines_dialect,
	};
	if (!read_all(r, fd, size, false))
		return false;
	r->dialect->mark(r);
	/* Turns are counted as they will be made. */
	begin_pass(r);
	return read_all(r, fd, size, true);
}

bool session_reader_turns(struct session_reader *r, int fd, uint64_t size,
                          bool (*on_turn)(void *arg, const struct session_turn *turn), void *arg)
{
	struct sha256 before = r->head.hash;

	begin_pass(r);
	r->on_turn = on_turn;
	r->arg = arg;
	return read_all(r, fd, size, true) && (r->stops || sha256_eq(&before, &r->head.hash));
}

void session_reader_done(struct session_reader *r)
{
	arena_free(r->line);
	arena_free(r->mem);
	buf_done(&r->joined);
	memory_free(r->links);
	memory_free(r->dropped);
	r->line = r->mem = NULL;
	r->links = NULL;
	r->dropped = NULL;
}
