/*
 * trial reward: sends what a verifier wrote.
 *
 * The file goes to the runtime as it is, which reads the number and keeps the
 * bytes with their hash.  What explains the score is looked for beside it.
 */
#include "app/cli/trial/trial_verbs.h"

#include "base/gen/limits.h"
#include "base/gen/words.h"
#include "base/utf8.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

struct found {
	const char *reward;  /* path */
	const char *details; /* path; NULL: none */
	const char *kind;    /* of the details */
};

static bool is_file(const char *path)
{
	struct stat st;

	/* Not through a link: what a verifier leaves may be made by the agent. */
	return lstat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static const char *beside(struct cli *c, const char *dir, const char *name)
{
	const char *path = arena_printf(c->mem, "%s/%s", dir, name).ptr;

	return is_file(path) ? path : NULL;
}

/* Harbor's names, in the order in which they explain a score best. */
static void find_details(struct cli *c, const char *dir, struct found *f)
{
	static const struct {
		const char *name, *kind;
	} names[] = { { "reward-details.json", WORD_REWARD_DETAILS_REWARD_DETAILS },
		      { "test-stdout.txt", WORD_REWARD_DETAILS_TEST_STDOUT },
		      { "ctrf.json", WORD_REWARD_DETAILS_CTRF } };

	for (size_t i = 0; i < COUNT_OF(names) && !f->details; i++) {
		f->details = beside(c, dir, names[i].name);
		f->kind = names[i].kind;
	}
}

static const char *folder_of(struct cli *c, const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? arena_keep(c->mem, str_of(path, MAX((size_t)(slash - path), 1))).ptr : ".";
}

/* False: there is no reward at this place.  The folder may be replaced by a link as well as a file. */
static bool find_files(struct cli *c, const char *place, struct found *f)
{
	struct stat st;
	bool is_dir = lstat(place, &st) == 0 && S_ISDIR(st.st_mode);

	*f = (struct found){ .reward = is_dir ? beside(c, place, "reward.json") : place };
	if (is_dir && !f->reward)
		f->reward = beside(c, place, "reward.txt");
	if (!f->reward || !is_file(f->reward))
		return false;
	find_details(c, is_dir ? place : folder_of(c, place), f);
	return true;
}

/* A text that is too long, or no text, stays where it is and is named. */
static void put_details(struct cli *c, struct params *p, const struct found *f, bool *ret_ref)
{
	struct str text = f->details
	                          ? paths_read_own(c->mem, f->details, LIMIT_REWARD_DETAILS_BYTES)
	                          : STR_NONE;

	if (!f->details)
		return;
	params_cstr(p, "detailsKind", f->kind);
	*ret_ref = !str_is(text) || !utf8_is_valid(text);
	if (!*ret_ref)
		params_str(p, "details", text);
}

static void put_refs(struct cli *c, struct params *p, const struct found *f, bool names_details)
{
	if (!names_details)
		return;
	JW_KEY(&p->w, "refs");
	jw_obj(&p->w);
	JW_KSTR(&p->w, "rewardDetailsRef", str_from(paths_absolute(c, f->details)));
	jw_obj_end(&p->w);
}

int trial_score_send(struct cli *c, const struct trial_score_place *at, struct json *ret)
{
	struct found f;
	struct params p;
	struct str text;
	bool names_details = false;

	if (!find_files(c, at->place, &f)) {
		out_error(c, "There is no reward.json or reward.txt at %s.",
		          out_safe(c->mem, str_from(at->place)));
		return CODE_USAGE;
	}
	text = paths_read_own(c->mem, f.reward, LIMIT_REWARD_FILE_BYTES);
	if (!str_is(text) || !utf8_is_valid(text)) {
		out_error(c, "%s is not a reward file: %s.", out_safe(c->mem, str_from(f.reward)),
		          str_is(text) ? "it is not text" : strerror(errno));
		return CODE_USAGE;
	}
	params_begin(&p);
	params_str(&p, "sessionId", at->session);
	params_str(&p, "trialId", at->trial);
	params_str(&p, "file", text);
	params_cstr(&p, "key", c->opts.reward_key);
	params_cstr(&p, "verifierRef", at->verifier);
	params_cstr(&p, "verifierStatus", at->status);
	if (c->opts.note) {
		params_cstr(&p, "detailsKind", WORD_REWARD_DETAILS_NOTE);
		params_cstr(&p, "details", c->opts.note);
	} else {
		put_details(c, &p, &f, &names_details);
	}
	if (c->opts.separate) {
		params_bool(&p, "separateVerifier", true);
		params_bool(&p, "trajectoryTransferred", c->opts.transferred);
	}
	put_refs(c, &p, &f, names_details);
	params_key(c, &p);
	return connection_call(c, "record_benchmark_reward", &p, ret);
}

int trial_score(struct cli *c)
{
	struct trial_score_place at = { .place = c->args[2],
		                        .verifier = c->opts.verifier,
		                        .status = c->opts.status };
	struct json row, reply;
	int code;

	if (c->opts.transferred && !c->opts.separate)
		return opt_usage(c, "--transferred goes with --separate.");
	code = cli_trial_find(c, c->args[1], &row);
	if (code)
		return code;
	at.session = json_str(JSON_GET(row, "sessionId"));
	at.trial = json_str(JSON_GET(row, "trialId"));
	code = trial_score_send(c, &at, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else
		printf("%s  reward %s\n", out_safe(c->mem, at.trial),
		       out_safe(c->mem, json_text(c->mem, JSON_GET(reply, "reward"))));
	return CODE_DONE;
}
