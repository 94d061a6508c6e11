/* policy: evaluates permission rules, shows them, and manages grants and the mode. */
#include "app/cli/connection.h"
#include "base/jw.h"
#include "app/cli/print/match_text.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "app/cli/ref.h"
#include "app/cli/cli_settings.h"
#include "base/gen/words.h"

#include <errno.h>
#include <stdlib.h>

#define RULES_MAX_BYTES (1u << 20)

static enum tone tone_of(struct str decision)
{
	return str_eq(decision, STR("allow")) || str_eq(decision, STR("sandboxed")) ? TONE_GOOD
	       : str_eq(decision, STR("ask"))                                       ? TONE_ASK
	                                                                            : TONE_BAD;
}

static void put_word(struct cli *c, struct str decision)
{
	printf("%s%-9s%s ", out_tone_on(c->color_out, tone_of(decision)),
	       out_safe(c->mem, decision), out_tone_off(c->color_out));
}

/* ---- test and explain ---- */

static bool is_source(struct str word)
{
	return str_eq(word, STR("host_policy")) || str_eq(word, STR("user")) ||
	       str_eq(word, STR("project")) || str_eq(word, STR("session"));
}

/* --rules [SOURCE=]FILE */
static int add_rules(struct cli *c, struct params *p, const char *arg)
{
	struct str path = str_from(arg), source = str_cut(&path, '=');
	bool has_source = str_is(path) && is_source(source);
	struct str text;

	if (!has_source) {
		path = str_from(arg);
		source = STR("user");
	}
	text = paths_read_file(c->mem, path.ptr, RULES_MAX_BYTES);
	if (!str_is(text)) {
		out_error(c, "%s: %s.", out_safe(c->mem, path), strerror(errno));
		return CODE_CONFIG;
	}
	jw_obj(&p->w);
	JW_KSTR(&p->w, "name", path);
	JW_KSTR(&p->w, "source", source);
	JW_KBOOL(&p->w, "trusted", c->opts.trust);
	JW_KSTR(&p->w, "text", text);
	jw_obj_end(&p->w);
	return CODE_DONE;
}

/* Without --rules: the rules that apply to a turn in this directory. */
static int add_own_rules(struct cli *c, struct params *p)
{
	const char *rules;
	int code = cli_settings_rules(c, &rules);

	if (code)
		return code;
	params_raw(p, "settingsRules", str_from(rules));
	return CODE_DONE;
}

/*
 * Evaluated by the library in this process: a test of rules needs no daemon and records nothing.
 */
/* Of new sessions: --mode, the settings, or what the sandbox of this machine suggests. */
static const char *mode_in_force(struct cli *c)
{
	const char *set =
		c->opts.mode ? c->opts.mode : cli_settings_word(c, "permission.mode", "THOLE_MODE");
	const char *sandbox = cli_settings_word(c, "sandbox.mode", "THOLE_SANDBOX_MODE");
	const char *hand = cli_sandbox_find_supervisor(c);
	struct json probe;

	if (set && *set)
		return set;
	if (hand && (!sandbox || strcmp(sandbox, WORD_SANDBOX_MODE_WORKSPACE_WRITE) == 0) &&
	    json_read_trusted(c->mem, cli_sandbox_probe(c, hand), &probe, NULL) == OK &&
	    str_eq(json_str(JSON_GET(probe, "tier")), STR("namespaces+landlock+seccomp")))
		return WORD_PERMISSION_MODE_ON_REQUEST;
	return WORD_PERMISSION_MODE_DEFAULT;
}

static int make_question(struct cli *c, struct params *p)
{
	int code = CODE_DONE;

	params_begin(p);
	params_cstr(p, "command", c->args[1]);
	params_cstr(p, "cwd", paths_absolute(c, c->opts.dir ? c->opts.dir : "."));
	params_cstr(p, "home", getenv("HOME"));
	params_cstr(p, "mode", mode_in_force(c));
	params_bool(p, "interactive", !c->opts.unattended);
	params_bool(p, "caged", !c->opts.no_sandbox);
	if (cli_settings_default(c))
		params_cstr(p, "default", cli_settings_default(c));
	if (cli_settings_reachable(c))
		params_raw(p, "reachable", str_from(cli_settings_reachable(c)));
	if (!c->opts.rules.count)
		return add_own_rules(c, p);
	JW_KEY(&p->w, "rules");
	jw_arr(&p->w);
	for (int i = 0; i < c->opts.rules.count && !code; i++)
		code = add_rules(c, p, c->opts.rules.items[i]);
	jw_arr_end(&p->w);
	return code;
}

static void put_act(struct cli *c, struct json act, struct json subcommand)
{
	struct json_iter it = json_iter(JSON_GET(act, "words"));
	struct str why = json_str(JSON_GET(act, "why")), rule, key;
	struct json v;

	if (!json_count(JSON_GET(act, "words")))
		return;
	rule = json_str(JSON_GET(subcommand, "ruleRef"));
	printf("  ");
	put_word(c, json_str(JSON_GET(subcommand, "decision")));
	while (json_next(&it, &key, &v))
		printf("%s ", out_safe_cut(c->mem, json_str(JSON_GET(v, "text")), 60));
	if (rule.len)
		printf(" [%s]", out_safe(c->mem, rule));
	else if (why.len)
		printf(" (%s)", out_safe(c->mem, why));
	putchar('\n');
}

/*
 * Acts without words (assignments, redirections) have no decision of their own, so the two lists
 * are walked side by side.
 */
static void put_acts(struct cli *c, struct json response)
{
	struct json_iter it = json_iter(JSON_GET(response, "acts"));
	struct json_iter of = json_iter(JSON_GET(response, "subcommands"));
	struct json act, subcommand = { 0 };
	struct str key, advice = json_str(JSON_GET(response, "rollbackAdvice"));

	while (json_next(&it, &key, &act)) {
		if (json_count(JSON_GET(act, "words")) && !json_next(&of, &key, &subcommand))
			break;
		put_act(c, act, subcommand);
	}
	if (advice.len)
		printf("  undo: %s\n", out_safe(c->mem, advice));
}

static int put_answer(struct cli *c, const char *text, bool explains)
{
	struct json response;

	if (json_read_trusted(c->mem, str_from(text), &response, NULL) != OK)
		return CODE_FAILED;
	if (c->opts.json) {
		out_json(response);
		return CODE_DONE;
	}
	put_word(c, json_str(JSON_GET(response, "decision")));
	printf("%s\n", out_safe(c->mem, json_str(JSON_GET(response, "decisionReason"))));
	if (explains)
		put_acts(c, response);
	return CODE_DONE;
}

/* No daemon takes part, so this also works while the settings keep one from starting. */
static int test(struct cli *c, bool explains)
{
	struct thole_error err = { 0 };
	struct params p;
	char *response;
	int code;

	if (c->arg_count != 2)
		return opt_usage(c, "`thole policy %s` wants one command, in quotes.", c->args[0]);
	code = make_question(c, &p);
	if (!code) {
		jw_obj_end(&p.w);
		buf_add_char(&p.text, '\0');
		if (thole_policy_test(p.text.ptr, &response, &err) == THOLE_OK) {
			code = put_answer(c, response, explains);
			thole_free(response);
		} else {
			out_error(c, "%s.", out_safe(c->mem, str_from(err.message)));
			code = CODE_CONFIG;
		}
	}
	params_done(&p);
	return code;
}

/* ---- show: the rules of settings ---- */

static void add_rule_row(struct table *t, struct json rule)
{
	struct cli *c = t->c;
	struct str id = json_str(JSON_GET(rule, "id")), why = json_str(JSON_GET(rule, "reason"));
	const char *cells[] = {
		out_safe(c->mem, json_str(JSON_GET(rule, "source"))),
		out_safe(c->mem, json_str(JSON_GET(rule, "effect"))),
		id.len ? out_safe(c->mem, id) : "-",
		why.len ? arena_printf(c->mem, "%s: %s", match_text(c->mem, rule),
		                       out_safe(c->mem, why))
				  .ptr
			: match_text(c->mem, rule),
	};

	table_row(t, tone_of(json_str(JSON_GET(rule, "effect"))), cells);
}

/* The library's error for a list of rules; NULL: the list is valid. */
static const char *refusal_of(struct cli *c, struct str rules)
{
	struct thole_error err = { 0 };
	const char *why = NULL;
	char *response = NULL;
	struct params p;

	params_begin(&p);
	params_cstr(&p, "command", "true");
	params_cstr(&p, "cwd", "/");
	params_raw(&p, "settingsRules", rules);
	jw_obj_end(&p.w);
	buf_add_char(&p.text, '\0');
	if (thole_policy_test(p.text.ptr, &response, &err) != THOLE_OK)
		why = out_safe(c->mem, str_from(err.message));
	thole_free(response);
	params_done(&p);
	return why;
}

/*
 * The library names a rule by its number in the merged list, which no file has; so each rule is
 * tried alone to find its file.
 */
const char *cli_policy_trouble(struct cli *c, struct str rules)
{
	const char *why = refusal_of(c, rules), *user = paths_user_config(c);
	struct json_iter it;
	struct json list, v;
	struct str key;

	if (!why || json_read_trusted(c->mem, rules, &list, NULL) != OK)
		return why;
	it = json_iter(list);
	while (json_next(&it, &key, &v)) {
		struct str source = json_str(JSON_GET(v, "source"));
		struct str one = arena_printf(c->mem, "[%.*s]", STR_ARG(json_text(c->mem, v)));
		const char *its = refusal_of(c, one);

		if (!its)
			continue;
		/* the number in a list of one rule would mislead */
		if (strstr(its, "rule 1: "))
			its = strstr(its, "rule 1: ") + strlen("rule 1: ");
		return arena_printf(c->mem, "%s: a rule is none: %s",
		                    str_eq(source, STR("project"))       ? ".thole/rules.json"
		                    : str_eq(source, STR("host_policy")) ? PATH_SYSTEM_CONFIG
		                    : user                               ? user
		                                                         : "the settings",
		                    its)
		        .ptr;
	}
	return why; /* each rule is valid, but there are too many */
}

/* Returns false if the library rejected the call. */
static bool ask_committed(struct cli *c, struct str rules, const char *dir, const char *top,
                          struct str names, struct json *ret)
{
	struct params p;
	char *response = NULL;
	struct thole_error err;
	bool ok;

	params_begin(&p);
	params_bool(&p, "committed", true);
	params_cstr(&p, "cwd", dir);
	params_cstr(&p, "home", getenv("HOME"));
	params_raw(&p, "settingsRules", rules);
	if (top) {
		params_cstr(&p, "top", top);
		JW_KEY(&p.w, "names");
		jw_arr(&p.w);
		while (str_is(names)) {
			struct str name = str_cut(&names, '\0');

			if (name.len)
				jw_str(&p.w, str_from(out_safe(c->mem, name)));
		}
		jw_arr_end(&p.w);
	}
	jw_obj_end(&p.w);
	buf_add_char(&p.text, '\0');
	ok = thole_policy_test(p.text.ptr, &response, &err) == THOLE_OK &&
	     json_read(c->mem, arena_keep(c->mem, str_from(response)), ret, NULL) == OK;
	thole_free(response);
	params_done(&p);
	return ok;
}

/*
 * Two questions: whether any rule denies a path at all, because reading the history is slow, and
 * then which of its names.
 */
const char *cli_policy_committed(struct cli *c, struct str rules, bool *ret_is_whole)
{
	const char *dir = paths_absolute(c, c->opts.dir ? c->opts.dir : "."), *top;
	CLEANUP(buf_done) struct buf names = { 0 };
	struct json reply = { 0 }, v;
	struct json_iter it;
	struct str out = STR(""), key;

	*ret_is_whole = true;
	if (!ask_committed(c, rules, dir, NULL, STR_NONE, &reply) ||
	    !json_bool(JSON_GET(reply, "denies"), false))
		return NULL;
	top = git_history_names(c, dir, &names, ret_is_whole);
	if (top && !ask_committed(c, rules, dir, top, buf_str(&names), &reply))
		*ret_is_whole = false;
	it = json_iter(JSON_GET(reply, "committed"));
	while (json_next(&it, &key, &v))
		out = arena_printf(c->mem, "%.*s%s%s", STR_ARG(out), out.len ? ", " : "",
		                   out_safe(c->mem, json_str(v)));
	if (json_bool(JSON_GET(reply, "more"), false))
		out = arena_printf(c->mem, "%.*s and more", STR_ARG(out));
	return out.len ? out.ptr : NULL;
}

/*
 * Invalid rules are an error here, because a running daemon then asks about every call.  Denied
 * paths that git has committed are named: the sandbox cannot hide what lies in .git.
 */
static int show(struct cli *c)
{
	static const char *const heads[] = { "SOURCE", "EFFECT", "ID", "WHAT", NULL };
	struct json rules = { 0 }, v;
	struct json_iter it;
	struct table t;
	struct str key;
	const char *text;
	int code;

	if (c->arg_count > 1)
		return opt_usage(c, "`thole policy show` does not know what to do with \"%s\".",
		                 c->args[1]);
	code = cli_settings_rules(c, &text);
	if (code)
		return code;
	if (json_read_trusted(c->mem, str_from(text), &rules, NULL) != OK)
		return CODE_CONFIG;

	const char *trouble = cli_policy_trouble(c, str_from(text));

	if (trouble) {
		out_error(
			c,
			"%s. A running daemon asks about every call until the file is repaired or "
			"removed, and none starts with it.",
			trouble);
		return CODE_CONFIG;
	}
	if (c->opts.json) {
		printf("{\"rules\":%s}\n", text);
		return CODE_DONE;
	}
	if (!json_count(rules)) {
		out_note(c, TONE_DIM, "there are no rules; the mode alone decides");
		return CODE_DONE;
	}
	table_begin(&t, c, heads);
	it = json_iter(rules);
	while (json_next(&it, &key, &v))
		add_rule_row(&t, v);
	table_print(&t, stdout);

	bool is_whole;
	const char *committed = cli_policy_committed(c, str_from(text), &is_whole);

	if (committed)
		out_note(c, TONE_ASK,
		         "Denied, but git has committed it, so `git show` reads it: %s. Remove it "
		         "from "
		         "the history, or deny .git too.",
		         committed);
	if (!is_whole)
		out_note(c, TONE_ASK,
		         "The history of git was not searched to its end: it is long, or git does "
		         "not "
		         "run "
		         "in a sandbox here. Denied paths may be in it.");
	return CODE_DONE;
}

/* ---- saved: grants ---- */

static void add_grant_row(struct table *t, struct json grant)
{
	struct cli *c = t->c;
	struct str until = json_str(JSON_GET(grant, "expiresAt"));
	const char *cells[] = {
		out_id(c, json_str(JSON_GET(grant, "grantId"))),
		out_safe(c->mem, json_str(JSON_GET(grant, "scope"))),
		out_ago(c->mem, json_str(JSON_GET(grant, "createdAt"))),
		until.len ? out_until(c->mem, until) : "-",
		match_text(c->mem, JSON_GET(grant, "match")),
	};

	table_row(t, TONE_PLAIN, cells);
}

static void add_grants(struct table *t, struct json grants)
{
	struct json_iter it = json_iter(grants);
	struct cli *c = t->c;
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (c->opts.quiet)
			printf("%s\n", out_safe(c->mem, json_str(JSON_GET(v, "grantId"))));
		else
			add_grant_row(t, v);
}

/* Grants of the session first, then those of wider scope. */
static void put_grants(struct cli *c, struct json own, struct json shared)
{
	static const char *const heads[] = { "GRANT", "SCOPE", "GIVEN", "ENDS", "WHAT", NULL };
	struct table t;

	if (!json_count(own) && !json_count(shared)) {
		out_note(c, TONE_DIM, "nothing was granted here");
		return;
	}
	table_begin(&t, c, heads);
	add_grants(&t, own);
	add_grants(&t, shared);
	if (!c->opts.quiet)
		table_print(&t, stdout);
}

/* Finds a grant by the beginning or the end of its id; returns how many match. */
static int find_grant(struct json grants, const char *word, struct str *ret)
{
	struct json_iter it = json_iter(grants);
	struct json v;
	struct str key;
	int found = 0;

	while (json_next(&it, &key, &v)) {
		struct str id = json_str(JSON_GET(v, "grantId"));

		if (str_starts(id, str_from(word)) || str_ends(id, str_from(word))) {
			*ret = id;
			found++;
		}
	}
	return found;
}

/* A grant of the session is revoked there; a wider one belongs to no session. */
static int revoke(struct cli *c, struct str session, struct json own, struct json shared)
{
	struct params p;
	struct json reply;
	struct str id;
	int code, found = find_grant(own, c->opts.revoke, &id);
	bool is_own = found;

	found += is_own ? 0 : find_grant(shared, c->opts.revoke, &id);
	if (found != 1) {
		out_error(c,
		          found ? "More than one grant is meant by \"%s\"."
		                : "There is no grant \"%s\".",
		          out_safe(c->mem, str_from(c->opts.revoke)));
		return CODE_FAILED;
	}
	params_begin(&p);
	if (is_own)
		params_str(&p, "sessionId", session);
	params_str(&p, "grantId", id);
	params_cstr(&p, "reason", c->opts.reason);
	params_key(c, &p);
	code = connection_call(c, "revoke_grant", &p, &reply);
	if (!code && c->opts.json)
		out_json(reply);
	else if (!code)
		out_note(c, TONE_GOOD, "%s is taken back", out_safe(c->mem, id));
	return code;
}

static int list(struct cli *c, struct str session, struct json *ret)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	code = connection_call(c, "list_grants", &p, &reply);
	if (!code)
		*ret = JSON_GET(reply, "grants");
	return code;
}

static void put_json_grants(struct json own, struct json shared)
{
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "grants");
	jw_value(&w, own);
	JW_KEY(&w, "shared");
	jw_value(&w, shared);
	jw_obj_end(&w);
	printf("%.*s\n", STR_ARG(buf_str(&out)));
	buf_done(&out);
}

/* Two lists, because list_grants without a session returns the grants that are wider than one. */
static int saved(struct cli *c)
{
	struct json own, shared;
	struct ref r;
	int code;

	if (c->arg_count > 2)
		return opt_usage(c, "`thole policy saved` wants one session.");
	code = connection_open(c);
	if (!code)
		code = ref_find(c, c->arg_count > 1 ? c->args[1] : "@last", &r);
	if (!code)
		code = list(c, r.session, &own);
	if (!code)
		code = list(c, STR_NONE, &shared);
	if (code)
		return code;
	if (c->opts.revoke)
		return revoke(c, r.session, own, shared);
	if (c->opts.json)
		put_json_grants(own, shared);
	else
		put_grants(c, own, shared);
	return CODE_DONE;
}

/* ---- mode ---- */

static bool is_mode(const char *word)
{
	static const char *const modes[] = { WORDS_PERMISSION_MODE };

	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (strcmp(word, modes[i]) == 0)
			return true;
	return false;
}

/* The mode is optional and comes first, so a first word that is no mode is the session. */
static int mode(struct cli *c)
{
	const char *to = c->arg_count > 1 && is_mode(c->args[1]) ? c->args[1] : NULL;
	int at = to ? 2 : 1;
	struct params p;
	struct json reply;
	struct ref r;
	int code;

	if (c->arg_count > at + 1)
		return opt_usage(c, "`thole policy mode` wants a mode and one session.");
	code = connection_open(c);
	if (!code)
		code = ref_find(c, c->arg_count > at ? c->args[at] : "@last", &r);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", r.session);
	if (to) {
		params_cstr(&p, "mode", to);
		params_cstr(&p, "reason", c->opts.reason);
		params_key(c, &p);
	}
	code = connection_call(c, to ? "set_mode" : "list_rules", &p, &reply);
	if (code)
		return code;
	if (c->opts.json)
		out_json(reply);
	else if (to)
		out_note(c, TONE_GOOD, "%s: mode %s from the next decision on",
		         out_id(c, r.session), to);
	else
		printf("%s\n", out_safe(c->mem, json_str(JSON_GET(reply, "mode"))));
	return CODE_DONE;
}

int verb_policy(struct cli *c)
{
	const char *what = c->args[0];

	if (strcmp(what, "test") == 0 || strcmp(what, "explain") == 0)
		return test(c, strcmp(what, "explain") == 0);
	if (strcmp(what, "show") == 0)
		return show(c);
	if (strcmp(what, "saved") == 0)
		return saved(c);
	if (strcmp(what, "mode") == 0)
		return mode(c);
	return opt_usage(c, "`thole policy` knows show, test, explain, saved and mode, not \"%s\".",
	                 what);
}
