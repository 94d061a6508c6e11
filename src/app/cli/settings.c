/*
 * Files of settings and -c as one object for thole_open().
 *
 * Later layers win: /etc/thole/config.json, the user's file, --config, -c.
 * Nested objects are written flat ("action": {"timeout_s": 5} becomes
 * "action.timeout_s": 5), so that layers meet key by key.  What the keys mean
 * is the library's business; when it takes offence at one, settings_where()
 * says where it came from.
 *
 * Permission rules are the exception: they add up, each with the layer that it
 * came from as its source, so that nobody drops what the host forbids.  A
 * project has no settings, only rules: .thole/rules.json.
 */
#include "app/cli/settings.h"

#include "app/cli/out.h"

#include <errno.h>
#include <unistd.h>

#define FILE_MAX_BYTES (1u << 20)
#define SETTINGS_MAX 512

struct setting {
	struct str key;
	struct json value;
	const char *where;
};

struct layer {
	struct cli *c;
	const char *name;
	const char *source; /* of its rules */
	struct str text;    /* of the file; absent: from the command line */
};

#define RULES_KEY "permission.rules"
#define RULE_SETS_MAX (WORDS_MAX + 8)

static struct setting all[SETTINGS_MAX];
static size_t count;

static struct rule_set {
	const char *source;
	struct json rules;
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

static int put_rules(const struct layer *l, struct json rules)
{
	if (json_type(rules) != JSON_ARR || rule_set_count == RULE_SETS_MAX) {
		complain(l->c, "%s: " RULES_KEY " wants a list.", where(l, STR("rules")));
		return CODE_CONFIG;
	}
	rule_sets[rule_set_count++] = (struct rule_set){ l->source, rules };
	return CODE_DONE;
}

static int put(const struct layer *l, struct str key, struct json value)
{
	struct setting *s = NULL;

	if (str_eq(key, STR(RULES_KEY)))
		return put_rules(l, value);

	for (size_t i = 0; i < count && !s; i++)
		if (str_eq(all[i].key, key))
			s = &all[i];
	if (!s && count == SETTINGS_MAX) {
		complain(l->c, "%s: more than %d settings.", l->name, SETTINGS_MAX);
		return CODE_CONFIG;
	}
	if (!s)
		s = &all[count++];
	*s = (struct setting){ key, value, where(l, key) };
	return CODE_DONE;
}

/* Settings that are an object as a whole. */
static bool is_object_setting(struct str key)
{
	static const char *const names[] = { "providers", "hooks" };

	for (size_t i = 0; i < COUNT_OF(names); i++)
		if (str_eq(key, str_from(names[i])))
			return true;
	return false;
}

static int put_members(const struct layer *l, struct str prefix, struct json obj)
{
	struct json_iter it = json_iter(obj);
	struct json value;
	struct str key;
	int code = CODE_DONE;

	while (!code && json_next(&it, &key, &value)) {
		if (prefix.len)
			key = arena_printf(l->c->mem, "%.*s.%.*s", STR_ARG(prefix), STR_ARG(key));
		code = json_type(value) == JSON_OBJ && !is_object_setting(key) ?
		               put_members(l, key, value) :
		               put(l, key, value);
	}
	return code;
}

static int add_file(struct cli *c, const char *path, const char *source, bool must_be)
{
	struct layer l = { c, path, source, file_text(c->mem, path, FILE_MAX_BYTES) };
	struct json obj = { 0 };
	struct error e;

	if (!str_is(l.text)) {
		if (!must_be && (errno == ENOENT || errno == ENOTDIR))
			return CODE_DONE;
		complain(c, "%s: %s.", path, strerror(errno));
		return CODE_CONFIG;
	}
	if (json_read_config(c->mem, l.text, &obj, &e) != OK || json_type(obj) != JSON_OBJ) {
		complain(c, "%s: %s.", path,
		         json_type(obj) == JSON_NONE ? e.message : "an object is wanted");
		return CODE_CONFIG;
	}
	if (strcmp(source, "project") == 0)
		return put_rules(&l, JSON_GET(obj, "rules"));
	return put_members(&l, STR(""), obj);
}

static int add_project(struct cli *c)
{
	const char *dir = path_absolute(c, c->opts.dir ? c->opts.dir : ".");

	return add_file(c, arena_printf(c->mem, "%s/.thole/rules.json", dir).ptr, "project", false);
}

/* The value is JSON when it can be read as such, else a word. */
static int add_word(struct cli *c, const char *word)
{
	struct layer l = { c, "-c", "user", STR_NONE };
	struct str value = str_from(word);
	struct str key = str_cut(&value, '=');
	struct json v;

	if (!str_is(value) || !key.len)
		return usage(c, "-c wants KEY=VALUE, not \"%s\".", word);
	if (json_read_config(c->mem, value, &v, NULL) != OK) {
		struct buf text = { 0 };
		struct json_writer w;
		enum err code;

		jw_init(&w, &text);
		jw_str(&w, value);
		code = json_read_own(c->mem, buf_str(&text), &v, NULL);
		buf_done(&text);
		if (code != OK)
			return usage(c, "-c %s is no text.", word);
	}
	return put(&l, key, v);
}

static int read_layers(struct cli *c)
{
	const char *user = path_user_config(c);
	int code = add_file(c, PATH_SYSTEM_CONFIG, "host_policy", false);

	if (!code && user)
		code = add_file(c, user, "user", false);
	if (!code && c->opts.config)
		code = add_file(c, c->opts.config, "user", true);
	if (!code)
		code = add_project(c);
	for (int i = 0; i < c->opts.settings.count && !code; i++)
		code = add_word(c, c->opts.settings.items[i]);
	return code;
}

/* A rule as it stands, and where it comes from; what it says of that itself does not count. */
static void write_rule(struct json_writer *w, struct json rule, const char *source)
{
	struct json_iter it = json_iter(rule);
	struct json v;
	struct str key;

	if (json_type(rule) != JSON_OBJ) {
		jw_value(w, rule);
		return;
	}
	jw_obj(w);
	while (json_next(&it, &key, &v))
		if (!str_eq(key, STR("source"))) {
			jw_key(w, key);
			jw_value(w, v);
		}
	JW_KSTR(w, "source", str_from(source));
	jw_obj_end(w);
}

static void write_rules(struct json_writer *w)
{
	jw_arr(w);
	for (size_t i = 0; i < rule_set_count; i++) {
		struct json_iter it = json_iter(rule_sets[i].rules);
		struct json v;
		struct str key;

		while (json_next(&it, &key, &v))
			write_rule(w, v, rule_sets[i].source);
	}
	jw_arr_end(w);
}

/* Those of the command line, or the others: the environment stands between them. */
static const char *layer_text(struct cli *c, bool of_command_line)
{
	struct buf text = { 0 };
	struct json_writer w;
	const char *kept;

	jw_init(&w, &text);
	jw_obj(&w);
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(all[i].where, "-c") != of_command_line)
			continue;
		jw_key(&w, all[i].key);
		jw_value(&w, all[i].value);
	}
	if (!of_command_line && rule_set_count) {
		JW_KEY(&w, RULES_KEY);
		write_rules(&w);
	}
	jw_obj_end(&w);
	kept = arena_keep(c->mem, buf_str(&text)).ptr;
	buf_done(&text);
	return kept;
}

int settings_text(struct cli *c, const char **ret_config, const char **ret_overrides)
{
	int code;

	count = rule_set_count = 0;
	code = read_layers(c);
	*ret_config = *ret_overrides = NULL;
	if (code || !(count + rule_set_count))
		return code;
	*ret_config = layer_text(c, false);
	*ret_overrides = layer_text(c, true);
	return CODE_DONE;
}

const char *settings_where(const char *message)
{
	const char *best = NULL;
	size_t best_len = 0;

	for (size_t i = 0; i < count; i++)
		if (all[i].key.len > best_len && str_find(str_from(message), all[i].key) >= 0) {
			best = all[i].where;
			best_len = all[i].key.len;
		}
	return best;
}

int settings_rules(struct cli *c, const char **ret)
{
	struct buf text = { 0 };
	struct json_writer w;
	int code;

	count = rule_set_count = 0;
	code = read_layers(c);
	if (code)
		return code;
	jw_init(&w, &text);
	write_rules(&w);
	*ret = arena_keep(c->mem, buf_str(&text)).ptr;
	buf_done(&text);
	return CODE_DONE;
}
