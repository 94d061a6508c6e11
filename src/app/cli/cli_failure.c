/* Prints why a call or turn failed and what to type next, and maps the failure to an exit code. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "base/gen/words.h"

static const struct {
	/* error category of a turn's end; the rest of the words give CODE_FAILED */
	const char *category;
	int code;
} by_category[] = {
	{ "auth", CODE_CONFIG },
	{ WORD_ERROR_CATEGORY_NO_CANDIDATE, CODE_CONFIG },
	{ WORD_ERROR_CATEGORY_PRICE_MISSING, CODE_CONFIG },
	{ "permission", CODE_DENIED },
	{ WORD_ERROR_CATEGORY_HOOK_BLOCKED, CODE_DENIED },
	{ "budget", CODE_BUDGET },
	{ "quota", CODE_BUDGET },
	{ WORD_ERROR_CATEGORY_INVALID_REQUEST, CODE_PROVIDER },
	{ WORD_ERROR_CATEGORY_NOT_FOUND, CODE_PROVIDER },
	{ WORD_ERROR_CATEGORY_CONTEXT_LENGTH, CODE_PROVIDER },
	{ WORD_ERROR_CATEGORY_CONTENT_FILTER, CODE_PROVIDER },
	{ "refusal", CODE_PROVIDER },
	{ WORD_ERROR_CATEGORY_RATE_LIMITED, CODE_PROVIDER },
	{ "overloaded", CODE_PROVIDER },
	{ WORD_ERROR_CATEGORY_SERVER_ERROR, CODE_PROVIDER },
	{ "network", CODE_PROVIDER },
	{ "timeout", CODE_PROVIDER },
	{ "protocol", CODE_PROVIDER },
	{ WORD_ERROR_CATEGORY_SANDBOX_DENIED, CODE_SANDBOX },
	{ WORD_ERROR_CATEGORY_SANDBOX_UNAVAILABLE, CODE_SANDBOX },
	{ "interrupted", CODE_INTERRUPTED },
	{ WORD_ERROR_CATEGORY_CANCELLED, CODE_INTERRUPTED },
	{ WORD_ERROR_CATEGORY_STORE_FAILED, CODE_STORE },
	{ WORD_ERROR_CATEGORY_STORAGE_FULL, CODE_STORE },
};

int cli_failure_code_of_category(struct str category)
{
	for (size_t i = 0; i < COUNT_OF(by_category); i++)
		if (str_eq(str_from(by_category[i].category), category))
			return by_category[i].code;
	return CODE_FAILED;
}

static const struct {
	const char *code; /* of a problem */
	int exit;
	const char *remedy;
} by_problem[] = {
	{ "session_not_found", CODE_FAILED, "`thole ps --all` lists sessions." },
	{ "thread_not_found", CODE_FAILED, "`thole show SESSION` lists its threads." },
	{ "action_not_found", CODE_FAILED, "`thole approvals` lists what waits." },
	{ "queued_turn_not_found", CODE_FAILED, "`thole queue SESSION` lists what waits." },
	{ "already_resolved", CODE_FAILED, "The first answer stands; `thole show ID` shows it." },
	{ "thread_busy", CODE_FAILED,
	  "--delivery queue waits, steer adds to it, interrupt stops it." },
	{ "turn_active", CODE_FAILED, "`thole stop ID` ends it." },
	{ "not_resumable", CODE_FAILED, "`thole why ID` says what it waits for." },
	{ "queue_full", CODE_FAILED, "`thole queue SESSION --remove TURN` makes room." },
	{ "budget_exhausted", CODE_BUDGET, "Raise --budget-usd, or the cap budget.session_usd." },
	{ "unauthorized", CODE_CONFIG, "`thole token` prints the token." },
	{ "forbidden", CODE_CONFIG, NULL },
	{ WORD_ERROR_CODE_UNAVAILABLE, CODE_FAILED, "This build does not offer it yet." },
	{ WORD_ERROR_CODE_STORAGE_FULL, CODE_STORE, "Make room on the disk; reading still works." },
	{ WORD_ERROR_CODE_STORE_UNAVAILABLE, CODE_STORE,
	  "Look at the database server; the runtime continues by itself when it is back." },
	{ WORD_ERROR_CODE_SESSION_BEHIND, CODE_STORE,
	  "Look for the server that has them; other sessions can be used." },
	{ WORD_ERROR_CODE_STORE_FAILED, CODE_STORE, "`thole doctor` looks at the disk." },
	{ "expired_cursor", CODE_FAILED, "Start from the beginning: --since 0." },
	{ "unknown_command", CODE_FAILED, "The daemon is older than this program; restart it." },
};

static int row_of(struct str code)
{
	for (size_t i = 0; i < COUNT_OF(by_problem); i++)
		if (str_eq(str_from(by_problem[i].code), code))
			return (int)i;
	return -1;
}

/*
 * A code without a row falls back to its category, so that codes of a newer daemon still map to a
 * sensible exit code.
 */
int cli_failure_code_of_problem(struct json problem)
{
	int row = row_of(json_str(JSON_GET(problem, "code")));
	struct str category = json_str(JSON_GET(problem, "category"));

	if (row >= 0)
		return by_problem[row].exit;
	return str_eq(category, STR("request")) ? CODE_USAGE
	       : str_eq(category, STR("auth"))  ? CODE_CONFIG
	       : str_eq(category, STR("store")) ? CODE_STORE
	                                        : CODE_FAILED;
}

static void tell_problem(struct cli *c, struct json problem)
{
	struct str detail = json_str(JSON_GET(problem, "detail"));
	struct str code = json_str(JSON_GET(problem, "code"));
	int row = row_of(code);

	if (!detail.len)
		detail = json_str(JSON_GET(problem, "title"));
	if (!detail.len)
		detail = json_str(JSON_GET(problem, "message"));
	if (str_ends(detail, STR(".")))
		detail = str_head(detail, detail.len - 1);
	out_error(c, "%s (%s).",
	          detail.len ? out_safe(c->mem, detail) : "The runtime refused without a reason",
	          out_safe(c->mem, code.len ? code : STR("unknown")));
	if (row >= 0 && by_problem[row].remedy)
		fprintf(stderr, "  %s\n", by_problem[row].remedy);
}

int cli_failure_print(struct cli *c, int thole_code, struct json problem)
{
	if (thole_code == THOLE_REFUSED) {
		c->problem = json_text(c->mem, problem);
		if (c->opts.json && !c->opts.streams) /* a stream has it in its result */
			out_json(problem);
		tell_problem(c, problem);
		return cli_failure_code_of_problem(problem);
	}
	if (c->opts.here)
		out_error(c, "The runtime has stopped.");
	else
		out_error(c, "The daemon went away; %s says more.", paths_in_data(c, "daemon.log"));
	return thole_code == THOLE_STORE ? CODE_STORE : CODE_FAILED;
}
