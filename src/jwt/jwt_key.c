/* Reads a JWK set, and writes each key as SubjectPublicKeyInfo (RFC 5280, 8410). */
#include "jwt/jwt_key.h"

#include "base/hash/base64.h"

#define RSA_MIN_BYTES 256  /* 2048 bits */
#define RSA_MAX_BYTES 1024 /* a longer one takes milliseconds to check */
#define EXPONENT_MAX_BYTES 4

/* ---- DER ---- */

static void add_length(struct buf *out, size_t len)
{
	if (len < 0x80) {
		buf_add_char(out, (char)len);
	} else if (len < 0x100) {
		buf_add_char(out, (char)0x81);
		buf_add_char(out, (char)len);
	} else {
		buf_add_char(out, (char)0x82);
		buf_add_char(out, (char)(len >> 8));
		buf_add_char(out, (char)len);
	}
}

static void add_element(struct buf *out, char tag, struct str content)
{
	buf_add_char(out, tag);
	add_length(out, content.len);
	buf_add_str(out, content);
}

/* A positive number: a zero in front keeps a first bit of one from being a sign. */
static void add_number(struct buf *out, struct str bytes)
{
	bool needs_zero = (unsigned char)bytes.ptr[0] & 0x80;

	buf_add_char(out, 0x02);
	add_length(out, bytes.len + needs_zero);
	if (needs_zero)
		buf_add_char(out, 0);
	buf_add_str(out, bytes);
}

static void add_key(struct buf *out, struct str algorithm, struct str key)
{
	CLEANUP(buf_done) struct buf inner = { 0 }, bits = { 0 };

	buf_add_char(&bits, 0); /* unused bits */
	buf_add_str(&bits, key);
	add_element(&inner, 0x30, algorithm);
	add_element(&inner, 0x03, buf_str(&bits));
	add_element(out, 0x30, buf_str(&inner));
}

#define OID_RSA STR("\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x01\x01\x05\x00")
#define OID_EC "\x06\x07\x2a\x86\x48\xce\x3d\x02\x01"
#define OID_ED25519 STR("\x06\x03\x2b\x65\x70")

/* The algorithm of a key on this curve. */
static struct str algorithm_of(struct str curve)
{
	if (str_eq(curve, STR("P-256")))
		return STR(OID_EC "\x06\x08\x2a\x86\x48\xce\x3d\x03\x01\x07");
	if (str_eq(curve, STR("P-384")))
		return STR(OID_EC "\x06\x05\x2b\x81\x04\x00\x22");
	if (str_eq(curve, STR("P-521")))
		return STR(OID_EC "\x06\x05\x2b\x81\x04\x00\x23");
	return OID_ED25519;
}

/* ---- members of a key ---- */

static bool read_bytes(struct json row, struct str name, struct buf *ret)
{
	struct str text = json_str(json_get(row, name));

	return str_is(text) && text.len && base64_read_url(ret, text);
}

/* Without zeros in front, which some issuers write. */
static struct str number_of(const struct buf *b)
{
	struct str s = buf_str(b);

	while (s.len > 1 && !s.ptr[0])
		s = str_skip(s, 1);
	return s;
}

static bool read_rsa(struct arena *mem, struct json row, struct jwt_key *k)
{
	CLEANUP(buf_done) struct buf n = { 0 }, e = { 0 }, pair = { 0 }, inner = { 0 }, out = { 0 };
	struct str modulus, exponent;

	if (!read_bytes(row, STR("n"), &n) || !read_bytes(row, STR("e"), &e))
		return false;
	modulus = number_of(&n);
	exponent = number_of(&e);
	if (modulus.len < RSA_MIN_BYTES || modulus.len > RSA_MAX_BYTES ||
	    exponent.len > EXPONENT_MAX_BYTES || !(exponent.ptr[exponent.len - 1] & 1) ||
	    (exponent.len == 1 && exponent.ptr[0] == 1))
		return false;
	add_number(&pair, modulus);
	add_number(&pair, exponent);
	add_element(&inner, 0x30, buf_str(&pair));
	add_key(&out, OID_RSA, buf_str(&inner));
	k->der = arena_keep(mem, buf_str(&out));
	k->is_rsa = true;
	return true;
}

static const struct jwt_alg *alg_of_curve(struct str curve, enum jwt_kind kind)
{
	for (size_t i = 0; i < JWT_ALG_COUNT; i++)
		if (jwt_alg_all[i].kind == kind && str_is(curve) &&
		    str_eq(curve, str_from(jwt_alg_all[i].curve)))
			return &jwt_alg_all[i];
	return NULL;
}

static bool read_curve(struct arena *mem, struct json row, enum jwt_kind kind, struct jwt_key *k)
{
	CLEANUP(buf_done) struct buf x = { 0 }, y = { 0 }, point = { 0 }, out = { 0 };
	struct str curve = json_str(JSON_GET(row, "crv"));
	const struct jwt_alg *a = alg_of_curve(curve, kind);

	if (!a || !read_bytes(row, STR("x"), &x) || x.len != a->coordinate)
		return false;
	if (kind == JWT_EC) {
		if (!read_bytes(row, STR("y"), &y) || y.len != a->coordinate)
			return false;
		buf_add_char(&point, 4); /* both coordinates follow */
	}
	buf_add_str(&point, buf_str(&x));
	buf_add_str(&point, buf_str(&y));
	add_key(&out, algorithm_of(curve), buf_str(&point));
	k->der = arena_keep(mem, buf_str(&out));
	k->curve = str_from(a->curve);
	return true;
}

/* ---- keys ---- */

/* Absent means that the issuer does not restrict it. */
static bool may_verify(struct json row)
{
	struct json_iter it = json_iter(JSON_GET(row, "key_ops"));
	struct str use = json_str(JSON_GET(row, "use")), key;
	struct json op;

	if (json_is(JSON_GET(row, "use")) && !(str_is(use) && str_eq(use, STR("sig"))))
		return false;
	if (!json_is(JSON_GET(row, "key_ops")))
		return true;
	while (json_next(&it, &key, &op))
		if (str_is(json_str(op)) && str_eq(json_str(op), STR("verify")))
			return true;
	return false;
}

static bool read_kind(struct arena *mem, struct json row, struct jwt_key *k)
{
	struct str kty = json_str(JSON_GET(row, "kty"));

	if (!str_is(kty))
		return false;
	if (str_eq(kty, STR("RSA")))
		return read_rsa(mem, row, k);
	if (str_eq(kty, STR("EC")))
		return read_curve(mem, row, JWT_EC, k);
	return str_eq(kty, STR("OKP")) && read_curve(mem, row, JWT_ED25519, k);
}

/* A key whose alg is not in the list, or does not belong to its kind, can check nothing. */
static bool read_key(struct arena *mem, struct json row, struct jwt_key *k)
{
	struct json alg = JSON_GET(row, "alg");

	*k = (struct jwt_key){ .kid = arena_keep(mem, json_str(JSON_GET(row, "kid"))),
		               .alg = jwt_alg_find(json_str(alg)) };
	if ((json_is(alg) && !k->alg) || !may_verify(row) || !read_kind(mem, row, k))
		return false;
	return !k->alg || jwt_key_fits(k, k->alg);
}

enum err jwt_key_read_all(struct arena *mem, struct str text, struct jwt_keys *ret, struct error *e)
{
	struct json all = { 0 }, row;
	struct json_iter it;
	struct error why;
	struct str key;

	*ret = (struct jwt_keys){ 0 };
	if (json_read(mem, text, &all, &why) != OK || json_type(JSON_GET(all, "keys")) != JSON_ARR)
		return fail(e, ERR_INVALID, "what it serves is no JWK set");
	ret->items = ARENA_ARRAY(mem, struct jwt_key, LIMIT_JWT_KEYS);
	it = json_iter(JSON_GET(all, "keys"));
	while (ret->count < LIMIT_JWT_KEYS && json_next(&it, &key, &row))
		if (read_key(mem, row, &ret->items[ret->count]))
			ret->count++;
	return ret->count ? OK : fail(e, ERR_INVALID, "its JWK set has no key that can be used");
}

bool jwt_key_fits(const struct jwt_key *k, const struct jwt_alg *a)
{
	if (k->alg && k->alg != a && !(k->alg->kind == JWT_ED25519 && a->kind == JWT_ED25519))
		return false;
	if (k->is_rsa)
		return a->kind == JWT_RSA || a->kind == JWT_RSA_PSS;
	return a->curve && str_eq(k->curve, str_from(a->curve));
}

struct jwt_key *jwt_key_find(const struct jwt_keys *keys, struct str kid, const struct jwt_alg *a,
                             bool *ret_is_unknown)
{
	struct jwt_key *found = NULL;
	size_t fitting = 0;

	*ret_is_unknown = true;
	for (size_t i = 0; i < keys->count; i++) {
		struct jwt_key *k = &keys->items[i];

		if (str_is(kid) && !(str_is(k->kid) && str_eq(k->kid, kid)))
			continue;
		*ret_is_unknown = false;
		if (!jwt_key_fits(k, a))
			continue;
		found = k;
		fitting++;
	}
	return fitting == 1 ? found : NULL;
}
