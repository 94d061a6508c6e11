/* Signatures for AWS, against the vendor's published examples. */
#include "lib/t.h"

#include "base/arena.h"
#include "provider/cloud/sigv4.h"

#define SECRET STR("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY")
#define NOW_MS ((int64_t)1440938160000) /* 2015-08-30T12:36:00Z */

static struct str signature_of(struct arena *mem, const struct sigv4_request *r, struct str token)
{
	struct sigv4_keys k = { STR("AKIDEXAMPLE"), SECRET, token };
	struct http_client_header out[SIGV4_HEADERS];
	size_t count = sigv4_sign(mem, r, &k, out);

	return out[count - 1].value;
}

/* "get-vanilla" of the vendor's test suite. */
TEST(the_vanilla_example_of_the_test_suite_has_its_signature)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sigv4_request r = { .method = STR("GET"),
		                   .url = STR("https://example.amazonaws.com/"),
		                   .region = STR("us-east-1"),
		                   .service = STR("service"),
		                   .body = STR(""),
		                   .now_ms = NOW_MS };

	CHECK_STR(
		signature_of(mem, &r, STR_NONE),
		"AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/service/aws4_request, "
		"SignedHeaders=host;x-amz-date, Signature="
		"5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31");
}

/* The example of the vendor's guide, with a query and a further header. */
TEST(the_example_of_the_guide_has_its_signature)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct http_client_header type = {
		STR("Content-Type"), STR("application/x-www-form-urlencoded; charset=utf-8")
	};
	struct sigv4_request r = { .method = STR("GET"),
		                   .url = STR("https://iam.amazonaws.com:443/"
		                              "?Version=2010-05-08&Action=ListUsers"),
		                   .region = STR("us-east-1"),
		                   .service = STR("iam"),
		                   .headers = &type,
		                   .header_count = 1,
		                   .body = STR(""),
		                   .now_ms = NOW_MS };

	CHECK(str_ends(signature_of(mem, &r, STR_NONE),
	               STR("SignedHeaders=content-type;host;x-amz-date, Signature="
	                   "5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7")));
}

/* Its token is signed, and sent as a header of its own. */
TEST(temporary_credentials_add_their_token)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sigv4_keys k = { STR("AKIDEXAMPLE"), SECRET, STR("a/token+=") };
	struct sigv4_request r = { .method = STR("POST"),
		                   .url = STR("http://127.0.0.1:8080/model/a%3A0/converse-stream"),
		                   .region = STR("eu-west-1"),
		                   .service = STR("bedrock"),
		                   .body = STR("{}"),
		                   .now_ms = NOW_MS };
	struct http_client_header out[SIGV4_HEADERS];

	CHECK_INT(sigv4_sign(mem, &r, &k, out), 3);
	CHECK_STR(out[0].value, "20150830T123600Z");
	CHECK_STR(out[1].name, "X-Amz-Security-Token");
	CHECK_STR(out[1].value, "a/token+=");
	CHECK(str_find(out[2].value, STR("SignedHeaders=host;x-amz-date;x-amz-security-token,")) >=
	      0);
}

/* What differs in any part differs in the signature; the user in an address does not count. */
TEST(every_part_of_a_request_is_signed)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct sigv4_request r = { .method = STR("POST"),
		                   .url = STR("https://h.example/a%3A0?x=1"),
		                   .region = STR("r"),
		                   .service = STR("s"),
		                   .body = STR("b"),
		                   .now_ms = NOW_MS };
	struct str plain = signature_of(mem, &r, STR_NONE);
	struct sigv4_request other[] = { r, r, r, r, r, r, r };

	other[0].method = STR("PUT");
	other[1].url = STR("https://h.example/a:0?x=1");
	other[2].url = STR("https://h.example/a%3A0?x=2");
	other[3].url = STR("https://h.example:444/a%3A0?x=1");
	other[4].region = STR("q");
	other[5].body = STR("c");
	other[6].now_ms += 1000;
	for (size_t i = 0; i < COUNT_OF(other); i++)
		CHECK(!str_eq(signature_of(mem, &other[i], STR_NONE), plain));
	r.url = STR("https://user@h.example/a%3A0?x=1");
	CHECK(str_eq(signature_of(mem, &r, STR_NONE), plain));
}

TEST(everything_but_letters_digits_and_four_marks_is_encoded)
{
	CLEANUP(buf_done) struct buf b = { 0 };

	sigv4_encode(&b, STR("az09-_.~ /:%\xe2\x82\xac"), "");
	CHECK_STR(buf_str(&b), "az09-_.~%20%2F%3A%25%E2%82%AC");
	buf_clear(&b);
	sigv4_encode(&b, STR("/a%3A0"), "/");
	CHECK_STR(buf_str(&b), "/a%253A0");
}

TEST_MAIN()
