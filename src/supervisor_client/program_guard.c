/*
 * Keeps the agent's write roots in a file, and checks programs against them
 * before they run with more rights than the agent.
 */
#include "supervisor_client/program_guard.h"

#include "base/buf.h"
#include "base/os/log.h"
#include "base/map.h"
#include "base/path/path.h"
#include "base/hash/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define ROOTS_MAX 65536 /* beyond, nothing is known to be out of the agent's reach */
#define ROOTS_BYTES_MAX ((size_t)ROOTS_MAX * 256)
#define HASHED_MAX (256LL << 20) /* of one file */
#define KEPT_MAX 64              /* hashes of files that did not change */
#define LINKS_MAX 40
#define UID_UNMAPPED 65534 /* in a user namespace: a user of the host, root for one */

/* A file's hash as long as nothing about the file has changed. */
struct kept_hash {
	dev_t dev;
	ino_t ino;
	off_t size;
	struct timespec changed, modified;
	struct sha256 hash;
};

/* Only grows: a directory that the agent could write once may still contain what it wrote. */
struct program_guard {
	struct arena *mem;
	struct str file;
	struct str *roots;
	size_t root_count, root_cap;
	struct map known; /* the same, for look-up */
	bool is_blind;    /* a write root could not be kept, so no path is known to be safe */
	struct kept_hash kept[KEPT_MAX];
	size_t kept_count, kept_next;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* ---- write roots ---- */

/* The write root that path lies in; absent: none. */
static struct str root_of(const struct program_guard *g, struct str path)
{
	for (struct str up = path; up.len > 1; up.len--)
		if ((up.len == path.len || path.ptr[up.len] == '/') && map_get(&g->known, up))
			return up;
	return STR_NONE;
}

/* False: invalid, known already, or the table is full. */
static bool take_root(struct program_guard *g, struct str root)
{
	if (!path_is_clean(root) || root.len == 1 || str_is(root_of(g, root)))
		return false;
	if (g->root_count == ROOTS_MAX) {
		if (!g->is_blind)
			log_line(LOG_WARN, "exec",
			         "More than %d directories were workspaces. No program starts with "
			         "more rights than the agent any more. Remove %.*s once no agent "
			         "runs to begin again.",
			         ROOTS_MAX, STR_ARG(g->file));
		g->is_blind = true;
		return false;
	}
	if (g->root_count == g->root_cap) {
		size_t cap = g->root_cap ? 2 * g->root_cap : 64;

		g->roots = arena_grow(g->mem, g->roots, g->root_count * sizeof *g->roots,
		                      cap * sizeof *g->roots);
		g->root_cap = cap;
	}
	root = arena_keep(g->mem, root);
	g->roots[g->root_count++] = root;
	map_put(&g->known, root, g);
	return true;
}

/* Paths with a NUL after each: a path may contain every other byte. */
static void read_roots(struct program_guard *g)
{
	CLEANUP(close_fd) int fd = open(g->file.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	CLEANUP(buf_done) struct buf all = { .max = ROOTS_BYTES_MAX };
	char part[4096];
	ssize_t got;

	while (fd >= 0 && (got = read(fd, part, sizeof part)) > 0)
		buf_add(&all, part, (size_t)got);

	struct str rest = buf_str(&all);

	while (rest.len && memchr(rest.ptr, 0, rest.len))
		take_root(g, str_cut(&rest, '\0'));
}

/* Appended, never rewritten: a crash can lose at most the last root. */
static void write_root(const struct program_guard *g, struct str root)
{
	CLEANUP(close_fd)
	int fd = open(g->file.ptr, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
	struct str kept = arena_keep(g->mem, root);

	if (fd < 0 || write(fd, kept.ptr, kept.len + 1) != (ssize_t)kept.len + 1)
		log_line(LOG_WARN, "exec", "cannot write %s: %s", g->file.ptr, strerror(errno));
}

struct program_guard *program_guard_new(struct str file)
{
	struct arena *mem = arena_new();
	struct program_guard *g = ARENA_NEW(mem, struct program_guard);

	g->mem = mem;
	if (str_is(file)) {
		g->file = arena_keep(mem, file);
		read_roots(g);
	}
	return g;
}

void program_guard_free(struct program_guard *g)
{
	if (!g)
		return;
	map_done(&g->known);
	arena_free(g->mem);
}

void program_guard_add(struct program_guard *g, struct str root)
{
	if (take_root(g, root) && str_is(g->file))
		write_root(g, root);
}

void program_guard_note(struct program_guard *g, const struct sandbox_plan *p)
{
	for (size_t i = 0; i < p->write_roots.count; i++)
		program_guard_add(g, p->write_roots.at[i]);
}

/*
 * Build tools write caches, also when the agent runs them, so a program there may be the agent's.
 */
static bool is_cache(struct arena *mem, struct str path, struct str *ret)
{
	const char *home = getenv("HOME"), *cache = getenv("XDG_CACHE_HOME");

	if (path_is_under(path, STR("/var/cache"))) {
		*ret = STR("/var/cache");
		return true;
	}
	if (cache && path_is_clean(str_from(cache)) && path_is_under(path, str_from(cache))) {
		*ret = str_from(cache);
		return true;
	}
	if (!home || !path_is_clean(str_from(home)))
		return false;

	struct str own = arena_printf(mem, "%s/.cache", home);

	if (!path_is_under(path, own))
		return false;
	*ret = own;
	return true;
}

struct str program_guard_file(const struct program_guard *g)
{
	return g->file;
}

struct sandbox_paths program_guard_roots(const struct program_guard *g)
{
	return (struct sandbox_paths){ g->roots, g->root_count };
}

/* ---- words ---- */

static void add_word(struct arena *mem, struct sandbox_paths *l, struct str word)
{
	l->at = arena_grow(mem, l->at, l->count * sizeof *l->at, (l->count + 1) * sizeof *l->at);
	l->at[l->count++] = arena_keep(mem, word);
}

/*
 * No shell runs the command, so a character that only a shell interprets is an error and not an
 * argument.
 */
enum err program_guard_words(struct arena *mem, struct str line, struct sandbox_paths *ret,
                             struct error *e)
{
	static const char refused[] = "$`\\;|&<>()*?[]{}~#!\n\r";
	CLEANUP(buf_done) struct buf word = { 0 };
	struct sandbox_paths l = { 0 };
	bool is_word = false;
	char quote = 0;

	for (size_t i = 0; i < line.len; i++) {
		char c = line.ptr[i];

		if (!c || (quote != '\'' && (quote ? strchr("$`\\", c) : strchr(refused, c))))
			return fail(e, ERR_INVALID,
			            "The command holds '%c', which only a shell understands. Name "
			            "a program by its absolute path, and put the rest into it.",
			            c ? c : '0');
		if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
			is_word = true;
		} else if (!quote && (c == ' ' || c == '\t')) {
			if (is_word)
				add_word(mem, &l, buf_str(&word));
			buf_clear(&word);
			is_word = false;
		} else {
			buf_add_char(&word, c);
			is_word = true;
		}
	}
	if (quote)
		return fail(e, ERR_INVALID, "The command has a quote without an end.");
	if (is_word)
		add_word(mem, &l, buf_str(&word));
	if (!l.count)
		return fail(e, ERR_INVALID, "The command is empty.");
	*ret = l;
	return OK;
}

/*
 * An approximation that finds too many words rather than too few: each is only checked, not
 * executed.
 */
void program_guard_line_words(struct arena *mem, struct str line, struct sandbox_paths *ret)
{
	static const char cuts[] = " \t\n\r'\"`;|&<>(){}=,:$";
	size_t from = 0;

	*ret = (struct sandbox_paths){ 0 };
	for (size_t i = 0; i <= line.len; i++) {
		if (i < line.len && line.ptr[i] && !strchr(cuts, line.ptr[i]))
			continue;
		if (i > from)
			add_word(mem, ret, str_head(str_skip(line, from), i - from));
		from = i + 1;
	}
}

/* ---- the way to a file ---- */

/* One check: the way to a file, and what it found. */
struct way {
	struct program_guard *g;
	struct arena *mem;
	struct str cwd, word;
	struct program_found *found;
	struct error *e;
	int links;
};

static enum err fail_writable(struct way *w, struct str path, struct str root)
{
	return fail(w->e, ERR_INVALID,
	            "%.*s lies in %.*s, which the agent can write, so it may not run with more "
	            "rights than the agent. Move it to a directory that is no workspace and no "
	            "cache, and name it there by its absolute path.",
	            STR_ARG(str_head(path, 200)), STR_ARG(str_head(root, 200)));
}

/*
 * /dev/null, zero, full, random and urandom: what they hold is the kernel's, no matter who owns the node.  crun
 * gives /dev/null to the user of a container that has it as its input.
 */
static bool is_constant_device(const struct stat *st)
{
	unsigned n = minor(st->st_rdev);

	return S_ISCHR(st->st_mode) && major(st->st_rdev) == 1 &&
	       (n == 3 || n == 5 || (n >= 7 && n <= 9));
}

/*
 * One component of the way.  Writable directories with the sticky bit pass: only its owner can
 * replace a file there.
 */
static enum err check_place(struct way *w, struct str path, const struct stat *st)
{
	struct str root;

	if (w->g->is_blind)
		return fail(w->e, ERR_INVALID,
		            "The agent has worked in more directories than are kept in mind, so no "
		            "program may run with more rights than the agent. Remove %.*s once no "
		            "agent runs.",
		            STR_ARG(w->g->file));
	root = root_of(w->g, path);
	if (str_is(root))
		return fail_writable(w, path, root);
	if (str_is(w->cwd) && w->cwd.len > 1 && path_is_under(path, w->cwd))
		return fail_writable(w, path, w->cwd);
	if (is_cache(w->mem, path, &root) && !str_eq(path, root))
		return fail_writable(w, path, root);
	if (st->st_uid != 0 && st->st_uid != geteuid() && st->st_uid != UID_UNMAPPED &&
	    !is_constant_device(st))
		return fail(w->e, ERR_INVALID,
		            "%.*s belongs to another user, who can change it. Use a program that "
		            "belongs to you or to root.",
		            STR_ARG(str_head(path, 200)));
	if ((S_ISREG(st->st_mode) || S_ISDIR(st->st_mode)) && (st->st_mode & S_IWOTH) &&
	    !(st->st_mode & S_ISVTX))
		return fail(w->e, ERR_INVALID,
		            "Everybody can write %.*s. Take that right away with: chmod o-w %.*s",
		            STR_ARG(str_head(path, 200)), STR_ARG(str_head(path, 200)));
	return OK;
}

static enum err check_way(struct way *w, struct str path, struct stat *ret_st,
                          struct str *ret_real);

/*
 * The target starts at the root or at the link's directory, and its components are checked like
 * all others.
 */
static enum err follow_link(struct way *w, struct str link, struct str rest, struct stat *ret_st,
                            struct str *ret_real)
{
	char target[PATH_MAX];
	ssize_t len = readlink(link.ptr, target, sizeof target - 1);
	size_t dir = link.len;

	if (len <= 0 || ++w->links > LINKS_MAX)
		return fail(w->e, ERR_INVALID, "The link %.*s leads nowhere.",
		            STR_ARG(str_head(link, 200)));
	target[len] = 0;
	while (dir && link.ptr[dir - 1] != '/')
		dir--;
	return check_way(w,
	                 arena_printf(w->mem, "%.*s%s/%.*s", target[0] == '/' ? 0 : (int)dir,
	                              link.ptr, target, STR_ARG(rest)),
	                 ret_st, ret_real);
}

/*
 * Every directory and link on the way must be out of the agent's reach: one that it can replace
 * leads to a program of its choice.  realpath() would not show the links.
 */
static enum err check_way(struct way *w, struct str path, struct stat *ret_st, struct str *ret_real)
{
	struct str rest = path, here = STR("");

	*ret_real = STR("/");
	while (str_is(rest)) {
		struct str name = str_cut(&rest, '/');
		enum err err;

		if (!name.len || str_eq(name, STR(".")))
			continue;
		if (str_eq(name, STR(".."))) {
			while (here.len && here.ptr[here.len - 1] != '/')
				here.len--;
			here.len -= here.len > 0;
			here = arena_keep(w->mem, here);
			continue;
		}
		here = arena_printf(w->mem, "%.*s/%.*s", STR_ARG(here), STR_ARG(name));
		*ret_real = here;
		if (lstat(here.ptr, ret_st) < 0)
			return fail_errno(w->e, errno == ENOENT ? ERR_NOT_FOUND : ERR_IO, "%.*s",
			                  STR_ARG(str_head(here, 200)));
		err = check_place(w, here, ret_st);
		if (err)
			return err;
		if (S_ISLNK(ret_st->st_mode))
			return follow_link(w, here, str_is(rest) ? rest : STR(""), ret_st,
			                   ret_real);
	}
	if (here.len)
		*ret_real = here;
	return OK;
}

/* ---- hashes ---- */

static bool is_same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

/* A program can set the modification time but not the change time, so both are compared. */
static const struct kept_hash *find_kept(const struct program_guard *g, const struct stat *st)
{
	for (size_t i = 0; i < g->kept_count; i++) {
		const struct kept_hash *k = &g->kept[i];

		if (k->dev == st->st_dev && k->ino == st->st_ino && k->size == st->st_size &&
		    is_same_time(k->changed, st->st_ctim) && is_same_time(k->modified, st->st_mtim))
			return k;
	}
	return NULL;
}

static void keep_hash(struct program_guard *g, const struct stat *st, const struct sha256 *hash)
{
	g->kept[g->kept_next] = (struct kept_hash){ .dev = st->st_dev,
		                                    .ino = st->st_ino,
		                                    .size = st->st_size,
		                                    .changed = st->st_ctim,
		                                    .modified = st->st_mtim,
		                                    .hash = *hash };
	g->kept_next = (g->kept_next + 1) % KEPT_MAX;
	g->kept_count = MIN(g->kept_count + 1, (size_t)KEPT_MAX);
}

/*
 * O_NONBLOCK and the check of the type: a FIFO in the place of the file would block the daemon.
 */
static enum err hash_file(struct way *w, struct str path, struct sha256 *ret)
{
	CLEANUP(close_fd) int fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const struct kept_hash *kept;
	struct sha256_stream s;
	static char part[65536];
	struct stat st;
	ssize_t got;

	if (fd < 0 || fstat(fd, &st) < 0)
		return fail_errno(w->e, ERR_IO, "%.*s", STR_ARG(str_head(path, 200)));
	if (!S_ISREG(st.st_mode) || st.st_size > HASHED_MAX)
		return fail(w->e, ERR_INVALID, "%.*s is no file of at most %lld MiB.",
		            STR_ARG(str_head(path, 200)), (long long)(HASHED_MAX >> 20));
	kept = find_kept(w->g, &st);
	if (kept) {
		*ret = kept->hash;
		return OK;
	}
	sha256_begin(&s);
	while ((got = read(fd, part, sizeof part)) > 0)
		sha256_more(&s, str_of(part, (size_t)got));
	*ret = sha256_end(&s);
	if (got < 0)
		return fail_errno(w->e, ERR_IO, "%.*s", STR_ARG(str_head(path, 200)));
	keep_hash(w->g, &st, ret);
	return OK;
}

/* Changed only by updates: files of root in directories that every plan shows read-only. */
static bool is_distribution(struct str path, const struct stat *st)
{
	static const char *const dirs[] = { "/usr/bin", "/bin", "/usr/sbin",   "/sbin",
		                            "/usr/lib", "/lib", "/usr/libexec" };

	for (size_t i = 0; i < COUNT_OF(dirs) && st->st_uid == 0; i++)
		if (path_is_under(path, str_from(dirs[i])))
			return true;
	return false;
}

static struct str dir_of(struct arena *mem, struct str path)
{
	size_t end = path.len;

	while (end > 1 && path.ptr[end - 1] != '/')
		end--;
	return arena_keep(mem, str_head(path, end > 1 ? end - 1 : end));
}

/* Directories outside the distribution's own, which a sandbox must show for the program. */
static void add_dir(struct way *w, struct str dir)
{
	for (size_t i = 0; i < w->found->dirs.count; i++)
		if (str_eq(w->found->dirs.at[i], dir))
			return;
	add_word(w->mem, &w->found->dirs, dir);
}

/* Path and content are both part of the sum, so that two files cannot be exchanged. */
static enum err take_file(struct way *w, struct str path, const struct stat *st,
                          struct sha256_stream *sum)
{
	struct sha256 hash;
	enum err err = OK;

	if (S_ISDIR(st->st_mode))
		return OK;
	if (!S_ISREG(st->st_mode)) /* /dev/null is no program */
		return path_is_under(path, STR("/dev"))
		               ? OK
		               : fail(w->e, ERR_INVALID, "%.*s is no regular file.",
		                      STR_ARG(str_head(path, 200)));
	if (is_distribution(path, st))
		return OK;
	add_dir(w, dir_of(w->mem, path));
	err = hash_file(w, path, &hash);
	if (err)
		return err;
	add_word(w->mem, &w->found->files, path);
	sha256_more(sum, path);
	sha256_more(sum, str_of((const char *)hash.state, sizeof hash.state));
	return OK;
}

/* ---- putting it together ---- */

/* Absolute paths inside a word: --config=/etc/x, -I/opt/lib, a:/b. */
static enum err check_word(struct way *w, struct str word, struct sha256_stream *sum)
{
	struct sandbox_paths parts;

	program_guard_line_words(w->mem, word, &parts);
	for (size_t i = 0; i < parts.count; i++) {
		struct str part = parts.at[i], real;
		ptrdiff_t at = str_find_char(part, '/');
		bool is_option = part.len > 1 && part.ptr[0] == '-';
		struct stat st;
		enum err err;

		if (at < 0 || (at > 0 && !is_option))
			continue;
		w->links = 0;
		err = check_way(w, str_skip(part, (size_t)at), &st, &real);
		if (err == ERR_NOT_FOUND)
			continue; /* nothing is loaded from there */
		if (!err)
			err = take_file(w, real, &st, sum);
		if (err)
			return err;
	}
	return OK;
}

/*
 * A shell line that names a file of the session's directory would run what the agent wrote there.
 */
static enum err check_relative(struct way *w, struct str word)
{
	struct stat st;

	if (!str_is(w->cwd) || !word.len || word.ptr[0] == '/' || word.ptr[0] == '-' ||
	    str_eq(word, STR(".")) || str_eq(word, STR("..")) ||
	    lstat(arena_printf(w->mem, "%.*s/%.*s", STR_ARG(w->cwd), STR_ARG(word)).ptr, &st) < 0 ||
	    S_ISDIR(st.st_mode))
		return OK;
	return fail_writable(w, word, w->cwd);
}

static enum err check_program(struct way *w, struct str program)
{
	struct stat st;
	struct str real;
	enum err err;

	if (!program.len || program.ptr[0] != '/')
		return fail(
			w->e, ERR_INVALID,
			"A program that has more rights than the agent is named by its absolute "
			"path, not %.*s.",
			STR_ARG(str_head(program, 200)));
	err = check_way(w, program, &st, &real);
	if (!err && (!S_ISREG(st.st_mode) || access(real.ptr, X_OK) < 0))
		err = fail(w->e, ERR_INVALID, "%.*s is no program.", STR_ARG(str_head(real, 200)));
	return err;
}

/*
 * The sum depends on the order of words; the caller compares it with the one that a person
 * approved.
 */
enum err program_guard_check(struct program_guard *g, struct arena *mem,
                             const struct sandbox_paths *words, struct str cwd, bool is_line,
                             struct program_found *ret, struct error *e)
{
	struct program_found found = { 0 };
	struct way w = { .g = g, .mem = mem, .cwd = cwd, .found = &found, .e = e };
	struct sha256_stream sum;
	enum err err = is_line || !words->count ? OK : check_program(&w, words->at[0]);

	sha256_begin(&sum);
	for (size_t i = 0; !err && i < words->count; i++) {
		w.word = words->at[i];
		err = is_line ? check_relative(&w, words->at[i]) : OK;
		if (!err)
			err = check_word(&w, words->at[i], &sum);
	}
	if (err)
		return err;

	struct sha256 all = sha256_end(&sum);

	if (found.files.count)
		found.hash = sha256_hex(mem, &all);
	*ret = found;
	return OK;
}
