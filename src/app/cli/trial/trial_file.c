/* Reads trial.json of `run --trial`, and task.toml. */
#include "app/cli/trial/trial_verbs.h"

#include "app/cli/import/toml.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define TRIAL_FILE_MAX (64u << 10)

/* What `run` itself says about the turn; a file that says it too could contradict it. */
static bool is_of_run(struct str key)
{
	static const char *const names[] = { "input",  "sessionId", "threadId",       "model",
		                             "effort", "cwd",       "mode",           "labels",
		                             "source", "budgetUsd", "idempotencyKey", "create" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(key, str_from(names[i])))
			return true;
	return false;
}

static int refuse(struct cli *c, const char *path, const char *why)
{
	out_error(c, "%s: %s.", out_safe(c->mem, str_from(path)), why);
	return CODE_USAGE;
}

int trial_file_check_task(struct cli *c, const char *path, struct json *ret)
{
	struct str text = paths_read_file(c->mem, path, TOML_BYTES_MAX);
	struct error e = { 0 };

	if (!str_is(text))
		return refuse(c, path, strerror(errno));
	if (toml_read(c->mem, text, ret, &e) == OK)
		return CODE_DONE;
	return refuse(
		c, path,
		arena_printf(c->mem, "not TOML: %s", out_safe(c->mem, str_from(e.message))).ptr);
}

int trial_file_read(struct cli *c, const char *path, struct json *ret)
{
	struct str text = paths_read_file(c->mem, path, TRIAL_FILE_MAX);
	struct error e = { 0 };
	struct json_iter it;
	struct json value, task;
	struct str key;
	const char *toml;

	if (!str_is(text))
		return refuse(c, path, strerror(errno));
	if (json_read(c->mem, text, ret, &e) != OK)
		return refuse(c, path, out_safe(c->mem, str_from(e.message)));
	if (json_type(*ret) != JSON_OBJ || json_type(JSON_GET(*ret, "benchmark")) != JSON_OBJ)
		return refuse(c, path, "an object with the member benchmark");
	it = json_iter(*ret);
	while (json_next(&it, &key, &value))
		if (is_of_run(key))
			return refuse(c, path,
			              arena_printf(c->mem, "%s is an option of run, not of a trial",
			                           out_safe(c->mem, key))
			                      .ptr);
	key = json_str(JSON_GET(JSON_GET(*ret, "refs"), "taskTomlRef"));
	toml = str_is(key) ? arena_keep(c->mem, key).ptr : NULL;
	return toml && access(toml, R_OK) == 0 ? trial_file_check_task(c, toml, &task) : CODE_DONE;
}
