/*
 * Files of settings and -c as one object for thole_open().
 *
 * Later layers win: /etc/thole/config.json, the user's file, --config, the
 * project's file (.thole/config.json here or in a folder above), -c.
 * Nested objects are written flat ("action": {"timeout_s": 5} becomes
 * "action.timeout_s": 5), so that layers meet key by key.  What the keys mean
 * is the library's business; when it rejects one, cli_settings_where() returns
 * the file that set it.
 *
 * Permission rules are the exception: the rules of all layers apply together,
 * each with its layer as its source, so that no layer can drop what the host
 * forbids.  A project's rules are in .thole/rules.json.
 */
#include "app/cli/cli_settings.h"

#include "base/jw.h"
#include "app/cli/daemon.h"
#include "app/gen/object_settings.h"
#include "app/cli/print/out.h"
#include "base/path/foreign_file.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES (1u << 20)
#define SETTINGS_MAX 512

/* One setting of one kind of layer.  A later layer of the same kind overwrites it. */
struct setting {
	struct str key;
	struct json value;
	const char *where;
	enum kind { OF_FILES, OF_PROJECT, OF_COMMAND_LINE } kind;
};

struct layer {
	struct cli *c;
	const char *name;
	const char *source; /* of its rules */
	struct str text;    /* of the file; absent: from the command line */
	enum kind kind;
};

#define RULES_KEY "permission.rules"
#define RULE_SETS_MAX (WORDS_MAX + 8)

/* Static, because cli_settings_where() is asked after the library has rejected the settings. */
static struct setting all[SETTINGS_MAX];
static size_t count;

static struct rule_set {
	const char *source;
	struct json rules;
	bool is_watched; /* of a file that the runtime watches itself */
} rule_sets[RULE_SETS_MAX];
static size_t rule_set_count;

/* Line of the first occurrence of the key's last part in quotes. */
static int line_of(const struct layer *l, struct str key)
{
	struct str last = key, rest = key;
	struct str quoted;
	ptrdiff_t at;
	int line = 1;

	while (str_is(rest))
		last = str_cut(&rest, '.');
	quoted = arena_printf(l->c->mem, "\"%.*s\"", STR_ARG(last));
	at = str_find(l->text, quoted);
	for (ptrdiff_t i = 0; i < at; i++)
		line += l->text.ptr[i] == '\n';
	return line;
}

static const char *where(const struct layer *l, struct str key)
{
	if (!str_is(l->text))
		return l->name;
	return arena_printf(l->c->mem, "%s:%d", l->name, line_of(l, key)).ptr;
}

/*
 * Rules of files that the runtime watches are not passed as settings: the runtime reads them
 * itself and again when they change.
 */
static int put_rules(const struct layer *l, struct json rules)
{
	if (json_type(rules) != JSON_ARR || rule_set_count == RULE_SETS_MAX) {
		out_error(l->c, "%s: " RULES_KEY " wants a list. Repair or remove the file.",
		          where(l, STR("rules")));
		return CODE_CONFIG;
	}
	rule_sets[rule_set_count++] =
		(struct rule_set){ l->source, rules, str_is(l->text) && l->kind == OF_FILES };
	return CODE_DONE;
}

static int put(const struct layer *l, struct str key, struct json value)
{
	struct setting *s = NULL;

	if (str_eq(key, STR(RULES_KEY)))
		return put_rules(l, value);

	for (size_t i = 0; i < count && !s; i++)
		if (all[i].kind == l->kind && str_eq(all[i].key, key))
			s = &all[i];
	if (!s && count == SETTINGS_MAX) {
		out_error(l->c, "%s: more than %d settings.", l->name, SETTINGS_MAX);
		return CODE_CONFIG;
	}
	if (!s)
		s = &all[count++];
	*s = (struct setting){ key, value, where(l, key), l->kind };
	return CODE_DONE;
}

/* Settings whose value is an object. */
static bool is_object_setting(struct str key)
{
	static const char *const names[] = { OBJECT_SETTINGS };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(key, str_from(names[i])))
			return true;
	return false;
}

/* Objects are flattened, except settings whose value is an object. */
static int put_members(const struct layer *l, struct str prefix, struct json obj)
{
	struct json_iter it = json_iter(obj);
	struct json value;
	struct str key;
	int code = CODE_DONE;

	while (!code && json_next(&it, &key, &value)) {
		if (prefix.len)
			key = arena_printf(l->c->mem, "%.*s.%.*s", STR_ARG(prefix), STR_ARG(key));
		code = json_type(value) == JSON_OBJ && !is_object_setting(key)
		               ? put_members(l, key, value)
		               : put(l, key, value);
	}
	return code;
}

/* path: DIR/.thole/NAME.  Files of a repository are untrusted (base/path/foreign_file.h). */
static bool project_text(struct cli *c, const char *path, struct str *ret, struct error *e)
{
	struct str dir = str_from(path);
	struct foreign_file f;

	for (int slashes = 0; dir.len && slashes < 2; dir.len--)
		slashes += dir.ptr[dir.len - 1] == '/';
	if (foreign_file_read(c->mem, dir.len ? dir : STR("/"), path + dir.len + 1, FILE_MAX_BYTES,
	                      &f, e) != OK)
		return false;
	*ret = f.text;
	return true;
}

/* A project's rules.json has its rules in a member, every other file has settings. */
static int add_file(struct cli *c, const char *path, const char *source, bool must_be,
                    enum kind kind)
{
	bool is_project = strcmp(source, "project") == 0;
	struct layer l = { c, path, source, STR_NONE, kind };
	struct json obj = { 0 };
	struct error e = { 0 };

	if (!is_project) {
		/* A pipe that --config names has a writer. */
		l.text = must_be ? paths_read_file(c->mem, path, FILE_MAX_BYTES)
		                 : paths_read_regular(c->mem, path, FILE_MAX_BYTES);
	} else if (!project_text(c, path, &l.text, &e)) {
		if (e.code == ERR_NOT_FOUND)
			return CODE_DONE;
		out_error(c, "%s: %s. Repair or remove the file.", path, e.message);
		return CODE_CONFIG;
	}
	if (!str_is(l.text)) {
		if (!must_be && (errno == ENOENT || errno == ENOTDIR))
			return CODE_DONE;
		out_error(c, "%s: %s.", path, paths_reason());
		return CODE_CONFIG;
	}
	if (json_read_config(c->mem, l.text, &obj, &e) != OK || json_type(obj) != JSON_OBJ) {
		out_error(c, "%s: %s. Repair or remove the file.", path,
		          json_type(obj) == JSON_NONE ? e.message : "an object is wanted");
		return CODE_CONFIG;
	}
	if (is_project && kind != OF_PROJECT)
		return put_rules(&l, JSON_GET(obj, "rules"));
	return put_members(&l, STR(""), obj);
}

static int add_project(struct cli *c)
{
	const char *dir = paths_absolute(c, c->opts.dir ? c->opts.dir : ".");

	return add_file(c, arena_printf(c->mem, "%s/.thole/rules.json", dir).ptr, "project", false,
	                OF_FILES);
}

/* The project file of this directory or its nearest parent; NULL: none. */
static const char *project_file(struct cli *c)
{
	struct str dir = str_from(paths_absolute(c, c->opts.dir ? c->opts.dir : "."));

	for (;;) {
		struct str path = arena_printf(c->mem, "%.*s/.thole/config.json", STR_ARG(dir));

		if (access(path.ptr, F_OK) == 0)
			return path.ptr;
		while (dir.len && dir.ptr[dir.len - 1] != '/')
			dir.len--;
		if (!dir.len)
			return NULL;
		dir.len--;
	}
}

/* A value that parses as JSON is JSON; any other is a string. */
static int add_word(struct cli *c, const char *word)
{
	struct layer l = { c, "-c", "user", STR_NONE, OF_COMMAND_LINE };
	struct str value = str_from(word);
	struct str key = str_cut(&value, '=');
	struct json v;

	if (!str_is(value) || !key.len)
		return opt_usage(c, "-c wants KEY=VALUE, not \"%s\".", word);
	if (json_read_config(c->mem, value, &v, NULL) != OK) {
		struct buf text = { 0 };
		struct json_writer w;
		enum err code;

		jw_init(&w, &text);
		jw_str(&w, value);
		code = json_read_trusted(c->mem, buf_str(&text), &v, NULL);
		buf_done(&text);
		if (code != OK)
			return opt_usage(c, "-c %s is no text.", word);
	}
	return put(&l, key, v);
}

static int read_layers(struct cli *c, const char *project)
{
	const char *user = paths_user_config(c);
	int code = add_file(c, PATH_SYSTEM_CONFIG, "host_policy", false, OF_FILES);

	if (!code && user)
		code = add_file(c, user, "user", false, OF_FILES);
	if (!code && c->opts.config)
		code = add_file(c, c->opts.config, "user", true, OF_FILES);
	if (!code && project)
		code = add_file(c, project, "project", true, OF_PROJECT);
	if (!code)
		code = add_project(c);
	for (int i = 0; i < c->opts.cli_settings.count && !code; i++)
		code = add_word(c, c->opts.cli_settings.items[i]);
	return code;
}

/* Copies every rule and sets its source; a source in the rule itself is ignored. */
static void write_rules(struct json_writer *w, bool with_watched)
{
	jw_arr(w);
	for (size_t i = 0; i < rule_set_count; i++) {
		if (rule_sets[i].is_watched && !with_watched)
			continue;
		struct json_iter it = json_iter(rule_sets[i].rules);
		struct json v;
		struct str key;

		while (json_next(&it, &key, &v))
			jw_value_with(w, v, STR("source"), str_from(rule_sets[i].source));
	}
	jw_arr_end(w);
}

/*
 * Kinds are passed separately, because the library lets a project change less than the user's
 * files.
 */
static const char *layer_text(struct cli *c, enum kind kind)
{
	struct buf text = { 0 };
	struct json_writer w;
	const char *kept;

	jw_init(&w, &text);
	jw_obj(&w);
	for (size_t i = 0; i < count; i++) {
		if (all[i].kind != kind)
			continue;
		jw_key(&w, all[i].key);
		jw_value(&w, all[i].value);
	}
	if (kind == OF_FILES && rule_set_count) {
		JW_KEY(&w, RULES_KEY);
		write_rules(&w, false);
	}
	jw_obj_end(&w);
	kept = arena_keep(c->mem, buf_str(&text)).ptr;
	buf_done(&text);
	return kept;
}

/* "SOURCE=PATH" of every file that can hold rules; it need not exist. */
static void name_rule_files(struct cli *c, const char **ret)
{
	const char *user = paths_user_config(c);
	size_t n = 0;

	ret[n++] = "host_policy=" PATH_SYSTEM_CONFIG;
	if (user)
		ret[n++] = arena_printf(c->mem, "user=%s", user).ptr;
	if (c->opts.config)
		ret[n++] = arena_printf(c->mem, "user=%s", paths_absolute(c, c->opts.config)).ptr;
	ret[n] = NULL;
}

int cli_settings_read(struct cli *c, struct cli_settings *ret)
{
	int code;

	count = rule_set_count = 0;
	*ret = (struct cli_settings){ .project_file = project_file(c) };
	name_rule_files(c, ret->rule_files);
	code = read_layers(c, ret->project_file);
	if (code || !(count + rule_set_count))
		return code;
	ret->config = layer_text(c, OF_FILES);
	ret->project = ret->project_file ? layer_text(c, OF_PROJECT) : NULL;
	ret->overrides = layer_text(c, OF_COMMAND_LINE);
	return CODE_DONE;
}

/* The library names the layer first. */
static enum kind kind_of(struct str message)
{
	return str_starts(message, STR("project:"))   ? OF_PROJECT
	       : str_starts(message, STR("options:")) ? OF_COMMAND_LINE
	                                              : OF_FILES;
}

/*
 * The longest key in the message is the one that it is about: "action" is also part of
 * "action.timeout_s".
 */
const char *cli_settings_where(const char *message)
{
	const char *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < count; i++)
		if (all[i].key.len > best_len && all[i].kind == kind_of(str_from(message)) &&
		    str_find(str_from(message), all[i].key) >= 0) {
			best = all[i].where;
			best_len = all[i].key.len;
		}
	return best;
}

bool cli_settings_are_good(struct cli *c, const struct cli_settings *s, const char **ret_why)
{
	struct thole_options o = { .config = s->config,
		                   .project = s->project,
		                   .overrides = s->overrides };
	struct thole_error e;
	const char *place;

	if (thole_settings_check(&o, &e) == THOLE_OK)
		return true;
	place = cli_settings_where(e.message);
	*ret_why = arena_printf(c->mem, "%s%s%s", place ? place : "", place ? ": " : "", e.message)
	                   .ptr;
	return false;
}

int cli_settings_rules(struct cli *c, const char **ret)
{
	struct buf text = { 0 };
	struct json_writer w;
	int code;

	count = rule_set_count = 0;
	code = read_layers(c, NULL);
	if (code)
		return code;
	jw_init(&w, &text);
	write_rules(&w, true);
	*ret = arena_keep(c->mem, buf_str(&text)).ptr;
	buf_done(&text);
	return CODE_DONE;
}

/* The order of a runtime: -c, the environment, the project (which can only deny), the files. */
const char *cli_settings_word(struct cli *c, const char *key, const char *variable)
{
	static const enum kind order[] = { OF_COMMAND_LINE, OF_PROJECT, OF_FILES };
	const char *of_environment = getenv(variable);
	struct cli_settings ignored;

	if (cli_settings_read(c, &ignored) != CODE_DONE)
		return NULL;
	for (size_t k = 0; k < COUNT_OF(order); k++) {
		for (size_t i = 0; i < count; i++)
			if (all[i].kind == order[k] && str_eq(all[i].key, str_from(key)) &&
			    str_is(json_str(all[i].value)))
				return arena_keep(c->mem, json_str(all[i].value)).ptr;
		if (order[k] == OF_COMMAND_LINE && of_environment)
			return of_environment;
	}
	return NULL;
}

int64_t cli_settings_number(struct cli *c, const char *key, int64_t otherwise)
{
	static const enum kind order[] = { OF_COMMAND_LINE, OF_PROJECT, OF_FILES };
	struct cli_settings ignored;

	if (cli_settings_read(c, &ignored) != CODE_DONE)
		return otherwise;
	for (size_t k = 0; k < COUNT_OF(order); k++)
		for (size_t i = 0; i < count; i++)
			if (all[i].kind == order[k] && str_eq(all[i].key, str_from(key)))
				return json_int(all[i].value, otherwise);
	return otherwise;
}

/* Project layers cannot open hosts, so they do not count here. */
const char *cli_settings_reachable(struct cli *c)
{
	static const enum kind order[] = { OF_COMMAND_LINE, OF_FILES };
	struct cli_settings ignored;

	if (cli_settings_read(c, &ignored) != CODE_DONE)
		return NULL;
	for (size_t k = 0; k < COUNT_OF(order); k++)
		for (size_t i = 0; i < count; i++)
			if (all[i].kind == order[k] &&
			    str_eq(all[i].key, STR("sandbox.allow_hosts")))
				return arena_keep(c->mem, json_text(c->mem, all[i].value)).ptr;
	return NULL;
}

const char *cli_settings_default(struct cli *c)
{
	return cli_settings_word(c, "permission.default", "THOLE_PERMISSION_DEFAULT");
}

const char *cli_settings_worktrees(struct cli *c)
{
	const char *named = cli_settings_word(c, "worktrees.dir", "THOLE_WORKTREES_DIR");
	const char *dir = named && named[0] == '/' ? named : c->data;
	char *full = realpath(dir, NULL);
	struct str real = arena_keep(c->mem, str_from(full ? full : dir));

	free(full);
	return dir == named ? real.ptr : arena_printf(c->mem, "%.*s-worktrees", STR_ARG(real)).ptr;
}

int cli_settings_allow_hosts(struct cli *c)
{
	struct str rest = c->opts.allow_hosts ? str_from(c->opts.allow_hosts) : STR_NONE;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!str_is(rest))
		return CODE_DONE;
	if (c->opts.cli_settings.count == WORDS_MAX) {
		out_error(c, "There are more than %d settings.", WORDS_MAX);
		return CODE_USAGE;
	}
	buf_add_c(&out, "sandbox.allow_hosts=");
	jw_init(&w, &out);
	jw_arr(&w);
	while (str_is(rest)) {
		struct str host = str_trim(str_cut(&rest, ','));

		if (host.len)
			jw_str(&w, host);
	}
	jw_arr_end(&w);
	c->opts.cli_settings.items[c->opts.cli_settings.count++] =
		arena_keep(c->mem, buf_str(&out)).ptr;
	return CODE_DONE;
}

int cli_settings_store(struct cli *c)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	if (!c->opts.store)
		return CODE_DONE;
	if (c->opts.cli_settings.count == WORDS_MAX) {
		out_error(c, "There are more than %d settings.", WORDS_MAX);
		return CODE_USAGE;
	}
	buf_add_c(&out, "store.url=");
	jw_init(&w, &out);
	jw_str(&w, str_from(c->opts.store));
	c->opts.cli_settings.items[c->opts.cli_settings.count++] =
		arena_keep(c->mem, buf_str(&out)).ptr;
	return CODE_DONE;
}

bool cli_settings_has_store(struct cli *c)
{
	const char *url = cli_settings_word(c, "store.url", "THOLE_STORE_URL");

	return (url && *url) || access(paths_in_data(c, "store"), F_OK) == 0;
}

/* ---- what a daemon has not read ---- */

static bool is_newer(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec > b.tv_nsec;
}

/* Compares with the time of the lock file, which a daemon writes at its start. */
const char *cli_settings_unread(struct cli *c)
{
	const char *files[] = { PATH_SYSTEM_CONFIG, paths_user_config(c) };
	struct stat lock, st;

	if (stat(paths_in_data(c, "lock"), &lock) != 0 || lock.st_uid != geteuid())
		return NULL;
	for (size_t i = 0; i < COUNT_OF(files); i++)
		if (files[i] && stat(files[i], &st) == 0 && is_newer(st.st_mtim, lock.st_mtim))
			return files[i];
	return NULL;
}

void cli_settings_tell_unread(struct cli *c)
{
	const char *file = cli_settings_unread(c);

	if (file)
		out_note(c, TONE_PLAIN,
		         "%s has changed since the daemon started; to have it read: %s", file,
		         daemon_stop_text(c));
}
