/* Tools of a script that write files, and those of the built-in one. */
#include "test_scripted_call.h"

#include <fcntl.h>
#include <sys/stat.h>

struct folder {
	char path[64];
};

static void folder_make(struct folder *f)
{
	strcpy(f->path, "/tmp/thole-scripted-XXXXXX");
	CHECK(mkdtemp(f->path));
}

static void folder_remove(struct folder *f)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf %s", f->path);
	CHECK(system(command) == 0);
}

static struct str folder_read(struct arena *mem, const struct folder *f, const char *name)
{
	return read_whole(mem, arena_printf(mem, "%s/%s", f->path, name).ptr);
}

#define FOLDER(f)                                                                                  \
	CLEANUP(folder_remove) struct folder f;                                                    \
	folder_make(&f)

TEST(a_tool_writes_its_file)
{
	EXAMPLE(r, "tools.json");
	FOLDER(f);
	CALL(c);

	call_start_in(&c, &r, "report", "{\"title\":\"Tides\"}", f.path);
	CHECK(!str_is(folder_read(example_mem, &f, "reports/Tides.md")));
	fake_run(&r.clock);
	CHECK_STR(folder_read(example_mem, &f, "reports/Tides.md"), "# Tides\n");
	CHECK_STR(c.artifact, "reports/Tides.md");
	CHECK_STR(buf_str(&c.out), "wrote reports/Tides.md");
}

TEST(a_file_is_replaced)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"./a.txt\",\"text\":\"{{args.text}}\"}}"));
	FOLDER(f);
	ARENA(mem);
	CALL(first);
	CALL(second);

	call_start_in(&first, &r, "t", "{\"text\":\"long long text\"}", f.path);
	fake_run(&r.clock);
	call_start_in(&second, &r, "t", "{\"text\":[1,{}]}", f.path);
	fake_run(&r.clock);
	CHECK(!second.end.failed && !str_is(second.artifact));
	CHECK_STR(folder_read(mem, &f, "a.txt"), "[1,{}]");
}

TEST(a_file_never_leaves_the_working_directory)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"{{args.path}}\",\"text\":\"x\"}}"));
	FOLDER(f);
	FOLDER(out);
	ARENA(mem);
	struct str link = arena_printf(mem, "%s/link", f.path);
	struct str file = arena_printf(mem, "%s/file", f.path);
	struct str pipe = arena_printf(mem, "%s/pipe", f.path);
	struct str target = arena_printf(mem, "%s/x", out.path);
	const char *paths[] = { "../x", "/tmp/x",    "a/../../x", "..",     "",
		                ".",    "a/",        "a/.",       "link/x", "file",
		                "pipe", "a\\u0000b", "link",      "a/..",   NULL };

	CHECK(!symlink(out.path, link.ptr) && !symlink(target.ptr, file.ptr) &&
	      !mkfifo(pipe.ptr, 0600));
	for (size_t i = 0; paths[i]; i++) {
		CALL(c);
		struct str args = arena_printf(mem, "{\"path\":\"%s\"}", paths[i]);

		call_start_in(&c, &r, "t", args.ptr, f.path);
		fake_run(&r.clock);
		if (!c.end.failed)
			t_fail(__FILE__, __LINE__, "%s was written", paths[i]);
		CHECK(c.end.category == ERROR_CATEGORY_TOOL_FAILED);
	}
	CHECK(!str_is(folder_read(mem, &out, "x")));
}

TEST(a_pipe_with_a_reader_is_no_file)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"pipe\",\"text\":\"x\"}}"));
	FOLDER(f);
	ARENA(mem);
	CALL(c);
	struct str pipe = arena_printf(mem, "%s/pipe", f.path);

	CHECK(!mkfifo(pipe.ptr, 0600));

	int reader = open(pipe.ptr, O_RDONLY | O_NONBLOCK);

	call_start_in(&c, &r, "t", "{}", f.path);
	fake_run(&r.clock);
	close(reader);
	CHECK(c.end.failed);
	CHECK(c.end.executed == EXECUTED_PARTLY); /* unknown */
}

TEST(a_name_that_is_too_long_is_refused_by_the_tool)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"{{args.a}}\",\"text\":\"x\"}}"));
	FOLDER(f);
	CALL(c);
	char args[400];

	snprintf(args, sizeof args, "{\"a\":\"%0300d\"}", 0);
	call_start_in(&c, &r, "t", args, f.path);
	fake_run(&r.clock);
	CHECK(c.end.failed);
	CHECK_HAS(c.end.message, "File name too long");
}

TEST(a_file_needs_a_directory)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"a\",\"text\":\"x\"}}"));
	CALL(none);
	CALL(missing);

	call_start(&none, &r, "t");
	call_start_in(&missing, &r, "t", "{}", "/nonexistent/of/course");
	fake_run(&r.clock);
	CHECK(none.end.failed && missing.end.failed);
	CHECK_HAS(none.end.message, "no working directory");
	CHECK_HAS(missing.end.message, "could not write a: No such file");
}

TEST(approve_writes_the_note_that_was_approved)
{
	RIG(r, STR_NONE);
	FOLDER(f);
	ARENA(mem);
	ANSWER(a);
	CALL(c);

	ask(&a, &r, "approve");
	CHECK_INT(a.end.call_count, 1);
	CHECK_STR(a.end.calls[0].name, "write_note");
	/* as a person has edited it */
	call_start_in(&c, &r, "write_note", "{\"path\":\"n.txt\",\"text\":\"mine\"}", f.path);
	fake_run(&r.clock);
	CHECK_STR(folder_read(mem, &f, "n.txt"), "mine");
	CHECK_STR(c.artifact, "n.txt");

	r.req.request_number = 2;
	fixture_result(&r, "write_note", "The note is in n.txt.", false);
	ANSWER(told);
	response_start(&told, &r);
	fake_run(&r.clock);
	CHECK_HAS(buf_str(&told.text),
	          "The note is in n.txt.\n\nThe tool ran only after your answer");

	r.message_count--;
	fixture_result(&r, "write_note", "denied", true);
	ANSWER(denied);
	response_start(&denied, &r);
	fake_run(&r.clock);
	CHECK_HAS(buf_str(&denied.text), "Nothing was written.");
}

TEST(big_slow_and_question_call_their_tools)
{
	RIG(r, STR_NONE);
	ANSWER(a);
	CALL(big);
	CALL(slow);

	ask(&a, &r, "Big!");
	CHECK_STR(a.end.calls[0].name, "read_big_log");
	call_start_in(&big, &r, "read_big_log", "{\"file\":\"example.log\"}", NULL);
	fake_run(&r.clock);
	CHECK_INT(big.bytes, 10485760);
	ask(&a, &r, "slow");
	CHECK_STR(a.end.calls[0].name, "row");
	call_start(&slow, &r, "row");
	fake_run(&r.clock);
	CHECK(slow.end_ms == 10000 && slow.callbacks == 10);
	ask(&a, &r, "question");
	CHECK_STR(a.end.calls[0].name, "ask_user");
	fixture_result(&r, "ask_user", "stay ashore", false);
	r.req.request_number = 2;

	ANSWER(told);

	response_start(&told, &r);
	fake_run(&r.clock);
	CHECK_HAS(buf_str(&told.text), "Your answer was: stay ashore");
}

TEST_MAIN()
