#include "base/os/remove_tree.h"
#include "t.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static char place[64];

static void begin(void)
{
	strcpy(place, "/tmp/thole-remove-XXXXXX");
	CHECK(mkdtemp(place) != NULL && chdir(place) == 0);
}

static void end(void)
{
	CHECK(chdir("/") == 0 && remove_tree_at(AT_FDCWD, place) && access(place, F_OK) != 0);
}

static void make_file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	close(fd);
}

TEST(a_tree_is_removed_and_links_are_not_followed)
{
	begin();
	CHECK(mkdir("out", 0700) == 0 && mkdir("a", 0700) == 0 && mkdir("a/b", 0700) == 0);
	make_file("out/kept");
	make_file("a/b/file");
	CHECK(symlink("../out", "a/link") == 0 && symlink("../../out/kept", "a/b/link") == 0);
	CHECK(mkdir("a/closed", 0700) == 0);
	make_file("a/closed/file");
	CHECK(chmod("a/closed", 0) == 0 && chmod("a/b", 0500) == 0 && chmod("a", 0500) == 0);
	CHECK(remove_tree_at(AT_FDCWD, "a") && access("a", F_OK) != 0);
	CHECK(access("out/kept", F_OK) == 0);
	CHECK(symlink("out", "link") == 0 && remove_tree_at(AT_FDCWD, "link"));
	CHECK(access("out/kept", F_OK) == 0 && remove_tree_at(AT_FDCWD, "missing"));
	end();
}

TEST(a_tree_of_any_depth_is_removed)
{
	int fd;

	begin();
	CHECK(mkdir("deep", 0700) == 0);
	fd = open("deep", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 3000; i++) {
		int next;

		CHECK(mkdirat(fd, "directory", 0700) == 0 && mkdirat(fd, "beside", 0700) == 0);
		next = openat(fd, "directory", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		close(fd);
		fd = next;
	}
	close(fd);
	CHECK(remove_tree_at(AT_FDCWD, "deep") && access("deep", F_OK) != 0);
	end();
}

static atomic_bool is_over;

/* Puts a link in the place of a directory and back, as fast as it can. */
static void *swap(void *arg)
{
	(void)arg;
	while (!is_over)
		syscall(SYS_renameat2, AT_FDCWD, "tree/inner", AT_FDCWD, "link", 2u /* exchange */);
	return NULL;
}

#define FILES 40

/* Files of the same names inside and outside; returns how many there are. */
static int make_files(const char *dir)
{
	int count = 0;

	for (int i = 0; i < FILES; i++) {
		char path[64];
		int fd;

		snprintf(path, sizeof path, "%s/%d", dir, i);
		count += access(path, F_OK) == 0;
		fd = open(path, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (fd >= 0)
			close(fd);
	}
	return count;
}

TEST(a_directory_that_is_replaced_by_a_link_leads_nowhere)
{
	pthread_t thread;

	begin();
	CHECK(mkdir("out", 0700) == 0);
	make_files("out");
	is_over = false;
	CHECK(pthread_create(&thread, NULL, swap, NULL) == 0);
	for (int i = 0; i < 300; i++) {
		(void)!mkdir("tree", 0700);
		(void)!mkdir("tree/inner", 0700);
		(void)!symlink("../out", "link");
		make_files("tree/inner");
		make_files("link");
		(void)!remove_tree_at(AT_FDCWD, "tree");
	}
	is_over = true;
	pthread_join(thread, NULL);
	CHECK_INT(make_files("out"), FILES);
	end();
}

TEST_MAIN()
