/* Untrusted files: regular ones are read, traps are refused, and none blocks. */
#include "base/path/foreign_file.h"
#include "base/path/mount_table.h"

#include "lib/t.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];

static int drop(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st, (void)kind, (void)at;
	return remove(path);
}

static const char *at(const char *path)
{
	static char all[4][256];
	static int n;

	n = (n + 1) % 4;
	snprintf(all[n], sizeof all[n], "%s/%s", root, path);
	return all[n];
}

static void begin(void)
{
	FILE *f;

	strcpy(root, "/tmp/thole-foreign-XXXXXX");
	CHECK(mkdtemp(root) && mkdir(at("tree"), 0700) == 0 && mkdir(at("tree/sub"), 0700) == 0);
	f = fopen(at("outside"), "w");
	CHECK(f && fputs("outside", f) >= 0 && fclose(f) == 0);
	f = fopen(at("tree/plain"), "w");
	CHECK(f && fputs("inside", f) >= 0 && fclose(f) == 0);
}

static void end(void)
{
	nftw(root, drop, 16, FTW_DEPTH | FTW_PHYS);
}

static enum err get(const char *name, size_t max, struct str *ret)
{
	static struct arena *mem;
	struct foreign_file f = { 0 };
	struct error e = { 0 };
	enum err first, code;

	if (!mem)
		mem = arena_new();
	/* on a thread the first time, at once the second: the same answer */
	first = foreign_file_read(mem, str_from(at("tree")), name, max, &f, &e);
	code = foreign_file_read(mem, str_from(at("tree")), name, max, &f, &e);
	CHECK(first == code);
	*ret = f.text;
	return code;
}

TEST(plain_files_and_links_inside_are_read)
{
	struct str text;

	begin();
	CHECK(get("plain", 100, &text) == OK && str_eq(text, STR("inside")));
	CHECK(symlink("../plain", at("tree/sub/link")) == 0 &&
	      symlink("../../outside", at("tree/sub/out")) == 0);
	CHECK(get("sub/link", 100, &text) == OK && str_eq(text, STR("inside")));
	CHECK(get("plain", 6, &text) == OK && get("plain", 5, &text) == ERR_TOO_LARGE);
	CHECK(get("missing", 5, &text) == ERR_NOT_FOUND && get("sub", 5, &text) == ERR_NOT_FOUND);
	CHECK(get("plain/below", 5, &text) == ERR_NOT_FOUND);
	end();
}

/* Renames anywhere on the machine make the kernel give up a path with ".." in it (EAGAIN). */
TEST(a_link_is_read_while_others_rename_files)
{
	struct str text;
	int failed = 0;
	pid_t pid;

	begin();
	CHECK(symlink("../plain", at("tree/sub/link")) == 0 &&
	      symlink("../../outside", at("tree/sub/out")) == 0);
	pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (int i = 0; i < 2000000; i++)
			(void)(rename(at("outside"), at("renamed")) == 0 ||
			       rename(at("renamed"), at("outside")) == 0);
		_exit(0);
	}
	while (access(at("renamed"), F_OK) != 0)
		continue;
	for (int i = 0; i < 3000; i++)
		failed += get("sub/link", 100, &text) != OK ||
		          get("sub/out", 100, &text) != ERR_INVALID;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	CHECK_INT(failed, 0);
	end();
}

TEST(entries_are_listed_with_their_kind)
{
	struct arena *mem = arena_new();
	struct str tree;
	struct foreign_list l;

	begin();
	tree = str_from(at("tree"));
	CHECK(symlink("plain", at("tree/sub/link")) == 0 && mkdir(at("tree/sub/dir"), 0700) == 0);
	CHECK(symlink("..", at("tree/out")) == 0);
	CHECK(foreign_file_list(mem, tree, "sub", 10, &l, NULL) == OK && !l.has_more);
	CHECK(str_find(l.lines, STR("llink\n")) >= 0 && str_find(l.lines, STR("ddir\n")) >= 0);
	CHECK_INT((long long)l.lines.len, 11);
	CHECK(foreign_file_list(mem, tree, "sub", 1, &l, NULL) == OK && l.has_more);
	CHECK(foreign_file_list(mem, tree, ".", 10, &l, NULL) == OK);
	CHECK(foreign_file_list(mem, tree, "plain", 10, &l, NULL) == ERR_NOT_FOUND);
	CHECK(foreign_file_list(mem, tree, "nosuch", 10, &l, NULL) == ERR_NOT_FOUND);
	CHECK(foreign_file_list(mem, tree, "out", 10, &l, NULL) == ERR_INVALID);
	arena_free(mem);
	end();
}

TEST(traps_are_refused)
{
	static const char *const targets[] = { "/dev/zero",     "/proc/self/environ", "/proc/kmsg",
		                               "../outside",    "/etc/passwd",        "loop",
		                               "/proc/self/exe" };
	struct str text;

	begin();
	for (size_t i = 0; i < COUNT_OF(targets); i++) {
		CHECK(symlink(targets[i], at("tree/loop")) == 0);
		CHECK(get("loop", 1 << 20, &text) == ERR_INVALID);
		CHECK(unlink(at("tree/loop")) == 0);
	}
	CHECK(mkfifo(at("tree/fifo"), 0600) == 0);
	CHECK(get("fifo", 100, &text) == ERR_INVALID);
	CHECK(symlink("fifo", at("tree/to-fifo")) == 0);
	CHECK(get("to-fifo", 100, &text) == ERR_INVALID);
	CHECK(symlink(root, at("tree/up")) == 0);
	CHECK(get("up/outside", 100, &text) == ERR_INVALID);
	CHECK(get("../outside", 100, &text) == ERR_INVALID);
	end();
}

TEST(files_of_the_kernel_are_refused)
{
	struct arena *mem = arena_new();
	struct foreign_file f;
	struct error e = { 0 };

	CHECK(foreign_file_read(mem, STR("/proc"), "version", 4096, &f, &e) == ERR_INVALID);
	CHECK(foreign_file_read(mem, STR("/proc/self"), "environ", 1 << 20, &f, &e) == ERR_INVALID);
	CHECK(foreign_file_read(mem, STR("/nowhere"), "x", 10, &f, &e) == ERR_NOT_FOUND);
	CHECK(foreign_file_read(mem, STR(""), "x", 10, &f, &e) == ERR_NOT_FOUND);
	arena_free(mem);
}

TEST(a_look_tells_changes)
{
	struct foreign_stamp a, b;
	struct error e = { 0 };
	FILE *f;

	begin();
	CHECK(foreign_file_look(str_from(at("tree")), "plain", &a, &e) == OK && a.is_there);
	f = fopen(at("tree/plain"), "a");
	CHECK(f && fputs("more", f) >= 0 && fclose(f) == 0);
	CHECK(foreign_file_look(str_from(at("tree")), "plain", &b, &e) == OK &&
	      b.size == a.size + 4);
	CHECK(unlink(at("tree/plain")) == 0 && mkfifo(at("tree/plain"), 0600) == 0);
	CHECK(foreign_file_look(str_from(at("tree")), "plain", &a, &e) == ERR_INVALID &&
	      a.is_there);
	end();
}

TEST(the_thread_of_a_loop_reads_local_files_at_once)
{
	static struct arena *mem;
	struct foreign_file f = { 0 };
	struct error e = { 0 };

	mem = arena_new();
	begin();
	foreign_file_on_loop();
	CHECK(foreign_file_root(str_from(at("tree")), 1000) == FOREIGN_ROOT_LOCAL);
	CHECK(foreign_file_read(mem, str_from(at("tree")), "plain", 100, &f, &e) == OK &&
	      str_eq(f.text, STR("inside")));
	/* links on the way to the directory are followed as far as they stay local */
	CHECK(symlink("tree", at("one")) == 0 && symlink(at("one"), at("two")) == 0);
	CHECK(foreign_file_root(str_from(at("two")), 1000) == FOREIGN_ROOT_LOCAL);
	CHECK(foreign_file_read(mem, str_from(at("two")), "plain", 100, &f, &e) == OK);
	CHECK(symlink("loop", at("loop")) == 0);
	CHECK(foreign_file_root(str_from(at("loop")), 1000) == FOREIGN_ROOT_LOCAL);
	CHECK(foreign_file_read(mem, str_from(at("loop")), "plain", 100, &f, &e) != OK);
	CHECK(foreign_file_root(str_from(at("nowhere/at/all")), 1000) == FOREIGN_ROOT_LOCAL);
	CHECK(foreign_file_read(mem, str_from(at("nowhere")), "x", 10, &f, &e) == ERR_NOT_FOUND);
	CHECK(mount_table_is_local(STR("/proc/self")) && !mount_table_is_local(STR("relative")));
	arena_free(mem);
	end();
}

/* One link of a chain: its target is `next` and many bytes that change nothing. */
static void long_link(const char *name, const char *next)
{
	static char target[4000];
	size_t len = strlen(next);

	memcpy(target, next, len);
	while (len + 3 < sizeof target) {
		memcpy(target + len, "/.", 2);
		len += 2;
	}
	target[len] = 0;
	CHECK(symlink(target, at(name)) == 0);
}

TEST(a_chain_of_links_that_is_too_long_to_resolve_does_not_count_as_local)
{
	begin();
	long_link("third", "tree");
	long_link("second", "third");
	long_link("first", "second");
	CHECK(access(at("first/plain"), R_OK) == 0); /* the kernel resolves it */
	CHECK(mount_table_may_follow(str_from(at("second"))));
	CHECK(!mount_table_may_follow(str_from(at("first"))));
	end();
}

TEST_MAIN()
