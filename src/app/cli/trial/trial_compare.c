/* trial compare: two configurations over the same tasks; the runtime computes, others decide. */
#include "app/cli/trial/trial_verbs.h"

#include "app/cli/print/table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROWS_MAX (4u << 20)

/* ---- collecting ---- */

struct collection {
	struct cli *c;
	struct json_writer *w;
	struct str session; /* of the first trial here */
	int count;
};

static bool is_wanted(const struct collection *k, struct json row)
{
	struct json b = JSON_GET(row, "benchmark");
	struct str id = json_str(JSON_GET(b, "configurationId"));
	const char *dataset = k->c->opts.dataset;

	return (str_eq(id, str_from(k->c->args[1])) || str_eq(id, str_from(k->c->args[2]))) &&
	       (!dataset || str_eq(json_str(JSON_GET(b, "datasetId")), str_from(dataset)));
}

static bool take_row(void *arg, struct json row)
{
	struct collection *k = arg;

	if (!is_wanted(k, row))
		return true;
	jw_value(k->w, row);
	k->count++;
	if (!str_is(k->session))
		k->session = json_str(JSON_GET(row, "sessionId"));
	return true;
}

/* Rows of another runtime: the output of `thole trial ls --json` there. */
static int take_file(struct collection *k, const char *path)
{
	struct str text = paths_read_file(k->c->mem, path, ROWS_MAX);
	struct error e = { 0 };
	struct json doc, row;
	struct json_iter it;
	struct str key;

	if (!str_is(text)) {
		out_error(k->c, "%s: %s.", out_safe(k->c->mem, str_from(path)), strerror(errno));
		return CODE_USAGE;
	}
	if (json_read(k->c->mem, text, &doc, &e) != OK ||
	    json_type(JSON_GET(doc, "trials")) != JSON_ARR) {
		out_error(k->c, "%s: not the output of `thole trial ls --json`.",
		          out_safe(k->c->mem, str_from(path)));
		return CODE_USAGE;
	}
	it = json_iter(JSON_GET(doc, "trials"));
	while (json_next(&it, &key, &row))
		if (is_wanted(k, row)) {
			jw_value(k->w, row);
			k->count++;
		}
	return CODE_DONE;
}

static int collect(struct collection *k)
{
	int code = CODE_DONE;

	jw_arr(k->w);
	if (k->c->opts.from_files.count) {
		for (int i = 0; i < k->c->opts.from_files.count && !code; i++)
			code = take_file(k, k->c->opts.from_files.items[i]);
	} else {
		code = connection_list(k->c, "list_benchmark_trials", "trials", NULL, take_row, k);
	}
	jw_arr_end(k->w);
	return code;
}

/* ---- the decision of others ---- */

/* One whose status contradicts `pass` decides nothing.  A waiver may go with both. */
static bool is_verdict(struct json v)
{
	static const struct {
		bool passes, fails;
		const char *word; /* of Agent QC */
	} known[] = { { true, false, "passed" },    { true, true, "waived" },
		      { false, true, "failed" },    { false, true, "blocked" },
		      { false, true, "exhausted" }, { false, true, "needs-review" } };
	struct str status = json_str(JSON_GET(v, "status"));
	bool is_pass = json_bool(JSON_GET(v, "pass"), false);

	for (size_t i = 0; i < COUNT_OF(known); i++)
		if (str_eq(status, str_from(known[i].word)))
			return json_type(JSON_GET(v, "pass")) == JSON_BOOL &&
			       (is_pass ? known[i].passes : known[i].fails);
	return false;
}

/* An Agent QC verdict: its status is the decision, and the file its source. */
static int put_verdict(struct cli *c, struct params *p)
{
	struct str text = paths_read_file(c->mem, c->opts.verdict, 1u << 20);
	struct error e = { 0 };
	struct json v;

	if (!str_is(text) || json_read(c->mem, text, &v, &e) != OK || !is_verdict(v)) {
		out_error(c, "%s is not an Agent QC verdict, or its status contradicts pass.",
		          out_safe(c->mem, str_from(c->opts.verdict)));
		return CODE_USAGE;
	}
	params_str(p, "decision", json_str(JSON_GET(v, "status")));
	params_str(p, "decisionSource", arena_printf(c->mem, "agentqc:%s", c->opts.verdict));
	params_str(p, "remainingRisk", json_str(JSON_GET(v, "remaining_risk")));
	return CODE_DONE;
}

static int put_decision(struct cli *c, struct params *p)
{
	const struct opts *o = &c->opts;

	if (o->verdict)
		return put_verdict(c, p);
	params_cstr(p, "decision", o->decision);
	params_cstr(p, "decisionSource", o->source);
	params_cstr(p, "remainingRisk", o->risk);
	return CODE_DONE;
}

/* ---- sending ---- */

/* Rows of other runtimes belong to no session here; the comparison gets one. */
static int find_session(struct cli *c, struct str *session)
{
	struct params p;
	struct json reply;
	int code;

	if (str_is(*session))
		return CODE_DONE;
	params_begin(&p);
	params_cstr(&p, "title", "Comparison");
	params_key(c, &p);
	code = connection_call(c, "create_session", &p, &reply);
	*session = json_str(JSON_GET(reply, "sessionId"));
	return code;
}

static int send_rows(struct cli *c, struct collection *k, struct str rows, struct json *ret)
{
	const struct opts *o = &c->opts;
	struct params p;
	int code = find_session(c, &k->session);

	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", k->session);
	params_cstr(&p, "baselineConfigurationId", c->args[1]);
	params_cstr(&p, "candidateConfigurationId", c->args[2]);
	params_cstr(&p, "singleChangedVariable", o->changed);
	params_cstr(&p, "reportRef", o->report);
	if (o->has_p0)
		params_int(&p, "p0QcGateRegressionCount", o->p0);
	code = put_decision(c, &p);
	if (code) {
		params_done(&p);
		return code;
	}
	params_raw(&p, "trials", rows);
	params_key(c, &p);
	return connection_call(c, "compare_benchmark_runs", &p, ret);
}

/* ---- showing ---- */

static void put_number(struct cli *c, struct json comparison, const char *label, const char *key)
{
	struct json v = json_get(comparison, str_from(key));

	if (json_is(v))
		printf("%-22s %s\n", label, out_safe(c->mem, json_text(c->mem, v)));
}

static void put_comparison(struct cli *c, struct json x)
{
	static const struct {
		const char *label, *key;
	} lines[] = {
		{ "tasks", "tasks" },
		{ "trials of baseline", "baselineTrials" },
		{ "trials of candidate", "candidateTrials" },
		{ "without a score", "candidateUnscored" },
		{ "mean reward", "candidateMeanReward" },
		{ "  of the baseline", "baselineMeanReward" },
		{ "  change", "meanRewardDelta" },
		{ "  standard error", "meanRewardDeltaStdErr" },
		{ "timeout rate change", "timeoutRateDelta" },
		{ "failure rate change", "failureRateDelta" },
		{ "cost change, USD", "costDeltaUsd" },
		{ "tokens change", "tokensDelta" },
		{ "time change, ms", "durationDeltaMs" },
		{ "complete evidence", "evidenceCompletenessRate" },
		{ "  of the baseline", "baselineEvidenceCompletenessRate" },
		{ "P0 regressions", "p0QcGateRegressionCount" },
	};

	for (size_t i = 0; i < COUNT_OF(lines); i++)
		put_number(c, x, lines[i].label, lines[i].key);
	printf("%-22s %s\n", "decision",
	       str_is(json_str(JSON_GET(x, "decision"))) ? out_field(c, x, "decision")
	                                                 : "none; the quality owner decides");
}

static int write_text(struct cli *c, const char *path, struct str text)
{
	FILE *f = fopen(path, "we");
	bool is_whole = f && fwrite(text.ptr, 1, text.len, f) == text.len && fputc('\n', f) != EOF;

	if (f && fclose(f) != 0)
		is_whole = false;
	if (is_whole)
		return CODE_DONE;
	out_error(c, "%s: %s.", out_safe(c->mem, str_from(path)), strerror(errno));
	return CODE_FAILED;
}

/* The stored document: the comparison with the trials that it is made of. */
static int read_document(struct cli *c, struct json reply, struct str *ret)
{
	struct buf all = { 0 };
	bool is_end = false;
	int code = CODE_DONE;

	while (!code && !is_end) {
		struct params p;
		struct json page;
		size_t before = all.len;

		params_begin(&p);
		params_str(&p, "outputRef", json_str(JSON_GET(reply, "comparisonRef")));
		params_int(&p, "offset", (int64_t)all.len);
		code = connection_call(c, "get_output", &p, &page);
		if (!code)
			buf_add_str(&all, json_str(JSON_GET(page, "text")));
		is_end = json_bool(JSON_GET(page, "eof"), false) || all.len == before;
	}
	*ret = arena_keep(c->mem, buf_str(&all));
	buf_done(&all);
	return code;
}

static int write_documents(struct cli *c, struct json reply)
{
	struct str text;
	struct json doc;
	int code = read_document(c, reply, &text);

	if (!code && c->opts.file)
		code = write_text(c, c->opts.file, text);
	if (!code && c->opts.qc) {
		if (json_read_trusted(c->mem, text, &doc, NULL) != OK)
			return CODE_FAILED;
		code = write_text(c, c->opts.qc, trial_qc_text(c, doc));
	}
	return code;
}

int trial_compare(struct cli *c)
{
	struct buf rows = { 0 };
	struct json_writer w;
	struct collection k = { .c = c, .w = &w };
	struct json reply;
	int code;

	if (c->opts.verdict && (c->opts.decision || c->opts.source || c->opts.risk))
		return opt_usage(c, "--verdict says what was decided; leave --decision, --source "
		                    "and --risk out.");
	jw_init(&w, &rows);
	code = collect(&k);
	code = code ? code : send_rows(c, &k, buf_str(&rows), &reply);
	buf_done(&rows);
	if (code)
		return code;
	if (c->opts.file || c->opts.qc)
		code = write_documents(c, reply);
	if (c->opts.json)
		out_json(reply);
	else if (!c->opts.quiet)
		put_comparison(c, JSON_GET(reply, "comparison"));
	return code;
}
