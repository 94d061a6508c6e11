/* Splits a token and reads its header and claims. */
#include "jwt/jwt_token.h"

#include "base/hash/base64.h"

#define KID_MAX 256

bool jwt_token_is_one(struct str text)
{
	size_t dots = 0;

	if (text.len < 5 || text.len > LIMIT_JWT_BYTES)
		return false;
	for (size_t i = 0; i < text.len; i++) {
		char c = text.ptr[i];

		if (c == '.')
			dots++;
		else if (!base64_is_url_char(c))
			return false;
	}
	return dots == 2;
}

static bool decode(struct arena *mem, struct str part, struct str *ret)
{
	struct buf out = { 0 };
	bool is_valid = part.len && base64_read_url(&out, part);

	if (is_valid)
		*ret = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return is_valid;
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
	if (!jwt_token_is_one(text))
		return "the token is not a JWT";
	first = str_cut(&rest, '.');
	second = str_cut(&rest, '.');
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
