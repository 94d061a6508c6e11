#include "base/hash/base64.h"
#include "lib/t.h"

static bool reads(const char *text, const char *want)
{
	struct buf out = { 0 };
	bool ok = base64_read(&out, str_from(text)) && str_eq(buf_str(&out), str_from(want));

	buf_done(&out);
	return ok;
}

TEST(what_was_written_is_read_back)
{
	char bytes[256];

	for (size_t i = 0; i < sizeof bytes; i++)
		bytes[i] = (char)i;
	for (size_t n = 0; n <= sizeof bytes; n++) {
		struct buf coded = { 0 }, back = { 0 };

		base64_write(&coded, str_of(bytes, n));
		CHECK(coded.len == (n + 2) / 3 * 4);
		CHECK(base64_read(&back, buf_str(&coded)));
		CHECK(str_eq(buf_str(&back), str_of(bytes, n)));
		buf_done(&coded);
		buf_done(&back);
	}
}

TEST(the_examples_of_the_rfc)
{
	CHECK(reads("", "") && reads("Zg==", "f") && reads("Zm8=", "fo") && reads("Zm9v", "foo") &&
	      reads("Zm9vYg==", "foob") && reads("Zm9vYmE=", "fooba") &&
	      reads("Zm9vYmFy", "foobar"));
}

TEST(what_is_not_base64_is_refused)
{
	static const char *const bad[] = { "Z",    "Zg",   "Zg=",     "Zg=x",  "=g==",
		                           "Z===", "====", "Zm9v\n",  "Zm 9v", "Zm9-",
		                           "Zh==", "Zm9=", "Zg==Zg==" };

	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct buf out = { 0 };

		CHECK(!base64_read(&out, str_from(bad[i])));
		buf_done(&out);
	}
}

TEST_MAIN()
