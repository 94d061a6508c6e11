/*
 * Settings of Claude Code: settings.json of its folder, and ~/.claude.json.
 *
 * A rule there is a tool with a pattern, such as Bash(npm run:*).  It is taken
 * over where a rule here covers the same: commands by their first words, paths,
 * hosts, tools of servers.  A rule that would allow more here is left out.
 */
#include "app/cli/import/settings_plan.h"

#include "app/cli/connection.h"
#include "base/gen/words.h"
#include "base/jw.h"

#include <string.h>

/* ---- rules ---- */

/* Tools whose rules belong together: one that is left out keeps back what allows the same tool. */
enum tool_group { OF_COMMANDS = 1, OF_FILES = 2, OF_FETCH = 4, OF_SEARCH = 8, OF_SERVERS = 16 };
#define OF_ALL 31u

struct rules {
	struct settings_plan *p;
	unsigned held; /* groups with a deny or ask that was left out */
};

struct rule {
	struct settings_plan *p;
	struct rules *all;
	unsigned group;           /* 0: there is no such tool here */
	struct str effect;        /* allow, ask or deny */
	struct str text;          /* the whole rule, as it is written */
	struct str tool, pattern; /* pattern: absent without brackets */
	bool allows;
};

static void leave_rule(const struct rule *r, const char *why)
{
	settings_plan_leave(
		r->p, arena_printf(r->p->c->mem, "%.*s %.*s", STR_ARG(r->effect), STR_ARG(r->text)),
		why);
	if (!r->allows)
		r->all->held |= r->group;
}

/* Nothing but wildcards: everything, which is no rule to take over without reading it. */
static bool is_anything(struct str pattern)
{
	for (size_t i = 0; i < pattern.len; i++)
		if (!strchr("*?./~:", pattern.ptr[i]))
			return false;
	return true;
}

/* One rule with two members at most. */
static void add_rule(const struct rule *r, const char *key, struct str json, const char *key2,
                     struct str value2)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "effect", r->effect);
	jw_key(&w, str_from(key));
	jw_raw(&w, json);
	if (key2)
		jw_kstr(&w, str_from(key2), value2);
	jw_obj_end(&w);
	settings_plan_add(r->p, (struct plan_change){
					.kind = r->allows ? PLAN_ALLOW_RULE : PLAN_PLAIN,
					.place = PLAN_LIST,
					.key = "permission.rules",
					.json = arena_keep(r->p->c->mem, buf_str(&out)),
					.from = arena_printf(r->p->c->mem, "%.*s %.*s",
	                                                     STR_ARG(r->effect), STR_ARG(r->text)),
				});
}

static void add_text_rule(const struct rule *r, const char *key, struct str value, const char *key2,
                          struct str value2)
{
	add_rule(r, key, settings_plan_text(r->p, value), key2, value2);
}

static struct str words_of(struct settings_plan *p, struct str line)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_arr(&w);
	while (str_is(line)) {
		struct str word = str_cut(&line, ' ');

		if (word.len)
			jw_str(&w, word);
	}
	jw_arr_end(&w);
	return arena_keep(p->c->mem, buf_str(&out));
}

/* The words at the beginning of the command that the pattern covers; false: it is another pattern. */
static bool is_prefix(struct str pattern, struct str *ret_words, bool *ret_is_exact)
{
	*ret_is_exact = false;
	if (str_ends(pattern, STR(":*")))
		*ret_words = str_head(pattern, pattern.len - 2);
	else if (str_ends(pattern, STR(" *")))
		*ret_words = str_head(pattern, pattern.len - 2);
	else {
		*ret_words = pattern;
		*ret_is_exact = true;
	}
	for (size_t i = 0; i < ret_words->len; i++)
		if (strchr("*?|&;<>()$`\\\"'{}[]#~!\t\n", ret_words->ptr[i]))
			return false;
	return str_trim(*ret_words).len > 0;
}

static void take_command(const struct rule *r)
{
	struct str words;
	bool is_exact;

	if (!r->pattern.len || str_eq(r->pattern, STR("*"))) {
		if (r->allows)
			leave_rule(
				r,
				"it allows every command; the mode on_request runs commands in the "
				"sandbox without asking");
		else
			add_text_rule(r, "tool", STR("shell"), NULL, STR_NONE);
	} else if (!is_prefix(r->pattern, &words, &is_exact)) {
		leave_rule(r, "a rule here names the first words of a command");
	} else if (is_exact && r->allows) {
		leave_rule(r, "it allows this line only, and a rule here allows further words");
	} else {
		add_rule(r, "command", words_of(r->p, words), NULL, STR_NONE);
	}
}

/* A path there: //x is absolute, ~/x of the home, ./x and x of the directory, /x of the file. */
static void take_path(const struct rule *r, struct str access)
{
	struct str path = r->pattern;

	if (r->allows && is_anything(path)) {
		leave_rule(r, "it allows every file");
		return;
	}
	if (!path.len || str_eq(path, STR("*")) || str_eq(path, STR("**"))) {
		add_text_rule(r, "path", STR("**"), "access", access);
		return;
	}
	/* There a name without a slash is meant in every directory. */
	if (!r->allows && str_find_char(str_head(path, path.len - 1), '/') < 0)
		path = arena_printf(
			r->p->c->mem, "**/%.*s",
			STR_ARG(str_ends(path, STR("/")) ? str_head(path, path.len - 1) : path));
	if (str_starts(path, STR("//")))
		path = str_skip(path, 1);
	else if (str_starts(path, STR("/"))) {
		leave_rule(r, "its path begins at the settings file there");
		return;
	} else if (str_starts(path, STR("./")))
		path = str_skip(path, 2);
	if (str_starts(path, STR("!")) || str_find(path, STR("..")) >= 0)
		leave_rule(r, "its path has no counterpart here");
	else
		add_text_rule(r, "path", path, "access", access);
}

static void take_fetch(const struct rule *r)
{
	struct str host = str_skip(r->pattern, sizeof "domain:" - 1);

	if (r->allows && is_anything(host))
		leave_rule(r, "it allows every host");
	else if (str_starts(r->pattern, STR("domain:")) && host.len && str_find_char(host, '/') < 0)
		add_text_rule(r, "host", host, "tool", STR("fetch_url"));
	else if (!r->pattern.len && !r->allows)
		add_text_rule(r, "tool", STR("fetch_url"), NULL, STR_NONE);
	else
		leave_rule(r, "a rule here names a host");
}

static void take_search(const struct rule *r)
{
	if (r->pattern.len)
		leave_rule(r, "a rule here has no pattern for searches");
	else
		add_text_rule(r, "tool", STR("web_search"), NULL, STR_NONE);
}

/* mcp__server or mcp__server__tool */
static void take_server_tool(const struct rule *r)
{
	struct str rest = str_skip(r->tool, sizeof "mcp__" - 1);
	ptrdiff_t at = str_find(rest, STR("__"));
	struct str server = at < 0 ? rest : str_head(rest, (size_t)at);
	struct str tool = at < 0 ? STR("*") : str_skip(rest, (size_t)at + 2);

	if (!server.len || !tool.len || str_is(r->pattern))
		leave_rule(r, "a rule here names a server and a tool");
	else if (r->allows && str_find_char(server, '*') >= 0)
		leave_rule(r, "it allows tools of servers that it does not name");
	else
		add_text_rule(r, "mcp",
		              str_eq(tool, STR("*")) ? server
		                                     : arena_printf(r->p->c->mem, "%.*s/%.*s",
		                                                    STR_ARG(server), STR_ARG(tool)),
		              NULL, STR_NONE);
}

static unsigned group_of(struct str tool)
{
	static const struct {
		const char *tool;
		unsigned group;
	} groups[] = {
		{ "Bash", OF_COMMANDS },  { "Read", OF_FILES },       { "Edit", OF_FILES },
		{ "Write", OF_FILES },    { "MultiEdit", OF_FILES },  { "NotebookEdit", OF_FILES },
		{ "WebFetch", OF_FETCH }, { "WebSearch", OF_SEARCH },
	};

	for (size_t i = 0; i < COUNT_OF(groups); i++)
		if (str_eq(tool, str_from(groups[i].tool)))
			return groups[i].group;
	/* A name with a star may be any of them. */
	return str_starts(tool, STR("mcp__"))  ? OF_SERVERS
	       : str_find_char(tool, '*') >= 0 ? OF_ALL
	                                       : 0;
}

static void take_known(const struct rule *r)
{
	switch (r->group) {
	case OF_COMMANDS:
		take_command(r);
		break;
	case OF_FILES:
		take_path(r, str_eq(r->tool, STR("Read")) ? STR("read") : STR("write"));
		break;
	case OF_FETCH:
		take_fetch(r);
		break;
	case OF_SEARCH:
		take_search(r);
		break;
	case OF_SERVERS:
		take_server_tool(r);
		break;
	default:
		leave_rule(r, "there is no such tool here");
	}
}

static void take_rule(struct rules *all, struct str effect, struct str text)
{
	struct rule r = { .p = all->p,
		          .all = all,
		          .effect = effect,
		          .text = text,
		          .tool = text,
		          .allows = str_eq(effect, STR(WORD_APPROVAL_DECISION_ALLOW)) };
	ptrdiff_t open = str_find_char(text, '(');

	if (open > 0 && str_ends(text, STR(")"))) {
		r.tool = str_head(text, (size_t)open);
		r.pattern = str_trim(str_of(text.ptr + open + 1, text.len - (size_t)open - 2));
	}
	r.group = group_of(r.tool);
	if (r.allows && (r.group & all->held))
		leave_rule(&r, "a rule that denies or asks for this tool was left out");
	else
		take_known(&r);
}

/* What is no list of texts may be meant as a rule for anything. */
static void leave_list(struct rules *all, const char *effect)
{
	settings_plan_leave(all->p, arena_printf(all->p->c->mem, "permissions.%s", effect),
	                    "it is no list of rules");
	all->held = OF_ALL;
}

static void take_effect(struct rules *all, struct json permissions, const char *effect)
{
	struct json list = json_get(permissions, str_from(effect)), v;
	struct json_iter it = json_iter(list);
	struct str key;

	if (!json_is(list))
		return;
	if (json_type(list) != JSON_ARR) {
		leave_list(all, effect);
		return;
	}
	while (json_next(&it, &key, &v))
		if (json_str(v).len)
			take_rule(all, str_from(effect), str_trim(json_str(v)));
		else
			leave_list(all, effect);
}

/* ---- mode and model ---- */

static const struct {
	const char *theirs, *ours;
	enum plan_kind kind;
} modes[] = {
	{ .theirs = "default", .ours = WORD_PERMISSION_MODE_DEFAULT },
	{ .theirs = "plan", .ours = WORD_PERMISSION_MODE_PLAN },
	{ .theirs = "bypassPermissions",
	  .ours = WORD_PERMISSION_MODE_BYPASS,
	  .kind = PLAN_FULL_ACCESS },
};

static void take_mode(struct settings_plan *p, struct str mode, bool is_held)
{
	struct str what = arena_printf(p->c->mem, "defaultMode %.*s", STR_ARG(str_head(mode, 60)));

	if (!mode.len)
		return;
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (str_eq(mode, str_from(modes[i].theirs)) && modes[i].kind && is_held) {
			settings_plan_leave(p, what, "a rule that denies or asks was left out");
			return;
		} else if (str_eq(mode, str_from(modes[i].theirs))) {
			settings_plan_add(
				p, (struct plan_change){
					   .kind = modes[i].kind,
					   .place = PLAN_VALUE,
					   .key = "permission.mode",
					   .json = settings_plan_text(p, str_from(modes[i].ours)),
					   .from = what,
				   });
			return;
		}
	settings_plan_leave(p, what,
	                    "no mode here is the same; on_request runs in the sandbox what stays "
	                    "in the directory");
}

/* The newest model of that name which the daemon lists; absent: none. */
static struct str newest(struct cli *c, struct str alias)
{
	struct json reply = { 0 }, row;
	struct params p;
	struct str key, start = arena_printf(c->mem, "claude-%.*s-", STR_ARG(alias));

	if (connection_open(c) != CODE_DONE)
		return STR_NONE;
	params_begin(&p);
	params_cstr(&p, "provider", "anthropic");
	if (connection_try(c, "list_models", &p, true, &reply) != THOLE_OK)
		return STR_NONE;
	struct json_iter it = json_iter(JSON_GET(reply, "models"));

	while (json_next(&it, &key, &row))
		if (str_starts(json_str(JSON_GET(row, "model")), start))
			return json_str(JSON_GET(row, "model"));
	return STR_NONE;
}

static void take_model(struct settings_plan *p, struct str model)
{
	struct str what = arena_printf(p->c->mem, "model %.*s", STR_ARG(str_head(model, 100)));
	struct str name = model;

	if (!model.len)
		return;
	if (!str_starts(model, STR("claude-")))
		name = newest(p->c, model);
	if (!str_is(name) || str_find_char(name, '[') >= 0)
		settings_plan_leave(
			p, what, "no model of that name is listed here; `thole models` shows them");
	else
		settings_plan_add(p, (struct plan_change){
					     .place = PLAN_VALUE,
					     .key = "model",
					     .json = settings_plan_text(
						     p, arena_printf(p->c->mem, "anthropic/%.*s",
		                                                     STR_ARG(name))),
					     .from = what,
				     });
}

/* ---- hooks ---- */

/* Writes the hooks of one point, without those that may hold a key. */
static void write_point(struct settings_plan *p, struct json_writer *w, struct str point,
                        struct json list)
{
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	if (json_is(list) && json_type(list) != JSON_ARR)
		settings_plan_leave(p, str_head(point, 60), "it is no list of hooks");
	while (json_type(list) == JSON_ARR && json_next(&it, &key, &v))
		if (import_secret_in(v))
			settings_plan_leave(p,
			                    arena_printf(p->c->mem, "a hook of %.*s",
			                                 STR_ARG(str_head(point, 60))),
			                    "it may hold a key; add it by hand, with the key in a "
			                    "variable");
		else
			jw_value(w, v);
}

/* Both files as one object: a point that both have gets the hooks of both. */
static struct json joined_hooks(struct settings_plan *p, struct json one, struct json other)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(one);
	struct json v, joined = { 0 };
	struct json_writer w;
	struct str key;

	jw_init(&w, &out);
	jw_obj(&w);
	while (json_type(one) == JSON_OBJ && json_next(&it, &key, &v)) {
		jw_key(&w, key);
		jw_arr(&w);
		write_point(p, &w, key, v);
		write_point(p, &w, key, json_get(other, key));
		jw_arr_end(&w);
	}
	it = json_iter(other);
	while (json_type(other) == JSON_OBJ && json_next(&it, &key, &v)) {
		if (json_is(json_get(one, key)))
			continue;
		jw_key(&w, key);
		jw_arr(&w);
		write_point(p, &w, key, v);
		jw_arr_end(&w);
	}
	jw_obj_end(&w);
	if (json_read(p->c->mem, arena_keep(p->c->mem, buf_str(&out)), &joined, NULL) != OK)
		settings_plan_leave(p, STR("hooks"), "they cannot be read");
	return joined;
}

static bool has_hook(struct json hooks)
{
	struct json_iter it = json_iter(hooks);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (json_count(v))
			return true;
	return false;
}

static void take_hooks(struct settings_plan *p, const struct json *docs)
{
	struct json one = JSON_GET(docs[0], "hooks"), other = JSON_GET(docs[1], "hooks"), hooks;

	if (!json_count(one) && !json_count(other))
		return;
	if (json_bool(JSON_GET(docs[0], "disableAllHooks"), false) ||
	    json_bool(JSON_GET(docs[1], "disableAllHooks"), false)) {
		settings_plan_leave(p, STR("hooks"), "they are turned off there");
		return;
	}
	hooks = joined_hooks(p, one, other);
	if (has_hook(hooks))
		settings_plan_add(p, (struct plan_change){ .kind = PLAN_HOOKS,
		                                           .place = PLAN_MEMBER,
		                                           .key = "hooks",
		                                           .member = STR("claude"),
		                                           .json = json_text(p->c->mem, hooks),
		                                           .from = STR("hooks") });
}

/* ---- files ---- */

/* False: there is a file, and what it says is not known. */
static bool read_doc(struct settings_plan *p, struct str root, const char *name, struct json *ret)
{
	struct str text;

	*ret = (struct json){ 0 };
	if (!settings_plan_file(p, root, name, &text))
		return !str_is(text);
	if (json_read_config(p->c->mem, text, ret, NULL) == OK && json_type(*ret) == JSON_OBJ)
		return true;
	*ret = (struct json){ 0 };
	settings_plan_leave(p, str_from(name), "it is no JSON object");
	return false;
}

static void leave_rest(struct settings_plan *p, struct json doc)
{
	static const char *const known[] = { "$schema",         "permissions", "model", "hooks",
		                             "disableAllHooks", "env",         NULL };
	static const char *const known_rules[] = { "allow", "defaultMode", "ask", "deny", NULL };

	if (json_count(JSON_GET(doc, "env")))
		settings_plan_leave(p, STR("env"),
		                    "values may be secrets; set them in your environment");
	settings_plan_leave_others(p, JSON_GET(doc, "permissions"), known_rules,
	                           "it has no counterpart here");
	settings_plan_leave_others(p, doc, known, "it has no counterpart here");
}

/* Rules of both files: what denies and asks comes first, so that it is there when room ends. */
static void take_rules(struct rules *all, const struct json *docs)
{
	static const char *const effects[] = { WORD_APPROVAL_DECISION_DENY,
		                               WORD_APPROVAL_DECISION_ASK,
		                               WORD_APPROVAL_DECISION_ALLOW };

	for (size_t i = 0; i < COUNT_OF(effects); i++)
		for (size_t n = 0; n < 2; n++)
			take_effect(all, JSON_GET(docs[n], "permissions"), effects[i]);
}

/* ~/.claude.json lies beside the folder and holds much else: state, and keys. */
static void take_user_file(struct settings_plan *p, struct str home)
{
	struct json doc;
	struct str root = home;

	while (root.len > 1 && root.ptr[root.len - 1] != '/')
		root.len--;
	if (root.len > 1)
		root.len--;
	if (read_doc(p, root, ".claude.json", &doc))
		settings_plan_servers(p, JSON_GET(doc, "mcpServers"));
}

/* The local file wins, as there. */
void claude_settings_read(struct settings_plan *p, const struct import_place *place)
{
	struct rules all = { .p = p };
	struct json docs[2], mode;

	if (!read_doc(p, place->home, "settings.local.json", &docs[0]))
		all.held = OF_ALL;
	if (!read_doc(p, place->home, "settings.json", &docs[1]))
		all.held = OF_ALL;
	take_rules(&all, docs);
	mode = JSON_GET(JSON_GET(docs[0], "permissions"), "defaultMode");
	if (!json_is(mode))
		mode = JSON_GET(JSON_GET(docs[1], "permissions"), "defaultMode");
	take_model(p,
	           json_str(JSON_GET(docs[json_is(JSON_GET(docs[0], "model")) ? 0 : 1], "model")));
	take_mode(p, json_str(mode), all.held != 0);
	take_hooks(p, docs);
	for (size_t n = 0; n < 2; n++)
		leave_rest(p, docs[n]);
	take_user_file(p, place->home);
	settings_plan_close(p);
}
