/*
 * demo: a turn, a decision and the log, in a throw-away directory and in this
 * process.  It needs no key, no network and nobody at the keyboard.
 */
#include "app/cli/out.h"
#include "app/cli/turn.h"
#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

/* clang-format off */
static const char script[] =
	"{ \"version\": 1, \"model\": \"demo\",\n"
	"  \"rules\": [\n"
	"    { \"when\": { \"text\": \"What is\" },\n"
	"      \"reply\": { \"delayMs\": 15, \"text\": \"A thole is the pin that holds the oar: it does not "
	"row, it keeps the oar where it belongs. Thole does that for agents. This answer comes from a "
	"script; the turn around it is real and on disk.\" } },\n"
	"    { \"when\": { \"text\": \"note\" }, \"replies\": [\n"
	"      { \"delayMs\": 15, \"text\": \"I would like to write a file. That needs your consent.\",\n"
	"        \"toolCalls\": [{ \"name\": \"write_note\",\n"
	"                        \"args\": { \"path\": \"note.txt\", \"text\": \"hello\" } }] },\n"
	"      { \"delayMs\": 15, \"text\": \"Done. The tool ran after your answer was on disk, not a "
	"moment before.\" } ] } ],\n"
	"  \"tools\": [{ \"name\": \"write_note\", \"policy\": \"ask\", \"kind\": \"file_change\",\n"
	"    \"capabilities\": [\"write\", \"filesystem\"],\n"
	"    \"result\": { \"text\": \"wrote {{args.path}}\",\n"
	"                \"writeFile\": { \"path\": \"{{args.path}}\", \"text\": \"{{args.text}}\" } } }] }\n";
/* clang-format on */

/* The facts worth a line; there are some fifty in all. */
static const char *const chain[] = {
	"turn.submitted",  "model.requested", "tool.started", "permission.evaluated",
	"action.required", "action.resolved", "tool.result",  "turn.completed",
};

struct demo {
	struct cli *c;
	struct screen screen;
	struct show show;
	struct arena *mem;
	struct str session, turn, action;
};

static void head(struct cli *c, const char *number, const char *text)
{
	note(c, TONE_BOLD, "\n%s  %s", number, text);
}

static void typed(struct cli *c, const char *command)
{
	note(c, TONE_NAME, "$ %s", command);
}

/* Time to read, for people. */
static void pause_ms(struct cli *c, int ms)
{
	if (c->is_tty_err)
		poll(NULL, 0, ms);
}

static int give_up(struct cli *c, const char *what)
{
	complain(c, "The demo came to a halt: %s.", what);
	return CODE_FAILED;
}

/* ---- opening ---- */

static bool write_script(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ssize_t put = fd < 0 ? -1 : write(fd, script, sizeof script - 1);

	if (fd >= 0)
		close(fd);
	return put == (ssize_t)sizeof script - 1;
}

static int open_here(struct cli *c)
{
	struct thole_options o = { 0 };
	struct thole_error e = { 0 };
	int code = paths_make_temporary(c);

	if (code)
		return code;
	o.data_dir = c->data;
	o.cwd = c->data;
	o.script = path_in_data(c, "demo.json");
	if (!write_script(o.script))
		return give_up(c, strerror(errno));
	c->opts.here = true;
	c->t = thole_open(&o, &e);
	return c->t ? CODE_DONE : tell_open_failure(c, &e);
}

/* ---- a turn ---- */

static int submit(struct demo *d, const char *prompt)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_cstr(&p, "input", prompt);
	params_cstr(&p, "source", "cli");
	params_cstr(&p, "cwd", d->c->data);
	code = link_call(d->c, "submit_turn", &p, &reply);
	d->session = json_str(JSON_GET(reply, "sessionId"));
	d->turn = json_str(JSON_GET(reply, "turnId"));
	return code;
}

static int allow(struct demo *d)
{
	struct params p;
	struct json reply;
	int code;

	note(d->c, TONE_ASK, "  the turn waits, through a restart too; silence means no");
	pause_ms(d->c, 900);
	typed(d->c, arena_printf(d->mem, "thole approve %s      # from any terminal",
	                         id_text(d->c, d->action))
	                    .ptr);
	params_begin(&p);
	params_str(&p, "sessionId", d->session);
	params_str(&p, "actionId", d->action);
	params_cstr(&p, "decision", "allow");
	code = link_call(d->c, "respond_action", &p, &reply);
	return code;
}

/* True: the turn is over. */
static bool take(struct demo *d, const struct fact *f, int *ret_code)
{
	if (!str_eq(f->turn, d->turn))
		return false;
	show_fact(&d->show, d->mem, f);
	if (fact_is(f, "action.required")) {
		d->action = arena_keep(d->c->mem, f->action);
		show_line(&d->show);
		note(d->c, TONE_ASK, "? %s", safe(d->mem, fact_str(f, "prompt")));
	}
	if (fact_is(f, "thread.updated") &&
	    str_starts(fact_str(f, "profileStatus"), STR("waiting_")))
		*ret_code = allow(d);
	if (fact_is(f, "turn.failed"))
		*ret_code = give_up(d->c, safe(d->mem, fact_str(f, "message")));
	return *ret_code || fact_is(f, "turn.completed") || fact_is(f, "turn.failed");
}

static int follow(struct demo *d)
{
	struct thole_stream *s;
	struct params p;
	int code = CODE_DONE;
	bool is_over = false;

	params_begin(&p);
	params_str(&p, "sessionId", d->session);
	params_int(&p, "after", 0);
	params_bool(&p, "follow", true);
	s = link_subscribe(d->c, &p, &code);
	while (s && !is_over) {
		char *text;
		size_t len;
		struct fact f;

		if (thole_next(s, 10000, &text, &len) != THOLE_OK) {
			code = give_up(d->c, "no event came for ten seconds");
			break;
		}
		arena_reset(d->mem);
		if (fact_read(d->mem, str_of(text, len), &f))
			is_over = take(d, &f, &code);
		thole_free(text);
	}
	thole_unsubscribe(s);
	show_line(&d->show);
	return code;
}

static int turn(struct demo *d, const char *prompt)
{
	int code;

	typed(d->c, arena_printf(d->c->mem, "thole \"%s\"", prompt).ptr);
	code = submit(d, prompt);
	return code ? code : follow(d);
}

/* ---- the log ---- */

static bool is_in_chain(const struct fact *f)
{
	for (size_t i = 0; i < COUNT_OF(chain); i++)
		if (fact_is(f, chain[i]))
			return true;
	return false;
}

static int print_log(struct demo *d)
{
	struct thole_stream *s;
	struct params p;
	int code = CODE_DONE;
	int64_t began_at = 0;
	char *text;
	size_t len;

	params_begin(&p);
	params_str(&p, "sessionId", d->session);
	params_int(&p, "after", 0);
	params_bool(&p, "follow", false);
	s = link_subscribe(d->c, &p, &code);
	while (s && thole_next(s, 10000, &text, &len) == THOLE_OK) {
		struct fact f;

		arena_reset(d->mem);
		if (fact_read(d->mem, str_of(text, len), &f)) {
			began_at = began_at ? began_at : f.at;
			if (is_in_chain(&f))
				fact_put_line(d->c, d->mem, &f, began_at);
		}
		thole_free(text);
	}
	thole_unsubscribe(s);
	return code;
}

static int verify(struct demo *d)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", d->session);
	code = link_call(d->c, "verify_log", &p, &reply);
	if (!code)
		printf("%s  %lld events, each chained to the one before\n",
		       safe(d->mem, json_str(JSON_GET(reply, "status"))),
		       (long long)json_int(JSON_GET(reply, "events"), 0));
	return code;
}

/* ---- the whole ---- */

static int play(struct demo *d)
{
	struct cli *c = d->c;
	int code;

	head(c, "1", "A turn");
	code = turn(d, "What is a thole?");
	if (code)
		return code;
	pause_ms(c, 700);
	head(c, "2", "A decision: the model may ask, only you can allow");
	code = turn(d, "Leave a note here.");
	if (code)
		return code;
	pause_ms(c, 700);
	head(c, "3", "The log: each fact was on disk before you saw it");
	typed(c, "thole log @last | grep ...");
	code = print_log(d);
	if (code)
		return code;
	typed(c, "thole verify @last");
	return verify(d);
}

/* What would be told beside the result belongs to the play here. */
static void join_streams(struct cli *c)
{
	dup2(STDOUT_FILENO, STDERR_FILENO);
	c->is_tty_err = c->is_tty_out;
	c->color_err = c->color_out;
}

int verb_demo(struct cli *c)
{
	struct demo d = { .c = c, .mem = arena_new() };
	int64_t began = clock_mono_ms();
	int code = open_here(c);

	if (!code)
		join_streams(c);

	c->opts.json = false;
	screen_init(&d.screen, c);
	show_init(&d.show, c, screen_sink(&d.screen));
	if (!code) {
		note(c, TONE_DIM,
		     "Thole demo: a scripted model, no key, no network; all of it in %s, "
		     "which goes when this ends.",
		     c->data);
		code = play(&d);
	}
	if (!code) {
		fflush(stdout);
		note(c, TONE_DIM,
		     "\nThat took %s. Next:", span_text(c->mem, clock_mono_ms() - began));
		note(c, TONE_PLAIN,
		     "  thole \"hello there\"  the same, kept\n"
		     "  thole run approve   you decide\n"
		     "  thole help          ten commands worth knowing");
	}
	arena_free(d.mem);
	return code;
}
