/* attach: a turn that runs elsewhere, followed here from its beginning to its end. */
#include "app/cli/print/out.h"
#include "app/cli/ref.h"
#include "app/cli/follow/turn.h"

static int read_view(struct cli *c, const char *command, const struct ref *r, struct json *ret)
{
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	if (strcmp(command, "get_thread_read") == 0)
		params_str(&p, "threadId", r->thread);
	return connection_call(c, command, &p, ret);
}

static int nothing_there(struct cli *c, const struct ref *r)
{
	out_error(c, "Nothing runs or waits in %s.", out_id(c, r->session));
	fprintf(stderr,
	        "  `thole send %s \"…\" -f` gives it something to do, `thole log %s` shows what "
	        "was.\n",
	        out_id(c, r->session), out_id(c, r->session));
	return CODE_FAILED;
}

/*
 * live_from is read before the stream starts: older actions may be answered already and must not
 * prompt.
 */
int verb_attach(struct cli *c)
{
	struct watch_options o = { .timeout_ms = c->opts.timeout_ms, .wait = c->opts.wait };
	struct json session, thread;
	struct ref r;
	int code;

	if (c->opts.here)
		return opt_usage(c, "attach needs a daemon; with --here nothing runs but what this "
		                    "program starts.");
	watch_signal_all(c);
	code = connection_open(c);
	if (!code)
		code = ref_find(c, c->arg_count ? c->args[0] : "@last", &r);
	if (!code)
		code = read_view(c, "get_session", &r, &session);
	if (!code)
		code = read_view(c, "get_thread_read", &r, &thread);
	if (code)
		return code;
	o.session = r.session;
	o.thread = json_str(JSON_GET(thread, "threadId"));
	o.turn = r.kind == REF_TURN ? r.turn : json_str(JSON_GET(thread, "activeTurnId"));
	o.live_from = json_int(JSON_GET(session, "sequence"), 0);
	o.may_ask = c->is_tty_in && c->is_tty_err;
	return str_is(o.turn) ? watch_turn(c, &o) : nothing_there(c, &r);
}
