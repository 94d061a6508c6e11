/*
 * The owner's token: its file, and the value that nodes of one store share.
 *
 * A file is written beside its place and renamed, so that a crash leaves no half token.  A start that
 * ends before that takes the same steps again.
 */
#include "lib/keys/owner_token.h"

#include "base/hash/sha256.h"
#include "base/os/log.h"
#include "lib/files.h"
#include "ports/store_own.h"
#include "serve/auth/devices_carry.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#define TOKEN_MIN 16

/* ---- the file ---- */

static struct str path_of(struct arena *mem, const char *data_dir)
{
	return arena_printf(mem, "%s/token", data_dir);
}

/* A token that others could read is refused and not replaced silently: another user may have used it. */
static enum err check_mode(const char *path, bool is_shared, struct error *e)
{
	struct stat st;

	if (stat(path, &st) != 0 || !(st.st_mode & 077))
		return OK;
	return fail(
		e, ERR_INVALID,
		"others can read %s (mode %03o), so the token is no secret any more. %s: rm %s",
		path, (unsigned)st.st_mode & 0777,
		is_shared
			? "Delete it, and the next start takes the token of the other nodes; then "
			  "replace that one with `thole token rotate`"
			: "Delete it, and the next start makes a new one",
		path);
}

/* ret is absent: there is none. */
static enum err read_file(struct arena *mem, const char *data_dir, bool is_shared, struct str *ret,
                          struct error *e)
{
	struct str path = path_of(mem, data_dir), text;
	enum err err = files_read_all(mem, path.ptr, 4096, &text, e);

	*ret = STR_NONE;
	if (err == ERR_NOT_FOUND)
		return OK;
	if (err == OK)
		err = check_mode(path.ptr, is_shared, e);
	if (err == OK && str_trim(text).len >= TOKEN_MIN)
		*ret = arena_keep(mem, str_trim(text));
	return err;
}

static enum err write_file(struct arena *mem, const char *data_dir, struct str token,
                           struct error *e)
{
	struct str path = path_of(mem, data_dir);
	struct str fresh = arena_printf(mem, "%s.new", path.ptr);
	enum err err = files_write(fresh.ptr, arena_printf(mem, "%.*s\n", STR_ARG(token)), e);

	if (err == OK && rename(fresh.ptr, path.ptr) != 0)
		err = fail_errno(e, ERR_IO, "%s", path.ptr);
	return err;
}

enum err owner_token_make(struct arena *mem, struct str *ret, struct error *e)
{
	unsigned char raw[32];
	struct sha256 digits;

	if (getrandom(raw, sizeof raw, 0) != sizeof raw)
		return fail_errno(e, ERR_IO, "no entropy for a token");
	memcpy(digits.state, raw, sizeof raw);
	*ret = sha256_hex(mem, &digits);
	return OK;
}

/* ---- the value of all nodes ---- */

/* The devices of the other token go first: they would look paired otherwise. */
static enum err replace(struct arena *mem, const char *data_dir, struct store *store,
                        struct str had, struct str token, struct error *e)
{
	enum err err = str_is(had) ? devices_carry_drop(store, e) : OK;

	if (err == OK)
		err = write_file(mem, data_dir, token, e);
	if (err == OK && str_is(had))
		log_line(LOG_WARN, "lib",
		         "%s/token had another token than the nodes of this database, and has "
		         "theirs now. The one before is refused; print the new one with: thole "
		         "token",
		         data_dir);
	return err;
}

static enum err take_shared(struct arena *mem, const char *data_dir, struct store *store,
                            struct str had, struct str offered, struct str *ret, struct error *e)
{
	struct str token;
	enum err err = store->ops->keep_meta(store, mem, PORT_STORE_TOKEN, offered, &token, e);

	if (err == OK && token.len < TOKEN_MIN)
		err = fail(e, ERR_INVALID,
		           "the token in the database has %zu bytes, and %d are the least. Delete "
		           "the row: DELETE FROM meta WHERE key = 'token'",
		           token.len, TOKEN_MIN);
	if (err == OK && !(str_is(had) && str_eq(had, token)))
		err = replace(mem, data_dir, store, had, token, e);
	if (err == OK)
		*ret = token;
	return err;
}

enum err owner_token_take(struct arena *mem, const char *data_dir, struct store *store,
                          struct str *ret, struct error *e)
{
	bool is_shared = store && store->nodes;
	struct str had, offered;
	enum err err = read_file(mem, data_dir, is_shared, &had, e);

	offered = had;
	if (err == OK && !str_is(had))
		err = owner_token_make(mem, &offered, e);
	if (err != OK)
		return err;
	if (is_shared)
		return take_shared(mem, data_dir, store, had, offered, ret, e);
	if (!str_is(had))
		err = write_file(mem, data_dir, offered, e);
	if (err == OK)
		*ret = offered;
	return err;
}

/* ---- another one ---- */

static struct str name_of(struct arena *mem, struct str token)
{
	struct sha256 hash =
		sha256_of(arena_printf(mem, "thole owner token\n%.*s", STR_ARG(token)));

	return str_head(sha256_hex(mem, &hash), 16);
}

enum err owner_token_renew(struct arena *mem, const char *data_dir, struct store *store,
                           struct str *ret_id, struct error *e)
{
	struct str token;
	enum err err = owner_token_make(mem, &token, e);

	if (err == OK)
		err = store->nodes ? store->ops->set_meta(store, PORT_STORE_TOKEN, token, e)
		                   : write_file(mem, data_dir, token, e);
	if (err == OK)
		*ret_id = name_of(mem, token);
	return err;
}

enum err owner_token_look(struct arena *mem, const char *data_dir, struct store *store,
                          struct str *ret, struct error *e)
{
	struct str had, token;
	enum err err = read_file(mem, data_dir, store->nodes != NULL, &had, e);

	token = had;
	if (err == OK && store->nodes)
		err = store->ops->get_meta(store, mem, PORT_STORE_TOKEN, &token, e);
	if (err == OK && token.len < TOKEN_MIN)
		err = fail(e, ERR_INVALID, "there is no token of the owner");
	if (err == OK && !(str_is(had) && str_eq(had, token)))
		err = write_file(mem, data_dir, token, e);
	if (err == OK)
		*ret = token;
	return err;
}
