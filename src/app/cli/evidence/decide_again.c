/*
 * replay --decisions: the decisions of a session, made again by the daemon from its journal, or
 * those of a pack, made again in a process without a daemon; with other rules or settings (--with) those that would have been others.
 */
#include "app/cli/evidence/evidence_verbs.h"

#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/paths.h"
#include "app/cli/print/out.h"

#include "base/os/sanitizer.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define WITH_MAX ((size_t)1 << 20)

static void put_report(struct cli *c, struct json report)
{
	struct json groups = JSON_GET(report, "groups"), all = JSON_GET(report, "differences"),
		    each;
	struct json_iter it = json_iter(all);
	struct str key;

	while (json_next(&it, &key, &each))
		printf("%s  %s\n", out_safe(c->mem, json_str(JSON_GET(each, "verdict"))),
		       out_safe(c->mem, json_str(JSON_GET(each, "words"))));
	if (json_int(JSON_GET(report, "omitted"), 0))
		printf("and %lld more\n", (long long)json_int(JSON_GET(report, "omitted"), 0));
	printf("%s  %lld events, %lld groups of decisions the same, %lld different, %lld not "
	       "recorded\n",
	       out_safe(c->mem, json_str(JSON_GET(report, "status"))),
	       (long long)json_int(JSON_GET(report, "events"), 0),
	       (long long)json_int(JSON_GET(groups, "same"), 0),
	       (long long)(json_int(JSON_GET(groups, "differs"), 0) +
	                   json_int(JSON_GET(groups, "version_differs"), 0)),
	       (long long)json_int(JSON_GET(groups, "not_recorded"), 0));
}

/* Exit 1 if a decision is another one, or cannot be compared because its record is damaged. */
static int code_of(struct json report)
{
	struct json groups = JSON_GET(report, "groups");
	int64_t bad = json_int(JSON_GET(groups, "differs"), 0) +
	              json_int(JSON_GET(groups, "version_differs"), 0) +
	              json_int(JSON_GET(groups, "damaged"), 0);

	return bad ? CODE_FAILED : CODE_DONE;
}

/* Decisions from a log that was changed would prove nothing. */
int decide_again_check_log(struct cli *c, struct str session)
{
	struct json report, bad;
	struct params p;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", session);
	code = connection_call(c, "verify_log", &p, &report);
	if (code)
		return code;
	bad = JSON_GET(report, "firstBad");
	if (!json_is(bad))
		return CODE_DONE;
	if (c->opts.json)
		out_json(report);
	else
		printf("broken  at event %lld: %s\n",
		       (long long)json_int(JSON_GET(bad, "sequence"), 0),
		       out_safe(c->mem, json_str(JSON_GET(bad, "reason"))));
	return CODE_FAILED;
}

/* Rules as they are in a configuration, with nothing beside them, or as a list, count as well. */
static struct str text_of_rules(struct arena *mem, struct json file, struct str text)
{
	struct json group = JSON_GET(file, "permission");
	struct json rules = json_type(file) == JSON_ARR    ? file
	                    : json_count(file) != 1        ? (struct json){ 0 }
	                    : json_type(group) != JSON_OBJ ? JSON_GET(file, "permission.rules")
	                    : json_count(group) == 1       ? JSON_GET(group, "rules")
	                                                   : (struct json){ 0 };

	if (json_type(rules) != JSON_ARR)
		return text;
	return arena_printf(mem, "{\"rules\":%.*s}", STR_ARG(json_text(mem, rules)));
}

static int read_with(struct cli *c, struct str *ret, bool *ret_is_rules)
{
	const char *name = out_safe(c->mem, str_from(c->opts.with));
	struct str text = paths_read_file(c->mem, c->opts.with, WITH_MAX);
	struct json file;

	if (!str_is(text)) {
		out_error(c, "%s cannot be read.", name);
		return CODE_USAGE;
	}
	if (json_read(c->mem, text, &file, NULL) != OK) {
		out_error(c, "%s is not JSON.", name);
		return CODE_USAGE;
	}
	*ret = text_of_rules(c->mem, file, text);
	*ret_is_rules = json_is(JSON_GET(file, "rules")) || ret->ptr != text.ptr;
	return CODE_DONE;
}

/* ---- from a pack, which needs no daemon ---- */

#define DECIDE_MEMORY_MAX ((rlim_t)4 << 30)

/* What the other process sends: its exit code, then the report or the reason. */
static void decide_apart(const char *path, const char *with, int fd)
{
#ifdef HAS_ASAN /* whose shadow is larger */
	struct rlimit most = { RLIM_INFINITY, RLIM_INFINITY }, none = { 0, 0 };
#else
	struct rlimit most = { DECIDE_MEMORY_MAX, DECIDE_MEMORY_MAX }, none = { 0, 0 };
#endif
	struct thole_error why = { 0 };
	char *text = NULL, code;
	struct buf out = { 0 };

	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_AS, &most);
	code = (char)thole_decide_pack(path, with, &text, &why);
	buf_add_char(&out, code);
	buf_add_c(&out, text ? text : why.message);
	for (size_t at = 0; at < out.len;) {
		ssize_t put = write(fd, out.ptr + at, out.len - at);

		if (put <= 0 && errno != EINTR)
			_exit(1);
		at += put > 0 ? (size_t)put : 0;
	}
	_exit(0);
}

/*
 * A pack may come from anyone, and its journal is given to the code that decides, which trusts its
 * callers.  So the decisions are made in another process: what cannot be decided ends that one.
 */
static bool run_apart(struct cli *c, const char *path, const char *with, struct str *ret)
{
	struct buf out = { 0 };
	int ends[2], status = -1;
	char data[1 << 14];
	ssize_t got;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return false;
	fflush(NULL);
	child = fork();
	if (child == 0) {
		close(ends[0]);
		decide_apart(path, with, ends[1]);
	}
	close(ends[1]);
	while ((got = read(ends[0], data, sizeof data)) > 0 || (got < 0 && errno == EINTR))
		buf_add(&out, data, got > 0 ? (size_t)got : 0);
	close(ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	*ret = arena_keep(c->mem, buf_str(&out));
	buf_done(&out);
	return child > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0 && ret->len > 1;
}

int decide_again_pack(struct cli *c, const char *path)
{
	struct str with = STR_NONE, text;
	bool is_rules = false;
	struct json report;
	int code = c->opts.with ? read_with(c, &with, &is_rules) : CODE_DONE;

	if (code)
		return code;
	if (!run_apart(c, path, str_is(with) ? arena_keep(c->mem, with).ptr : NULL, &text)) {
		out_error(c,
		          "The decisions of this pack cannot be made again: the process that makes "
		          "them ended early. Its journal is damaged or forged, or it needs more "
		          "than 4 GiB of memory.");
		return CODE_FAILED;
	}
	code = text.ptr[0];
	text = str_skip(text, 1);
	if (code != THOLE_OK && code != THOLE_REFUSED) {
		out_error(c, "%s.", out_safe(c->mem, text));
		return CODE_USAGE;
	}
	if (json_read_trusted(c->mem, text, &report, NULL) != OK)
		return CODE_FAILED;
	if (c->opts.json)
		out_json(report);
	else
		put_report(c, report);
	return code == THOLE_OK ? CODE_DONE : CODE_FAILED;
}

/* ---- from a session ---- */

int decide_again(struct cli *c)
{
	struct str with = STR_NONE;
	bool is_rules = false;
	struct json report;
	struct params p;
	struct ref ref;
	int code = c->opts.with ? read_with(c, &with, &is_rules) : CODE_DONE;

	if (!code)
		code = connection_open(c);
	if (!code)
		code = ref_find(c, c->args[0], &ref);
	if (!code)
		code = decide_again_check_log(c, ref.session);
	if (code)
		return code;
	params_begin(&p);
	params_str(&p, "sessionId", ref.session);
	params_raw(&p, is_rules ? "rules" : "settings", with);
	code = connection_call(c, "replay_decisions", &p, &report);
	if (code)
		return code;
	if (c->opts.json)
		out_json(report);
	else
		put_report(c, report);
	return code_of(report);
}
