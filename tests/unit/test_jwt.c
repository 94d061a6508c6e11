/* Tokens of issuers: known values of RFC 7515, 7520 and 8037, and what is refused before a signature counts. */
#include "t.h"

#include "base/hash/base64.h"
#include "jwt/jwt_claims.h"
#include "jwt/jwt_metadata.h"
#include "jwt/jwt_signature.h"

#define KEYS_EC                                                                                    \
	"{\"keys\":[{\"kty\":\"EC\",\"crv\":\"P-256\",\"kid\":\"k\","                              \
	"\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","                                   \
	"\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}]}"
/* RFC 7515, appendix A.3. */
#define TOKEN_EC                                                                                   \
	"eyJhbGciOiJFUzI1NiJ9."                                                                    \
	"eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0" \
	"cnVlfQ."                                                                                  \
	"DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"
/* RFC 8037, appendix A.4; its payload is a text and no JSON. */
#define KEYS_OKP                                                                                   \
	"{\"keys\":[{\"kty\":\"OKP\",\"crv\":\"Ed25519\","                                         \
	"\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}]}"
#define COVERED_OKP "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc"
#define SIGNATURE_OKP                                                                              \
	"hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"

static struct jwt_keys keys_of(struct arena *mem, const char *text)
{
	struct jwt_keys keys;
	struct error e;

	CHECK(jwt_key_read_all(mem, str_from(text), &keys, &e) == OK);
	return keys;
}

TEST(the_examples_of_the_rfcs_are_good_and_changed_ones_are_not)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf signature = { 0 };
	struct jwt_keys ec = keys_of(mem, KEYS_EC), okp = keys_of(mem, KEYS_OKP);
	struct jwt_token t;

	CHECK(!jwt_token_read(mem, STR(TOKEN_EC), &t));
	CHECK(jwt_signature_check(&ec.items[0], t.alg, t.covered, t.signature));
	CHECK(!jwt_signature_check(&ec.items[0], t.alg, str_skip(t.covered, 1), t.signature));
	CHECK(!jwt_signature_check(&ec.items[0], t.alg, t.covered, str_skip(t.signature, 1)));
	CHECK(!jwt_signature_check(&okp.items[0], t.alg, t.covered, t.signature));
	CHECK(base64_read_url(&signature, STR(SIGNATURE_OKP)));
	CHECK(jwt_signature_check(&okp.items[0], jwt_alg_find(STR("EdDSA")), STR(COVERED_OKP),
	                          buf_str(&signature)));
	signature.ptr[5] ^= 1;
	CHECK(!jwt_signature_check(&okp.items[0], jwt_alg_find(STR("EdDSA")), STR(COVERED_OKP),
	                           buf_str(&signature)));
	jwt_signature_release(&ec);
	jwt_signature_release(&okp);
}

TEST(signatures_of_zeros_are_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct jwt_keys ec = keys_of(mem, KEYS_EC), okp = keys_of(mem, KEYS_OKP);
	char zeros[64] = { 0 };

	CHECK(!jwt_signature_check(&ec.items[0], jwt_alg_find(STR("ES256")), STR("x"),
	                           str_of(zeros, 64)));
	CHECK(!jwt_signature_check(&okp.items[0], jwt_alg_find(STR("EdDSA")), STR("x"),
	                           str_of(zeros, 64)));
	jwt_signature_release(&ec);
	jwt_signature_release(&okp);
}

TEST(no_symmetric_algorithm_is_in_the_list)
{
	static const char *const others[] = { "none",  "None",  "",       "HS256",  "HS384",
		                              "HS512", "es256", "RS256 ", "ES256K", "RSA-OAEP" };

	for (size_t i = 0; i < COUNT_OF(others); i++)
		CHECK(!jwt_alg_find(str_from(others[i])));
	CHECK(!jwt_alg_find(STR_NONE));
	for (size_t i = 0; i < JWT_ALG_COUNT; i++)
		CHECK(jwt_alg_find(str_from(jwt_alg_all[i].name)) == &jwt_alg_all[i]);
}

TEST(keys_that_cannot_be_used_are_left_out)
{
	static const char *const others[] = {
		"{\"kty\":\"oct\",\"k\":\"AAAA\"}",
		"{\"kty\":\"RSA\",\"n\":\"AQAB\",\"e\":\"AQAB\"}",
		"{\"kty\":\"EC\",\"crv\":\"P-256\",\"x\":\"AQAB\",\"y\":\"AQAB\"}",
		"{\"kty\":\"EC\",\"crv\":\"secp256k1\","
		"\"x\":\"f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU\","
		"\"y\":\"x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0\"}",
		"{\"kty\":\"OKP\",\"crv\":\"Ed448\","
		"\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
		"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"use\":\"enc\","
		"\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
		"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"alg\":\"RS256\","
		"\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
		"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"alg\":\"HS256\","
		"\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
		"{\"kty\":\"OKP\",\"crv\":\"Ed25519\",\"key_ops\":[\"sign\"],"
		"\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo\"}",
		"{\"kty\":\"OKP\",\"crv\":\"Ed25519\","
		"\"x\":\"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo=\"}",
		"5",
		"{}",
	};

	for (size_t i = 0; i < COUNT_OF(others); i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct str text = arena_printf(mem, "{\"keys\":[%s]}", others[i]);
		struct jwt_keys keys;
		struct error e;

		CHECK(jwt_key_read_all(mem, text, &keys, &e) == ERR_INVALID);
	}
}

TEST(a_key_is_found_by_its_name_and_by_being_the_only_one)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct jwt_keys keys = keys_of(mem, KEYS_EC);
	const struct jwt_alg *es = jwt_alg_find(STR("ES256")), *rs = jwt_alg_find(STR("RS256"));
	bool is_unknown;

	CHECK(jwt_key_find(&keys, STR("k"), es, &is_unknown) == &keys.items[0]);
	CHECK(jwt_key_find(&keys, STR_NONE, es, &is_unknown) == &keys.items[0]);
	CHECK(!jwt_key_find(&keys, STR("other"), es, &is_unknown) && is_unknown);
	CHECK(!jwt_key_find(&keys, STR("k"), rs, &is_unknown) && !is_unknown);
	CHECK(!jwt_key_find(&(struct jwt_keys){ 0 }, STR_NONE, es, &is_unknown) && is_unknown);
}

/* ---- claims ---- */

static const char *check(const char *claims, int64_t now_s, struct jwt_claims_bearer *ret)
{
	static const struct jwt_claims_scope scopes[] = { { { "read", 4 }, 1 },
		                                          { { "all", 3 }, 7 } };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str audience = STR("thole");
	struct jwt_claims_rules rules = { .issuer = STR("https://id.example"),
		                          .audiences = &audience,
		                          .audience_count = 1,
		                          .scopes = scopes,
		                          .scope_count = 2,
		                          .leeway_s = 30 };
	struct jwt_token t = { .type = STR("JWT") };
	const char *why;
	struct error e;

	CHECK(json_read(mem, str_from(claims), &t.claims, &e) == OK);
	why = jwt_claims_check(&t, &rules, now_s, ret);
	ret->principal = ret->tenant = STR_NONE;
	return why;
}

#define CLAIMS(more) "{\"iss\":\"https://id.example\",\"sub\":\"a\",\"exp\":1000" more "}"
#define AUD ",\"aud\":\"thole\""

TEST(claims_are_checked_against_the_rules_and_the_clock)
{
	struct jwt_claims_bearer b;

	CHECK(!check(CLAIMS(AUD ",\"scope\":\"x read all\""), 1000, &b));
	CHECK_INT(b.scopes, 7);
	CHECK_INT(b.until_s, 1030);
	CHECK(!check(CLAIMS(AUD ",\"scp\":[\"read\",5]"), 1029, &b));
	CHECK_INT(b.scopes, 1);
	CHECK(check(CLAIMS(AUD), 1030, &b) != NULL);
	CHECK(check(CLAIMS(AUD ",\"nbf\":131"), 100, &b) != NULL);
	CHECK(!check(CLAIMS(AUD ",\"nbf\":130,\"iat\":130"), 100, &b));
	CHECK(check(CLAIMS(AUD ",\"iat\":131"), 100, &b) != NULL);
	CHECK(check(CLAIMS(""), 100, &b) != NULL);
	CHECK(check(CLAIMS(",\"aud\":[\"x\"]"), 100, &b) != NULL);
	CHECK(!check(CLAIMS(",\"aud\":[\"x\",\"thole\"]"), 100, &b));
	CHECK(check(CLAIMS(AUD ",\"cnf\":{}"), 100, &b) != NULL);
}

TEST(a_bearer_has_a_name_that_can_be_shown)
{
	static const char *const bad[] = { "",          "a\\nb",     "a\\u007fb",
		                           "a\\u0085b", "a\\u202eb", "a\\u2066b",
		                           "a\\u200fb", "a\\u061cb", "a\\u2028b" };
	static const char *const good[] = { "auth0|5f7c", "Zo\xc3\xab", "a b", "\\u00a0x" };
	struct jwt_claims_bearer b;
	char text[600];

	for (size_t i = 0; i < COUNT_OF(bad) + COUNT_OF(good); i++) {
		bool is_good = i >= COUNT_OF(bad);

		snprintf(text, sizeof text,
		         "{\"iss\":\"https://id.example\",\"sub\":\"%s\",\"exp\":1000" AUD "}",
		         is_good ? good[i - COUNT_OF(bad)] : bad[i]);
		CHECK_INT(!check(text, 100, &b), is_good);
	}
	for (int n = 255; n <= 256; n++) {
		snprintf(text, sizeof text,
		         "{\"iss\":\"https://id.example\",\"sub\":\"%0*d\",\"exp\":1000" AUD "}", n,
		         0);
		CHECK_INT(!check(text, 100, &b), n == 255);
	}
}

/* ---- metadata ---- */

TEST(metadata_is_where_the_rfcs_say)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(jwt_metadata_place(mem, STR("https://a.example"), 0),
	          "https://a.example/.well-known/oauth-authorization-server");
	CHECK_STR(jwt_metadata_place(mem, STR("https://a.example/t/1"), 0),
	          "https://a.example/.well-known/oauth-authorization-server/t/1");
	CHECK_STR(jwt_metadata_place(mem, STR("https://a.example/t/"), 1),
	          "https://a.example/t/.well-known/openid-configuration");
	CHECK(!str_is(jwt_metadata_place(mem, STR("https://a.example"), 2)));
	CHECK(jwt_metadata_is_issuer(STR("https://a.example/x")));
	CHECK(jwt_metadata_is_issuer(STR("http://127.0.0.1:80")));
	CHECK(!jwt_metadata_is_issuer(STR("http://a.example")));
	CHECK(!jwt_metadata_is_issuer(STR("https://a.example?x")));
	CHECK(!jwt_metadata_is_issuer(STR("https://a.example#x")));
	CHECK(!jwt_metadata_is_issuer(STR("https://u@a.example")));
	CHECK(jwt_metadata_is_same_origin(STR("https://a.example/x"),
	                                  STR("https://a.example:443")));
	CHECK(!jwt_metadata_is_same_origin(STR("https://a.example"), STR("http://a.example:443")));
	CHECK(!jwt_metadata_is_same_origin(STR("https://a.example"), STR("https://b.example")));
}

TEST(base64url_has_one_text_for_each_sequence_of_bytes)
{
	static const char *const bad[] = { "A",   "AB",   "AAB",    "AA=",  "AA==",
		                           "A A", "+/AA", "AAAA\n", "AAAAA" };

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		CHECK(!base64_read_url(&out, str_from(bad[i])));
	}
	for (size_t n = 0; n < 8; n++) {
		CLEANUP(buf_done) struct buf out = { 0 };

		CHECK(n % 4 == 1 || base64_read_url(&out, str_head(STR("AAAAAAAA"), n)));
		CHECK_INT(out.len, n % 4 == 1 ? 0 : n * 3 / 4);
	}
}

TEST_MAIN()
