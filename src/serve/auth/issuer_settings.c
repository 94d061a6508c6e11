/* Reads the setting auth.issuers.  A mistake stops the start: access must not differ from what was meant. */
#include "serve/auth/issuer_settings.h"

#include "base/json.h"
#include "jwt/jwt_metadata.h"
#include "ports/control.h"

#define NAME_MAX_BYTES 32
#define AUDIENCES_MAX 16
#define SCOPES_MAX 64
#define DIRECTORIES_MAX 32
#define TEXT_MAX 2048

/* Prefixes of principals that are not of an issuer. */
static const char *const taken[] = { "owner",   "runtime", "system", "device",
	                             "trigger", "mcp",     "peer",   "jwt" };

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-' && c != '_')
			return false;
	}
	for (size_t i = 0; i < COUNT_OF(taken); i++)
		if (str_eq(name, str_from(taken[i])))
			return false;
	return name.len && name.len <= NAME_MAX_BYTES;
}

static enum err wrong(struct error *e, const struct issuer_options *o, struct str key,
                      const char *what)
{
	return fail(e, ERR_INVALID, "auth.issuers.%.*s: %.*s%s%s", STR_ARG(o->name), STR_ARG(key),
	            key.len ? " " : "", what);
}

static bool is_text(struct json v)
{
	return str_is(json_str(v)) && json_str(v).len && json_str(v).len <= TEXT_MAX;
}

static enum err read_text(struct arena *mem, const struct issuer_options *o, struct str key,
                          struct json v, struct str *ret, struct error *e)
{
	if (!is_text(v))
		return wrong(e, o, key, "is a text");
	*ret = arena_keep(mem, json_str(v));
	return OK;
}

/* ---- lists ---- */

static enum err read_audience(struct arena *mem, struct issuer_options *o, struct json v,
                              struct error *e)
{
	struct str *all = ARENA_ARRAY(mem, struct str, AUDIENCES_MAX);
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	o->rules.audiences = all;
	if (is_text(v)) {
		all[o->rules.audience_count++] = arena_keep(mem, json_str(v));
		return OK;
	}
	while (json_type(v) == JSON_ARR && json_next(&it, &key, &item)) {
		if (!is_text(item) || o->rules.audience_count == AUDIENCES_MAX)
			return wrong(e, o, STR("audience"), "is a text, or a list of at most 16");
		all[o->rules.audience_count++] = arena_keep(mem, json_str(item));
	}
	return o->rules.audience_count ? OK : wrong(e, o, STR("audience"), "is a text or a list");
}

static enum err read_algorithms(struct issuer_options *o, struct json v, struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	o->algorithms = 0;
	while (json_type(v) == JSON_ARR && json_next(&it, &key, &item)) {
		const struct jwt_alg *a = jwt_alg_find(json_str(item));

		if (!a)
			return wrong(e, o, STR("algorithms"),
			             "has one that is not accepted; RS256, PS256, ES256, their 384 "
			             "and 512, EdDSA and Ed25519 are");
		o->algorithms |= jwt_alg_bit(a);
	}
	return o->algorithms ? OK : wrong(e, o, STR("algorithms"), "is a list of names");
}

static enum err read_directories(struct arena *mem, struct issuer_options *o, struct json v,
                                 struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	while (json_type(v) == JSON_ARR && json_next(&it, &key, &item)) {
		if (!is_text(item) || json_str(item).ptr[0] != '/' ||
		    o->directories.count == DIRECTORIES_MAX)
			return wrong(e, o, STR("directories"), "is a list of absolute paths");
		rec_list_str_add(mem, &o->directories, json_str(item));
	}
	return o->directories.count
	               ? OK
	               : wrong(e, o, STR("directories"), "is a list of absolute paths");
}

/* ---- scopes ---- */

static enum err read_scopes_of_word(const struct issuer_options *o, struct json v, unsigned *ret,
                                    struct error *e)
{
	struct json_iter it = json_iter(v);
	struct json item;
	struct str key;

	*ret = 0;
	while (json_type(v) == JSON_ARR && json_next(&it, &key, &item)) {
		enum scope scope =
			str_is(json_str(item)) ? rec_enum_read(&enum_scope, json_str(item)) : 0;

		if (!scope)
			return wrong(e, o, STR("scopes"),
			             "has other values than read, write, "
			             "approve and admin");
		*ret |= SCOPE_BIT(scope);
	}
	return *ret ? OK : wrong(e, o, STR("scopes"), "has a word without a list of scopes");
}

static enum err read_scopes(struct arena *mem, struct issuer_options *o, struct json v,
                            struct error *e)
{
	struct jwt_claims_scope *all = ARENA_ARRAY(mem, struct jwt_claims_scope, SCOPES_MAX);
	struct json_iter it = json_iter(v);
	struct json row;
	struct str word;

	o->rules.scopes = all;
	o->rules.scope_count = 0;
	if (json_type(v) != JSON_OBJ || !json_count(v) || json_count(v) > SCOPES_MAX)
		return wrong(e, o, STR("scopes"),
		             "is an object: words of the token's scope, with "
		             "lists of ours");
	while (json_next(&it, &word, &row)) {
		struct jwt_claims_scope *s = &all[o->rules.scope_count++];

		s->word = arena_keep(mem, word);
		if (read_scopes_of_word(o, row, &s->scopes, e) != OK)
			return e->code;
	}
	return OK;
}

/* Words that mean themselves.  Not admin: an issuer must not give it by accident. */
static const struct jwt_claims_scope usual_scopes[] = {
	{ { "read", 4 }, SCOPE_BIT(SCOPE_READ) },
	{ { "write", 5 }, SCOPE_BIT(SCOPE_WRITE) },
	{ { "approve", 7 }, SCOPE_BIT(SCOPE_APPROVE) },
};

static unsigned all_scopes(const struct issuer_options *o)
{
	unsigned scopes = 0;

	for (size_t i = 0; i < o->rules.scope_count; i++)
		scopes |= o->rules.scopes[i].scopes;
	return scopes;
}

/* ---- one issuer ---- */

static enum err read_sessions(struct issuer_options *o, struct json v, struct error *e)
{
	o->sessions = str_is(json_str(v)) ? rec_enum_read(&enum_session_reach, json_str(v)) : 0;
	return o->sessions ? OK : wrong(e, o, STR("sessions"), "is own or all");
}

static enum err read_flag(struct issuer_options *o, struct json v, struct error *e)
{
	if (json_type(v) != JSON_BOOL)
		return wrong(e, o, STR("access_tokens_only"), "is true or false");
	o->rules.only_access_tokens = json_bool(v, false);
	return OK;
}

static enum err read_member(struct arena *mem, struct issuer_options *o, struct str key,
                            struct json v, struct error *e)
{
	const struct {
		struct str key;
		struct str *to;
	} texts[] = {
		{ STR("issuer"), &o->url },
		{ STR("jwks_uri"), &o->keys_url },
		{ STR("principal_claim"), &o->rules.principal_claim },
		{ STR("tenant_claim"), &o->rules.tenant_claim },
		{ STR("scope_claim"), &o->rules.scope_claim },
		{ STR("tenant"), &o->tenant },
	};

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		if (str_eq(key, texts[i].key))
			return read_text(mem, o, key, v, texts[i].to, e);
	if (str_eq(key, STR("audience")))
		return read_audience(mem, o, v, e);
	if (str_eq(key, STR("algorithms")))
		return read_algorithms(o, v, e);
	if (str_eq(key, STR("scopes")))
		return read_scopes(mem, o, v, e);
	if (str_eq(key, STR("sessions")))
		return read_sessions(o, v, e);
	if (str_eq(key, STR("directories")))
		return read_directories(mem, o, v, e);
	if (str_eq(key, STR("access_tokens_only")))
		return read_flag(o, v, e);
	return wrong(e, o, key, "is not known");
}

/* The same rules as for named tokens. */
static enum err check_issuer(struct issuer_options *o, struct error *e)
{
	bool has_tenant = str_is(o->tenant) || str_is(o->rules.tenant_claim);

	if (!str_is(o->url) || !o->rules.audience_count)
		return wrong(e, o, STR(""), "issuer and audience are needed");
	if (!jwt_metadata_is_issuer(o->url))
		return wrong(e, o, STR("issuer"),
		             "is an https address without query, or an http "
		             "one of this machine");
	if (str_is(o->keys_url) && !jwt_metadata_is_issuer(o->keys_url))
		return wrong(e, o, STR("jwks_uri"),
		             "is an https address without query, or an http "
		             "one of this machine");
	if (str_is(o->tenant) && str_is(o->rules.tenant_claim))
		return wrong(e, o, STR("tenant"), "and tenant_claim exclude each other");
	if (str_is(o->tenant) && !jwt_claims_is_tenant(o->tenant))
		return wrong(e, o, STR("tenant"), "has letters, digits and . _ - @");
	if ((all_scopes(o) & SCOPE_BIT(SCOPE_ADMIN)) &&
	    (has_tenant || o->sessions != SESSION_REACH_ALL))
		return wrong(e, o, STR("scopes"),
		             "has admin, which needs sessions all and no "
		             "tenant");
	o->rules.issuer = o->url;
	return OK;
}

static enum err read_issuer(struct arena *mem, struct issuer_options *o, struct json row,
                            struct error *e)
{
	struct json_iter it = json_iter(row);
	struct json value;
	struct str key;

	if (json_type(row) != JSON_OBJ || !is_name(o->name))
		return wrong(e, o, STR(""),
		             "a name of at most 32 characters a-z, 0-9, - and _ that is not taken, "
		             "with an object");
	o->algorithms = JWT_ALG_ALL;
	o->sessions = SESSION_REACH_OWN;
	o->rules.scopes = usual_scopes;
	o->rules.scope_count = COUNT_OF(usual_scopes);
	o->rules.leeway_s = LIMIT_JWT_LEEWAY_S;
	while (json_next(&it, &key, &value))
		if (read_member(mem, o, key, value, e) != OK)
			return e->code;
	return check_issuer(o, e);
}

/* Two entries of one issuer would leave open whose rules count. */
static enum err check_unique(const struct issuer_options *all, size_t count, struct error *e)
{
	for (size_t i = 0; i + 1 < count; i++)
		if (str_eq(all[i].url, all[count - 1].url))
			return wrong(e, &all[count - 1], STR("issuer"), "is that of another entry");
	return OK;
}

enum err issuer_settings_read(struct arena *mem, struct json rows,
                              const struct issuer_options **ret, size_t *ret_count, struct error *e)
{
	struct json_iter it = json_iter(rows);
	struct issuer_options *all;
	struct json row;
	struct str name;
	size_t count = 0;

	*ret = NULL;
	*ret_count = 0;
	if (!json_is(rows))
		return OK;
	if (json_type(rows) != JSON_OBJ || json_count(rows) > LIMIT_JWT_ISSUERS)
		return fail(e, ERR_INVALID,
		            "auth.issuers: an object with at most %d members is wanted",
		            LIMIT_JWT_ISSUERS);
	all = ARENA_ARRAY(mem, struct issuer_options, json_count(rows) + 1);
	while (json_next(&it, &name, &row)) {
		all[count].name = arena_keep(mem, name);
		if (read_issuer(mem, &all[count++], row, e) != OK ||
		    check_unique(all, count, e) != OK)
			return e->code;
	}
	*ret = all;
	*ret_count = count;
	return OK;
}
