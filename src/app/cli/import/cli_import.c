/*
 * import: sessions and settings of Claude Code and codex.
 *
 *   find ──► read ──► compare ──► show ──► ask ──► sessions ──► settings
 *
 * Without --yes nothing is changed before a person has agreed in a terminal.
 * Sessions are history only; settings that give the agent more rights each need
 * an agreement of their own (settings_apply.h).
 */
#include "app/cli/connection.h"
#include "app/cli/import/import_ask.h"
#include "app/cli/import/import_send.h"
#include "app/cli/import/import_words.h"
#include "app/cli/import/settings_apply.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "base/jw.h"
#include "base/os/clock.h"

#include <stdlib.h>
#include <string.h>

#define SKIPPED_SHOWN 10
#define FAILED_MAX 20 /* one after the other */

struct import {
	struct cli *c;
	enum session_program program;
	struct import_place place;
	struct import_session *sessions;
	size_t count;
	size_t left; /* sessions with something to import */
	size_t skipped;
	size_t failed;           /* sessions that the daemon refused, or that changed meanwhile */
	size_t in_row;           /* of them, without a success since */
	int64_t unknown, unread; /* lines of all files */
	bool is_open;            /* the object of --json has begun */
};

/* ---- reading ---- */

static bool is_meant(const struct import *x, const struct import_session *s)
{
	return !str_is(x->place.only_dir) || str_eq(s->head.cwd, x->place.only_dir);
}

static void skip_file(struct import *x, const struct import_file *f, const char *why)
{
	if (x->skipped++ < SKIPPED_SHOWN)
		out_note(x->c, TONE_DIM, "%s is left out: %s", out_safe(x->c->mem, f->name), why);
}

/* One session that fails does not keep the others back. */
static void fail_session(struct import *x, const struct import_session *s)
{
	x->failed++;
	x->in_row++;
	out_note(x->c, TONE_BAD, "%s was not imported.", out_safe(x->c->mem, s->file.name));
}

static void read_session(struct import *x, const struct import_file *f)
{
	struct import_session *s = &x->sessions[x->count];
	const char *why = "";

	if (!import_send_scan(x->c, x->program, *f, s, &why)) {
		skip_file(x, f, why);
		return;
	}
	if (!is_meant(x, s))
		return;
	if (import_send_compare(x->c, x->program, s) != CODE_DONE) {
		fail_session(x, s);
		return;
	}
	x->in_row = 0;
	x->count++;
	x->left += s->status != IMPORT_KNOWN;
	x->unknown += s->head.unknown;
	x->unread += s->head.unread;
}

/* A daemon that is gone or refuses everything is not asked about each of thousands of files. */
static bool has_too_many_failed(const struct import *x)
{
	return x->in_row >= FAILED_MAX;
}

static void tell_stop(const struct import *x)
{
	if (has_too_many_failed(x))
		out_note(x->c, TONE_BAD,
		         "%d sessions failed one after the other; the rest was not tried.",
		         FAILED_MAX);
}

/* The newest conversation comes last, so that it is @last afterwards. */
static int by_end(const void *a, const void *b)
{
	const struct import_session *one = a, *other = b;

	return (one->head.ended > other->head.ended) - (one->head.ended < other->head.ended);
}

static int read_sessions(struct import *x)
{
	int code = connection_open(x->c);

	x->sessions = ARENA_ARRAY(x->c->mem, struct import_session, x->place.count + 1);
	for (size_t i = 0; i < x->place.count && !has_too_many_failed(x) && !code; i++)
		read_session(x, &x->place.files[i]);
	if (x->count)
		qsort(x->sessions, x->count, sizeof *x->sessions, by_end);
	if (x->skipped > SKIPPED_SHOWN)
		out_note(x->c, TONE_DIM, "%zu more files are left out", x->skipped - SKIPPED_SHOWN);
	tell_stop(x);
	if (x->place.has_more)
		out_note(x->c, TONE_BAD,
		         "There are more files than one call reads; name a project.");
	return code;
}

/* ---- showing ---- */

static const char *status_word(const struct import *x, const struct import_session *s)
{
	switch (s->status) {
	case IMPORT_KNOWN:
		return "imported";
	case IMPORT_GROWN:
		return arena_printf(x->c->mem, "+%lld turn%s",
		                    (long long)(s->head.turns - s->known),
		                    s->head.turns - s->known == 1 ? "" : "s")
		        .ptr;
	case IMPORT_ANOTHER:
		return "new version";
	default:
		return "new";
	}
}

static const char *date_of(const struct import *x, const struct import_session *s)
{
	char text[TIME_TEXT_MAX];

	if (!s->head.ended)
		return "-";
	clock_time_write(s->head.ended, text);
	return arena_keep(x->c->mem, str_head(str_from(text), 10)).ptr;
}

static struct str first_line(const struct import_session *s)
{
	struct str title = str_trim(s->head.title.len ? s->head.title : s->head.first);

	return str_cut(&title, '\n');
}

static void show_table(struct import *x)
{
	static const char *const heads[] = {
		"date", "state", "turns", "directory", "session", NULL
	};
	size_t running = 0;
	struct table t;

	table_begin(&t, x->c, heads);
	for (size_t i = 0; i < x->count; i++) {
		struct import_session *s = &x->sessions[i];
		const char *cells[] = {
			date_of(x, s),
			status_word(x, s),
			arena_printf(x->c->mem, "%lld", (long long)s->head.turns).ptr,
			s->head.cwd.len ? out_safe(x->c->mem, s->head.cwd) : "-",
			out_safe_cut(x->c->mem, first_line(s), 80),
		};

		running += s->is_running;
		table_row(&t, s->status == IMPORT_KNOWN ? TONE_DIM : TONE_PLAIN, cells);
	}
	table_print(&t, stdout);
	fflush(stdout);
	if (running)
		out_note(x->c, TONE_ASK,
		         "%zu of them changed a moment ago and ended in the middle of a turn. That "
		         "turn "
		         "is left out;\nimport again when it is finished.",
		         running);
}

static void write_row(struct json_writer *w, const struct import *x, const struct import_session *s)
{
	jw_obj(w);
	JW_KSTR(w, "sessionId", s->session_id);
	JW_KSTR(w, "state", str_from(status_word(x, s)));
	JW_KSTR(w, "file", s->file.name);
	JW_KOPT(w, "sourceId", s->head.source_id);
	JW_KOPT(w, "cwd", s->head.cwd);
	JW_KSTR(w, "title", first_line(s));
	JW_KINT(w, "turns", s->head.turns);
	JW_KINT(w, "importedTurns", s->known);
	JW_KINT(w, "unknownLines", s->head.unknown);
	JW_KINT(w, "unreadableLines", s->head.unread);
	JW_KINT(w, "otherLines", s->head.aside);
	JW_KBOOL(w, "unfinishedTurn", s->is_running);
	jw_obj_end(w);
}

static void show_json(struct import *x)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "sessions");
	jw_arr(&w);
	for (size_t i = 0; i < x->count; i++)
		write_row(&w, x, &x->sessions[i]);
	jw_arr_end(&w);
	/* The settings follow; verb_import() ends the object. */
	fwrite(out.ptr, 1, out.len, stdout);
	fflush(stdout);
	x->is_open = true;
}

static void show_sessions(struct import *x)
{
	if (x->c->opts.json)
		show_json(x);
	else if (x->count)
		show_table(x);
	else
		out_note(x->c, TONE_PLAIN, "There is no session of %s%s%s.",
		         import_words_name(x->program), str_is(x->place.only_dir) ? " in " : "",
		         str_is(x->place.only_dir) ? out_safe(x->c->mem, x->place.only_dir) : "");
	if (x->unknown + x->unread)
		out_note(x->c, TONE_DIM,
		         "%lld lines are of types that are not known and %lld cannot be read; they "
		         "are left out",
		         (long long)x->unknown, (long long)x->unread);
}

/* ---- sessions ---- */

/*
 * Compared again: two files may be of one session, and the first of them was just sent.  Returns
 * whether it was imported.
 */
static bool import_one(struct import *x, struct import_session *s, int64_t *turns)
{
	int64_t added = 0;
	int code = import_send_compare(x->c, x->program, s);

	if (!code && s->status == IMPORT_KNOWN)
		return false;
	if (!code)
		code = import_send(x->c, x->program, s, &added);
	*turns += added;
	if (code)
		fail_session(x, s);
	else
		x->in_row = 0;
	return !code;
}

static void import_all(struct import *x)
{
	int64_t turns = 0;
	size_t done = 0;

	for (size_t i = 0; i < x->count && !has_too_many_failed(x); i++)
		if (x->sessions[i].status != IMPORT_KNOWN)
			done += import_one(x, &x->sessions[i], &turns);
	out_note(x->c, x->failed ? TONE_BAD : TONE_GOOD, "Imported %zu session%s with %lld turn%s.",
	         done, done == 1 ? "" : "s", (long long)turns, turns == 1 ? "" : "s");
	tell_stop(x);
	if (x->failed)
		out_note(x->c, TONE_BAD, "%zu %s not imported. To try again: thole import %s",
		         x->failed, x->failed == 1 ? "was" : "were", import_words_key(x->program));
	if (done)
		out_note(x->c, TONE_PLAIN,
		         "To continue one: thole resume, or thole -c in its directory");
}

static int do_sessions(struct import *x)
{
	int code = read_sessions(x);
	const char *question;

	if (code)
		return code;
	show_sessions(x);
	if (!x->left)
		return x->failed ? CODE_FAILED : CODE_DONE;
	question = arena_printf(x->c->mem, "Import %zu session%s as history?", x->left,
	                        x->left == 1 ? "" : "s")
	                   .ptr;
	switch (import_ask(x->c, question, x->c->opts.yes)) {
	case IMPORT_YES:
		import_all(x);
		return x->failed ? CODE_FAILED : CODE_DONE;
	case IMPORT_NO:
		return CODE_DONE;
	default:
		out_note(x->c, TONE_PLAIN, "Nothing was changed. To import: thole import %s --yes",
		         import_words_key(x->program));
		return CODE_DECISION;
	}
}

/* ---- the verb ---- */

static bool does(const struct import *x, const char *what)
{
	return !x->c->opts.only || strcmp(x->c->opts.only, what) == 0;
}

int verb_import(struct cli *c)
{
	struct import x = { .c = c };
	int code, settings = CODE_DONE;

	if (strcmp(c->args[0], import_words_key(SESSION_CLAUDE)) == 0)
		x.program = SESSION_CLAUDE;
	else if (strcmp(c->args[0], import_words_key(SESSION_CODEX)) == 0)
		x.program = SESSION_CODEX;
	else
		return opt_usage(c, "`thole import` knows claude and codex, not \"%s\".",
		                 out_safe(c->mem, str_from(c->args[0])));
	code = import_find(c, x.program, c->arg_count > 1 ? c->args[1] : NULL, &x.place);
	if (code)
		return code;
	if (does(&x, "sessions"))
		code = do_sessions(&x);
	if (does(&x, "settings") && !x.place.is_file && !str_is(x.place.only_dir) &&
	    (!code || code == CODE_DECISION))
		settings = settings_apply(c, &x.place, &x.is_open);
	if (x.is_open)
		printf("}\n");
	return code ? code : settings;
}
