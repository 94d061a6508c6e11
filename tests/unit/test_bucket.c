/* Objects in a bucket: addresses, answers and parts. */
#include "lib/t.h"

#include "store/bucket/bucket_answer.h"
#include "store/bucket/bucket_parts.h"
#include "store/bucket/bucket_url.h"

static struct bucket_place place_of(struct arena *mem, const struct bucket_settings *s)
{
	struct bucket_place p;
	struct error e;

	CHECK_OK(bucket_url_place(mem, s, &p, &e), &e);
	return p;
}

static struct str object_url(struct arena *mem, const struct bucket_place *p, const char *key,
                             struct str query)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	bucket_url_object(&out, p, str_from(key), query);
	return arena_keep(mem, buf_str(&out));
}

TEST(an_object_has_an_address_by_path_or_by_host)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bucket_settings s = { .bucket = STR("outputs") };
	struct bucket_place p = place_of(mem, &s);

	CHECK_STR(object_url(mem, &p, "out_1/tail-0", STR_NONE),
	          "https://outputs.s3.us-east-1.amazonaws.com/out_1/tail-0");
	CHECK_STR(p.region, "us-east-1");
	s = (struct bucket_settings){ .bucket = STR("outputs"),
		                      .prefix = STR("thole/a/"),
		                      .endpoint = STR("http://127.0.0.1:9000/"),
		                      .region = STR("eu-1"),
		                      .is_path_style = true };
	p = place_of(mem, &s);
	CHECK_STR(object_url(mem, &p, "out_1/x", STR("uploads=")),
	          "http://127.0.0.1:9000/outputs/thole/a/out_1/x?uploads=");
	CHECK_STR(p.shown, "http://127.0.0.1:9000");
	s.is_path_style = false;
	p = place_of(mem, &s);
	CHECK_STR(object_url(mem, &p, "a:b/c d", STR_NONE),
	          "http://outputs.127.0.0.1:9000/thole/a/a%3Ab/c%20d");
}

TEST(members_of_a_query_are_encoded_and_in_order)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf query = { 0 };
	CLEANUP(buf_done) struct buf url = { 0 };
	struct bucket_settings s = { .bucket = STR("outputs"),
		                     .prefix = STR("p"),
		                     .endpoint = STR("http://h"),
		                     .is_path_style = true };
	struct bucket_place p = place_of(mem, &s);

	bucket_url_member(&query, "partNumber", STR("3"));
	bucket_url_member(&query, "uploadId", STR("2~aB+/="));
	CHECK_STR(buf_str(&query), "partNumber=3&uploadId=2~aB%2B%2F%3D");
	bucket_url_list(&url, &p, STR("out_1/"), STR_NONE);
	CHECK_STR(buf_str(&url), "http://h/outputs/?list-type=2&max-keys=500&prefix=p%2Fout_1%2F");
	buf_clear(&url);
	bucket_url_list(&url, &p, STR("out_1/"), STR("p/out_1/tail-0"));
	CHECK_STR(buf_str(&url), "http://h/outputs/?list-type=2&max-keys=500&prefix=p%2Fout_1%2F&"
	                         "start-after=p%2Fout_1%2Ftail-0");
}

TEST(settings_that_cannot_be_are_named)
{
	static const struct {
		struct bucket_settings s;
		const char *named;
	} bad[] = {
		{ { .bucket = STR("") }, "set object_store.bucket" },
		{ { .bucket = STR("ab") }, "object_store.bucket" },
		{ { .bucket = STR("a/b") }, "object_store.bucket" },
		{ { .bucket = STR("outputs"), .prefix = STR("/a") }, "object_store.prefix" },
		{ { .bucket = STR("outputs"), .prefix = STR("a//b") }, "object_store.prefix" },
		{ { .bucket = STR("outputs"), .prefix = STR("a/../b") }, "object_store.prefix" },
		{ { .bucket = STR("outputs"), .prefix = STR("a?b") }, "object_store.prefix" },
		{ { .bucket = STR("outputs"), .region = STR("a:b") }, "object_store.region" },
		{ { .bucket = STR("outputs"), .endpoint = STR("ftp://h") },
		  "object_store.endpoint" },
		{ { .bucket = STR("outputs"), .endpoint = STR("h") }, "object_store.endpoint" },
		{ { .bucket = STR("outputs"), .endpoint = STR("https://") },
		  "object_store.endpoint" },
		{ { .bucket = STR("outputs"), .endpoint = STR("https://u:p@h") },
		  "object_store.endpoint" },
		{ { .bucket = STR("outputs"), .endpoint = STR("https://h/path") },
		  "object_store.endpoint" },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct bucket_place p;
		struct error e;

		CHECK_INT(bucket_url_place(mem, &bad[i].s, &p, &e), ERR_INVALID);
		CHECK(str_starts(str_from(e.message), STR("object_store_settings: ")));
		CHECK(strstr(e.message, bad[i].named));
	}
}

TEST(elements_are_found_by_their_names_and_their_entities_resolved)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str xml =
		STR("<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\"><Contents><Key>a&amp;b"
	            "</Key><ETag>&quot;1&#34;</ETag></Contents><Contents><Key>c</Key>"
	            "</Contents><IsTruncated>true</IsTruncated></ListBucketResult>");
	struct str rest = xml, key;

	CHECK(bucket_answer_next(mem, &rest, "Key", &key));
	CHECK_STR(key, "a&b");
	CHECK(bucket_answer_next(mem, &rest, "Key", &key));
	CHECK_STR(key, "c");
	CHECK(!bucket_answer_next(mem, &rest, "Key", &key));
	CHECK_STR(bucket_answer_text(mem, xml, "ETag"), "\"1\"");
	CHECK_STR(bucket_answer_text(mem, xml, "IsTruncated"), "true");
	CHECK(!str_is(bucket_answer_text(mem, xml, "UploadId")));
	CHECK(!str_is(bucket_answer_text(mem, STR("<Key>a&nbsp;b</Key>"), "Key")));
	CHECK(!str_is(bucket_answer_text(mem, STR("<Key>a&"), "Key")));
	CHECK(!str_is(bucket_answer_text(mem, STR("<Key>a&;</Key>"), "Key")));
	CHECK_STR(bucket_answer_text(mem, STR("<Key></Key>"), "Key"), "");
}

static enum err error_of(long status, const char *code, bool *ret_refused, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bucket_settings s = { .bucket = STR("outputs") };
	struct bucket_place p = place_of(mem, &s);

	return bucket_answer_error(
		&p, status,
		code ? arena_printf(mem,
	                            "<Error><Code>%s</Code><Message>some\nwords</Message></Error>",
	                            code)
		     : STR(""),
		ret_refused, e);
}

TEST(an_error_of_the_server_has_a_code_of_ours)
{
	static const struct {
		long status;
		const char *said, *code;
		enum err err;
		bool is_refused;
	} known[] = {
		{ 404, "NoSuchBucket", "object_store_bucket: ", ERR_UNAVAILABLE, true },
		{ 403, "SignatureDoesNotMatch", "object_store_credentials: ", ERR_UNAVAILABLE,
		  true },
		{ 400, "ExpiredToken", "object_store_credentials: ", ERR_UNAVAILABLE, true },
		{ 403, "AccessDenied", "object_store_rights: ", ERR_UNAVAILABLE, true },
		{ 403, NULL, "object_store_rights: ", ERR_UNAVAILABLE, true },
		{ 401, NULL, "object_store_credentials: ", ERR_UNAVAILABLE, true },
		{ 301, "PermanentRedirect", "object_store_region: ", ERR_UNAVAILABLE, true },
		{ 403, "RequestTimeTooSkewed", "object_store_clock: ", ERR_UNAVAILABLE, true },
		{ 400, "SomethingNew", "object_store_refused: ", ERR_UNAVAILABLE, true },
		{ 503, "SlowDown", "object_store_server: ", ERR_UNAVAILABLE, false },
		{ 500, NULL, "object_store_server: ", ERR_UNAVAILABLE, false },
		{ 404, "NoSuchKey", "the bucket outputs answered 404", ERR_NOT_FOUND, false },
		{ 404, "NoSuchUpload", "the bucket outputs answered 404", ERR_NOT_FOUND, false },
		{ 404, NULL, "the bucket outputs answered 404", ERR_NOT_FOUND, false },
		{ 400, "InvalidPart", "the bucket outputs answered 400", ERR_CORRUPT, false },
	};

	for (size_t i = 0; i < COUNT_OF(known); i++) {
		bool is_refused;
		struct error e;

		CHECK_INT(error_of(known[i].status, known[i].said, &is_refused, &e), known[i].err);
		CHECK(str_starts(str_from(e.message), str_from(known[i].code)));
		CHECK_INT(is_refused, known[i].is_refused);
		CHECK(!strchr(e.message, '\n'));
	}
}

TEST(parts_grow_so_that_ten_thousand_of_them_hold_any_output)
{
	uint64_t size = 0;

	CHECK_INT(bucket_parts_size(1), 8 << 20);
	CHECK_INT(bucket_parts_size(1000), 8 << 20);
	CHECK_INT(bucket_parts_size(1001), 16 << 20);
	for (int64_t no = 1; no <= BUCKET_PARTS_MOST; no++) {
		size += bucket_parts_size(no);
		CHECK(bucket_parts_size(no) <= (uint64_t)5 << 30); /* the bound of the wire */
	}
	CHECK(size >= (uint64_t)1 << 40); /* that of sandbox.max_output_bytes */
	CHECK(!bucket_parts_is_due(1, (8 << 20) - 1, true));
	CHECK(bucket_parts_is_due(1, 8 << 20, false));
	CHECK(bucket_parts_is_due(2, 1, true));
	CHECK(!bucket_parts_is_due(2, 1, false));
	CHECK(!bucket_parts_is_due(2, 0, true));
}

TEST_MAIN()
