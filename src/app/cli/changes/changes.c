/*
 * Reads the events of a session, and keeps those about changed files and about
 * what undo does not cover.
 */
#include "app/cli/changes/changes.h"

#include "app/cli/connection.h"
#include "app/cli/print/out.h"

#include "base/gen/words.h"
#include "base/hash/base64.h"

#define PAGE 256

void changes_add(struct changes *ch, struct change_events *l, struct json e)
{
	if (l->count == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 16;

		l->items = arena_grow(ch->c->mem, l->items, l->count * sizeof *l->items,
		                      cap * sizeof *l->items);
		l->cap = cap;
	}
	l->items[l->count++] = e;
}

/* What undo says it does not cover. */
static void note_command(struct changes *ch, struct str type, struct json e)
{
	if (str_eq(type, STR("process.started")))
		ch->has_command = true;
	if (str_eq(type, STR("runtime.warning")) &&
	    str_eq(json_str(JSON_GET(JSON_GET(e, "payload"), "category")),
	           STR(WORD_WARNING_CATEGORY_UNDO_INCOMPLETE)))
		changes_add(ch, &ch->warnings, e);
}

bool changes_is_meant(const struct changes *ch, struct json e)
{
	return !str_is(ch->ref.turn) || str_eq(json_str(JSON_GET(e, "turnId")), ch->ref.turn);
}

/*
 * The directory of the session comes from its environment events; paths in changes are relative
 * to it.  A summary that a command asked for is recorded with the directory of the daemon; no
 * session works there.
 */
static void take(struct changes *ch, struct json e)
{
	struct str type = json_str(JSON_GET(e, "type"));
	struct str cwd = json_str(JSON_GET(JSON_GET(e, "executionEnvironment"), "cwd"));

	if (str_is(cwd) && !str_eq(cwd, str_from(ch->c->data)))
		ch->cwd = cwd;
	if (changes_is_meant(ch, e))
		note_command(ch, type, e);
	if (str_eq(type, STR("evidence.changed")))
		changes_undone_take(ch, e);
	if (!str_eq(type, STR("artifact.changed")) ||
	    !str_is(json_str(JSON_GET(JSON_GET(e, "payload"), "path"))))
		return;
	changes_add(ch, &ch->found, e);
	ch->meant += changes_is_meant(ch, e);
}

/*
 * All events are read and filtered here: environment events and changes have different classes
 * and turns.
 */
static int read_events(struct changes *ch)
{
	int64_t after = 0;
	bool more = true;
	int code = CODE_DONE;

	while (!code && more) {
		struct json reply = { 0 }, e;
		struct params p;
		struct str key;
		int64_t count = 0;

		params_begin(&p);
		params_str(&p, "sessionId", ch->ref.session);
		params_int(&p, "after", after);
		params_int(&p, "limit", PAGE);
		code = connection_call(ch->c, "list_events", &p, &reply);
		if (code)
			break;
		struct json_iter it = json_iter(JSON_GET(reply, "events"));

		while (json_next(&it, &key, &e)) {
			after = json_int(JSON_GET(e, "sequence"), after);
			take(ch, e);
			count++;
		}
		more = count == PAGE;
	}
	return code;
}

/* Adds the raw bytes; binary pages come as base64. */
static bool add_page(struct buf *all, struct json page)
{
	struct json text = JSON_GET(page, "text"), coded = JSON_GET(page, "base64");

	if (json_is(coded))
		return base64_read(all, json_str(coded));
	if (json_is(text))
		buf_add_str(all, json_str(text));
	return json_is(text);
}

struct str changes_output(struct cli *c, struct str ref)
{
	struct buf all = { 0 };
	struct str kept;
	bool is_over = false;

	while (!is_over && all.len < CHANGES_FILE_MAX) {
		struct json reply = { 0 };
		struct params p;

		params_begin(&p);
		params_str(&p, "outputRef", ref);
		params_int(&p, "offset", (int64_t)all.len);
		if (connection_call(c, "get_output", &p, &reply) || !add_page(&all, reply)) {
			buf_done(&all);
			return STR_NONE;
		}
		is_over = json_bool(JSON_GET(reply, "eof"), true);
	}
	/* A part of a file is not what the file was. */
	kept = is_over ? arena_keep(c->mem, buf_str(&all)) : STR_NONE;
	buf_done(&all);
	return kept;
}

int changes_read(struct cli *c, struct changes *ch)
{
	int code = connection_open(c);

	*ch = (struct changes){ .c = c };
	if (!code)
		code = ref_find(c, c->arg_count ? c->args[0] : "@last", &ch->ref);
	if (!code)
		code = read_events(ch);
	if (!code && !ch->meant && !c->opts.json)
		out_note(c, TONE_DIM,
		         ch->ref.kind == REF_TURN ? "no tool changed a file in this turn; earlier "
		                                    "turns of the session may have"
		                                  : "no tool changed a file here");
	return code;
}

/* Links on the way may have changed since; the place that the log has does not follow them. */
struct str changes_path(struct json e)
{
	struct json p = JSON_GET(e, "payload");

	return json_str(json_is(JSON_GET(p, "place")) ? JSON_GET(p, "place") : JSON_GET(p, "path"));
}

struct str changes_ref(struct json e, const char *name)
{
	return json_str(json_get(JSON_GET(e, "refs"), str_from(name)));
}

void changes_done(struct changes *ch)
{
	map_done(&ch->undone);
}
