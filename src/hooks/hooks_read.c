/*
 * Reads the hooks of the settings, of the embedding program and of projects, and
 * checks which rights each may ask for.
 */
#include "sandbox/host_rule.h"
#include "catalog/catalog.h"
#include "base/jw.h"
#include "hooks/hooks_claude.h"
#include "hooks/hooks_int.h"

#include <stdlib.h>

#define HOOKS_MAX 256
#define TIMEOUT_MAX_MS 600000
#define LIST_MAX 64

/* The hook that is being read, for messages, and what its source permits. */
struct place {
	const char *setting;
	struct hook_set *set;
	struct hook_list *list;
	struct str source;
	enum hook_trust trust;
	struct str path; /* of a project's file */
	enum hook_point point;
	size_t number; /* of the hook at its point, from 1 */
};

static enum err hook_error(const struct place *at, struct error *e, const char *what,
                           struct str which)
{
	return fail(e, ERR_INVALID, "%s: %.*s, hook %zu: %s%s%.*s", at->setting,
	            STR_ARG(hook_point_word(at->point)), at->number, what, which.len ? " " : "",
	            STR_ARG(str_head(which, 80)));
}

/* Deciding hooks fail closed by default, the others fail open. */
static enum fail_policy usual_policy(enum hook_point point)
{
	bool decides = point == HOOK_POINT_PRE_TOOL_USE || point == HOOK_POINT_PERMISSION_REQUEST ||
	               point == HOOK_POINT_USER_PROMPT_SUBMIT;

	return decides ? FAIL_POLICY_CLOSED : FAIL_POLICY_OPEN;
}

static bool is_web(struct str url)
{
	return str_starts(url, STR("http://")) || str_starts(url, STR("https://"));
}

/* The settings hold the name of the variable, never the secret. */
static enum err read_secret(const struct place *at, struct str name, struct str *ret,
                            struct error *e)
{
	const char *value = getenv(arena_printf(at->list->mem, "%.*s", STR_ARG(name)).ptr);

	if (!value || !*value)
		return hook_error(at, e, "there is no secret in the variable", name);
	*ret = arena_keep(at->list->mem, str_from(value));
	return OK;
}

/* hosts and secrets: a list of texts, none of them empty. */
static enum err read_list(const struct place *at, struct str key, struct json v,
                          struct sandbox_paths *ret, struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json each;
	struct str none;

	if (json_type(v) != JSON_ARR || json_count(v) > LIST_MAX)
		return hook_error(at, e, "wants a list:", key);
	ret->at = ARENA_ARRAY(at->list->mem, struct str, json_count(v) + 1);
	ret->count = 0;
	while (json_next(&it, &none, &each)) {
		if (!json_str(each).len || memchr(json_str(each).ptr, 0, json_str(each).len))
			return hook_error(at, e, "wants texts:", key);
		ret->at[ret->count++] = json_str(each);
	}
	return OK;
}

/*
 * Rights beyond the agent's.  A project's hook cannot claim them: a repository would grant
 * itself network access and secrets of the user.
 */
static enum err read_rights(const struct place *at, struct str key, struct json v,
                            struct hook_row *row, struct error *e)
{
	struct host_rules rules;
	struct error why;
	enum err code = OK;

	if (str_eq(at->source, STR("project")))
		return hook_error(at, e,
		                  "belongs to a project, whose rights your own settings say, not",
		                  key);
	if (str_eq(key, STR("secrets")))
		return read_list(at, key, v, &row->secrets, e);
	if (str_eq(key, STR("hosts"))) {
		code = read_list(at, key, v, &row->hosts, e);
		if (!code && host_rule_read_all(at->list->mem, row->hosts.at, row->hosts.count,
		                                &rules, &why) != OK)
			code = hook_error(at, e, "hosts:", str_from(why.message));
		return code;
	}
	if (str_eq(key, STR("network"))) {
		row->has_network = str_eq(json_str(v), STR("full"));
		return row->has_network || str_eq(json_str(v), STR("off"))
		               ? OK
		               : hook_error(at, e, "network is off or full", STR(""));
	}
	row->has_no_sandbox = str_eq(json_str(v), STR("none"));
	return row->has_no_sandbox || str_eq(json_str(v), STR("agent"))
	               ? OK
	               : hook_error(at, e, "sandbox is agent or none", STR(""));
}

static bool is_right(struct str key)
{
	return str_eq(key, STR("network")) || str_eq(key, STR("hosts")) ||
	       str_eq(key, STR("secrets")) || str_eq(key, STR("sandbox"));
}

static enum err read_member(const struct place *at, struct str key, struct json v,
                            struct hook_row *row, struct str *ret_name, struct error *e)
{
	bool is_text = json_type(v) == JSON_STR && json_str(v).len;

	if (str_eq(key, STR("timeout_ms"))) {
		row->info.timeout_ms = json_int(v, 0);
		if (row->info.timeout_ms < 1 || row->info.timeout_ms > TIMEOUT_MAX_MS)
			return hook_error(at, e, "timeout_ms is from 1 to 600000", STR(""));
		return OK;
	}
	if (is_right(key))
		return read_rights(at, key, v, row, e);
	if (!is_text)
		return hook_error(at, e, "wants a text:", key);
	if (str_eq(key, STR("name")))
		*ret_name = json_str(v);
	else if (str_eq(key, STR("match")))
		row->info.match = json_str(v);
	else if (str_eq(key, STR("command")))
		row->command = json_str(v);
	else if (str_eq(key, STR("url")))
		row->url = json_str(v);
	else if (str_eq(key, STR("secret_env")))
		return read_secret(at, json_str(v), &row->secret, e);
	else if (str_eq(key, STR("previous_secret_env")))
		return read_secret(at, json_str(v), &row->previous_secret, e);
	else if (str_eq(key, STR("on_failure")) && rec_enum_read(&enum_fail_policy, json_str(v)))
		row->info.on_failure = rec_enum_read(&enum_fail_policy, json_str(v));
	else
		return hook_error(at, e, "does not know",
		                  str_eq(key, STR("on_failure")) ? json_str(v) : key);
	return OK;
}

/* Whether a permission depends on hooks of this point. */
static bool is_deciding(enum hook_point point)
{
	return point == HOOK_POINT_PRE_TOOL_USE || point == HOOK_POINT_PERMISSION_REQUEST;
}

/* A hook with more rights than the agent must be a program with arguments; its path is checked at each start. */
static enum err check_rights(const struct place *at, const struct hook_row *row, struct error *e)
{
	struct sandbox_paths words;
	struct error why;

	if (!hooks_rights_has_more(row))
		return OK;
	if (!str_is(row->command))
		return hook_error(at, e, "is no command: rights are a command's", STR(""));
	if (row->has_network && row->hosts.count)
		return hook_error(at, e, "has either network or hosts", STR(""));
	if (program_guard_words(at->list->mem, row->command, &words, &why) != OK)
		return hook_error(at, e, "has more rights than the agent.", str_from(why.message));
	if (!words.at[0].len || words.at[0].ptr[0] != '/')
		return hook_error(at, e,
		                  "has more rights than the agent, so its program is named by an "
		                  "absolute path outside every workspace, not",
		                  words.at[0]);
	return OK;
}

/*
 * Members in any order, then the rules between them.  Everything is checked when settings are
 * read, so that a deciding hook cannot turn out to be invalid in the middle of a call.
 */
static enum err read_hook(const struct place *at, struct json v, struct hook_row *row,
                          struct error *e)
{
	struct json_iter it = json_iter(v);
	struct str key, name = STR_NONE;
	struct json member;
	enum err code = json_type(v) == JSON_OBJ ? OK : hook_error(at, e, "is no object", STR(""));

	*row = (struct hook_row){ .info = { .point = at->point,
		                            .on_failure = usual_policy(at->point),
		                            .trust = at->trust,
		                            .timeout_ms = at->set->o.timeout_ms } };
	while (!code && json_next(&it, &key, &member))
		code = read_member(at, key, member, row, &name, e);
	if (code)
		return code;
	row->is_host = str_eq(at->source, STR("host"));
	if (row->is_host && (str_is(row->command) || str_is(row->url)))
		return hook_error(at, e, "is answered by the program, not by a command or a url",
		                  STR(""));
	if (!row->is_host && str_is(row->command) == str_is(row->url))
		return hook_error(at, e, "wants either a command or a url", STR(""));
	if (str_is(row->previous_secret) && !str_is(row->secret))
		return hook_error(at, e, "signs nothing: previous_secret_env goes with secret_env",
		                  STR(""));
	if (str_is(row->secret) && !str_is(row->url))
		return hook_error(at, e, "signs nothing: secret_env goes with a url", STR(""));
	if (str_is(row->url) && !is_web(row->url))
		return hook_error(at, e, "is no address:", row->url);
	row->decides = is_deciding(at->point);
	code = check_rights(at, row, e);
	if (code)
		return code;
	row->info.kind = row->is_host       ? HOOK_HANDLER_IN_PROCESS
	                 : str_is(row->url) ? HOOK_HANDLER_HTTP
	                                    : HOOK_HANDLER_COMMAND;
	row->info.handler = row->is_host       ? hook_handler_word(row->info.kind)
	                    : str_is(row->url) ? row->url
	                                       : row->command;
	/*
	 * Events refer to the hook by this name.  An unnamed hook is numbered, so inserting one
	 * renames those after it.
	 */
	row->info.ref =
		str_is(name)
			? arena_printf(at->list->mem, "hook:%.*s:%.*s", STR_ARG(at->source),
	                               STR_ARG(name))
			: arena_printf(at->list->mem, "hook:%.*s:%.*s-%zu", STR_ARG(at->source),
	                               STR_ARG(hook_point_word(at->point)), at->number);
	/* The recorded hash of the program; a project's hook of the same name has another key. */
	row->key = arena_printf(at->list->mem, "hooks:program:%.*s:%.*s", STR_ARG(row->info.ref),
	                        STR_ARG(str_is(at->path) ? at->path : STR("")));
	for (size_t i = 0; i < at->list->count; i++)
		if (str_eq(at->list->rows[i].info.ref, row->info.ref))
			return hook_error(at, e, "has the name of another one:", row->info.ref);
	return OK;
}

static enum err take_points(struct place *at, struct json points, struct error *e)
{
	struct json_iter it = json_iter(points);
	struct hook_list *l = at->list;
	struct json list, v;
	struct str point, key;

	while (json_next(&it, &point, &list)) {
		struct json_iter in = json_iter(list);

		at->point = rec_enum_read(&enum_hook_point, point);
		if (!at->point)
			return fail(e, ERR_INVALID, "hooks: there is no point %.*s",
			            STR_ARG(str_head(point, 80)));
		if (json_type(list) != JSON_ARR)
			return fail(e, ERR_INVALID, "hooks: %.*s wants a list", STR_ARG(point));
		for (at->number = 1; json_next(&in, &key, &v); at->number++) {
			enum err code = l->count < HOOKS_MAX
			                        ? read_hook(at, v, &l->rows[l->count], e)
			                        : hook_error(at, e, "is one too many", STR(""));

			if (code)
				return code;
			l->count++;
		}
	}
	return OK;
}

enum err hooks_read_take(struct hook_set *s, struct hook_list *l, struct json points,
                         struct str source, enum hook_trust trust, struct str path, struct error *e)
{
	struct place at = { .setting = "hooks",
		            .set = s,
		            .list = l,
		            .source = source,
		            .trust = trust,
		            .path = path };
	size_t before = l->count;
	enum err code = take_points(&at, points, e);

	if (code)
		l->count = before;
	return code;
}

/* infos is a copy of the rows' public part, because the port hands out an array of it. */
void hooks_read_tell(struct hook_list *l)
{
	for (size_t i = 0; i < l->count; i++)
		l->infos[i] = l->rows[i].info;
}

void hooks_read_list_init(struct hook_list *l, struct arena *mem)
{
	*l = (struct hook_list){ .mem = mem,
		                 .rows = ARENA_ARRAY(mem, struct hook_row, HOOKS_MAX),
		                 .infos = ARENA_ARRAY(mem, struct hook_info, HOOKS_MAX) };
}

static enum err check_match(const struct place *at, struct str match, struct error *e)
{
	while (str_is(match) && match.len) {
		struct str word = str_cut(&match, '|');

		if (!rec_enum_read(&enum_delivery_subject, word))
			return hook_error(at, e, "on: action, turn, task or job, not", word);
	}
	return OK;
}

/* Adds a receiver of notifications as a hook of the point `delivery`. */
static enum err take_receiver(struct place *at, struct str command, struct str url, struct error *e)
{
	struct hook_set *s = at->set;
	struct hook_list *l = at->list;
	struct hook_row *row;
	enum err code = check_match(at, s->o.notify_match, e);

	/* Before the row is written: the list has space for HOOKS_MAX. */
	if (l->count == HOOKS_MAX)
		return hook_error(at, e, "is one too many", STR(""));
	row = &l->rows[l->count];
	*row = (struct hook_row){ .command = command, .url = url };
	if (!code && str_is(url) && !is_web(url))
		code = hook_error(at, e, "is no address:", url);
	if (!code && str_is(url) && s->o.notify_secret_env.len)
		code = read_secret(at, s->o.notify_secret_env, &row->secret, e);
	if (!code && str_is(url) && s->o.notify_previous_secret_env.len)
		code = read_secret(at, s->o.notify_previous_secret_env, &row->previous_secret, e);
	row->is_cloudevent = str_is(url) && s->o.is_notify_cloudevent;
	row->has_no_sandbox = str_is(command) && str_eq(s->o.notify_sandbox, STR("none"));
	if (!code)
		code = check_rights(at, row, e);
	/* Without a subject to notify about, the settings are checked and no hook is added. */
	if (code || !s->o.notify_match.len)
		return code;
	row->key = STR("hooks:program:notify");
	row->info = (struct hook_info){
		.ref = str_is(url) ? STR("hook:notify:url") : STR("hook:notify:command"),
		.point = at->point,
		.kind = str_is(url) ? HOOK_HANDLER_HTTP : HOOK_HANDLER_COMMAND,
		.handler = str_is(url) ? url : command,
		.match = s->o.notify_match,
		.on_failure = FAIL_POLICY_OPEN,
		.trust = at->trust,
		.timeout_ms = s->o.timeout_ms,
	};
	l->count++;
	return OK;
}

static enum err take_notify(struct hook_set *s, struct error *e)
{
	struct place at = { .setting = "notify",
		            .set = s,
		            .list = &s->own,
		            .point = HOOK_POINT_DELIVERY,
		            .trust = HOOK_TRUST_USER,
		            .number = 1 };
	enum err code = OK;

	if (s->o.notify_command.len)
		code = take_receiver(&at, s->o.notify_command, STR_NONE, e);
	if (!code && s->o.notify_url.len)
		code = take_receiver(&at, STR_NONE, s->o.notify_url, e);
	return code;
}

/* ---- what the runtime itself calls ---- */

static enum err take_service(struct hook_set *s, const char *setting, struct str ref,
                             struct str command, struct str url, struct error *e)
{
	struct place at = { .setting = setting,
		            .set = s,
		            .list = &s->services,
		            .point = HOOK_POINT_DELIVERY,
		            .trust = HOOK_TRUST_USER,
		            .number = 1 };
	struct hook_row *row = &s->services.rows[s->services.count];
	enum err code;

	if (!command.len && !url.len)
		return OK;
	*row = (struct hook_row){ .command = command.len ? command : STR_NONE,
		                  .url = url.len ? url : STR_NONE,
		                  .is_raw = true,
		                  .has_no_sandbox = command.len > 0 };
	row->key = arena_printf(s->mem, "hooks:program:%.*s", STR_ARG(ref));
	row->info =
		(struct hook_info){ .ref = ref,
		                    .point = at.point,
		                    .kind = command.len ? HOOK_HANDLER_COMMAND : HOOK_HANDLER_HTTP,
		                    .handler = command.len ? command : url,
		                    .on_failure = FAIL_POLICY_OPEN,
		                    .trust = HOOK_TRUST_USER,
		                    .timeout_ms = s->o.timeout_ms };
	if (url.len && !is_web(url))
		return hook_error(&at, e, "is no address:", url);
	code = check_rights(&at, row, e);
	s->services.count += !code;
	return code;
}

static enum err take_services(struct hook_set *s, struct error *e)
{
	enum err code;

	s->services = (struct hook_list){ .mem = s->mem,
		                          .rows = ARENA_ARRAY(s->mem, struct hook_row, 4),
		                          .infos = ARENA_ARRAY(s->mem, struct hook_info, 4) };
	s->services.rows[s->services.count++] = (struct hook_row){
		.is_raw = true,
		.is_stamp = true,
		.info = { .ref = STR("hook:timestamp:url"),
		          .trust = HOOK_TRUST_USER,
		          .timeout_ms = s->o.timeout_ms },
	};
	code = take_service(s, "sign.command", STR("hook:sign:command"), s->o.sign_command, STR(""),
	                    e);
	if (!code)
		code = take_service(s, "anchor.command", STR("hook:anchor:command"),
		                    s->o.anchor_command, STR(""), e);
	if (!code)
		code = take_service(s, "anchor.url", STR("hook:anchor:url"), STR(""),
		                    s->o.anchor_url, e);
	return code;
}

/* Hooks of the embedding program come first: after its denial no other hook needs to run. */
static enum err take_host(struct hook_set *s, struct error *e)
{
	struct json points;
	enum err code = json_read_config(s->mem, arena_keep(s->mem, s->o.in_process), &points, e);

	if (!code && json_type(points) != JSON_OBJ)
		code = fail(e, ERR_INVALID, "hooks: an object of points is wanted");
	return code ? code
	            : hooks_read_take(s, &s->own, points, STR("host"), HOOK_TRUST_HOST, STR_NONE,
	                              e);
}

/* Hooks that were taken over from Claude Code, in its format: {"claude": {"PreToolUse": ...}}. */
static enum err take_claude(struct hook_set *s, struct json theirs, struct error *e)
{
	size_t before = s->own.count;
	struct str left;
	enum err code;

	if (!json_is(theirs))
		return OK;
	if (json_type(theirs) != JSON_OBJ)
		return fail(e, ERR_INVALID, "hooks: claude: an object of points is wanted");
	code = hooks_read_take(s, &s->own, hooks_claude_points(s->mem, theirs, &left),
	                       STR("claude"), HOOK_TRUST_USER, STR_NONE, e);
	hooks_claude_tell(STR("hooks.claude of the settings"), left);
	for (size_t i = before; i < s->own.count; i++)
		s->own.rows[i].is_claude = true;
	return code;
}

static enum err take_user(struct hook_set *s, struct error *e)
{
	struct json theirs = JSON_GET(s->o.settings, "claude"), points = s->o.settings;
	CLEANUP(buf_done) struct buf own = { 0 };
	struct json_iter it = json_iter(points);
	struct json_writer w;
	struct json v;
	struct str key;
	enum err code;

	if (json_is(theirs)) {
		jw_init(&w, &own);
		jw_obj(&w);
		while (json_next(&it, &key, &v))
			if (!str_eq(key, STR("claude"))) {
				jw_key(&w, key);
				jw_value(&w, v);
			}
		jw_obj_end(&w);
		code = json_read_trusted(s->mem, buf_str(&own), &points, e);
		if (code)
			return code;
	}
	code = hooks_read_take(s, &s->own, points, STR("user"), HOOK_TRUST_USER, STR_NONE, e);
	return code ? code : take_claude(s, theirs, e);
}

enum err hooks_read(struct hook_set *s, struct error *e)
{
	enum err code = OK;

	hooks_read_list_init(&s->own, s->mem);
	if (str_is(s->o.in_process))
		code = take_host(s, e);
	if (!code)
		code = take_user(s, e);
	if (!code)
		code = take_notify(s, e);
	if (!code)
		code = take_services(s, e);
	hooks_read_tell(&s->own);
	hooks_read_tell(&s->services);
	return code;
}
