/* Checks claims by the rules of an issuer. */
#include "jwt/jwt_claims.h"

#include "base/utf8.h"

#include <strings.h>

#define TENANT_MAX 200
#define TIME_MAX_S 253402300799 /* the end of the year 9999 */

struct str jwt_claims_issuer(const struct jwt_token *t)
{
	return json_str(JSON_GET(t->claims, "iss"));
}

/* ---- the kind of token ---- */

static bool is_word(struct str text, struct str word)
{
	return text.len == word.len && strncasecmp(text.ptr, word.ptr, word.len) == 0;
}

/* Media types are compared without regard to case, and may lack "application/" (RFC 7515, 4.1.9). */
static const char *check_type(const struct jwt_token *t, const struct jwt_claims_rules *rules)
{
	struct str type = t->type;

	if (str_is(type) && type.len > 12 && is_word(str_head(type, 12), STR("application/")))
		type = str_skip(type, 12);
	if (str_is(type) && is_word(type, STR("at+jwt")))
		return NULL;
	if (!rules->only_access_tokens && (!str_is(type) || is_word(type, STR("JWT"))))
		return NULL;
	return "the token is not an access token";
}

static bool is_one_of(struct str text, const struct str *all, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (str_is(text) && str_eq(text, all[i]))
			return true;
	return false;
}

static bool is_for_us(struct json aud, const struct jwt_claims_rules *rules)
{
	struct json_iter it = json_iter(aud);
	struct json item;
	struct str key;

	if (json_type(aud) == JSON_STR)
		return is_one_of(json_str(aud), rules->audiences, rules->audience_count);
	if (json_type(aud) != JSON_ARR)
		return false;
	while (json_next(&it, &key, &item))
		if (is_one_of(json_str(item), rules->audiences, rules->audience_count))
			return true;
	return false;
}

/* ---- times ---- */

/* False: no time.  A fraction is cut off. */
static bool read_time(struct json v, int64_t *ret)
{
	double number = json_real(v, -1);

	if (number < 0 || number > (double)TIME_MAX_S)
		return false;
	*ret = (int64_t)number;
	return true;
}

/* Absent is fine; another type is not. */
static bool has_begun(struct json v, int64_t now_s)
{
	int64_t at;

	return !json_is(v) || (read_time(v, &at) && at <= now_s);
}

static const char *check_times(const struct jwt_token *t, const struct jwt_claims_rules *rules,
                               int64_t now_s, int64_t *ret_until_s)
{
	int64_t end;

	if (!read_time(JSON_GET(t->claims, "exp"), &end))
		return "the token does not say when it expires";
	if (now_s >= end + rules->leeway_s)
		return "the token has expired";
	if (!has_begun(JSON_GET(t->claims, "nbf"), now_s + rules->leeway_s) ||
	    !has_begun(JSON_GET(t->claims, "iat"), now_s + rules->leeway_s))
		return "the token is not valid yet";
	*ret_until_s = end + rules->leeway_s;
	return NULL;
}

/* ---- the bearer ---- */

/* Control characters, and marks that change the direction of what follows. */
static bool is_hidden(uint32_t code)
{
	return code < ' ' || (code >= 0x7f && code < 0xa0) || code == 0x061c || code == 0x200e ||
	       code == 0x200f || (code >= 0x2028 && code <= 0x202e) ||
	       (code >= 0x2066 && code <= 0x2069);
}

/* Names appear in events, log lines and on screens. */
static bool is_name(struct str s)
{
	if (!str_is(s) || !s.len || s.len > JWT_CLAIMS_NAME_MAX)
		return false;
	while (s.len) {
		uint32_t code;
		size_t len = utf8_read(s, &code);

		if (!len || is_hidden(code))
			return false;
		s = str_skip(s, len);
	}
	return true;
}

/* A slash joins tenant and principal, so a name has none. */
bool jwt_claims_is_tenant(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '.' && c != '_' && c != '-' && c != '@')
			return false;
	}
	return is_name(s) && s.len <= TENANT_MAX;
}

static unsigned scope_of(const struct jwt_claims_rules *rules, struct str word)
{
	for (size_t i = 0; i < rules->scope_count; i++)
		if (str_is(word) && str_eq(word, rules->scopes[i].word))
			return rules->scopes[i].scopes;
	return 0;
}

/* A text with blanks between the words (RFC 9068), or a list of them, which some issuers write. */
static unsigned scopes_of(struct json v, const struct jwt_claims_rules *rules)
{
	struct str rest = json_str(v), key;
	struct json_iter it = json_iter(v);
	struct json item;
	unsigned scopes = 0;

	while (str_is(rest))
		scopes |= scope_of(rules, str_cut(&rest, ' '));
	while (json_type(v) == JSON_ARR && json_next(&it, &key, &item))
		scopes |= scope_of(rules, json_str(item));
	return scopes;
}

static struct json scope_claim(const struct jwt_token *t, const struct jwt_claims_rules *rules)
{
	struct json v = JSON_GET(t->claims, "scope");

	if (str_is(rules->scope_claim))
		return json_get(t->claims, rules->scope_claim);
	return json_is(v) ? v : JSON_GET(t->claims, "scp");
}

static const char *read_bearer(const struct jwt_token *t, const struct jwt_claims_rules *rules,
                               struct jwt_claims_bearer *ret)
{
	struct str claim = str_is(rules->principal_claim) ? rules->principal_claim : STR("sub");

	ret->principal = json_str(json_get(t->claims, claim));
	if (!is_name(ret->principal))
		return "the token does not name its bearer";
	ret->tenant = STR_NONE;
	if (str_is(rules->tenant_claim)) {
		ret->tenant = json_str(json_get(t->claims, rules->tenant_claim));
		if (!jwt_claims_is_tenant(ret->tenant))
			return "the token does not name a tenant";
	}
	ret->scopes = scopes_of(scope_claim(t, rules), rules);
	return NULL;
}

const char *jwt_claims_check(const struct jwt_token *t, const struct jwt_claims_rules *rules,
                             int64_t now_s, struct jwt_claims_bearer *ret)
{
	struct str issuer = jwt_claims_issuer(t);
	const char *why;

	if (!str_is(issuer) || !str_eq(issuer, rules->issuer))
		return "the issuer of the token is not known";
	why = check_type(t, rules);
	if (!why && json_is(JSON_GET(t->claims, "cnf")))
		why = "the token is bound to a key, and a proof of possession is not read here";
	if (!why && !is_for_us(JSON_GET(t->claims, "aud"), rules))
		why = "the token is for another audience";
	if (!why)
		why = check_times(t, rules, now_s, &ret->until_s);
	return why ? why : read_bearer(t, rules, ret);
}
