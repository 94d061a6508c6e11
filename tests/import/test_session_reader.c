#include "app/cli/import/session_reader.h"

#include "base/buf.h"
#include "lib/t.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

struct seen {
	struct arena *mem;
	struct buf text; /* of all turns */
	size_t count, stop_after;
	struct sha256 last;
};

static bool note_turn(void *arg, const struct session_turn *t)
{
	static const char *const kinds[] = { "text", "call", "result" };
	struct seen *s = arg;

	buf_printf(&s->text, "%s%.*s", s->text.len ? " | " : "", STR_ARG(t->text));
	for (size_t i = 0; i < t->count; i++)
		buf_printf(&s->text, " / %s%s %.*s%s%.*s", kinds[t->items[i].kind],
		           t->items[i].is_error ? "!" : "", STR_ARG(t->items[i].name),
		           t->items[i].name.len ? " " : "", STR_ARG(t->items[i].text));
	s->last = t->digest;
	return ++s->count != s->stop_after;
}

static int file_of(struct str text)
{
	int fd = memfd_create("session", MFD_CLOEXEC);

	CHECK(fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len);
	return fd;
}

/* All turns in one line; *ret_head may be NULL. */
static struct str read_text(struct arena *mem, enum session_program program, struct str text,
                            struct session_head *ret_head)
{
	struct seen s = { .mem = mem };
	struct session_reader r;
	int fd = file_of(text);
	struct str all;

	CHECK(session_reader_scan(&r, mem, program, fd, text.len));
	CHECK(session_reader_turns(&r, fd, text.len, note_turn, &s));
	CHECK(r.head.turns == (int64_t)s.count);
	if (ret_head)
		*ret_head = r.head;
	session_reader_done(&r);
	close(fd);
	all = arena_keep(mem, buf_str(&s.text));
	buf_done(&s.text);
	return all;
}

#define U(id, parent, text)                                                                        \
	"{\"type\":\"user\",\"uuid\":\"" id "\",\"parentUuid\":" parent                            \
	",\"message\":{\"content\":\"" text "\"}}\n"
#define A(id, parent, text)                                                                        \
	"{\"type\":\"assistant\",\"uuid\":\"" id "\",\"parentUuid\":" parent                       \
	",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"" text "\"}]}}\n"

TEST(a_branch_that_was_left_is_no_part_of_the_conversation)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct session_head head;

	CHECK_STR(read_text(mem, SESSION_CLAUDE,
	                    STR(U("1", "null", "a") A("2", "\"1\"", "b") U("3", "\"2\"", "left")
	                                A("4", "\"3\"", "left") U("5", "\"2\"", "c")
	                                        A("6", "\"5\"", "d")),
	                    &head),
	          "a / text b | c / text d");
	CHECK(head.aside == 2 && head.unknown == 0 && head.unread == 0);
}

TEST(a_summary_continues_the_conversation_before_it)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(read_text(mem, SESSION_CLAUDE,
	                    STR(U("1", "null", "a") A(
				    "2", "\"1\"",
				    "b") "{\"type\":\"system\",\"subtype\":\"compact_boundary\","
	                                 "\"uuid\":\"3\","
	                                 "\"parentUuid\":null,\"logicalParentUuid\":\"2\"}\n"
	                                 "{\"type\":\"user\",\"uuid\":\"4\",\"parentUuid\":\"3\","
	                                 "\"isCompactSummary\":true,\"message\":{\"content\":"
	                                 "\"sum\"}}\n" U("5", "\"4\"", "c") A("6", "\"5\"", "d")),
	                    NULL),
	          "a / text b | c / text d");
}

TEST(a_circle_of_parents_ends)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(read_text(mem, SESSION_CLAUDE, STR(U("1", "\"2\"", "a") A("2", "\"1\"", "b")),
	                    NULL),
	          "a / text b");
	CHECK_STR(read_text(mem, SESSION_CLAUDE, STR(U("1", "\"1\"", "a")), NULL), "a");
}

TEST(unknown_and_broken_lines_are_counted)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct session_head head;

	CHECK_STR(read_text(mem, SESSION_CODEX,
	                    STR("{\"type\":\"new\",\"payload\":{}}\n\n{]\n5\n"
	                        "{\"type\":\"response_item\",\"payload\":{\"type\":\"message\","
	                        "\"role\":\"user\",\"content\":\"hi\"}}\n"
	                        "{\"type\":\"response_item\",\"payl"),
	                    &head),
	          "hi");
	CHECK(head.unknown == 1 && head.unread == 2 && head.is_half);
}

TEST(messages_without_an_answer_are_joined_up_to_the_limit)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct session_head head;
	struct str all;

	for (int n = 1; n <= 1000; n++)
		buf_printf(&text,
		           "{\"type\":\"user\",\"uuid\":\"%d\",\"parentUuid\":\"%d\","
		           "\"message\":{\"content\":\"m%d %0500d\"}}\n",
		           n, n - 1, n, n);
	all = read_text(mem, SESSION_CLAUDE, buf_str(&text), &head);
	CHECK(head.turns == 1 && all.len <= 64u << 10 && all.len > 60u << 10);
	CHECK(str_starts(all, STR("m1 0")) && str_find(all, STR("\n\nm2 0")) > 0);
	CHECK(head.cut > 800);
}

TEST(answers_before_the_first_message_have_a_turn)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_STR(read_text(mem, SESSION_CLAUDE, STR(A("1", "null", "b")), NULL),
	          "(The conversation begins before this point.) / text b");
}

TEST(the_digest_of_a_turn_does_not_depend_on_what_follows)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str one = STR(U("1", "null", "a") A("2", "\"1\"", "b"));
	struct str two = STR(U("1", "null", "a") A("2", "\"1\"", "b") U("3", "\"2\"", "c"));
	struct seen s[2] = { { .stop_after = 1 }, { .stop_after = 1 } };
	const struct str texts[] = { one, two };

	for (size_t i = 0; i < 2; i++) {
		struct session_reader r;
		int fd = file_of(texts[i]);

		CHECK(session_reader_scan(&r, mem, SESSION_CLAUDE, fd, texts[i].len));
		CHECK(session_reader_turns(&r, fd, texts[i].len, note_turn, &s[i]));
		session_reader_done(&r);
		close(fd);
		buf_done(&s[i].text);
	}
	CHECK(s[0].count == 1 && s[1].count == 1 && sha256_eq(&s[0].last, &s[1].last));
}

TEST(a_file_that_changes_between_the_passes_is_noticed)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = STR(U("1", "null", "a") A("2", "\"1\"", "b"));
	struct session_reader r;
	struct seen s = { 0 };
	int fd = file_of(text);

	CHECK(session_reader_scan(&r, mem, SESSION_CLAUDE, fd, text.len));
	CHECK(pwrite(fd, "U", 1, 9) == 1);
	CHECK(!session_reader_turns(&r, fd, text.len, note_turn, &s));
	session_reader_done(&r);
	CHECK(ftruncate(fd, 3) == 0);
	CHECK(!session_reader_scan(&r, mem, SESSION_CLAUDE, fd, text.len));
	session_reader_done(&r);
	close(fd);
	buf_done(&s.text);
}

TEST_MAIN()
