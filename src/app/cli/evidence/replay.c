/*
 * replay: folds the events of a pack and compares the read models, without the
 * model and without a store.  The log of a session is folded by its daemon, from the
 * store; that is a read and changes nothing.
 */
#include "app/cli/evidence/evidence_verbs.h"

#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/print/out.h"
#include "base/gen/words.h"

static void put_report(struct cli *c, struct json report)
{
	struct str status = json_str(JSON_GET(report, "status"));

	verify_pack_findings(c, report);
	if (str_eq(status, STR(WORD_EVIDENCE_SIGNAL_NOT_RECORDED)))
		printf("not recorded  the events of this pack were removed by redaction\n");
	else
		printf("%s  %lld events folded, %lld read models compared\n",
		       out_safe(c->mem, status), (long long)json_int(JSON_GET(report, "events"), 0),
		       (long long)json_int(JSON_GET(report, "views"), 0));
}

static int replay_path(struct cli *c, const char *path)
{
	return verify_pack_report(c, path, thole_replay_pack, put_report);
}

/* A replay of other bytes than those that were recorded would prove nothing. */
static int check_first(struct cli *c, const char *path)
{
	struct thole_error why;
	struct json report;
	char *text;
	int code = thole_verify_pack(path, &text, &why);

	if (!text) {
		out_error(c, "%s.", out_safe(c->mem, str_from(why.message)));
		return CODE_USAGE;
	}
	if (code != THOLE_OK && json_read_trusted(c->mem, str_from(text), &report, NULL) == OK) {
		if (c->opts.json)
			out_json(report);
		else
			verify_pack_findings(c, report);
	}
	thole_free(text);
	return code == THOLE_OK ? CODE_DONE : CODE_FAILED;
}

/* ---- a session: the daemon folds its log, and nothing is recorded ---- */

static void put_folded(struct cli *c, struct json reply)
{
	struct json_iter it = json_iter(JSON_GET(reply, "different"));
	struct json path;
	struct str key;

	while (json_next(&it, &key, &path))
		printf("%s%s%s: the replay gives another text than the session shows\n",
		       out_tone_on(c->color_out, TONE_BAD), out_safe(c->mem, json_str(path)),
		       out_tone_off(c->color_out));
	printf("%s  %lld events folded, %lld read models compared\n", out_field(c, reply, "status"),
	       (long long)json_int(JSON_GET(reply, "events"), 0),
	       (long long)json_int(JSON_GET(reply, "views"), 0));
}

static int replay_session(struct cli *c)
{
	struct json reply;
	struct params p;
	struct ref ref;
	int code = connection_open_to_read(c);

	if (!code)
		code = ref_find(c, c->args[0], &ref);
	if (!code)
		code = decide_again_check_log(c, ref.session);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", ref.session);
	code = connection_call(c, "replay_session", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		put_folded(c, reply);
	return str_eq(json_str(JSON_GET(reply, "status")), STR("same")) ? CODE_DONE : CODE_FAILED;
}

int verb_replay(struct cli *c)
{
	int code = verify_pack_check_word(c, c->args[0]);

	if (code)
		return code;
	if (c->opts.with)
		c->opts.decisions = true;
	if (c->opts.decisions && !verify_pack_is_path(c->args[0]))
		return decide_again(c);
	if (!verify_pack_is_path(c->args[0]))
		return replay_session(c);
	code = check_first(c, c->args[0]);
	if (code)
		return code;
	return c->opts.decisions ? decide_again_pack(c, c->args[0]) : replay_path(c, c->args[0]);
}
