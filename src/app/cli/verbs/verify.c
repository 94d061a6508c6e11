/* verify: checks the hash chain of the log and names the first bad event; or checks a pack. */
#include "app/cli/connection.h"
#include "app/cli/evidence/evidence_verbs.h"
#include "app/cli/print/out.h"
#include "app/cli/ref.h"
#include "base/os/id.h"

struct checking {
	struct cli *c;
	struct verify_sum sum;
	int code;
};

static void put_bad(struct cli *c, struct json bad)
{
	printf("%s%s  broken at event %lld%s: %s\n", out_tone_on(c->color_out, TONE_BAD),
	       out_safe(c->mem, json_str(JSON_GET(bad, "sessionId"))),
	       (long long)json_int(JSON_GET(bad, "sequence"), 0), out_tone_off(c->color_out),
	       out_safe(c->mem, json_str(JSON_GET(bad, "reason"))));
}

static void put_missing(struct checking *k, struct str session, struct json missing)
{
	struct json_iter it = json_iter(missing);
	struct json ref;
	struct str key;

	while (json_next(&it, &key, &ref)) {
		k->sum.missing++;
		if (!k->c->opts.json)
			printf("%s%s  the file of output %s is gone%s\n",
			       out_tone_on(k->c->color_out, TONE_BAD), out_safe(k->c->mem, session),
			       out_safe(k->c->mem, json_str(ref)), out_tone_off(k->c->color_out));
	}
}

/* Asked for by its id: a list of sessions does not have it. */
static void put_removed(struct checking *k, struct str session, struct json reply)
{
	k->sum.removed++;
	k->sum.sessions--;
	if (!k->c->opts.json)
		printf("%s  removed, recorded by event %lld of sess_system\n",
		       out_safe(k->c->mem, session),
		       (long long)json_int(JSON_GET(reply, "removedBy"), 0));
}

static void take(struct checking *k, struct str session, struct json reply)
{
	struct json bad;

	if (k->c->opts.json)
		out_json(reply);
	k->sum.sessions++;
	k->sum.events += json_int(JSON_GET(reply, "events"), 0);
	k->sum.erased += json_int(JSON_GET(reply, "erased"), 0);
	k->sum.removed += json_int(JSON_GET(reply, "removedSessions"), 0);
	if (json_is(JSON_GET(reply, "removedBy")))
		put_removed(k, session, reply);
	bad = JSON_GET(reply, "firstBad");
	if (json_is(bad)) {
		k->sum.broken++;
		if (!k->c->opts.json)
			put_bad(k->c, bad);
	}
	put_missing(k, session, JSON_GET(reply, "missingOutputs"));
}

/* A broken session does not stop the check of the others. */
static bool check(void *arg, struct str session)
{
	struct checking *k = arg;
	struct params p;
	struct json reply;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	k->code = connection_call(k->c, "verify_log", &p, &reply);
	if (!k->code)
		take(k, session, reply);
	return !k->code;
}

static void put_sum(const struct cli *c, const struct verify_sum *s)
{
	const char *erased =
		s->erased ? arena_printf(c->mem, ", %lld erased by law", (long long)s->erased).ptr
			  : "";
	const char *removed = s->removed ? arena_printf(c->mem, ", %lld removed and recorded",
	                                                (long long)s->removed)
	                                           .ptr
	                                 : "";

	if (c->opts.json)
		return;
	printf("%s  %lld event%s in %lld session%s%s%s\n",
	       s->broken    ? "broken"
	       : s->missing ? "incomplete"
	                    : "whole",
	       (long long)s->events, s->events == 1 ? "" : "s", (long long)s->sessions,
	       s->sessions == 1 ? "" : "s", erased, removed);
}

int verify_all(struct cli *c, struct verify_sum *ret)
{
	struct checking k = { .c = c };
	int code = ref_each_session(c, check, &k);

	*ret = k.sum;
	return code ? code : k.code;
}

/* True: a session has this whole id, or had it.  Then no other one is meant. */
static bool check_exact(struct checking *k, struct str id)
{
	struct json reply;
	struct params p;
	int code;

	if (!id_is_valid(id))
		return false;
	params_begin(&p);
	params_str(&p, "sessionId", id);
	code = connection_try(k->c, "verify_log", &p, true, &reply);
	if (code == THOLE_REFUSED &&
	    str_eq(json_str(JSON_GET(reply, "code")), STR("session_not_found")))
		return false;
	if (code == THOLE_OK)
		take(k, id, reply);
	else
		k->code = cli_failure_print(k->c, code, reply);
	return true;
}

/* One session by its id, also one that is not there any more; or all of them. */
static int verify_some(struct cli *c, struct verify_sum *ret)
{
	struct checking k = { .c = c };
	struct ref r;
	int code = CODE_DONE;

	if (!c->args[0])
		return verify_all(c, ret);
	if (!check_exact(&k, str_from(c->args[0]))) {
		code = ref_find(c, c->args[0], &r);
		if (!code)
			(void)check(&k, r.session);
	}
	*ret = k.sum;
	return code ? code : k.code;
}

int verb_verify(struct cli *c)
{
	struct verify_sum sum;
	int code = c->args[0] ? verify_pack_check_word(c, c->args[0]) : CODE_DONE;

	if (code)
		return code;
	if (c->opts.checkpoint && c->args[0])
		return opt_usage(c, "--checkpoint is about all data; name no session or pack.");
	if (c->opts.checkpoint)
		return verify_checkpoint(c);
	if (c->opts.key && (!c->args[0] || !verify_pack_is_path(c->args[0])))
		return opt_usage(c, "--key goes with a pack or with --checkpoint.");
	if (c->args[0] && verify_pack_is_path(c->args[0]))
		return verify_pack(c, c->args[0]);
	code = connection_open_to_read(c);
	if (!code)
		code = verify_some(c, &sum);
	if (code)
		return code;
	put_sum(c, &sum);
	return sum.broken || sum.missing ? CODE_FAILED : CODE_DONE;
}
