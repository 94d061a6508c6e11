/* retain, erase, delete and rebuild: an operator's changes to a log. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"

/* On failure p is not begun, so nothing has to be freed. */
static int begin(struct cli *c, struct params *p, struct str *ret_session)
{
	struct ref r;
	int code = connection_open(c);

	if (!code)
		code = ref_find(c, c->args[0], &r);
	if (code)
		return code;
	params_begin(p);
	params_str(p, "sessionId", r.session);
	params_key(c, p);
	*ret_session = r.session;
	return CODE_DONE;
}

/* Exactly one of the two limits, because a wrong one removes events for good. */
int verb_retain(struct cli *c)
{
	struct params p;
	struct json reply;
	struct str session;
	int code;

	if (c->opts.has_through == c->opts.has_keep)
		return opt_usage(c, "`thole retain` wants either --through SEQ or --keep N.");
	code = begin(c, &p, &session);
	if (code)
		return code;
	if (c->opts.has_through)
		params_int(&p, "through", c->opts.through);
	else
		params_int(&p, "keep", c->opts.keep);
	params_cstr(&p, "reason", c->opts.reason);
	code = connection_call(c, "trim_log", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else if (json_int(JSON_GET(reply, "removedThrough"), 0) == 0)
		out_note(c, TONE_DIM, "nothing to remove");
	else
		printf("%s  events through %lld are gone\n", out_safe(c->mem, session),
		       (long long)json_int(JSON_GET(reply, "removedThrough"), 0));
	return CODE_DONE;
}

/* Erasure is irreversible and recorded, so a reason is required. */
int verb_erase(struct cli *c)
{
	struct params p;
	struct json reply;
	struct str session;
	int64_t seq;
	int code;

	if (!str_to_i64(str_from(c->args[1]), &seq) || seq < 1)
		return opt_usage(c, "'%s' is not the number of an event", c->args[1]);
	if (!c->opts.reason)
		return opt_usage(
			c, "`thole erase` wants --reason TEXT: the legal ground, or who asked.");
	code = begin(c, &p, &session);
	if (code)
		return code;
	params_int(&p, "eventSequence", seq);
	params_cstr(&p, "reason", c->opts.reason);
	code = connection_call(c, "erase_event", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		printf("%s  event %lld: %s\n", out_safe(c->mem, session), (long long)seq,
		       out_safe(c->mem, json_str(JSON_GET(reply, "status"))));
	return CODE_DONE;
}

/* Only by the id of a session: with that of a turn much more would be deleted than was named. */
int verb_delete(struct cli *c)
{
	struct params p;
	struct json reply;
	struct ref r;
	int code = connection_open(c);

	if (!code)
		code = ref_find_session(c, c->args[0], &r);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	params_key(c, &p);
	params_cstr(&p, "reason", c->opts.reason);
	code = connection_call(c, "delete_session", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		printf("%s  %s, %lld events; recorded by event %lld of sess_system\n",
		       out_safe(c->mem, r.session), out_field(c, reply, "status"),
		       (long long)json_int(JSON_GET(reply, "lastSequence"), 0),
		       (long long)json_int(JSON_GET(reply, "sequence"), 0));
	return CODE_DONE;
}

/* ---- rebuild ---- */

struct rebuilding {
	struct cli *c;
	int64_t sessions, events;
	int code;
};

static bool rebuild(void *arg, struct str session)
{
	struct rebuilding *b = arg;
	struct params p;
	struct json reply;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	params_key(b->c, &p);
	b->code = connection_call(b->c, "rebuild_session", &p, &reply);
	if (b->code)
		return false;
	if (b->c->opts.json)
		out_json(reply);
	b->sessions++;
	b->events += json_int(JSON_GET(reply, "events"), 0);
	return true;
}

int verb_rebuild(struct cli *c)
{
	struct rebuilding b = { .c = c };
	int code = connection_open(c);

	if (!code)
		code = ref_each_session(c, rebuild, &b);
	if (!code)
		code = b.code;
	if (!code && !c->opts.json)
		printf("%lld event%s of %lld session%s folded again\n", (long long)b.events,
		       b.events == 1 ? "" : "s", (long long)b.sessions, b.sessions == 1 ? "" : "s");
	return code;
}
