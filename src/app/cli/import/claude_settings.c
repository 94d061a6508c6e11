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

struct rule {
	struct settings_plan *p;
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

	if (!path.len || str_eq(path, STR("*")) || str_eq(path, STR("**"))) {
		if (str_eq(access, STR("read")))
			leave_rule(r, "reading in the directory is not a matter of rules here");
		else
			add_text_rule(r, "path", STR("**"), "access", access);
		return;
	}
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

	if (str_starts(r->pattern, STR("domain:")) && host.len && str_find_char(host, '/') < 0)
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
	else
		add_text_rule(r, "mcp",
		              str_eq(tool, STR("*")) ? server
		                                     : arena_printf(r->p->c->mem, "%.*s/%.*s",
		                                                    STR_ARG(server), STR_ARG(tool)),
		              NULL, STR_NONE);
}

static void take_rule(struct settings_plan *p, struct str effect, struct str text)
{
	struct rule r = { .p = p,
		          .effect = effect,
		          .text = text,
		          .tool = text,
		          .allows = str_eq(effect, STR(WORD_APPROVAL_DECISION_ALLOW)) };
	ptrdiff_t open = str_find_char(text, '(');

	if (open > 0 && str_ends(text, STR(")"))) {
		r.tool = str_head(text, (size_t)open);
		r.pattern = str_trim(str_of(text.ptr + open + 1, text.len - (size_t)open - 2));
	}
	if (str_eq(r.tool, STR("Bash")))
		take_command(&r);
	else if (str_eq(r.tool, STR("Read")))
		take_path(&r, STR("read"));
	else if (str_eq(r.tool, STR("Edit")) || str_eq(r.tool, STR("Write")) ||
	         str_eq(r.tool, STR("MultiEdit")) || str_eq(r.tool, STR("NotebookEdit")))
		take_path(&r, STR("write"));
	else if (str_eq(r.tool, STR("WebFetch")))
		take_fetch(&r);
	else if (str_eq(r.tool, STR("WebSearch")))
		take_search(&r);
	else if (str_starts(r.tool, STR("mcp__")))
		take_server_tool(&r);
	else
		leave_rule(&r, "there is no such tool here");
}

static void take_rules(struct settings_plan *p, struct json permissions)
{
	static const char *const effects[] = { WORD_APPROVAL_DECISION_DENY,
		                               WORD_APPROVAL_DECISION_ASK,
		                               WORD_APPROVAL_DECISION_ALLOW };
	struct json v;
	struct str key;

	for (size_t i = 0; i < COUNT_OF(effects); i++) {
		struct json_iter it = json_iter(json_get(permissions, str_from(effects[i])));

		while (json_next(&it, &key, &v))
			if (json_str(v).len)
				take_rule(p, str_from(effects[i]), json_str(v));
	}
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

static void take_mode(struct settings_plan *p, struct str mode)
{
	struct str what = arena_printf(p->c->mem, "defaultMode %.*s", STR_ARG(str_head(mode, 60)));

	if (!mode.len)
		return;
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (str_eq(mode, str_from(modes[i].theirs))) {
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

	params_begin(&p);
	params_cstr(&p, "provider", "anthropic");
	if (connection_open(c) != CODE_DONE ||
	    connection_try(c, "list_models", &p, true, &reply) != THOLE_OK)
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

/* ---- files ---- */

static void take_hooks(struct settings_plan *p, struct json doc)
{
	struct json hooks = JSON_GET(doc, "hooks");

	if (!json_count(hooks))
		return;
	if (json_bool(JSON_GET(doc, "disableAllHooks"), false))
		settings_plan_leave(p, STR("hooks"), "they are turned off there");
	else
		settings_plan_add(p, (struct plan_change){ .kind = PLAN_HOOKS,
		                                           .place = PLAN_MEMBER,
		                                           .key = "hooks",
		                                           .member = STR("claude"),
		                                           .json = json_text(p->c->mem, hooks),
		                                           .from = STR("hooks") });
}

static void take_servers(struct settings_plan *p, struct json servers)
{
	struct json_iter it = json_iter(servers);
	struct json v;
	struct str key;

	while (json_type(servers) == JSON_OBJ && json_next(&it, &key, &v))
		settings_plan_server(p, key, v);
}

static bool read_doc(struct settings_plan *p, struct str root, const char *name, struct json *ret)
{
	struct str text;

	if (!settings_plan_file(p, root, name, &text))
		return false;
	if (json_read_config(p->c->mem, text, ret, NULL) == OK && json_type(*ret) == JSON_OBJ)
		return true;
	settings_plan_leave(p, str_from(name), "it is no JSON object");
	return false;
}

static void take_settings(struct settings_plan *p, struct json doc)
{
	static const char *const known[] = { "$schema",         "permissions", "model", "hooks",
		                             "disableAllHooks", "env",         NULL };
	static const char *const known_rules[] = { "allow", "defaultMode", "ask", "deny", NULL };
	struct json permissions = JSON_GET(doc, "permissions");

	take_model(p, json_str(JSON_GET(doc, "model")));
	take_mode(p, json_str(JSON_GET(permissions, "defaultMode")));
	take_rules(p, permissions);
	take_hooks(p, doc);
	if (json_count(JSON_GET(doc, "env")))
		settings_plan_leave(p, STR("env"),
		                    "values may be secrets; set them in your environment");
	settings_plan_leave_others(p, permissions, known_rules, "it has no counterpart here");
	settings_plan_leave_others(p, doc, known, "it has no counterpart here");
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
		take_servers(p, JSON_GET(doc, "mcpServers"));
}

void claude_settings_read(struct settings_plan *p, const struct import_place *place)
{
	struct json doc;

	if (read_doc(p, place->home, "settings.json", &doc))
		take_settings(p, doc);
	if (read_doc(p, place->home, "settings.local.json", &doc))
		take_settings(p, doc);
	take_user_file(p, place->home);
}
