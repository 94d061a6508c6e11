/* verify: is the log what was written? */
#include "app/cli/link.h"
#include "app/cli/out.h"
#include "app/cli/ref.h"

struct checking {
	struct cli *c;
	int64_t sessions, events, erased, broken;
	int code;
};

static void put_bad(struct cli *c, struct json bad)
{
	printf("%s%s  broken at event %lld%s: %s\n", tone_on(c->color_out, TONE_BAD),
	       safe(c->mem, json_str(JSON_GET(bad, "sessionId"))),
	       (long long)json_int(JSON_GET(bad, "sequence"), 0), tone_off(c->color_out),
	       safe(c->mem, json_str(JSON_GET(bad, "reason"))));
}

static bool check(struct checking *k, struct str session)
{
	struct params p;
	struct json reply, bad;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	k->code = link_call(k->c, "verify_log", &p, &reply);
	if (k->code)
		return false;
	if (k->c->opts.json)
		put_json(reply);
	k->sessions++;
	k->events += json_int(JSON_GET(reply, "events"), 0);
	k->erased += json_int(JSON_GET(reply, "erased"), 0);
	bad = JSON_GET(reply, "firstBad");
	if (json_is(bad)) {
		k->broken++;
		if (!k->c->opts.json)
			put_bad(k->c, bad);
	}
	return true;
}

static bool visit(void *arg, struct json row)
{
	return check(arg, json_str(JSON_GET(row, "sessionId")));
}

static void put_sum(const struct checking *k)
{
	const char *erased =
		k->erased
			? arena_printf(k->c->mem, ", %lld erased by law", (long long)k->erased).ptr
			: "";

	if (k->c->opts.json)
		return;
	printf("%s  %lld event%s in %lld session%s%s\n", k->broken ? "broken" : "whole",
	       (long long)k->events, k->events == 1 ? "" : "s", (long long)k->sessions,
	       k->sessions == 1 ? "" : "s", erased);
}

int verb_verify(struct cli *c)
{
	struct checking k = { .c = c };
	struct ref r;
	int code = link_open(c);

	if (code)
		return code;
	if (c->arg_count) {
		code = ref_find(c, c->args[0], &r);
		if (!code)
			check(&k, r.session);
	} else {
		code = link_list(c, "list_sessions", "sessions",
		                 &(struct filter){ "system", "true" }, visit, &k);
	}
	if (!code)
		code = k.code;
	if (code)
		return code;
	put_sum(&k);
	return k.broken ? CODE_FAILED : CODE_DONE;
}
