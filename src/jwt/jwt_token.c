/* Splits a token and reads its header and claims. */
#include "jwt/jwt_token.h"

#include "base/hash/base64.h"

#define KID_MAX 256

static bool decode(struct arena *mem, struct str part, struct str *ret)
{
	char *bytes = arena_alloc_raw(mem, BASE64_URL_BYTES(part.len));
	size_t len;

	if (!part.len || !base64_read_url_to(bytes, part, &len))
		return false;
	*ret = str_of(bytes, len);
	return true;
}

static const char *read_object(struct arena *mem, struct str part, struct json *ret)
{
	struct error ignored;
	struct str text;

	if (!decode(mem, part, &text) || json_read(mem, text, ret, &ignored) != OK ||
	    json_type(*ret) != JSON_OBJ)
		return "the token is not a JWT";
	return NULL;
}

/* A text, or nothing; another type is a fault. */
static bool read_text(struct json header, struct str name, size_t max, struct str *ret)
{
	struct json v = json_get(header, name);

	*ret = json_str(v);
	return !json_is(v) || (str_is(*ret) && ret->len <= max);
}

static const char *read_header(struct json header, struct jwt_token *ret)
{
	struct str alg;

	if (json_is(JSON_GET(header, "crit")))
		return "the token has critical extensions, and none is known here";
	if (!read_text(header, STR("alg"), 16, &alg) || !jwt_alg_find(alg))
		return "the algorithm of the token is not accepted";
	if (!read_text(header, STR("kid"), KID_MAX, &ret->kid) ||
	    !read_text(header, STR("typ"), 64, &ret->type) || json_is(JSON_GET(header, "cty")))
		return "the header of the token is not that of an access token";
	ret->alg = jwt_alg_find(alg);
	return NULL;
}

const char *jwt_token_read(struct arena *mem, struct str text, struct jwt_token *ret)
{
	struct str rest = text, first, second;
	struct json header = { 0 };
	const char *why;

	*ret = (struct jwt_token){ 0 };
	first = str_cut(&rest, '.');
	second = str_is(rest) ? str_cut(&rest, '.') : STR_NONE;
	if (text.len > LIMIT_JWT_BYTES || !str_is(rest))
		return "the token is not a JWT";
	ret->covered = str_head(text, first.len + 1 + second.len);
	why = read_object(mem, first, &header);
	if (!why)
		why = read_header(header, ret);
	if (!why)
		why = read_object(mem, second, &ret->claims);
	if (!why && !decode(mem, rest, &ret->signature))
		why = "the token has no valid signature";
	return why;
}
