/* stop and resume: ends a turn, or continues it. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"

static bool is_word(struct json reply, const char *word)
{
	return str_eq(json_str(JSON_GET(reply, "status")), str_from(word));
}

/* A session or thread means its current turn, so no turn is named. */
static int begin(struct cli *c, struct ref *r, struct params *p)
{
	int code = connection_open(c);

	if (!code)
		code = ref_find(c, c->args[0], r);
	if (code)
		return code;
	params_begin(p);
	params_str(p, "sessionId", r->session);
	params_str(p, "threadId", r->thread);
	if (r->kind != REF_SESSION && r->kind != REF_THREAD)
		params_str(p, "turnId", r->turn);
	return CODE_DONE;
}

/* Returns when the stop is recorded; the turn ends a little later. */
int verb_stop(struct cli *c)
{
	struct ref r;
	struct params p;
	struct json reply;
	int code = begin(c, &r, &p);

	if (code)
		return code;
	params_cstr(&p, "reason", c->opts.reason);
	params_cstr(&p, "queuePolicy", c->opts.queue_policy);
	params_key(c, &p);
	code = connection_call(c, "interrupt_turn", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else if (is_word(reply, "no_op"))
		out_note(c, TONE_DIM, "nothing is running there");
	else
		out_note(c, TONE_PLAIN, "stopping %s",
		         out_id(c, json_str(JSON_GET(reply, "turnId"))));
	return CODE_DONE;
}

/* One command for two waits: a turn that a restart interrupted, and a queue that is held. */
int verb_resume(struct cli *c)
{
	struct ref r;
	struct params p;
	struct json reply;
	int code;

	if (!c->arg_count)
		return verb_chat_pick(c);
	code = begin(c, &r, &p);
	if (code)
		return code;
	params_key(c, &p);
	code = connection_call(c, "resume_thread", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else if (is_word(reply, "nothing_to_resume"))
		out_note(c, TONE_DIM, "nothing waits there to be resumed");
	else if (is_word(reply, "released"))
		out_note(c, TONE_PLAIN, "the queue continues");
	else if (is_word(reply, "running"))
		out_note(c, TONE_DIM, "already running");
	else
		out_note(c, TONE_PLAIN, "%s continues; `thole log -f %s` follows it",
		         out_id(c, json_str(JSON_GET(reply, "turnId"))), out_id(c, r.session));
	return CODE_DONE;
}
