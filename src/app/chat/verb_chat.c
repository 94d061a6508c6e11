/* chat, and `thole` without words: chooses the session and the kind of screen. */
#include "app/chat/chat.h"
#include "app/cli/extend/add_dirs.h"
#include "app/chat/chat_plain.h"
#include "app/cli/ref.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

static bool has_screen(const struct cli *c)
{
	const char *term = getenv("TERM");

	return c->is_tty_in && c->is_tty_out && !c->opts.plain && term && *term &&
	       strcmp(term, "dumb") != 0;
}

/* *ret stays absent for a new session; *ret_thread: a thread that was named, else absent. */
static int find_session(struct cli *c, struct str *ret, struct str *ret_thread)
{
	const char *cwd;
	struct ref r;
	int code;

	if (!c->opts.session && !c->opts.continues)
		return CODE_DONE;
	code = connection_open(c);
	if (code)
		return code;
	if (c->opts.session) {
		code = ref_find(c, c->opts.session, &r);
		*ret = code ? STR_NONE : r.session;
		*ret_thread = code || r.kind != REF_THREAD ? STR_NONE : r.thread;
		return code;
	}
	code = paths_work_dir(c, &cwd);
	if (code)
		return code;
	*ret = chat_open_last(c, cwd);
	if (!str_is(*ret))
		out_note(c, TONE_DIM, "no session has worked in this directory; a new one begins");
	return CODE_DONE;
}

/* --mode of a session that is continued; a new one is created with it. */
static int set_mode(struct cli *c, struct str session)
{
	struct json reply;
	struct params p;

	if (!c->opts.mode || !str_is(session))
		return CODE_DONE;
	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_cstr(&p, "mode", c->opts.mode);
	params_key(c, &p);
	return connection_call(c, "set_mode", &p, &reply);
}

int verb_chat(struct cli *c)
{
	struct str session = STR_NONE, thread = STR_NONE;
	int code;

	if (c->opts.json || c->opts.quiet)
		return opt_usage(c, "A chat is for people; `thole run --json` is for programs.");
	code = add_dirs_check(c);
	if (!code)
		code = find_session(c, &session, &thread);
	if (!code)
		code = set_mode(c, session);
	if (code)
		return code;
	return has_screen(c) ? chat_run(c, session, thread) : chat_plain_run(c, session, thread);
}

int verb_chat_pick(struct cli *c)
{
	CLEANUP(chat_keys_done) struct chat_keys keys = { 0 };
	struct chat_screen screen;
	struct str session;
	sigset_t ends, mask;
	int code;

	if (!has_screen(c))
		return opt_usage(c, "`thole resume` wants ID without a terminal.");
	code = connection_open(c);
	if (code)
		return code;
	/* The reader of keys sees a signal that is pending; it is let through when the terminal is back. */
	sigemptyset(&ends);
	sigaddset(&ends, SIGTERM);
	sigaddset(&ends, SIGHUP);
	pthread_sigmask(SIG_BLOCK, &ends, &mask);
	if (!chat_screen_open(&screen, STDIN_FILENO, STDOUT_FILENO)) {
		pthread_sigmask(SIG_SETMASK, &mask, NULL);
		return CODE_FAILED;
	}
	session = chat_pick_session(c, &keys, chat_wants_vi(c));
	chat_screen_close(&screen);
	pthread_sigmask(SIG_SETMASK, &mask, NULL);
	return str_is(session) ? chat_run(c, session, STR_NONE) : c->t ? CODE_DONE : CODE_FAILED;
}
