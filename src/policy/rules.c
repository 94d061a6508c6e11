/*
 * Reads permission rules from JSON.  A text is valid as a whole or not at all; the error names the
 * rule.
 */
#include "policy/rules_internal.h"

#include "base/json.h"

/*
 * The words are part of the references in stored decisions (rule:user:allow-make): never change
 * one.
 */
static const struct str source_words[] = {
	[RULE_HOST_POLICY] = { "host_policy", 11 },
	[RULE_USER] = { "user", 4 },
	[RULE_PROJECT] = { "project", 7 },
	[RULE_SESSION] = { "session", 7 },
	[RULE_GRANT] = { "grant", 5 },
	[RULE_TOOL] = { "tool", 4 },
};

struct str rules_source_word(enum rule_source s)
{
	return s < COUNT_OF(source_words) ? source_words[s] : STR_NONE;
}

enum rule_source rules_source_read(struct str word)
{
	for (uint32_t i = 1; i < COUNT_OF(source_words); i++)
		if (str_eq(word, source_words[i]))
			return i;
	return 0;
}

static struct rule *new_rule(struct rules *rs)
{
	if (rs->count == rs->cap) {
		uint32_t cap = rs->cap ? rs->cap * 2 : 16;

		rs->items = arena_grow(rs->mem, rs->items, rs->cap * sizeof *rs->items,
		                       cap * sizeof *rs->items);
		rs->cap = cap;
	}
	rs->items[rs->count] = (struct rule){ .scope = GRANT_SCOPE_ONCE };
	return &rs->items[rs->count++];
}

/* ---- one rule ---- */

/* The rule that is being read, for messages and for what its text may say about itself. */
struct place {
	struct rules *rs;
	struct error *e;
	size_t number; /* of the rule in its file, from 1 */
	bool may_name_source;
};

static enum err refuse(const struct place *at, const char *what, struct str name)
{
	return fail(at->e, ERR_INVALID, "rule %zu: %s%s%.*s", at->number, what, name.len ? " " : "",
	            STR_ARG(str_head(name, 80)));
}

static enum err read_text(const struct place *at, struct str key, struct json v, struct str *ret)
{
	struct str s = json_str(v);

	if (!str_is(s) || !s.len || s.len > RULE_BYTES_MAX)
		return refuse(at, "no text, or too long a one, in", key);
	if (memchr(s.ptr, 0, s.len))
		return refuse(at, "a NUL in", key);
	*ret = arena_keep(at->rs->mem, s);
	return OK;
}

static enum err read_word_of(const struct place *at, struct str s, struct rule *r)
{
	if (!s.len || s.len > RULE_BYTES_MAX || r->command.count == RULE_WORDS_MAX ||
	    memchr(s.ptr, 0, s.len))
		return refuse(at, "an empty word, or too many, in", STR("command"));
	rec_list_str_add(at->rs->mem, &r->command, s);
	return OK;
}

/* A list of words, or one text with words separated by blanks. */
static enum err read_command_of(const struct place *at, struct json v, struct rule *r)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key, text = json_str(v);

	r->has_command = true;
	if (str_is(text)) {
		while (str_is(text)) {
			struct str word = str_cut(&text, ' ');

			if (word.len && read_word_of(at, word, r))
				return ERR_INVALID;
		}
	} else if (json_type(v) != JSON_ARR) {
		return refuse(at, "no list of words in", STR("command"));
	}
	while (!str_is(json_str(v)) && json_next(&it, &key, &item))
		if (!str_is(json_str(item)) || read_word_of(at, json_str(item), r))
			return refuse(at, "an empty word, or too many, in", STR("command"));
	return r->command.count ? OK : refuse(at, "no words in", STR("command"));
}

static enum err read_effect(const struct place *at, struct json v, struct rule *r)
{
	struct str s = json_str(v);

	if (str_eq(s, STR("allow")))
		r->effect = APPROVAL_DECISION_ALLOW;
	else if (str_eq(s, STR("ask")))
		r->effect = APPROVAL_DECISION_ASK;
	else if (str_eq(s, STR("deny")))
		r->effect = APPROVAL_DECISION_DENY;
	else
		return refuse(at, "effect is allow, ask or deny, not", s);
	return OK;
}

static enum err read_access(const struct place *at, struct json v, struct rule *r)
{
	struct str s = json_str(v);

	if (str_eq(s, STR("read")))
		r->access = RULE_READ;
	else if (str_eq(s, STR("write")))
		r->access = RULE_WRITE;
	else
		return refuse(at, "access is read or write, not", s);
	return OK;
}

static enum err read_always(const struct place *at, struct json v, struct rule *r)
{
	if (json_type(v) != JSON_BOOL)
		return refuse(at, "always is true or false", STR(""));
	r->is_always = json_bool(v, false);
	return OK;
}

/* A path in a rule has no . or .. after its beginning: that would be ambiguous. */
static enum err check_path(const struct place *at, struct str path)
{
	bool is_first = true;
	unsigned stars = 0;
	struct str c;

	while (rules_paths_next_component(&path, &c)) {
		if (str_eq(c, STR("..")) || (str_eq(c, STR(".")) && !is_first))
			return refuse(at, "a path with . or .. in it", STR(""));
		stars += str_eq(c, STR("**"));
		is_first = false;
	}
	/* Matching tries every split at a **, so their number bounds the work of one comparison. */
	return stars > 4 ? refuse(at, "too many ** in a path", STR("")) : OK;
}

/*
 * A file has the source of its place.  Only settings may name one per rule, and neither a file
 * nor a setting may claim to be a person's grant or a tool's own policy.
 */
static enum err read_source(const struct place *at, struct json v, struct rule *r)
{
	r->source = at->may_name_source ? rules_source_read(json_str(v)) : 0;
	if (!r->source || r->source >= RULE_GRANT)
		return refuse(
			at, "source is host_policy, user, project or session, and of settings only",
			STR(""));
	return OK;
}

static enum err read_member(const struct place *at, struct str key, struct json v, struct rule *r)
{
	if (str_eq(key, STR("id")))
		return read_text(at, key, v, &r->id);
	if (str_eq(key, STR("effect")))
		return read_effect(at, v, r);
	if (str_eq(key, STR("source")))
		return read_source(at, v, r);
	if (str_eq(key, STR("tool")))
		return read_text(at, key, v, &r->tool);
	if (str_eq(key, STR("command")))
		return read_command_of(at, v, r);
	if (str_eq(key, STR("path")))
		return read_text(at, key, v, &r->path) ? ERR_INVALID : check_path(at, r->path);
	if (str_eq(key, STR("access")))
		return read_access(at, v, r);
	if (str_eq(key, STR("host")))
		return read_text(at, key, v, &r->host);
	if (str_eq(key, STR("mcp")))
		return read_text(at, key, v, &r->mcp);
	if (str_eq(key, STR("reason")))
		return read_text(at, key, v, &r->reason);
	if (str_eq(key, STR("always")))
		return read_always(at, v, r);
	return refuse(at, "unknown field", key);
}

/*
 * Members first, in any order, then what they must say together.  A rule without any condition
 * would match every call, so it is refused: a forgotten member must not become "allow
 * everything".
 */
static enum err read_rule(const struct place *at, struct json v, struct rule_origin from,
                          struct rule *r)
{
	struct json_iter it = json_iter(v);
	struct json member;
	struct str key;

	if (json_type(v) != JSON_OBJ)
		return refuse(at, "it is no object", STR(""));
	while (json_next(&it, &key, &member))
		if (read_member(at, key, member, r))
			return ERR_INVALID;
	if (!r->effect)
		return refuse(at, "it has no effect", STR(""));
	if (!str_is(r->tool) && !r->has_command && !str_is(r->path) && !str_is(r->host) &&
	    !str_is(r->mcp))
		return refuse(at, "it names nothing: no tool, command, path, host or mcp", STR(""));
	if (r->access && !str_is(r->path))
		return refuse(at, "access without a path", STR(""));
	if (!r->source)
		r->source = from.source;
	/*
	 * A project is whatever the agent checked out.  Its deny and ask rules always count, its
	 * allow rules only when the user has trusted exactly this text.
	 */
	r->is_trusted = r->source != RULE_PROJECT || from.is_trusted;
	/* No grant of a session answers a question that the host requires. */
	r->is_always |= r->source == RULE_HOST_POLICY;
	/*
	 * Decisions cite the rule by this reference; the number identifies it while its file is
	 * unchanged.
	 */
	if (!str_is(r->id))
		r->id = arena_printf(at->rs->mem, "%zu", at->number);
	r->ref = arena_printf(at->rs->mem, "rule:%.*s:%.*s", STR_ARG(rules_source_word(r->source)),
	                      STR_ARG(r->id));
	return OK;
}

/* ---- a file ---- */

static enum err read_top(struct json doc, struct json *ret_rules, struct error *e)
{
	struct json_iter it = json_iter(doc);
	struct json v;
	struct str key;

	*ret_rules = JSON_GET(doc, "rules");
	if (json_type(doc) != JSON_OBJ || json_type(*ret_rules) != JSON_ARR)
		return fail(e, ERR_INVALID, "rules are {\"rules\": [...]}");
	while (json_next(&it, &key, &v))
		if (!str_eq(key, STR("rules")) && !str_eq(key, STR("version")) &&
		    !str_eq(key, STR("description")))
			return fail(e, ERR_INVALID, "unknown field %.*s beside rules",
			            STR_ARG(key));
	return OK;
}

/*
 * On an error the count goes back, so that half a file never takes effect: the rules after the
 * error may be the ones that deny.
 */
static enum err read_list(struct place *at, struct json list, struct rule_origin from)
{
	struct rules *rs = at->rs;
	uint32_t before = rs->count;
	struct json_iter it = json_iter(list);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v)) {
		enum err err;

		at->number++;
		if (rs->count == RULES_MAX)
			err = fail(at->e, ERR_TOO_LARGE, "more than %d rules", RULES_MAX);
		else
			err = read_rule(at, v, from, new_rule(rs));
		if (err) {
			rs->count = before;
			return err;
		}
	}
	return OK;
}

static enum err read_document(struct rules *rs, struct str text, struct json *ret, struct error *e)
{
	if (text.len > RULE_FILE_MAX)
		return fail(e, ERR_TOO_LARGE, "rules of more than %d bytes", RULE_FILE_MAX);
	return json_read_config(rs->mem, text, ret, e);
}

enum err rules_add(struct rules *rs, struct str text, struct rule_origin from, struct error *e)
{
	struct place at = { .rs = rs, .e = e };
	struct json doc, list;
	enum err err = read_document(rs, text, &doc, e);

	if (!err)
		err = read_top(doc, &list, e);
	return err ? err : read_list(&at, list, from);
}

enum err rules_add_settings(struct rules *rs, struct str text, struct error *e)
{
	struct place at = { .rs = rs, .e = e, .may_name_source = true };
	struct json list;
	enum err err = read_document(rs, text, &list, e);

	if (!err && json_type(list) != JSON_ARR)
		err = fail(e, ERR_INVALID, "rules of settings are a list");
	return err ? err : read_list(&at, list, (struct rule_origin){ .source = RULE_USER });
}

/*
 * A member that the match leaves absent does not restrict the grant, except the definition:
 * without one, the grant covers the pinned tool only (is_definition() in rules_match.c).
 */
void rules_add_grant(struct rules *rs, struct str grant_id, const struct rec_grant_match *match,
                     enum grant_scope scope, int64_t expires_at)
{
	struct rule *r = new_rule(rs);

	r->effect = APPROVAL_DECISION_ALLOW;
	r->source = RULE_GRANT;
	r->is_trusted = true;
	r->id = arena_keep(rs->mem, grant_id);
	r->ref = arena_printf(rs->mem, "rule:grant:%.*s", STR_ARG(grant_id));
	r->tool = arena_keep(rs->mem, match->tool);
	r->path = arena_keep(rs->mem, match->path);
	r->path_real = arena_keep(rs->mem, match->path_real);
	r->host = arena_keep(rs->mem, match->host);
	r->definition = arena_keep(rs->mem, match->definition);
	r->cwd = arena_keep(rs->mem, match->cwd);
	r->has_command = match->command.count > 0;
	for (uint32_t i = 0; i < match->command.count; i++)
		rec_list_str_add(rs->mem, &r->command, match->command.items[i]);
	r->scope = scope;
	r->expires_at = expires_at;
}

void rules_add_tool(struct rules *rs, struct str tool)
{
	struct rule *r = new_rule(rs);

	r->effect = APPROVAL_DECISION_ALLOW;
	r->source = RULE_TOOL;
	r->is_trusted = true;
	r->id = r->tool = tool;
	r->ref = arena_printf(rs->mem, "rule:tool:%.*s", STR_ARG(tool));
}
