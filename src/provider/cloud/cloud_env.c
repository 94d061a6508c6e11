/* Looks for parts of accounts in variables and files. */
#include "provider/cloud/cloud_env.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES ((size_t)1 << 18)

/* ---- variables ---- */

bool cloud_env_is_lent(const struct cloud_env *v)
{
	return key_ring_has(v->ring, v->client, v->provider);
}

const char *cloud_env_where(const struct cloud_env *v)
{
	return cloud_env_is_lent(v) ? "" : " in the environment of the daemon";
}

/* NULL: the client did not lend it, or not with an account. */
static const struct secret *lent(const struct cloud_env *v, const char *variable)
{
	if (!cloud_env_is_lent(v))
		return NULL;
	return key_ring_variable(v->ring, v->client, v->provider, str_from(variable));
}

static struct str own(const struct cloud_env *v, const char *variable)
{
	const char *value = getenv(variable);

	if (!value || !*value || cloud_env_is_lent(v))
		return STR_NONE;
	return str_from(value);
}

static struct str value_of(const struct cloud_env *v, const char *variable,
                           struct cloud_place *ret_place)
{
	const struct secret *s = lent(v, variable);
	struct str value = s ? keys_secret_for_header(s) : own(v, variable);

	if (ret_place && str_is(value))
		*ret_place = (struct cloud_place){ s ? KEY_ORIGIN_CLIENT_ENVIRONMENT
			                             : KEY_ORIGIN_DAEMON_ENVIRONMENT,
			                           str_from(variable) };
	return value;
}

struct str cloud_env_get(const struct cloud_env *v, const char *variable,
                         struct cloud_place *ret_place)
{
	return arena_keep(v->mem, value_of(v, variable, ret_place));
}

struct secret *cloud_env_secret(const struct cloud_env *v, const char *variable,
                                struct cloud_place *ret_place)
{
	return keys_secret_new(value_of(v, variable, ret_place));
}

bool cloud_env_is_word(struct str s, const char *further)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.ptr[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    (!c || !strchr(further, c)))
			return false;
	}
	return s.len > 0 && s.len <= 128;
}

/* ---- files ---- */

struct str cloud_env_home(const struct cloud_env *v, const char *path)
{
	const char *home = getenv("HOME");

	return home && home[0] == '/' ? arena_printf(v->mem, "%s/%s", home, path) : STR_NONE;
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

/* On the open descriptor, so that the file cannot be exchanged between check and read. */
static enum err check_file(int fd, struct str path, size_t *ret_size, struct error *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return fail_errno(e, ERR_IO, "%.*s", STR_ARG(path));
	if (!S_ISREG(st.st_mode) || (size_t)st.st_size > FILE_MAX_BYTES)
		return fail(e, ERR_INVALID, "%.*s is no file of credentials", STR_ARG(path));
	if (st.st_uid != geteuid() && st.st_uid != 0)
		return fail(e, ERR_INVALID, "%.*s belongs to another user, so it is not used",
		            STR_ARG(path));
	*ret_size = (size_t)st.st_size;
	return OK;
}

/* O_NONBLOCK: a FIFO in this place must not block the loop. */
enum err cloud_env_read(struct str path, struct buf *ret, struct error *e)
{
	char name[4096];
	size_t size = 0;
	ssize_t got = 0;

	if (!path.len || path.len >= sizeof name)
		return ERR_NOT_FOUND;
	memcpy(name, path.ptr, path.len);
	name[path.len] = 0;

	CLEANUP(close_fd) int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd < 0)
		return fail_errno(e, errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO,
		                  "%.*s", STR_ARG(path));

	enum err err = check_file(fd, path, &size, e);
	char *room = err ? NULL : buf_reserve(ret, size + 1); /* once: no copies */

	while (!err && ret->len < size && (got = read(fd, room + ret->len, size - ret->len)) > 0)
		ret->len += (size_t)got;
	return err ? err : got < 0 ? fail_errno(e, ERR_IO, "%s", name) : OK;
}

void cloud_env_wipe(struct buf *text)
{
	if (text->ptr)
		explicit_bzero(text->ptr, text->len);
	buf_done(text);
}
