/*
 * Backups of a log in PostgreSQL, for the API: settings become options, without opening a runtime.
 *
 * Which settings name the object store is the same question as for a runtime (lib/keys/bucket_keys.h).
 */
#include "base/arena.h"
#include "base/memory.h"
#include "lib/keys/bucket_keys.h"
#include "lib/settings.h"
#include "store/postgres/backup/pg_backup.h"
#include "thole/thole.h"

#include <stdio.h>

/* What a call needs of the settings. */
struct place {
	struct arena *mem;
	struct config *config;
	const char *url, *schema;
	bool has_bucket;
	struct bucket_keys_place keys;
	struct bucket_options bucket;
};

static void place_done(struct place *p)
{
	bucket_keys_done(&p->keys);
	config_free(p->config);
	arena_free(p->mem);
}

static enum err read_settings(struct place *p, const struct thole_options *options, struct error *e)
{
	const struct config_values *v;
	enum err err;

	*p = (struct place){ .mem = arena_new(), .config = config_new() };
	err = settings_add(p->config, options, e);
	if (err != OK)
		return err;
	v = config_values(p->config);
	p->url = arena_keep(p->mem, v->store_url).ptr;
	p->schema = arena_keep(p->mem, v->store_schema).ptr;
	p->has_bucket = v->store_outputs == OUTPUT_PLACE_OBJECT_STORE;
	if (p->has_bucket)
		bucket_keys_options(p->mem, v, &p->keys, &p->bucket);
	return OK;
}

/* A server that cannot be asked is a failure of the store; what is wrong in an argument is not. */
static int refused(struct thole_error *err, const struct error *e)
{
	int code = e->code == ERR_INVALID || e->code == ERR_UNSUPPORTED || e->code == ERR_NOT_FOUND
	                   ? THOLE_INVALID
	           : e->code == ERR_IO || e->code == ERR_FULL ? THOLE_IO
	                                                      : THOLE_STORE;

	if (err) {
		err->code = code;
		snprintf(err->message, sizeof err->message, "%s", e->message);
	}
	return code;
}

static int wrong_settings(struct thole_error *err, const struct error *e)
{
	(void)refused(err, e);
	if (err)
		err->code = THOLE_CONFIG;
	return THOLE_CONFIG;
}

/* ---- backup ---- */

static enum err make_dump(void *arg, const struct pg_backup_dump *what, struct error *e)
{
	const struct thole_store_copy *copy = arg;
	struct thole_dump d = { .snapshot = what->snapshot,
		                .schema = what->schema,
		                .database = what->database,
		                .password = what->password,
		                .file = what->file };
	struct thole_error why = { 0 };
	int code = copy->dump(copy->arg, &d, &why);

	if (code == THOLE_OK)
		return OK;
	return fail(e, code == THOLE_ENDED ? ERR_NOT_FOUND : ERR_IO, "%s", why.message);
}

int thole_store_backup(const struct thole_options *options, const struct thole_store_copy *copy,
                       char **ret, struct thole_error *err)
{
	struct error e = { 0 };
	struct str text;
	struct place p;
	int code = THOLE_OK;

	*ret = NULL;
	if (read_settings(&p, options, &e) != OK) {
		code = wrong_settings(err, &e);
	} else {
		struct pg_backup_options o = { .url = p.url,
			                       .schema = p.schema,
			                       .into = copy->into,
			                       .data = copy->data_dir,
			                       .with_keys = copy->with_keys != 0,
			                       .bucket = p.has_bucket ? &p.bucket.settings : NULL,
			                       .dump = copy->dump ? make_dump : NULL,
			                       .arg = (void *)(uintptr_t)copy };

		if (pg_backup_write(p.mem, &o, &text, &e) == OK)
			*ret = memory_strndup(text.ptr, text.len);
		else
			code = refused(err, &e);
	}
	place_done(&p);
	return code;
}

/* ---- comparing ---- */

int thole_store_compare(const struct thole_options *options, const char *backup,
                        const char *data_dir, char **ret, struct thole_error *err)
{
	struct error e = { 0 };
	struct str report;
	struct place p;
	bool is_whole = false;
	int code = THOLE_OK;

	*ret = NULL;
	if (read_settings(&p, options, &e) != OK) {
		code = wrong_settings(err, &e);
	} else {
		struct pg_backup_compare_options o = { .url = p.url,
			                               .schema = p.schema,
			                               .backup = backup,
			                               .data = data_dir,
			                               .bucket = p.has_bucket ? &p.bucket : NULL };

		if (pg_backup_compare(p.mem, &o, &report, &is_whole, &e) == OK) {
			*ret = memory_strndup(report.ptr, report.len);
			code = is_whole ? THOLE_OK : THOLE_REFUSED;
		} else {
			code = refused(err, &e);
		}
	}
	place_done(&p);
	return code;
}
