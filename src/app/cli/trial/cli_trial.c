/* trial: lists and shows trials of benchmarks; the other words are in their own files. */
#include "app/cli/trial/trial_verbs.h"

#include "app/cli/print/listing.h"

#include <string.h>

/* ---- finding ---- */

struct search {
	struct str text;
	struct json row;
	int found;
	bool is_exact;
};

static bool look(void *arg, struct json row)
{
	struct search *s = arg;
	struct str id = json_str(JSON_GET(row, "trialId"));

	if (!str_starts(id, s->text))
		return true;
	s->found++;
	s->row = row;
	s->is_exact = str_eq(id, s->text);
	return !s->is_exact;
}

int cli_trial_find(struct cli *c, const char *text, struct json *ret)
{
	struct search s = { .text = str_from(text) };
	int code = connection_list(c, "list_benchmark_trials", "trials", NULL, look, &s);

	if (code)
		return code;
	if (s.is_exact || s.found == 1) {
		*ret = s.row;
		return CODE_DONE;
	}
	out_error(c, s.found ? "%s is the beginning of several trials." : "There is no trial %s.",
	          out_safe(c->mem, s.text));
	fprintf(stderr, "  `thole trial ls` lists them.\n");
	return s.found ? CODE_USAGE : CODE_FAILED;
}

/* ---- ls ---- */

static const char *reward_of(struct cli *c, struct json row)
{
	struct json value = JSON_GET(JSON_GET(row, "reward"), "value");

	return json_is(value) ? out_safe(c->mem, json_text(c->mem, value)) : "-";
}

static const char *time_of(struct cli *c, struct json row)
{
	struct json ms = JSON_GET(row, "durationMs");

	return json_is(ms) ? out_span(c->mem, json_int(ms, 0)) : "-";
}

static enum tone trial_cells(struct cli *c, struct json row, const char **ret)
{
	struct json b = JSON_GET(row, "benchmark");

	ret[0] = out_field(c, row, "trialId");
	ret[1] = out_field(c, b, "taskId");
	ret[2] = out_field(c, b, "configurationId");
	ret[3] = out_field(c, row, "status");
	ret[4] = reward_of(c, row);
	ret[5] = time_of(c, row);
	ret[6] =
		json_is(JSON_GET(row, "costUsd")) ? out_usd(c->mem, JSON_GET(row, "costUsd")) : "-";
	ret[7] = out_id(c, json_str(JSON_GET(row, "sessionId")));
	return TONE_PLAIN;
}

static int list(struct cli *c)
{
	static const char *const heads[] = { "TRIAL", "TASK", "CONFIGURATION", "STATUS", "REWARD",
		                             "TIME",  "COST", "SESSION",       NULL };
	struct filter only = {
		"status", arena_printf(c->mem, "\"%s\"", c->opts.status ? c->opts.status : "").ptr
	};

	return listing_show(c, &(struct listing){ .command = "list_benchmark_trials",
	                                          .rows = "trials",
	                                          .id = "trialId",
	                                          .heads = heads,
	                                          .only = c->opts.status ? &only : NULL,
	                                          .none = "no trials",
	                                          .cells = trial_cells });
}

/* ---- show ---- */

static void put_line(struct cli *c, const char *name, const char *value)
{
	if (value && *value)
		printf("%-14s %s\n", name, value);
}

static void put_refs(struct cli *c, struct json refs)
{
	struct json_iter it = json_iter(refs);
	struct json value;
	struct str key;

	while (json_next(&it, &key, &value))
		printf("  %-24s %s\n", out_safe(c->mem, key), out_safe(c->mem, json_str(value)));
}

static int show(struct cli *c)
{
	struct json row, b;
	int code = cli_trial_find(c, c->args[1], &row);

	if (code)
		return code;
	if (c->opts.json) {
		out_json(row);
		return CODE_DONE;
	}
	b = JSON_GET(row, "benchmark");
	printf("%s%s%s  %s\n", out_tone_on(c->color_out, TONE_BOLD), out_field(c, row, "trialId"),
	       out_tone_off(c->color_out), out_field(c, row, "status"));
	put_line(c, "dataset", out_field(c, b, "datasetId"));
	put_line(c, "version", out_field(c, b, "datasetVersion"));
	put_line(c, "task", out_field(c, b, "taskId"));
	put_line(c, "configuration", out_field(c, b, "configurationId"));
	put_line(c, "model", out_field(c, JSON_GET(row, "configuration"), "model"));
	put_line(c, "session", out_field(c, row, "sessionId"));
	put_line(c, "turn", out_field(c, row, "turnId"));
	put_line(c, "time", time_of(c, row));
	put_line(c, "reward", reward_of(c, row));
	put_line(c, "verifier", out_field(c, row, "verifierRef"));
	put_line(c, "failure", out_field(c, row, "message"));
	put_refs(c, JSON_GET(row, "refs"));
	return CODE_DONE;
}

/* ---- the verb ---- */

int verb_trial(struct cli *c)
{
	static const struct {
		const char *word;
		int args;
		int (*run)(struct cli *c);
		const char *usage;
	} words[] = {
		{ "run", 2, trial_run,
		  "thole trial run wants a folder with tasks, and --config FILE." },
		{ "ls", 1, list, "thole trial ls takes no words." },
		{ "show", 2, show, "thole trial show wants one trial." },
		{ "reward", 3, trial_score,
		  "thole trial reward wants a trial, and the verifier's file or folder." },
		{ "export", 2, trial_export, "thole trial export wants one trial, and -o DIR." },
		{ "compare", 3, trial_compare,
		  "thole trial compare wants two configurations: the baseline and the candidate." },
	};

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (strcmp(words[i].word, c->args[0]) == 0)
			return c->arg_count == words[i].args ? words[i].run(c)
			                                     : opt_usage(c, "%s", words[i].usage);
	return opt_usage(c,
	                 "`thole trial` does run, ls, show, reward, export or compare, not \"%s\".",
	                 c->args[0]);
}
