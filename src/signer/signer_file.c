/*
 * The file of a private key.  It is written beside its place and renamed, so that
 * a crash leaves the old key or the new one.
 */
#include "signer/signer.h"

#include "base/os/sys.h"
#include "proof/proof_key.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define FILE_MAX (16u << 10)
#define PATH_SIZE 4096

static enum err check_owner(int fd, const char *path, struct error *e)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return fail_errno(e, ERR_IO, "%s", path);
	if (!S_ISREG(st.st_mode) || (st.st_uid != geteuid() && st.st_uid != 0))
		return fail(e, ERR_INVALID, "%s is not a file of your own", path);
	if (st.st_mode & 077)
		return fail(e, ERR_INVALID, "others may read %s; run: chmod 600 %s", path, path);
	return OK;
}

enum err signer_file_read(const char *path, bool is_checked, struct buf *ret, struct error *e)
{
	FD_SCOPE fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | (is_checked ? O_NOFOLLOW : 0));
	enum err code = OK;
	ssize_t got = 0;

	ret->max = FILE_MAX;
	if (fd < 0)
		return fail_errno(e, errno == ENOENT || errno == ENOTDIR ? ERR_NOT_FOUND : ERR_IO,
		                  "%s", path);
	if (is_checked)
		code = check_owner(fd, path, e);
	while (!code && !ret->overflowed) {
		char part[4096];

		got = read(fd, part, sizeof part);
		if (got <= 0)
			break;
		buf_add(ret, part, (size_t)got);
		explicit_bzero(part, sizeof part);
	}
	if (!code && got < 0)
		return fail_errno(e, ERR_IO, "%s", path);
	if (!code && ret->overflowed)
		return fail(e, ERR_INVALID, "%s is longer than a key", path);
	return code;
}

static enum err write_text(const char *path, struct str text, struct error *e)
{
	FD_SCOPE fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd < 0 || fchmod(fd, 0600) != 0 || !sys_write_all(fd, text.ptr, text.len) ||
	    fsync(fd) != 0)
		return fail_errno(e, ERR_IO, "%s", path);
	return OK;
}

enum err signer_file_write(const char *path, const struct ed25519_private *key,
                           const struct ed25519_public *public, struct error *e)
{
	struct buf text = { 0 };
	char beside[PATH_SIZE];
	enum err code;

	if ((size_t)snprintf(beside, sizeof beside, "%s.new", path) >= sizeof beside)
		return fail(e, ERR_INVALID, "the path of the key is too long");
	proof_key_write_private(&text, key);
	proof_key_write(&text, public);
	code = write_text(beside, buf_str(&text), e);
	if (!code && (rename(beside, path) != 0 || sys_sync_dir_of(path) != 0))
		code = fail_errno(e, ERR_IO, "%s", path);
	if (code)
		unlink(beside);
	explicit_bzero(text.ptr, text.len);
	buf_done(&text);
	return code;
}
