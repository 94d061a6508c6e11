#include "tools/fetch.h"
#include "lib/t.h"

TEST(a_redirect_is_seen_from_where_it_was_told)
{
	static const struct {
		const char *base, *location, *want; /* NULL: nowhere */
	} all[] = {
		{ "http://a.example/b/c", "https://d.example/e", "https://d.example/e" },
		{ "http://a.example/b/c", "//d.example/e", "http://d.example/e" },
		{ "https://a.example:8443/b/c?q", "/e?f", "https://a.example:8443/e?f" },
		{ "http://a.example/b/c?q=/x", "e", "http://a.example/b/e" },
		{ "http://a.example", "e", "http://a.example/e" },
		{ "http://a.example?q", "/e", "http://a.example/e" },
		{ "http://a.example/b/", "../e", "http://a.example/b/../e" },
		{ "http://a.example/b", "HTTP://D.example/", "HTTP://D.example/" },
		{ "http://a.example/b", "", NULL },
		{ "http://a.example/b", "file:///etc/passwd", NULL },
		{ "http://a.example/b", "javascript:x", NULL },
		{ "http://a.example/b", "gopher://d.example/", NULL },
		{ "http://a.example/b", "//user@d.example/", NULL },
		{ "http://a.example/b", "//0x7f.1/", NULL },
		{ "http://a.example/b", "/e f", NULL },
		{ "http://a.example/b", "/e\r\nX: y", NULL },
		{ "http://a.example/b", "http://", NULL },
		{ "http://a.example/b", "//", NULL },
	};
	struct arena *mem = arena_new();

	for (size_t i = 0; i < COUNT_OF(all); i++) {
		struct str got =
			fetch_location(mem, str_from(all[i].base), str_from(all[i].location));

		if (!str_eq(got, str_from(all[i].want)))
			print_error("%s from %s is %.*s\n", all[i].location, all[i].base,
			            STR_ARG(got));
		CHECK(str_eq(got, str_from(all[i].want)));
	}
	arena_free(mem);
}

TEST_MAIN()
