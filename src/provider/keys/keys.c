/*
 * Looks for a provider's key in the environment, in systemd credentials and in
 * the data directory.  Keys are excluded from core dumps and zeroed when freed.
 */
#include "provider/keys/keys.h"

#include "base/buf.h"
#include "base/os/sys.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEY_MAX 8192
#define PATH_SIZE 4096

/* ---- the type ---- */

struct secret {
	size_t size; /* of the mapping */
	size_t len;
	char text[];
};

/* Visible ASCII that looks the same inside JSON, so that keys_secret_hide() finds it there. */
static bool is_key(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.ptr[i] <= ' ' || s.ptr[i] > '~' || s.ptr[i] == '"' || s.ptr[i] == '\\')
			return false;
	return s.len && s.len <= KEY_MAX;
}

static struct secret *secret_of(struct str text)
{
	/* Separate pages, so that core dumps can leave them out. */
	size_t size = sizeof(struct secret) + text.len;
	struct secret *s =
		mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		abort();
	madvise(s, size, MADV_DONTDUMP);
	s->size = size;
	s->len = text.len;
	memcpy(s->text, text.ptr, text.len);
	return s;
}

struct secret *keys_secret_new(struct str text)
{
	text = str_trim(text);
	return is_key(text) ? secret_of(text) : NULL;
}

static bool is_line(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < ' ' || s.ptr[i] == 127)
			return false;
	return s.len && s.len <= KEY_MAX;
}

struct secret *keys_secret_of_line(struct str text)
{
	text = str_trim(text);
	return is_line(text) ? secret_of(text) : NULL;
}

struct secret *keys_secret_of_text(struct str text)
{
	return text.len && text.len <= KEY_MAX ? secret_of(text) : NULL;
}

void keys_secret_free(struct secret *s)
{
	if (!s)
		return;

	size_t size = s->size;

	explicit_bzero(s, size);
	munmap(s, size);
}

bool keys_secret_is_same(const struct secret *a, const struct secret *b)
{
	if (!a || !b)
		return a == b;
	return a->len == b->len && !memcmp(a->text, b->text, a->len);
}

struct str keys_secret_for_header(const struct secret *s)
{
	return str_of(s->text, s->len);
}

/* For messages of a server that quotes the key it refused. */
struct str keys_secret_hide(const struct secret *s, struct arena *mem, struct str text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str key = s ? keys_secret_for_header(s) : STR_NONE;
	ptrdiff_t at = s ? str_find(text, key) : -1;

	if (at < 0)
		return text;
	for (; at >= 0; at = str_find(text, key)) {
		buf_add_str(&out, str_head(text, (size_t)at));
		buf_add_c(&out, "[key]");
		text = str_skip(text, (size_t)at + key.len);
	}
	buf_add_str(&out, text);
	return arena_keep(mem, buf_str(&out));
}

/* ---- files ---- */

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static bool is_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '-' && c != '_')
			return false;
	}
	return name.len > 0 && name.len <= 64;
}

static enum err path_of(const struct key_source *k, const char *suffix, char out[PATH_SIZE],
                        struct error *e)
{
	if (!is_name(k->name))
		return fail(e, ERR_INVALID, "\"%.*s\" is no name for a provider",
		            STR_ARG(str_head(k->name, 64)));
	if (snprintf(out, PATH_SIZE, "%.*s/keys/%.*s%s", STR_ARG(k->data_dir), STR_ARG(k->name),
	             suffix) >= PATH_SIZE)
		return fail(e, ERR_INVALID, "the name of the data directory is too long");
	return OK;
}

/* On the open descriptor, so that the file cannot be exchanged between check and read. */
static enum err check_owner(int fd, const char *path, struct error *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return fail_errno(e, ERR_IO, "%s", path);
	if (!S_ISREG(st.st_mode))
		return fail(e, ERR_INVALID, "%s is not a file", path);
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return fail(e, ERR_INVALID, "%s belongs to another user, so it is not used", path);
	if (st.st_mode & 077)
		return fail(e, ERR_INVALID, "%s is open to others; close it with: chmod 600 %s",
		            path, path);
	return OK;
}

/*
 * NOT_FOUND when there is no such file.  O_NONBLOCK: a FIFO in this place must not
 * block the start.  The buffer on the stack is wiped.
 */
static enum err read_key(const char *path, bool is_checked, struct secret **ret, struct error *e)
{
	CLEANUP(close_fd) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	char text[KEY_MAX + 1];
	size_t len = 0;
	ssize_t got;

	if (fd < 0)
		return fail_errno(e, errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO,
		                  "%s", path);

	enum err err = is_checked ? check_owner(fd, path, e) : OK;

	if (err)
		return err;
	while (len < sizeof text && (got = read(fd, text + len, sizeof text - len)) > 0)
		len += (size_t)got;

	struct secret *key = keys_secret_new(str_of(text, len));

	explicit_bzero(text, sizeof text);
	if (!key)
		return fail(e, ERR_INVALID, "%s does not hold a key", path);
	*ret = key;
	return OK;
}

/* ---- finding ---- */

/* A variable that is not set leaves *ret as it is. */
static enum err read_variable(struct str variable, struct secret **ret, struct error *e)
{
	char name[128];
	const char *value;

	if (!variable.len || variable.len >= sizeof name)
		return ERR_NOT_FOUND;
	snprintf(name, sizeof name, "%.*s", STR_ARG(variable));
	value = getenv(name);
	if (!value || !*value)
		return ERR_NOT_FOUND;
	*ret = keys_secret_new(str_from(value));
	return *ret ? OK : fail(e, ERR_INVALID, "%s does not hold a key", name);
}

static enum err from_variable(const struct key_source *k, struct key_found *ret, struct error *e)
{
	enum err err = read_variable(k->variable, &ret->key, e);

	ret->name = k->variable;
	if (err == ERR_NOT_FOUND) {
		err = read_variable(k->other_variable, &ret->key, e);
		ret->name = k->other_variable;
	}
	return err;
}

static enum err from_systemd(const struct key_source *k, struct key_found *ret, struct error *e)
{
	const char *dir = getenv("CREDENTIALS_DIRECTORY");
	char path[PATH_SIZE];

	/* systemd controls the modes of its credentials directory. */
	if (!dir || !*dir || !is_name(k->name) ||
	    snprintf(path, sizeof path, "%s/%.*s", dir, STR_ARG(k->name)) >= PATH_SIZE)
		return ERR_NOT_FOUND;
	return read_key(path, false, &ret->key, e);
}

static enum err from_file(const struct key_source *k, struct key_found *ret, struct error *e)
{
	char path[PATH_SIZE];
	enum err err;

	if (!k->data_dir.len)
		return ERR_NOT_FOUND;
	err = path_of(k, "", path, e);
	return err ? err : read_key(path, true, &ret->key, e);
}

enum err keys_look(const struct key_source *from, struct key_found *ret, struct error *e)
{
	static const struct {
		enum err (*look)(const struct key_source *, struct key_found *, struct error *);
		enum key_origin origin;
	} places[] = { { from_variable, KEY_ORIGIN_DAEMON_ENVIRONMENT },
		       { from_systemd, KEY_ORIGIN_SYSTEMD_CREDENTIAL },
		       { from_file, KEY_ORIGIN_AUTH_FILE } };

	for (size_t i = 0; i < COUNT_OF(places); i++) {
		struct key_found found = { .origin = places[i].origin };
		enum err err = places[i].look(from, &found, e);

		if (err == ERR_NOT_FOUND)
			continue;
		if (!err)
			*ret = found;
		return err;
	}
	*ret = (struct key_found){ 0 };
	return OK;
}

/*
 * A place that exists but cannot be used is an error and not skipped: a key that was
 * meant to be used would silently be replaced by another.
 */
enum err keys_find(const struct key_source *from, struct secret **ret, struct error *e)
{
	struct key_found found;
	enum err err = keys_look(from, &found, e);

	if (!err)
		*ret = found.key;
	return err;
}

/* ---- keeping ---- */

static enum err write_key(int fd, const char *path, const struct secret *key, struct error *e)
{
	struct str text = keys_secret_for_header(key);

	if (fchmod(fd, 0600) != 0 || write(fd, text.ptr, text.len) != (ssize_t)text.len ||
	    write(fd, "\n", 1) != 1 || fsync(fd) != 0)
		return fail_errno(e, ERR_IO, "%s", path);
	return OK;
}

/*
 * A new file is renamed over the old one, so that a reader gets the old or the new key.
 * O_NOFOLLOW and fchmod() hold even if the name was prepared by someone else.
 */
enum err keys_save(const struct key_source *to, const struct secret *key, struct error *e)
{
	char path[PATH_SIZE], fresh[PATH_SIZE], dir[PATH_SIZE];
	enum err err = path_of(to, "", path, e);

	if (!err)
		err = path_of(to, ".new", fresh, e);
	if (err)
		return err;
	snprintf(dir, sizeof dir, "%.*s/keys", STR_ARG(to->data_dir));
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return fail_errno(e, ERR_IO, "%s", dir);

	CLEANUP(close_fd)
	int fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0)
		return fail_errno(e, ERR_IO, "%s", fresh);
	err = write_key(fd, fresh, key, e);
	if (!err &&
	    (rename(fresh, path) != 0 || sys_sync_dir_of(path) != 0 || sys_sync_dir_of(dir) != 0))
		err = fail_errno(e, ERR_IO, "%s", path);
	if (err)
		unlink(fresh);
	return err;
}

enum err keys_remove(const struct key_source *from, struct error *e)
{
	char path[PATH_SIZE];
	enum err err = path_of(from, "", path, e);

	if (!err && unlink(path) != 0)
		return errno == ENOENT ? OK : fail_errno(e, ERR_IO, "%s", path);
	/* A removed key must not be back after a power cut. */
	if (!err && sys_sync_dir_of(path) != 0)
		err = fail_errno(e, ERR_IO, "%s", path);
	return err;
}
