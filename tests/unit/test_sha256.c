#include "base/hash/secret.h"
#include "base/hash/sha256.h"

#include "lib/t.h"

static struct str hex_of(struct arena *mem, struct str s)
{
	struct sha256 h = sha256_of(s);

	return sha256_hex(mem, &h);
}

TEST(known_hashes_come_out)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(hex_of(mem, STR("")),
	          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
	CHECK_SAME(hex_of(mem, STR_NONE), hex_of(mem, STR("")));
	CHECK_STR(hex_of(mem, STR("abc")),
	          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
	CHECK_STR(hex_of(mem, STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
	          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(every_split_of_a_stream_gives_the_same_hash)
{
	char text[200];
	struct str all;

	for (size_t i = 0; i < sizeof text; i++)
		text[i] = (char)i;
	all = str_of(text, sizeof text);

	struct sha256 want = sha256_of(all);

	for (size_t at = 0; at <= sizeof text; at++) {
		struct sha256_stream s;

		sha256_begin(&s);
		sha256_more(&s, str_head(all, at));
		sha256_more(&s, STR_NONE);
		sha256_more(&s, str_skip(all, at));

		struct sha256 got = sha256_end(&s);

		CHECK(sha256_eq(&got, &want));
	}
}

TEST(a_link_hashes_the_one_before_and_the_body)
{
	struct sha256 prev = sha256_of(STR("before")), body = sha256_of(STR("body"));
	char both[2 * SHA256_BYTES];

	memcpy(both, prev.state, SHA256_BYTES);
	memcpy(both + SHA256_BYTES, body.state, SHA256_BYTES);

	struct sha256 want = sha256_of(str_of(both, sizeof both));
	struct sha256 got = sha256_link(&prev, STR("body"));

	CHECK(sha256_eq(&got, &want));
	got = sha256_link(&prev, STR("bodY"));
	CHECK(!sha256_eq(&got, &want));
	prev.state[31] ^= 1;
	got = sha256_link(&prev, STR("body"));
	CHECK(!sha256_eq(&got, &want));
}

TEST(hex_reads_back_and_nothing_else_does)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sha256 h = sha256_of(STR("x")), back = { 0 };
	struct str hex = sha256_hex(mem, &h);
	char wrong[65];

	CHECK_INT(hex.len, 64);
	CHECK(sha256_read_hex(hex, &back) && sha256_eq(&h, &back));
	CHECK(!sha256_read_hex(str_head(hex, 63), &back));
	CHECK(!sha256_read_hex(STR_NONE, &back));
	for (size_t at = 0; at < 64; at++) {
		memcpy(wrong, hex.ptr, 64);
		wrong[at] = "gG/:`F"[at % 6];
		wrong[64] = '0';
		CHECK(!sha256_read_hex(str_of(wrong, 64), &back));
	}
	memcpy(wrong, hex.ptr, 64);
	CHECK(!sha256_read_hex(str_of(wrong, 65), &back));
	CHECK(sha256_eq(&h, &back)); /* untouched */
}

TEST(secrets_are_equal_byte_for_byte)
{
	CHECK(secret_eq(STR("token"), STR("token")));
	CHECK(secret_eq(STR(""), STR("")));
	CHECK(!secret_eq(STR("token"), STR("tokeN")));
	CHECK(!secret_eq(STR("token"), STR("toke")));
	CHECK(!secret_eq(STR("a\0b"), STR("a\0c")));
}

TEST(a_missing_secret_opens_nothing)
{
	CHECK(!secret_eq(STR_NONE, STR_NONE));
	CHECK(!secret_eq(STR_NONE, STR("")));
	CHECK(!secret_eq(STR(""), STR_NONE));
}

/* RFC 4231, cases 1 and 6. */
TEST(macs_are_those_of_the_standard)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	char key[131];
	struct sha256 mac;

	memset(key, 0x0b, 20);
	mac = sha256_hmac(str_of(key, 20), STR("Hi There"));
	CHECK_STR(sha256_hex(mem, &mac),
	          "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
	memset(key, 0xaa, sizeof key);
	mac = sha256_hmac(str_of(key, sizeof key),
	                  STR("Test Using Larger Than Block-Size Key - Hash Key First"));
	CHECK_STR(sha256_hex(mem, &mac),
	          "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST_MAIN()
