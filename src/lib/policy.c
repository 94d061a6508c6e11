/*
 * thole_policy_test(): a decision of the permission rules, without a runtime.
 *
 * Links are resolved on this machine's file system; in a turn the sandbox does it.
 */
#include "thole/thole.h"

#include "base/memory.h"
#include "base/path/repository.h"
#include "base/buf.h"
#include "base/json.h"
#include "base/jw.h"
#include "policy/shell/analyze.h"
#include "lib/files.h"
#include "lib/workspace/git_tracked.h"

#include <stdio.h>
#include <stdlib.h>

#define FILES_MAX 16
#define ROOTS_MAX 16
#define REACHABLE_MAX 64

struct question {
	struct policy_file files[FILES_MAX];
	size_t file_count;
	struct str roots[ROOTS_MAX];
	struct str reachable[REACHABLE_MAX];
	struct policy_call call;
};

/* Grants are no source of rules here: they exist only in a session. */
static enum err read_rules(struct json list, struct question *q, struct error *e)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		struct json source = JSON_GET(v, "source");
		enum rule_source from =
			json_is(source) ? rules_source_read(json_str(source)) : RULE_USER;

		if (q->file_count == FILES_MAX)
			return fail(e, ERR_TOO_LARGE, "more than %d texts of rules", FILES_MAX);
		if (!from || from >= RULE_GRANT)
			return fail(e, ERR_INVALID,
			            "rules come from host_policy, user, project or session, "
			            "not from %.*s",
			            STR_ARG(json_str(source)));
		if (!str_is(json_str(JSON_GET(v, "text"))))
			return fail(e, ERR_INVALID, "rules: text is missing");
		q->files[q->file_count++] = (struct policy_file){
			.name = str_is(json_str(JSON_GET(v, "name")))
			                ? json_str(JSON_GET(v, "name"))
			                : STR("rules"),
			.text = json_str(JSON_GET(v, "text")),
			.from = { from, json_bool(JSON_GET(v, "trusted"), false) },
		};
	}
	return OK;
}

static enum err read_reachable(struct json list, struct question *q, struct error *e)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	q->call.how.reachable = q->reachable;
	while (json_next(&it, &key, &v)) {
		if (q->call.how.reachable_count == REACHABLE_MAX)
			return fail(e, ERR_TOO_LARGE, "reachable: at most %d hosts", REACHABLE_MAX);
		q->reachable[q->call.how.reachable_count++] = json_str(v);
	}
	return OK;
}

/*
 * Everything that a decision depends on is in the question, so that the same question has
 * the same answer on another machine, except for links.
 */
static enum err read_question(struct arena *mem, struct json in, struct question *q,
                              struct error *e)
{
	struct json_iter it = json_iter(JSON_GET(in, "roots"));
	struct json mode = JSON_GET(in, "mode"), v;
	struct str key;

	q->call.command = json_str(JSON_GET(in, "command"));
	q->call.place.cwd = json_str(JSON_GET(in, "cwd"));
	q->call.place.home = json_str(JSON_GET(in, "home"));
	q->call.place.real = files_path_real;
	q->call.place.runs_code = repository_runs_code;
	q->call.place.runs_hooks = repository_runs_hooks;
	q->call.place.roots = q->roots;
	q->call.how.mode = json_is(mode) ? rec_enum_read(&enum_permission_mode, json_str(mode))
	                                 : PERMISSION_MODE_DEFAULT;
	q->call.how.is_interactive = json_bool(JSON_GET(in, "interactive"), true);
	q->call.how.denies_by_default = str_eq(json_str(JSON_GET(in, "default")), STR("deny"));
	q->call.how.is_sandboxed = json_bool(JSON_GET(in, "caged"), true);
	if (json_type(in) != JSON_OBJ || !str_is(q->call.command) || !str_is(q->call.place.cwd))
		return fail(e, ERR_INVALID, "command and cwd are wanted");
	if (!q->call.how.mode)
		return fail(e, ERR_INVALID, "there is no mode %.*s", STR_ARG(json_str(mode)));
	/* the directory may have been given through a link */
	q->call.place.cwd = files_path_real(NULL, mem, q->call.place.cwd);
	if (json_is(JSON_GET(in, "settingsRules")))
		q->files[q->file_count++] = (struct policy_file){
			.name = STR("the settings"),
			.text = json_text(mem, JSON_GET(in, "settingsRules")),
			.is_settings = true,
		};
	while (json_next(&it, &key, &v)) {
		if (q->call.place.root_count == ROOTS_MAX || !str_is(json_str(v)))
			return fail(e, ERR_INVALID, "roots: at most %d directories", ROOTS_MAX);
		q->roots[q->call.place.root_count++] = files_path_real(NULL, mem, json_str(v));
	}
	if (read_reachable(JSON_GET(in, "reachable"), q, e))
		return e->code;
	return read_rules(JSON_GET(in, "rules"), q, e);
}

/*
 * {"committed": true, "cwd", "home", "settingsRules"}: what git has of what rules deny;
 * with "names" (below "top") those of the history too.
 */
static struct str committed_text(struct arena *mem, struct json in)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct git_tracked found;
	struct json_writer w;

	git_tracked_denied(mem, json_str(JSON_GET(in, "cwd")), json_str(JSON_GET(in, "home")),
	                   json_text(mem, JSON_GET(in, "settingsRules")), &found);
	if (json_is(JSON_GET(in, "names")))
		git_tracked_names(mem, json_str(JSON_GET(in, "cwd")),
		                  json_str(JSON_GET(in, "home")),
		                  json_text(mem, JSON_GET(in, "settingsRules")),
		                  json_str(JSON_GET(in, "top")), JSON_GET(in, "names"), &found);
	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "committed");
	jw_arr(&w);
	for (size_t i = 0; i < found.count; i++)
		jw_str(&w, found.at[i]);
	jw_arr_end(&w);
	JW_KBOOL(&w, "more", found.has_more);
	JW_KBOOL(&w, "denies", found.has_rules);
	jw_obj_end(&w);
	return arena_keep(mem, buf_str(&out));
}

/*
 * The same evaluation as in a turn, without a store or a sandbox: `thole policy test` and
 * tests of rules use it.
 */
int thole_policy_test(const char *params, char **ret, struct thole_error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct question *q = ARENA_NEW(mem, struct question);
	struct error e = { 0 };
	struct json in;
	struct str response;
	enum err code = json_read(mem, str_from(params), &in, &e);

	*ret = NULL;
	if (!code && json_bool(JSON_GET(in, "committed"), false)) {
		response = committed_text(mem, in);
		*ret = memory_strndup(response.ptr, response.len);
		return *ret ? THOLE_OK : THOLE_IO;
	}
	if (!code)
		code = read_question(mem, in, q, &e);
	if (!code)
		code = evaluate_command_test(mem, q->files, q->file_count, &q->call, &response, &e);
	if (code) {
		if (err) {
			err->code = THOLE_INVALID;
			snprintf(err->message, sizeof err->message, "%s", e.message);
		}
		return THOLE_INVALID;
	}
	*ret = memory_strndup(response.ptr, response.len);
	return *ret ? THOLE_OK : THOLE_IO;
}
