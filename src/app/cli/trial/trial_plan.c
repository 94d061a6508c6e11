/* Reads the tasks and configurations of `thole trial run`, and gives ids to its trials. */
#include "app/cli/trial/trial_plan.h"

#include "app/cli/trial/trial_tree.h"
#include "app/cli/trial/trial_verbs.h"
#include "base/gen/limits.h"
#include "base/gen/words.h"
#include "base/hash/sha256.h"
#include "base/map.h"
#include "base/utf8.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TASKS_MAX 1000
#define ITEMS_MAX 10000
#define NAME_MAX_BYTES 64
#define INSTRUCTION_MAX (256u << 10)
#define TEXT_MAX_BYTES 256
#define BUDGET_MAX_USD 1e9

static int refuse(struct cli *c, const char *path, const char *why)
{
	out_error(c, "%s: %s.", out_safe(c->mem, str_from(path)), why);
	return CODE_USAGE;
}

static const char *below(struct cli *c, const char *dir, const char *name)
{
	return arena_printf(c->mem, "%s/%s", dir, name).ptr;
}

/* Not a link to one: it would be hashed as a link. */
static bool is_dir(const char *path)
{
	struct stat st;

	return lstat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Names become parts of ids and of paths. */
static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];
		bool is_plain =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');

		if (!is_plain && (i == 0 || !memchr("_.-", c, 3)))
			return false;
	}
	return name.len > 0 && name.len <= NAME_MAX_BYTES;
}

/* ---- tasks ---- */

/* Whole seconds, rounded up; 0: none.  False: not a time. */
static bool read_seconds(struct json table, int64_t *ret)
{
	struct json v = JSON_GET(table, "timeout_sec");
	double s = json_real(v, 0);

	*ret = 0;
	if (!json_is(v))
		return true;
	if (!(s > 0 && s <= LIMIT_TRIAL_TIMEOUT_S))
		return false;
	*ret = (int64_t)s + ((double)(int64_t)s < s);
	return true;
}

/* What needs an image, or several steps, is Harbor's. */
static const char *foreign_part(struct cli *c, const char *dir, struct json toml)
{
	static const char *const images[] = { "environment/Dockerfile",
		                              "environment/docker-compose.yaml",
		                              "environment/docker-compose.yml" };

	for (size_t i = 0; i < COUNT_OF(images); i++)
		if (access(below(c, dir, images[i]), F_OK) == 0)
			return "its environment is an image; run it with Harbor";
	if (json_is(JSON_GET(JSON_GET(toml, "environment"), "docker_image")))
		return "its environment is an image; run it with Harbor";
	if (json_is(JSON_GET(toml, "steps")))
		return "it has several steps; run it with Harbor";
	return NULL;
}

static int read_toml(struct cli *c, struct trial_task *t)
{
	const char *path = below(c, t->dir, "task.toml");
	const char *foreign;
	struct json toml;
	int code = trial_file_check_task(c, path, &toml);

	if (code)
		return code;
	foreign = foreign_part(c, t->dir, toml);
	if (foreign)
		return refuse(c, t->dir, foreign);
	if (!read_seconds(JSON_GET(toml, "agent"), &t->agent_s) ||
	    !read_seconds(JSON_GET(toml, "verifier"), &t->verifier_s))
		return refuse(c, path, "timeout_sec is a number of seconds, at most a week");
	return CODE_DONE;
}

/* Links of a folder must not leave it: tests and environment are used apart from the task. */
static bool hash_task(struct cli *c, struct trial_task *t)
{
	return trial_tree_hash(c, below(c, t->dir, "tests"), &t->tests) &&
	       trial_tree_hash(c, below(c, t->dir, "environment"), &t->environment) &&
	       trial_tree_hash(c, t->dir, &t->hash);
}

static int read_task(struct cli *c, const char *dir, struct trial_task *t)
{
	const char *slash = strrchr(dir, '/');
	int code;

	*t = (struct trial_task){ .dir = dir, .id = str_from(slash ? slash + 1 : dir) };
	if (!is_name(t->id))
		return refuse(c, dir, "its name is not made of letters, digits, _, . and -");
	code = read_toml(c, t);
	if (code)
		return code;
	t->instruction = paths_read_file(c->mem, below(c, dir, "instruction.md"), INSTRUCTION_MAX);
	if (!str_is(t->instruction) || !utf8_is_valid(t->instruction) ||
	    !str_trim(t->instruction).len)
		return refuse(c, dir, "there is no text in instruction.md");
	if (!is_dir(below(c, dir, "environment")))
		return refuse(c, dir, "there is no directory environment");
	if (!is_dir(below(c, dir, "tests")) || access(below(c, dir, "tests/test.sh"), R_OK) != 0)
		return refuse(c, dir, "there is no directory tests with test.sh");
	return hash_task(c, t) ? CODE_DONE : CODE_USAGE;
}

static int by_id(const void *a, const void *b)
{
	const struct trial_task *x = a, *y = b;

	return strcmp(x->dir, y->dir);
}

/* Folders without task.toml are not tasks. */
static int read_folder(struct cli *c, const char *root, struct trial_plan *p)
{
	DIR *dir = opendir(root);
	struct dirent *e;
	int code = CODE_DONE;

	if (!dir)
		return refuse(c, root, strerror(errno));
	while (!code && (e = readdir(dir))) {
		const char *task = below(c, root, e->d_name);

		if (e->d_name[0] == '.' || access(below(c, task, "task.toml"), F_OK) != 0)
			continue;
		code = p->task_count == TASKS_MAX ? refuse(c, root, "too many tasks")
		                                  : read_task(c, task, &p->tasks[p->task_count++]);
	}
	closedir(dir);
	qsort(p->tasks, (size_t)p->task_count, sizeof *p->tasks, by_id);
	return code;
}

static int read_tasks(struct cli *c, struct trial_plan *p)
{
	char real[PATH_MAX];
	const char *root;
	int code;

	if (!realpath(c->args[1], real))
		return refuse(c, c->args[1], strerror(errno));
	root = arena_keep(c->mem, str_from(real)).ptr;
	p->tasks = ARENA_ARRAY(c->mem, struct trial_task, TASKS_MAX);
	if (access(below(c, root, "task.toml"), F_OK) == 0) {
		p->task_count = 1;
		code = read_task(c, root, &p->tasks[0]);
	} else {
		code = read_folder(c, root, p);
	}
	if (!code && !p->task_count)
		return refuse(c, root, "there is no folder with a task.toml");
	p->dataset = c->opts.dataset ? str_from(c->opts.dataset) : str_from(strrchr(root, '/') + 1);
	return code;
}

/* ---- configurations ---- */

/* What a configuration may say; the rest belongs to the task, or to the plan. */
static bool is_of_configuration(struct str key)
{
	static const char *const names[] = { "id",       "role",      "model",
		                             "fallback", "effort",    "mode",
		                             "profiles", "budgetUsd", "singleChangedVariable" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(key, str_from(names[i])))
			return true;
	return false;
}

/* The name of the file, without .json. */
static struct str name_of(const char *path)
{
	const char *slash = strrchr(path, '/');
	struct str name = str_from(slash ? slash + 1 : path);

	return str_ends(name, STR(".json")) ? str_head(name, name.len - 5) : name;
}

/* ---- what a configuration says; the runtime would refuse it in the middle of the run ---- */

static bool is_word(struct json v, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_eq(json_str(v), str_from(words[i])))
			return true;
	return false;
}

static bool is_text(struct json v)
{
	return json_str(v).len && json_str(v).len <= TEXT_MAX_BYTES;
}

static bool are_profiles(struct json v)
{
	static const char *const names[] = { "agent", "promptProfile", "toolProfile",
		                             "contextProfile", "routingProfile" };
	struct json_iter it = json_iter(v);
	struct json value;
	struct str key;
	bool is_fine = json_type(v) == JSON_OBJ;

	while (is_fine && json_next(&it, &key, &value)) {
		bool is_known = false;

		for (size_t i = 0; i < COUNT_OF(names); i++)
			is_known = is_known || str_eq(key, str_from(names[i]));
		is_fine = is_known && is_text(value);
	}
	return is_fine;
}

static bool is_value(struct str key, struct json v)
{
	static const char *const modes[] = { WORDS_PERMISSION_MODE };
	static const char *const efforts[] = { WORDS_EFFORT };
	static const char *const fallbacks[] = { WORDS_FALLBACK_POLICY };
	static const char *const roles[] = { WORDS_TRIAL_ROLE };

	if (str_eq(key, STR("mode")))
		return is_word(v, modes, COUNT_OF(modes));
	if (str_eq(key, STR("effort")))
		return is_word(v, efforts, COUNT_OF(efforts));
	if (str_eq(key, STR("fallback")))
		return is_word(v, fallbacks, COUNT_OF(fallbacks));
	if (str_eq(key, STR("role")))
		return is_word(v, roles, COUNT_OF(roles));
	if (str_eq(key, STR("budgetUsd")))
		return json_real(v, 0) > 0 && json_real(v, 0) <= BUDGET_MAX_USD;
	return str_eq(key, STR("profiles")) ? are_profiles(v) : is_text(v);
}

static int read_configuration(struct cli *c, const char *path, bool is_first,
                              struct trial_configuration *ret)
{
	struct str text = paths_read_file(c->mem, path, 64u << 10);
	struct error e = { 0 };
	struct json_iter it;
	struct json value;
	struct str key;

	if (!str_is(text))
		return refuse(c, path, strerror(errno));
	if (json_read(c->mem, text, &ret->members, &e) != OK)
		return refuse(c, path, out_safe(c->mem, str_from(e.message)));
	if (json_type(ret->members) != JSON_OBJ)
		return refuse(c, path, "a configuration is a JSON object");
	it = json_iter(ret->members);
	while (json_next(&it, &key, &value))
		if (!is_of_configuration(key) || !is_value(key, value))
			return refuse(c, path,
			              arena_printf(c->mem, "%s %s",
			                           is_of_configuration(key) ? "not a value for"
			                                                    : "unknown member",
			                           out_safe(c->mem, key))
			                      .ptr);
	ret->id = json_str(JSON_GET(ret->members, "id"));
	ret->id = str_is(ret->id) ? ret->id : name_of(path);
	ret->role = json_str(JSON_GET(ret->members, "role"));
	ret->role = str_is(ret->role) ? ret->role : is_first ? STR("baseline") : STR("candidate");
	return is_name(ret->id)
	               ? CODE_DONE
	               : refuse(c, path, "its id is not made of letters, digits, _, . and -");
}

static int read_configurations(struct cli *c, struct trial_plan *p)
{
	const struct words *files = &c->opts.configs;
	int code = CODE_DONE;

	if (!files->count)
		return opt_usage(c, "Name a configuration: --config FILE.json.");
	p->configurations = ARENA_ARRAY(c->mem, struct trial_configuration, files->count);
	for (int i = 0; i < files->count && !code; i++) {
		code = read_configuration(c, files->items[i], i == 0, &p->configurations[i]);
		for (int k = 0; k < i && !code; k++)
			if (str_eq(p->configurations[k].id, p->configurations[i].id))
				code = refuse(c, files->items[i], "another one has the same id");
		p->configuration_count++;
	}
	return code;
}

/* ---- ids ---- */

/* The plan without its place: what is run. */
static struct str content_of(struct cli *c, const struct trial_plan *p, int repeat)
{
	struct buf out = { 0 };
	struct sha256 hash;

	buf_printf(&out, "%.*s\n%.*s\n%d\n", STR_ARG(p->dataset), STR_ARG(p->version), repeat);
	for (int i = 0; i < p->task_count; i++)
		buf_printf(&out, "%.*s %.*s\n", STR_ARG(p->tasks[i].id), STR_ARG(p->tasks[i].hash));
	for (int i = 0; i < p->configuration_count; i++)
		buf_printf(&out, "%.*s %.*s %.*s\n", STR_ARG(p->configurations[i].id),
		           STR_ARG(p->configurations[i].role),
		           STR_ARG(json_text(c->mem, p->configurations[i].members)));
	hash = sha256_of(buf_str(&out));
	buf_done(&out);
	return sha256_hex(c->mem, &hash);
}

static struct str version_of(struct cli *c, const struct trial_plan *p)
{
	struct buf out = { 0 };
	struct sha256 hash;

	for (int i = 0; i < p->task_count; i++)
		buf_printf(&out, "%.*s %.*s\n", STR_ARG(p->tasks[i].id), STR_ARG(p->tasks[i].hash));
	hash = sha256_of(buf_str(&out));
	buf_done(&out);
	return arena_printf(c->mem, "sha256:%.*s", STR_ARG(sha256_hex(c->mem, &hash)));
}

/* The place is part of the ids: the same plan at another place is another run. */
static void name_job(struct cli *c, struct trial_plan *p)
{
	struct sha256 hash =
		sha256_of(arena_printf(c->mem, "%s\n%.*s", p->place, STR_ARG(p->hash)));
	struct str id = str_head(sha256_hex(c->mem, &hash), 20);

	p->job = arena_printf(c->mem, "job_trial%.*s", STR_ARG(id));
	p->session = arena_printf(c->mem, "sess_trial%.*s", STR_ARG(id));
}

/* Names may contain dots: task a with b.c and task a.b with c read the same.  The end tells them apart. */
static struct str end_of_id(struct cli *c, const struct trial_plan *p, const struct trial_item *i,
                            enum trial_ids ids)
{
	struct sha256 hash;

	if (ids == TRIAL_IDS_PLAIN)
		return str_head(str_skip(p->job, strlen("job_trial")), 8);
	hash = sha256_of(arena_printf(c->mem, "%.*s\n%.*s\n%.*s\n%d", STR_ARG(p->job),
	                              STR_ARG(i->task->id), STR_ARG(i->configuration->id),
	                              i->repeat));
	return str_head(sha256_hex(c->mem, &hash), 12);
}

static void add_item(struct cli *c, struct trial_plan *p, struct trial_item i, enum trial_ids ids)
{
	i.trial = arena_printf(c->mem, "%.*s.%.*s.%d.%.*s", STR_ARG(i.task->id),
	                       STR_ARG(i.configuration->id), i.repeat,
	                       STR_ARG(end_of_id(c, p, &i, ids)));
	p->items[p->item_count++] = i;
}

static int refuse_equal_ids(struct cli *c, const struct trial_plan *p)
{
	struct map seen = { 0 };
	int code = CODE_DONE;

	for (int i = 0; i < p->item_count && !code; i++) {
		if (map_get(&seen, p->items[i].trial))
			code = opt_usage(c, "Two trials have the id %s; give -o another place.",
			                 out_safe(c->mem, p->items[i].trial));
		map_put(&seen, p->items[i].trial, &p->items[i]);
	}
	map_done(&seen);
	return code;
}

/* Repeats are outermost, so that a run that is stopped early has trials of all sides. */
int trial_plan_add_items(struct cli *c, struct trial_plan *p, enum trial_ids ids)
{
	p->items = ARENA_ARRAY(c->mem, struct trial_item,
	                       p->task_count * p->configuration_count * p->repeat);
	for (int r = 1; r <= p->repeat; r++)
		for (int t = 0; t < p->task_count; t++)
			for (int k = 0; k < p->configuration_count; k++)
				add_item(
					c, p,
					(struct trial_item){ .task = &p->tasks[t],
				                             .configuration = &p->configurations[k],
				                             .repeat = r },
					ids);
	return refuse_equal_ids(c, p);
}

int trial_plan_read(struct cli *c, struct trial_plan *p)
{
	int64_t repeat = c->opts.has_repeat ? c->opts.repeat : 1;
	int code;

	*p = (struct trial_plan){ 0 };
	code = read_configurations(c, p);
	code = code ? code : read_tasks(c, p);
	if (code)
		return code;
	if (repeat < 1 || repeat > ITEMS_MAX ||
	    repeat * p->task_count * p->configuration_count > ITEMS_MAX)
		return opt_usage(c, "--repeat is at least 1, and a run has at most %d trials.",
		                 ITEMS_MAX);
	p->version = version_of(c, p);
	p->hash = content_of(c, p, (int)repeat);
	p->place = paths_absolute(c, c->opts.file ? c->opts.file
	                                          : arena_printf(c->mem, "jobs/%.*s-%.*s",
	                                                         STR_ARG(p->dataset),
	                                                         STR_ARG(str_head(p->hash, 8)))
	                                                    .ptr);
	name_job(c, p);
	p->repeat = (int)repeat;
	return CODE_DONE;
}
