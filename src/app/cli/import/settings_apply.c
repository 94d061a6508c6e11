/*
 * Shows a plan of settings, asks, and writes the user's settings file.
 *
 *   plan ──► drop what is set already ──► show ──► ask per kind ──► diff ──► backup ──► file
 *
 * The runtime checks the new settings before they are written, so an import
 * never leaves a file that a daemon refuses.
 */
#include "app/cli/import/settings_apply.h"

#include "app/cli/cli_settings.h"
#include "app/cli/connection.h"
#include "app/cli/import/import_ask.h"
#include "app/cli/import/import_words.h"
#include "app/cli/import/settings_plan.h"
#include "app/cli/print/out.h"
#include "app/cli/config/user_config.h"
#include "base/jw.h"

#include <errno.h>
#include <string.h>

static const struct {
	const char *what, *option;
	const char *one, *many; /* of what is counted */
} kinds[PLAN_KINDS] = {
	[PLAN_PLAIN] = { "settings that give no more rights", "--yes",
	                 "setting that gives no more rights", "settings that give no more rights" },
	[PLAN_ALLOW_RULE] = { "rules that allow without asking", "--allow-rules",
	                      "rule that allows without asking",
	                      "rules that allow without asking" },
	[PLAN_SERVER] = { "tool servers: programs that run", "--with-servers", "tool server",
	                  "tool servers" },
	[PLAN_HOOKS] = { "hooks: programs that run", "--with-hooks", "setting with hooks",
	                 "settings with hooks" },
	[PLAN_FULL_ACCESS] = { "a mode that asks less, or a wider sandbox", "--full-access",
	                       "setting that asks less or widens the sandbox",
	                       "settings that ask less or widen the sandbox" },
};

static bool has_option(const struct cli *c, enum plan_kind kind)
{
	switch (kind) {
	case PLAN_ALLOW_RULE:
		return c->opts.allow_rules;
	case PLAN_SERVER:
		return c->opts.with_servers;
	case PLAN_HOOKS:
		return c->opts.with_hooks;
	case PLAN_FULL_ACCESS:
		return c->opts.full_access;
	default:
		return c->opts.yes;
	}
}

/* ---- the file as it is ---- */

/* A setting is written flat ("a.b") or nested ("a": {"b": ...}). */
static struct json value_of(struct json file, const char *key)
{
	struct str whole = str_from(key), rest = whole, head = str_cut(&rest, '.');
	struct json flat = json_get(file, whole);

	return json_is(flat) || !str_is(rest) ? flat : json_get(json_get(file, head), rest);
}

static bool has_item(struct cli *c, struct json list, struct str text)
{
	struct json_iter it = json_iter(list);
	struct json v, item;
	struct str key;

	if (json_read(c->mem, text, &item, NULL) != OK)
		return false;
	while (json_next(&it, &key, &v))
		if (json_equal(v, item))
			return true;
	return false;
}

static bool is_there(struct cli *c, struct json file, const struct plan_change *change)
{
	struct json now = value_of(file, change->key);

	switch (change->place) {
	case PLAN_LIST:
		return has_item(c, now, change->json);
	case PLAN_MEMBER:
		return json_is(json_get(now, change->member));
	default:
		return json_is(now);
	}
}

static void drop_known(struct settings_plan *p, struct json file)
{
	size_t kept = 0;

	for (size_t i = 0; i < p->count; i++) {
		if (!is_there(p->c, file, &p->changes[i]))
			p->changes[kept++] = p->changes[i];
		else if (p->changes[i].place != PLAN_LIST)
			settings_plan_leave(p, p->changes[i].from, "your settings have it already");
	}
	p->count = kept;
}

/* The row of a provider; absent: it is not known, or no daemon answers. */
static struct json provider_of(struct cli *c, struct str name)
{
	struct json reply = { 0 }, row;
	struct params params;
	struct str key;

	if (connection_open(c) != CODE_DONE)
		return (struct json){ 0 };
	params_begin(&params);
	if (connection_try(c, "list_providers", &params, true, &reply) != THOLE_OK)
		return (struct json){ 0 };
	struct json_iter it = json_iter(JSON_GET(reply, "providers"));

	while (json_next(&it, &key, &row))
		if (str_eq(json_str(JSON_GET(row, "provider")), name))
			return row;
	return (struct json){ 0 };
}

/* A model without a key ends every turn, also those that another model could answer. */
static bool lacks_key(struct cli *c, const struct plan_change *change, const char **ret_why)
{
	struct str rest, provider;
	struct json value, row;

	if (strcmp(change->key, "model") != 0 ||
	    json_read(c->mem, change->json, &value, NULL) != OK)
		return false;
	rest = json_str(value);
	provider = str_cut(&rest, '/');
	row = provider_of(c, provider);
	if (!json_is(row) || json_bool(JSON_GET(row, "hasCredential"), true))
		return false;
	*ret_why = arena_printf(c->mem,
	                        "there is no key for %s; `thole auth add %s` adds one, then import "
	                        "again",
	                        out_safe(c->mem, provider), out_safe(c->mem, provider))
	                   .ptr;
	return true;
}

static void drop_without_key(struct settings_plan *p)
{
	size_t kept = 0;
	const char *why;

	for (size_t i = 0; i < p->count; i++) {
		if (lacks_key(p->c, &p->changes[i], &why))
			settings_plan_leave(p, p->changes[i].from, why);
		else
			p->changes[kept++] = p->changes[i];
	}
	p->count = kept;
}

/* ---- the file as it will be ---- */

static bool is_taken(const struct settings_plan *p, const char *key)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->changes[i].is_taken && strcmp(p->changes[i].key, key) == 0)
			return true;
	return false;
}

static bool is_first_of_key(const struct settings_plan *p, size_t at)
{
	for (size_t i = 0; i < at; i++)
		if (p->changes[i].is_taken && strcmp(p->changes[i].key, p->changes[at].key) == 0)
			return false;
	return p->changes[at].is_taken;
}

/* What a change replaces is left out: it follows with its new value. */
static void copy_members(const struct settings_plan *p, struct json_writer *w, struct json obj,
                         struct str prefix)
{
	struct json_iter it = json_iter(obj);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		const char *full = arena_printf(p->c->mem, "%.*s%s%.*s", STR_ARG(prefix),
		                                prefix.len ? "." : "", STR_ARG(key))
		                           .ptr;

		if (is_taken(p, full))
			continue;
		jw_key(w, key);
		if (!prefix.len && json_type(v) == JSON_OBJ && json_count(v) &&
		    (str_eq(key, STR("permission")) || str_eq(key, STR("mcp")) ||
		     str_eq(key, STR("sandbox")))) {
			jw_obj(w);
			copy_members(p, w, v, key);
			jw_obj_end(w);
		} else {
			jw_value(w, v);
		}
	}
}

static void write_change(const struct settings_plan *p, struct json_writer *w,
                         const struct plan_change *change)
{
	if (change->place == PLAN_MEMBER)
		jw_key(w, change->member);
	jw_raw(w, change->json);
}

/* The old value with all changes of the key. */
static void write_key(const struct settings_plan *p, struct json_writer *w, struct json file,
                      const struct plan_change *first)
{
	struct json_iter it = json_iter(value_of(file, first->key));
	struct json v;
	struct str key;

	jw_key(w, str_from(first->key));
	if (first->place == PLAN_VALUE) {
		jw_raw(w, first->json);
		return;
	}
	first->place == PLAN_LIST ? jw_arr(w) : jw_obj(w);
	while (json_next(&it, &key, &v)) {
		if (first->place == PLAN_MEMBER)
			jw_key(w, key);
		jw_value(w, v);
	}
	for (const struct plan_change *each = first; each < p->changes + p->count; each++)
		if (each->is_taken && strcmp(each->key, first->key) == 0)
			write_change(p, w, each);
	first->place == PLAN_LIST ? jw_arr_end(w) : jw_obj_end(w);
}

static struct str new_text(const struct settings_plan *p, struct json file, bool with_old)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	if (with_old)
		copy_members(p, &w, file, STR(""));
	for (size_t i = 0; i < p->count; i++)
		if (is_first_of_key(p, i))
			write_key(p, &w, file, &p->changes[i]);
	jw_obj_end(&w);
	buf_add_char(&out, '\n');
	return arena_keep(p->c->mem, buf_str(&out));
}

/* ---- showing and asking ---- */

static void show_change(const struct settings_plan *p, const struct plan_change *change)
{
	struct cli *c = p->c;

	/* Whole, however long: what is agreed to has to be read. */
	printf("%s+ %s%s%s: %s%s   (%s)\n", out_tone_on(c->color_out, TONE_GOOD), change->key,
	       str_is(change->member) ? "." : "",
	       str_is(change->member) ? out_safe(c->mem, change->member) : "",
	       out_safe(c->mem, change->json), out_tone_off(c->color_out),
	       out_safe_cut(c->mem, change->from, 120));
}

static void show_left(const struct settings_plan *p)
{
	for (size_t i = 0; i < p->left_count; i++)
		printf("%s- %s: %s%s\n", out_tone_on(p->c->color_out, TONE_DIM),
		       out_safe(p->c->mem, p->left[i].what), p->left[i].why,
		       out_tone_off(p->c->color_out));
}

static size_t count_of(const struct settings_plan *p, enum plan_kind kind)
{
	size_t count = 0;

	for (size_t i = 0; i < p->count; i++)
		count += p->changes[i].kind == kind;
	return count;
}

/* Each rule, server and mode has a question of its own; harmless settings have one together. */
static bool ask_one(struct settings_plan *p, size_t at, enum import_answer *known)
{
	struct plan_change *change = &p->changes[at];
	const char *question;

	if (change->kind != PLAN_PLAIN || *known == IMPORT_NOT_ASKED) {
		question = change->kind == PLAN_PLAIN
		                   ? "Add these settings?"
		                   : arena_printf(p->c->mem, "Add %s: %s?", change->key,
		                                  out_safe(p->c->mem, change->json))
		                             .ptr;
		*known = import_ask(p->c, question, has_option(p->c, change->kind));
	}
	change->is_taken = *known == IMPORT_YES;
	return *known != IMPORT_NOT_ASKED;
}

/* Rules that deny or ask and are not added: then nothing that allows is added either. */
static bool lacks_rule(const struct settings_plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->changes[i].kind == PLAN_PLAIN && p->changes[i].place == PLAN_LIST &&
		    !p->changes[i].is_taken)
			return true;
	return false;
}

static bool is_held_back(const struct settings_plan *p, enum plan_kind kind)
{
	if ((kind != PLAN_ALLOW_RULE && kind != PLAN_FULL_ACCESS) || !count_of(p, kind) ||
	    !lacks_rule(p))
		return false;
	out_note(p->c, TONE_PLAIN,
	         "Not added: %s, because the rules that deny or ask were not added.",
	         kinds[kind].what);
	return true;
}

/* False: there is something that no person could be asked about. */
static bool ask_all(struct settings_plan *p)
{
	bool is_answered = true;

	for (enum plan_kind kind = 0; kind < PLAN_KINDS; kind++) {
		enum import_answer known = IMPORT_NOT_ASKED;
		size_t open = 0;

		if (is_held_back(p, kind))
			continue;
		for (size_t i = 0; i < p->count; i++)
			if (p->changes[i].kind == kind)
				open += !ask_one(p, i, &known);
		if (open)
			out_note(p->c, TONE_PLAIN, "Not added: %zu %s. To add: %s", open,
			         open == 1 ? kinds[kind].one : kinds[kind].many,
			         kinds[kind].option);
		is_answered &= !open;
	}
	return is_answered;
}

/* An option has answered: these are added, and the others are not. */
static const char *answer_of(const struct settings_plan *p, enum plan_kind kind)
{
	if (!p->c->opts.yes)
		return "";
	return has_option(p->c, kind) ? ", which are added" : ", which are not added";
}

static void show_plan(const struct settings_plan *p, const char *path, const char *program)
{
	if (p->count)
		printf(p->c->opts.yes ? "Settings of %s for %s:\n"
		                      : "Settings of %s that would be added to %s:\n",
		       program, path);
	for (enum plan_kind kind = 0; kind < PLAN_KINDS; kind++) {
		if (!count_of(p, kind))
			continue;
		printf("%s%s:\n", kinds[kind].what, answer_of(p, kind));
		for (size_t i = 0; i < p->count; i++)
			if (p->changes[i].kind == kind)
				show_change(p, &p->changes[i]);
	}
	if (p->left_count)
		printf("Left out:\n");
	show_left(p);
	if (p->has_more)
		printf("There is more than one import takes over.\n");
	fflush(stdout);
}

static void write_json_change(struct json_writer *w, const struct plan_change *change)
{
	jw_obj(w);
	JW_KSTR(w, "key", str_from(change->key));
	JW_KOPT(w, "member", change->member);
	JW_KEY(w, "value");
	jw_raw(w, change->json);
	JW_KSTR(w, "from", change->from);
	JW_KSTR(w, "option", str_from(kinds[change->kind].option));
	jw_obj_end(w);
}

/* Before anything is asked or written, as on the screen. */
static void show_json(const struct settings_plan *p, bool *is_open)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KEY(&w, "changes");
	jw_arr(&w);
	for (size_t i = 0; i < p->count; i++)
		write_json_change(&w, &p->changes[i]);
	jw_arr_end(&w);
	JW_KEY(&w, "leftOut");
	jw_arr(&w);
	for (size_t i = 0; i < p->left_count; i++) {
		jw_obj(&w);
		JW_KSTR(&w, "what", p->left[i].what);
		JW_KSTR(&w, "why", str_from(p->left[i].why));
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
	printf("%s\"settings\":%.*s", *is_open ? "," : "{", STR_ARG(buf_str(&out)));
	fflush(stdout);
	*is_open = true;
}

/* ---- writing ---- */

/* The runtime reads rules of files apart from other settings, so both are checked. */
static bool is_good(struct settings_plan *p, struct json file, const char **ret_why)
{
	struct json whole, rules;
	struct thole_options o = { .config = new_text(p, file, false).ptr };
	struct thole_error e;

	if (thole_settings_check(&o, &e) != THOLE_OK) {
		*ret_why = arena_printf(p->c->mem, "%s", e.message).ptr;
		return false;
	}
	if (json_read(p->c->mem, new_text(p, file, true), &whole, NULL) != OK)
		return false;
	rules = value_of(whole, "permission.rules");
	*ret_why = json_is(rules) ? cli_policy_trouble(p->c, json_text(p->c->mem, rules)) : NULL;
	return !*ret_why;
}

/* The questions took their time; what was shown is not what would be written. */
static bool is_unchanged(struct cli *c, const char *path, struct str old)
{
	struct str now;

	return user_config_read(c, path, &now) && str_is(now) == str_is(old) && str_eq(now, old);
}

static int write_settings(struct settings_plan *p, struct json file, const char *path,
                          struct str old)
{
	CLEANUP(user_config_unlock) int lock = -1;
	const char *why = "the result is no JSON", *kept = NULL;

	if (!is_good(p, file, &why)) {
		out_error(p->c, "The settings would not be valid: %s. Nothing was written.", why);
		return CODE_CONFIG;
	}
	if (user_config_lock(p->c, path, &lock))
		return CODE_CONFIG;
	if (!is_unchanged(p->c, path, old)) {
		out_error(p->c, "%s was changed meanwhile. Nothing was written; run it again.",
		          path);
		return CODE_CONFIG;
	}
	if (str_is(old))
		kept = user_config_backup(p->c, path, old);
	if ((str_is(old) && !kept) || !user_config_write(p->c, path, new_text(p, file, true))) {
		out_error(p->c, "%s: %s. Nothing was written.", path, paths_reason());
		return CODE_CONFIG;
	}
	out_note(p->c, TONE_GOOD, "The settings are in %s.", path);
	if (kept)
		out_note(p->c, TONE_PLAIN, "The old ones are in %s.", kept);
	cli_settings_tell_unread(p->c);
	return CODE_DONE;
}

static bool takes_any(const struct settings_plan *p)
{
	for (size_t i = 0; i < p->count; i++)
		if (p->changes[i].is_taken)
			return true;
	return false;
}

static struct settings_plan *plan_of(struct cli *c, const struct import_place *place)
{
	struct settings_plan *p = ARENA_NEW(c->mem, struct settings_plan);

	p->c = c;
	if (place->program == SESSION_CLAUDE)
		claude_settings_read(p, place);
	else
		codex_settings_read(p, place);
	return p;
}

int settings_apply(struct cli *c, const struct import_place *place, bool *is_open)
{
	struct settings_plan *p = plan_of(c, place);
	const char *path = paths_user_config(c);
	struct json file;
	struct str old;
	bool is_answered;
	int code = CODE_DONE;

	if (!path) {
		out_error(c, "There is no HOME, so there is no place for settings.");
		return CODE_CONFIG;
	}
	if (!user_config_read(c, path, &old)) {
		out_error(c, "%s cannot be read (%s), so it is left as it is.", path,
		          paths_reason());
		return CODE_CONFIG;
	}
	if (!user_config_parse(c, old, &file)) {
		out_error(c, "%s has comments or is no JSON, so it is left as it is.", path);
		return CODE_CONFIG;
	}
	drop_known(p, file);
	drop_without_key(p);
	if (c->opts.json)
		show_json(p, is_open);
	else
		show_plan(p, path, import_words_name(place->program));
	is_answered = ask_all(p);
	if (takes_any(p))
		code = write_settings(p, file, path, old);
	return code ? code : is_answered || c->opts.yes ? CODE_DONE : CODE_DECISION;
}
