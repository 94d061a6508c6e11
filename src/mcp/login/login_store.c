/* Files of logins.  Nothing of a file's content is ever logged or part of an error message. */
#include "mcp/login/login_store.h"

#include "base/hash/sha256.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/os/sys.h"

#include <dirent.h>
#include <stdio.h>
#include <sys/stat.h>

#define FILE_MAX ((off_t)262144)
#define FORMAT 1

static const char *const auth_words[] = {
	[LOGIN_AUTH_NONE] = "none", [LOGIN_AUTH_BASIC] = "basic", [LOGIN_AUTH_POST] = "post"
};

/* The line breaks keep the three parts apart: none of them can hold one. */
static struct str path_of(struct arena *mem, struct str dir, const struct login_record *r)
{
	struct str key = arena_printf(mem, "%.*s\n%.*s\n%.*s", STR_ARG(r->issuer),
	                              STR_ARG(r->resource), STR_ARG(r->client.id));
	struct sha256 h = sha256_of(key);

	return arena_printf(mem, "%.*s/%.*s.json", STR_ARG(dir), STR_ARG(sha256_hex(mem, &h)));
}

/* ---- writing ---- */

static void write_record(struct buf *out, const struct login_record *r)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "format", FORMAT);
	JW_KSTR(&w, "url", r->url);
	JW_KSTR(&w, "issuer", r->issuer);
	JW_KSTR(&w, "resource", r->resource);
	JW_KSTR(&w, "redirectUri", r->redirect_uri);
	JW_KSTR(&w, "tokenUrl", r->token_url);
	JW_KOPT(&w, "revokeUrl", r->revoke_url);
	JW_KOPT(&w, "scopes", r->scopes);
	JW_KSTR(&w, "clientId", r->client.id);
	JW_KOPT(&w, "clientSecret", r->client.secret);
	JW_KSTR(&w, "clientAuth", str_from(auth_words[r->client.auth]));
	JW_KBOOL(&w, "isConfigured", r->is_configured);
	JW_KOPT(&w, "accessToken", r->access);
	JW_KOPT(&w, "refreshToken", r->refresh);
	JW_KINT(&w, "expiresAt", r->expires_at_ms);
	jw_obj_end(&w);
	buf_add_char(out, '\n');
}

static enum err write_file(const char *path, struct str text, struct error *e)
{
	FD_SCOPE fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd < 0 || fchmod(fd, 0600) < 0 || !sys_write_all(fd, text.ptr, text.len) ||
	    fsync(fd) < 0)
		return fail_errno(e, errno == ENOSPC ? ERR_FULL : ERR_IO,
		                  "the login cannot be stored");
	return OK;
}

enum err login_store_save(struct str dir, const struct login_record *r, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf text = { 0 };
	struct str path = path_of(mem, dir, r), fresh = arena_printf(mem, "%s.new", path.ptr);
	enum err code;

	if (mkdir(arena_keep(mem, dir).ptr, 0700) < 0 && errno != EEXIST)
		return fail_errno(e, ERR_IO, "the login cannot be stored");
	write_record(&text, r);
	code = write_file(fresh.ptr, buf_str(&text), e);
	if (!code && (rename(fresh.ptr, path.ptr) < 0 || sys_sync_dir_of(path.ptr) < 0))
		code = fail_errno(e, ERR_IO, "the login cannot be stored");
	if (code)
		unlink(fresh.ptr);
	explicit_bzero(text.ptr, text.len);
	return code;
}

enum err login_store_remove(struct str dir, const struct login_record *r, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str path = path_of(mem, dir, r);

	if (unlink(path.ptr) == 0)
		(void)sys_sync_dir_of(path.ptr);
	else if (errno != ENOENT)
		return fail_errno(e, ERR_IO, "the login cannot be removed");
	return OK;
}

/* ---- reading ---- */

static bool is_private(int fd, struct stat *ret)
{
	return fstat(fd, ret) == 0 && S_ISREG(ret->st_mode) && ret->st_uid == geteuid() &&
	       !(ret->st_mode & 077) && ret->st_size <= FILE_MAX;
}

/* False: it is no file of ours. */
static bool read_file(struct arena *mem, int dir, const char *name, struct str *ret)
{
	FD_SCOPE fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	struct stat st;
	char *at;
	ssize_t n;

	if (fd < 0 || !is_private(fd, &st))
		return false;
	at = arena_alloc(mem, (size_t)st.st_size + 1);
	n = read(fd, at, (size_t)st.st_size);
	*ret = str_of(at, n > 0 ? (size_t)n : 0);
	return n == st.st_size;
}

static bool read_record(struct arena *mem, struct str text, struct login_record *ret)
{
	struct json v;
	struct str auth;

	if (json_read(mem, text, &v, NULL) != OK || json_int(JSON_GET(v, "format"), 0) != FORMAT)
		return false;
	*ret = (struct login_record){
		.url = json_str(JSON_GET(v, "url")),
		.issuer = json_str(JSON_GET(v, "issuer")),
		.resource = json_str(JSON_GET(v, "resource")),
		.redirect_uri = json_str(JSON_GET(v, "redirectUri")),
		.token_url = json_str(JSON_GET(v, "tokenUrl")),
		.revoke_url = json_str(JSON_GET(v, "revokeUrl")),
		.scopes = json_str(JSON_GET(v, "scopes")),
		.client = { .id = json_str(JSON_GET(v, "clientId")),
		            .secret = json_str(JSON_GET(v, "clientSecret")) },
		.is_configured = json_bool(JSON_GET(v, "isConfigured"), false),
		.access = json_str(JSON_GET(v, "accessToken")),
		.refresh = json_str(JSON_GET(v, "refreshToken")),
		.expires_at_ms = json_int(JSON_GET(v, "expiresAt"), 0),
	};
	auth = json_str(JSON_GET(v, "clientAuth"));
	for (int i = 0; i < LOGIN_AUTH_COUNT; i++)
		if (str_eq(auth, str_from(auth_words[i])))
			ret->client.auth = (enum login_auth)i;
	return str_is(ret->url) && str_is(ret->issuer) && str_is(ret->resource) &&
	       str_is(ret->token_url) && str_is(ret->client.id);
}

static bool is_wanted(const struct login_record *r, struct str url, struct str client_id)
{
	return str_eq(r->url, url) &&
	       (str_is(client_id) ? str_eq(r->client.id, client_id) : !r->is_configured);
}

/* Of several, one with a token counts before one without. */
enum err login_store_find(struct arena *mem, struct str dir, struct str url, struct str client_id,
                          struct login_record *ret, struct error *e)
{
	DIR *d = opendir(arena_keep(mem, dir).ptr);
	struct login_record found = { .expires_at_ms = 0 }, one;
	struct dirent *entry;
	struct str text;

	while (d && (entry = readdir(d)) != NULL)
		if (str_ends(str_from(entry->d_name), STR(".json")) &&
		    read_file(mem, dirfd(d), entry->d_name, &text) &&
		    read_record(mem, text, &one) && is_wanted(&one, url, client_id) &&
		    (!str_is(found.url) || str_is(one.access)))
			found = one;
	if (d)
		closedir(d);
	if (!str_is(found.url))
		return fail(e, ERR_NOT_FOUND, "there is no login");
	*ret = found;
	return OK;
}
