/*
 * approvals -w: pending approvals, as they arrive.
 *
 *   events ─┐  an action was opened or closed: the list is read again
 *   stdin ──┴─► poll ─► print what is new; in a terminal, prompt for the oldest
 *
 * Only the list counts; events say when to read it.  Ctrl-C and Ctrl-D leave,
 * and approvals stay pending.
 */
#include "app/cli/follow/approval_prompt.h"
#include "app/cli/print/out.h"
#include "app/cli/print/whole_text.h"
#include "app/cli/follow/event_reader.h"

#include <errno.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#define ROWS_MAX 256
#define HERE_PATIENCE_MS 50

struct vigil {
	struct cli *c;
	struct event_reader event_reader;
	struct arena *mem; /* of the rows */
	struct json rows[ROWS_MAX];
	size_t count;
	struct approval_prompt approval_prompt;
	struct arena *ask_mem; /* what is asked lives here; may be mem */
	struct buf typed;
	bool may_ask, is_over;
	int code;
};

static struct str id_of(struct json action)
{
	return json_str(JSON_GET(action, "actionId"));
}

static void leave(struct vigil *v, int code)
{
	v->is_over = true;
	v->code = code;
}

static bool has(const struct json *rows, size_t count, struct str id)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(id_of(rows[i]), id))
			return true;
	return false;
}

/* ---- telling ---- */

static void put_row(struct vigil *v, struct json a)
{
	struct cli *c = v->c;

	if (c->opts.json)
		out_json(a);
	else if (c->opts.quiet)
		printf("%s\n", out_safe(c->mem, id_of(a)));
	else
		printf("%s  %s  %s\n", out_id(c, id_of(a)),
		       json_is(JSON_GET(a, "expiresAt"))
		               ? out_until(c->mem, json_str(JSON_GET(a, "expiresAt")))
		               : "-",
		       whole_text_line(c->mem, json_str(JSON_GET(a, "prompt"))));
	fflush(stdout);
}

/* Frees the arena of the prompt's action, unless the rows are in the same one. */
static void end_ask(struct vigil *v, const struct arena *rows)
{
	approval_prompt_close(&v->approval_prompt);
	if (v->ask_mem != rows)
		arena_free(v->ask_mem);
	v->ask_mem = NULL;
}

static void tell_gone(struct vigil *v, struct str id, const struct arena *rows)
{
	if (v->approval_prompt.kind && str_eq(id_of(v->approval_prompt.action), id)) {
		fputc('\n', stderr);
		end_ask(v, rows);
	}
	out_note(v->c, TONE_DIM, "%s: settled elsewhere", out_id(v->c, id));
}

/* ---- the list ---- */

static bool visit(void *arg, struct json row)
{
	struct vigil *v = arg;

	v->rows[v->count++] = row;
	return v->count < ROWS_MAX;
}

static void free_rows(struct vigil *v, struct arena *old)
{
	if (v->approval_prompt.kind && v->ask_mem == old)
		return; /* the open prompt still uses it */
	arena_free(old);
}

/*
 * Each reading of the list has its own arena, so that watching for days does not grow.  The arena
 * of an open prompt is kept until the prompt closes.
 */
static void read_actions(struct vigil *v)
{
	struct json before[ROWS_MAX];
	struct arena *old = v->mem;
	size_t count = v->count;
	int code;

	memcpy(before, v->rows, count * sizeof *before);
	v->mem = v->c->mem = arena_new();
	v->count = 0;
	code = connection_list(v->c, "list_actions", "actions",
	                       &(struct filter){ "status", "\"pending\"" }, visit, v);
	if (code)
		leave(v, code);
	for (size_t i = 0; i < count && !code; i++)
		if (!has(v->rows, v->count, id_of(before[i])))
			tell_gone(v, id_of(before[i]), old);
	for (size_t i = 0; i < v->count && !code; i++)
		if (!v->may_ask && !has(before, count, id_of(v->rows[i])))
			put_row(v, v->rows[i]);
	free_rows(v, old);
}

/* ---- asking ---- */

static void ask_next(struct vigil *v)
{
	struct approval_details about;

	if (v->approval_prompt.kind || !v->count || !v->may_ask || v->is_over)
		return;
	/* Input typed before the prompt appeared must not answer it. */
	tcflush(STDIN_FILENO, TCIFLUSH);
	buf_clear(&v->typed);
	v->ask_mem = v->mem;
	out_note(v->c, TONE_DIM, "%s, %s", out_id(v->c, id_of(v->rows[0])),
	         out_safe(v->c->mem, json_str(JSON_GET(v->rows[0], "sessionId"))));
	approval_details_find(&about, v->c, v->rows[0]);
	approval_prompt_open(&v->approval_prompt, v->c, v->rows[0], &about, stderr);
}

/* True: the question is settled; false: ask again. */
static bool send_answer(struct vigil *v)
{
	const struct approval_prompt *a = &v->approval_prompt;
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", json_str(JSON_GET(a->action, "sessionId")));
	params_str(&p, "actionId", id_of(a->action));
	params_cstr(&p, "decision", a->decision);
	params_cstr(&p, "scope", a->scope);
	params_str(&p, "reason", a->reason);
	params_raw(&p, "input", a->input);
	params_raw(&p, "payload", a->payload);
	params_key(v->c, &p);
	code = connection_try(v->c, "respond_action", &p, true, &reply);
	if (code == THOLE_OK)
		return true;
	code = cli_failure_print(v->c, code, reply);
	return code != CODE_USAGE;
}

static void forget(struct vigil *v, struct str id)
{
	size_t kept = 0;

	for (size_t i = 0; i < v->count; i++)
		if (!str_eq(id_of(v->rows[i]), id))
			v->rows[kept++] = v->rows[i];
	v->count = kept;
}

static void ask_done(struct vigil *v)
{
	if (!send_answer(v)) {
		approval_prompt_refused(&v->approval_prompt);
		return;
	}
	forget(v, id_of(v->approval_prompt.action));
	end_ask(v, v->mem);
	ask_next(v);
}

/* Without an open prompt the input is dropped: it answers nothing. */
static void on_typed(struct vigil *v)
{
	char piece[4096];
	ssize_t got = read(STDIN_FILENO, piece, sizeof piece);
	char *end;

	if (got <= 0) {
		fputc('\n', stderr);
		leave(v, CODE_DONE);
		return;
	}
	buf_add(&v->typed, piece, (size_t)got);
	while (v->approval_prompt.kind && v->typed.len &&
	       (end = memchr(v->typed.ptr, '\n', v->typed.len))) {
		size_t len = (size_t)(end - v->typed.ptr);
		enum approval_prompt_step step =
			approval_prompt_line(&v->approval_prompt, str_of(v->typed.ptr, len));

		buf_drop(&v->typed, len + 1);
		if (step == APPROVAL_PROMPT_DONE)
			ask_done(v);
	}
	if (!v->approval_prompt.kind)
		buf_clear(&v->typed);
}

/* ---- the stream ---- */

static bool subscribe(struct vigil *v)
{
	struct thole_stream *s;
	struct params p;
	int code = CODE_FAILED;

	params_begin(&p);
	params_cstr(&p, "cursor", "end");
	params_raw(&p, "types", STR("[\"action.required\",\"action.resolved\"]"));
	s = connection_subscribe(v->c, &p, &code);
	if (!s) {
		leave(v, code);
		return false;
	}
	event_reader_start(&v->event_reader, s, v->c->opts.here ? HERE_PATIENCE_MS : -1);
	return true;
}

static void stop_reader(void *arg)
{
	event_reader_stop(&((struct vigil *)arg)->event_reader);
}

/*
 * The stream starts before the list is read, so that an action in between is seen by at least one
 * of them.  A call may reconnect and lose the stream, hence the loop.
 */
static void follow(struct vigil *v)
{
	do {
		if (!v->event_reader.is_running && !subscribe(v))
			return;
		read_actions(v);
	} while (!v->is_over && !v->event_reader.is_running);
	ask_next(v);
}

static void on_pump(struct vigil *v)
{
	struct reader_item *m = event_reader_take(&v->event_reader), *next;
	bool has_broken = false;

	for (; m; m = next) {
		next = event_reader_next_item(m);
		has_broken |= m->code != THOLE_OK;
		event_reader_free_item(m);
	}
	if (has_broken) {
		int code = connection_again(v->c); /* before_again stops the event reader */

		if (code)
			leave(v, code);
	}
	if (!v->is_over)
		follow(v);
}

int approve_watch(struct cli *c)
{
	struct arena *whole = c->mem;
	struct vigil *v = ARENA_NEW(whole, struct vigil);

	*v = (struct vigil){ .c = c, .mem = arena_new() };
	v->may_ask = c->is_tty_in && c->is_tty_err && !c->opts.json && !c->opts.quiet;
	if (v->may_ask)
		out_note(c, TONE_DIM, "watching for decisions; Ctrl-C leaves");
	c->before_again = stop_reader;
	c->before_again_arg = v;
	follow(v);
	while (!v->is_over) {
		if (!v->event_reader.is_running)
			follow(v); /* an answer was sent over a new connection */
		if (v->is_over)
			break;
		struct pollfd fds[] = {
			{ .fd = v->event_reader.fd, .events = POLLIN },
			{ .fd = v->may_ask ? STDIN_FILENO : -1, .events = POLLIN },
		};

		if (poll(fds, COUNT_OF(fds), -1) < 0 && errno != EINTR)
			leave(v, CODE_FAILED);
		if (fds[0].revents)
			on_pump(v);
		if (!v->is_over && fds[1].revents)
			on_typed(v);
	}
	c->before_again = NULL;
	if (c->opts.here)
		event_reader_stop(&v->event_reader);
	approval_prompt_close(&v->approval_prompt);
	buf_done(&v->typed);
	c->mem = whole; /* the last arena of rows ends with the program */
	return v->code;
}
