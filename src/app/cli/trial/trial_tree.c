/* Hashes and copies the directory of a task. */
#include "app/cli/trial/trial_tree.h"

#include "app/cli/print/out.h"
#include "base/hash/sha256.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PLACEHOLDER_MODE 0555

struct walk {
	struct cli *c;
	struct buf list; /* of the hash: one line for each entry */
	int64_t files, bytes;
	int64_t files_max, bytes_max;
	int depth_max;
	const char *root; /* links must not leave it; NULL: any link is fine */
	bool copies, is_result;
};

static struct walk walk_of(struct cli *c)
{
	return (struct walk){ .c = c,
		              .files_max = TRIAL_TREE_FILES,
		              .bytes_max = TRIAL_TREE_BYTES,
		              .depth_max = TRIAL_TREE_DEPTH };
}

static bool fails(struct walk *w, const char *path, const char *why)
{
	out_error(w->c, "%s: %s.", out_safe(w->c->mem, str_from(path)), why);
	return false;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names of a directory in order; NULL behind the last.  NULL: it cannot be read. */
static char **names_of(struct walk *w, const char *path)
{
	DIR *dir = opendir(path);
	size_t count = 0, cap = 16;
	char **names;
	struct dirent *e;

	if (!dir)
		return NULL;
	names = ARENA_ARRAY(w->c->mem, char *, cap + 1);
	while ((e = readdir(dir))) {
		if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
			continue;
		if (count == cap) {
			names = arena_grow(w->c->mem, names, (cap + 1) * sizeof *names,
			                   (2 * cap + 1) * sizeof *names);
			cap *= 2;
		}
		names[count++] = (char *)arena_keep(w->c->mem, str_from(e->d_name)).ptr;
	}
	closedir(dir);
	qsort(names, count, sizeof *names, by_name);
	names[count] = NULL;
	return names;
}

/* With lengths, so that no name can look like two entries. */
static void note(struct walk *w, char kind, const char *name, struct str value)
{
	buf_printf(&w->list, "%c %zu:%s %zu:%.*s\n", kind, strlen(name), name, value.len,
	           STR_ARG(value));
}

/* ---- files and links ---- */

static bool put_all(int fd, const char *data, size_t len)
{
	while (len) {
		ssize_t put = write(fd, data, len);

		if (put < 0 && errno != EINTR)
			return false;
		data += put > 0 ? put : 0;
		len -= put > 0 ? (size_t)put : 0;
	}
	return true;
}

/* Reads a file once: into the hash, and into its copy. */
static bool take_bytes(struct walk *w, int in, int out, struct sha256 *ret)
{
	static char page[65536];
	struct sha256_stream h;
	ssize_t got;

	sha256_begin(&h);
	while ((got = read(in, page, sizeof page)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		w->bytes += got > 0 ? got : 0;
		if (got < 0 || w->bytes > w->bytes_max ||
		    (out >= 0 && !put_all(out, page, (size_t)got)))
			return false;
		sha256_more(&h, str_of(page, (size_t)got));
	}
	*ret = sha256_end(&h);
	return true;
}

static bool take_file(struct walk *w, const char *from, const char *to, const char *name,
                      const struct stat *st)
{
	bool can_run = st->st_mode & 0100;
	mode_t mode = w->is_result ? st->st_mode & 0777 : can_run ? 0755 : 0644;
	const struct timespec times[] = { st->st_atim, st->st_mtim };
	int in = open(from, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	int out =
		in < 0 || !w->copies ? -1 : open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
	struct sha256 hash;
	bool is_done = in >= 0 && (!w->copies || out >= 0) && take_bytes(w, in, out, &hash);

	if (in >= 0)
		close(in);
	if (is_done && w->is_result)
		is_done = fchmod(out, mode) == 0 && futimens(out, times) == 0;
	if (out >= 0 && close(out) != 0)
		is_done = false;
	if (!is_done)
		return fails(w, from,
		             w->bytes > w->bytes_max ? "the tree is too large" : strerror(errno));
	if (!w->is_result)
		note(w, can_run ? 'x' : 'f', name, sha256_hex(w->c->mem, &hash));
	return true;
}

static bool is_below(const char *path, const char *root)
{
	size_t len = strlen(root);

	return strncmp(path, root, len) == 0 && (!path[len] || path[len] == '/');
}

/* How many directories above its own a relative target that does not exist leads to, at most. */
static int levels_up(const char *target)
{
	struct str rest = str_from(target);
	int level = 0, lowest = 0;

	while (str_is(rest)) {
		struct str name = str_cut(&rest, '/');

		level += str_eq(name, STR("..")) ? -1 : name.len && !str_eq(name, STR("."));
		lowest = MIN(lowest, level);
	}
	return -lowest;
}

static int depth_of(const char *name)
{
	int depth = -1; /* "./a" is in the root */

	for (; *name; name++)
		depth += *name == '/';
	return depth;
}

static bool stays_inside(const struct walk *w, const char *from, const char *target,
                         const char *name)
{
	char real[PATH_MAX];

	if (realpath(from, real))
		return is_below(real, w->root);
	return target[0] != '/' && levels_up(target) <= depth_of(name);
}

static bool take_link(struct walk *w, const char *from, const char *to, const char *name)
{
	char target[4096];
	ssize_t len = readlink(from, target, sizeof target - 1);

	if (len < 0)
		return fails(w, from, strerror(errno));
	target[len] = 0;
	if (w->root && !stays_inside(w, from, target, name))
		return fails(w, from, "the link leaves its folder; put what it points to there");
	if (w->copies && symlink(target, to) != 0)
		return fails(w, to, strerror(errno));
	if (!w->is_result)
		note(w, 'l', name, str_from(target));
	return true;
}

/* ---- directories ---- */

/*
 * A sandbox protects paths that do not exist, such as .git, by an empty directory of this mode, and
 * removes it later (supervisor/files/protected_paths.h).  The agent did not make it.
 */
static bool is_placeholder(struct walk *w, const char *path, const struct stat *st)
{
	char **names = (st->st_mode & 07777) == PLACEHOLDER_MODE ? names_of(w, path) : NULL;

	return names && !*names;
}

static bool take_dir(struct walk *w, const char *from, const char *to, const char *name, int depth);

static bool take_entry(struct walk *w, const char *from, const char *to, const char *name,
                       int depth)
{
	struct stat st;

	if (++w->files > w->files_max)
		return fails(w, from, "the tree has too many files");
	if (lstat(from, &st) != 0)
		return fails(w, from, strerror(errno));
	if (S_ISREG(st.st_mode))
		return take_file(w, from, to, name, &st);
	if (S_ISLNK(st.st_mode))
		return take_link(w, from, to, name);
	if (S_ISDIR(st.st_mode))
		return (w->is_result && is_placeholder(w, from, &st)) ||
		       take_dir(w, from, to, name, depth + 1);
	return w->is_result || fails(w, from, "neither a file nor a directory nor a link");
}

static bool take_dir(struct walk *w, const char *from, const char *to, const char *name, int depth)
{
	char **names = names_of(w, from);

	if (!names)
		return fails(w, from, strerror(errno));
	if (depth > w->depth_max)
		return fails(w, from, "the tree is too deep");
	if (w->copies && mkdir(to, 0755) != 0)
		return fails(w, to, strerror(errno));
	if (!w->is_result)
		note(w, 'd', name, STR(""));
	for (; *names; names++)
		if (!take_entry(w, arena_printf(w->c->mem, "%s/%s", from, *names).ptr,
		                arena_printf(w->c->mem, "%s/%s", to, *names).ptr,
		                arena_printf(w->c->mem, "%s/%s", name, *names).ptr, depth))
			return false;
	return true;
}

static struct str hash_of(const struct walk *w)
{
	struct sha256 hash = sha256_of(buf_str(&w->list));

	return sha256_hex(w->c->mem, &hash);
}

bool trial_tree_hash(struct cli *c, const char *dir, struct str *ret_hex)
{
	struct walk w = walk_of(c);
	char real[PATH_MAX];
	bool is_done;

	w.root = realpath(dir, real);
	is_done = w.root ? take_dir(&w, dir, "", ".", 0) : fails(&w, dir, strerror(errno));
	if (is_done)
		*ret_hex = hash_of(&w);
	buf_done(&w.list);
	return is_done;
}

static bool copy(struct walk *w, const char *from, const char *to, struct str hex)
{
	const char *part = arena_printf(w->c->mem, "%s.part%ld", to, (long)getpid()).ptr;

	w->copies = true;
	paths_remove_dir(part); /* of a program that had this number and was killed */
	if (take_dir(w, from, part, ".", 0) &&
	    (!str_is(hex) || str_eq(hash_of(w), hex) || fails(w, from, TRIAL_TREE_CHANGED)) &&
	    rename(part, to) == 0)
		return true;
	paths_remove_dir(part);
	return false;
}

bool trial_tree_copy(struct cli *c, const char *from, const char *to, struct str hex)
{
	struct walk w = walk_of(c);
	bool is_done = copy(&w, from, to, hex);

	buf_done(&w.list);
	return is_done;
}

bool trial_tree_copy_result(struct cli *c, const char *from, const char *to)
{
	struct walk w = { .c = c,
		          .is_result = true,
		          .files_max = TRIAL_RESULT_FILES,
		          .bytes_max = TRIAL_RESULT_BYTES,
		          .depth_max = TRIAL_RESULT_DEPTH };

	return copy(&w, from, to, STR_NONE);
}
