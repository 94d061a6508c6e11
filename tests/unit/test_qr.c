#include "app/cli/print/qr.h"

#include "base/arena.h"
#include "base/hash/sha256.h"
#include "lib/t.h"

/* '#' is dark; rows end with a newline. */
static struct str drawn(struct arena *mem, struct str text)
{
	struct buf out = { 0 };
	struct str kept;
	struct qr q;

	CHECK(qr_encode(text, &q));
	for (int row = 0; row < q.side; row++) {
		for (int col = 0; col < q.side; col++)
			buf_add_char(&out, q.dark[row][col] ? '#' : '.');
		buf_add_char(&out, '\n');
	}
	kept = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return kept;
}

static struct str repeated(struct arena *mem, char c, size_t count)
{
	char *text = arena_alloc(mem, count + 1);

	memset(text, c, count);
	return str_of(text, count);
}

/* What another encoder (Debian's qrencode, level L, bytes) draws. */
TEST(a_short_text_is_drawn_as_others_draw_it)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(drawn(mem, STR("thole")), "#######..#.##.#######\n"
	                                    "#.....#.##.#..#.....#\n"
	                                    "#.###.#.##..#.#.###.#\n"
	                                    "#.###.#..#.#..#.###.#\n"
	                                    "#.###.#.#...#.#.###.#\n"
	                                    "#.....#.#..##.#.....#\n"
	                                    "#######.#.#.#.#######\n"
	                                    "........#####........\n"
	                                    "##.#..##.##...###.##.\n"
	                                    "####..........#..####\n"
	                                    "...########.##....#.#\n"
	                                    "###....##.##.....#.##\n"
	                                    ".##.###.#.#.#.#.#..##\n"
	                                    "........#..#...##.###\n"
	                                    "#######.##...#.#...#.\n"
	                                    "#.....#..#####.##....\n"
	                                    "#.###.#..###..###...#\n"
	                                    "#.###.#.#.##...#.####\n"
	                                    "#.###.#..##.#...#.#.#\n"
	                                    "#.....#.##...##.#....\n"
	                                    "#######.#####..###.#.\n");
}

/* Versions 4, 7 and 10: one block, two blocks with a version field, blocks of two lengths. */
TEST(longer_texts_are_drawn_as_others_draw_them)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct {
		struct str text;
		const char *sha256;
	} cases[] = {
		{ STR("https://phone.example.org/#code=0123456789abcdef0123456789abcdef"),
		  "079b407d9836d35b04be5372db65a64a59a260dec0eda3aae6ed32fbfc4e3fd0" },
		{ repeated(mem, 'a', 150),
		  "82bfaf42cca97355c4431573cd5f72a3eb26bbcb9f81638dab2a350168f78cec" },
		{ repeated(mem, 'b', QR_TEXT_MAX),
		  "4f10218ecd1e9a418a60155140bb7052f92da7072fce8a679029037b51525982" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct sha256 h = sha256_of(drawn(mem, cases[i].text));

		CHECK(str_eq(sha256_hex(mem, &h), str_from(cases[i].sha256)));
	}
}

TEST(what_does_not_fit_is_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct qr q;

	CHECK(!qr_encode(repeated(mem, 'c', QR_TEXT_MAX + 1), &q));
	CHECK(!qr_encode(STR(""), &q));
}

TEST(two_rows_share_a_line_of_the_terminal)
{
	struct buf out = { 0 };
	struct qr q;
	size_t lines = 0;

	CHECK(qr_encode(STR("thole"), &q));
	qr_print(&q, false, &out);
	for (size_t i = 0; i < out.len; i++)
		lines += out.ptr[i] == '\n';
	CHECK(lines == 13 && str_find_char(buf_str(&out), '\033') < 0);
	buf_done(&out);
	qr_print(&q, true, &out);
	CHECK(str_starts(buf_str(&out), STR("\033[97;40m")) &&
	      str_ends(buf_str(&out), STR("\033[0m\n")));
	buf_done(&out);
}

TEST_MAIN()
