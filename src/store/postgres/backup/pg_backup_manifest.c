/* The form of backup.json.  What is read may be damaged or forged. */
#include "store/postgres/backup/pg_backup_manifest.h"

#include "base/json.h"
#include "base/jw.h"
#include "base/os/sys.h"

#include <stdio.h>
#include <sys/stat.h>

#define STORE "postgresql"

/* ---- writing ---- */

static void write_hash(struct json_writer *w, const char *name, const struct sha256 *hash)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	jw_kstr(w, str_from(name), sha256_hex(mem, hash));
}

static void write_server(struct json_writer *w, const struct pg_backup_manifest *m)
{
	JW_KEY(w, "server");
	jw_obj(w);
	JW_KOPT(w, "version", m->server_version);
	JW_KOPT(w, "systemId", m->system_id);
	JW_KOPT(w, "lsn", m->lsn);
	JW_KOPT(w, "walFile", m->wal_file);
	JW_KBOOL(w, "isStandby", m->is_standby);
	jw_obj_end(w);
}

static void write_dump(struct json_writer *w, const struct pg_backup_manifest *m)
{
	JW_KEY(w, "dump");
	jw_obj(w);
	JW_KSTR(w, "file", STR(BACKUP_DUMP));
	JW_KINT(w, "bytes", m->dump_bytes);
	write_hash(w, "sha256", &m->dump);
	jw_obj_end(w);
}

static void write_outputs(struct json_writer *w, const struct pg_backup_manifest *m)
{
	JW_KEY(w, "outputs");
	jw_obj(w);
	JW_KINT(w, "database", m->outputs_database);
	JW_KINT(w, "objectStore", m->outputs_bucket);
	JW_KINT(w, "files", m->outputs_files);
	JW_KOPT(w, "bucket", m->bucket);
	JW_KOPT(w, "prefix", m->prefix);
	JW_KOPT(w, "endpoint", m->endpoint);
	jw_obj_end(w);
}

void pg_backup_manifest_write(struct buf *out, const struct pg_backup_manifest *m)
{
	struct json_writer w;

	jw_init(&w, out);
	jw_obj(&w);
	JW_KINT(&w, "format", BACKUP_FORMAT_DATABASE);
	JW_KSTR(&w, "store", STR(STORE));
	JW_KSTR(&w, "version", m->version);
	JW_KSTR(&w, "at", m->at);
	JW_KSTR(&w, "logId", m->log_id);
	JW_KSTR(&w, "place", m->place);
	JW_KSTR(&w, "schema", m->schema);
	JW_KINT(&w, "storeFormat", m->store_format);
	JW_KINT(&w, "sessions", m->sessions);
	JW_KINT(&w, "events", m->events);
	JW_KINT(&w, "lastPosition", m->last_position);
	write_hash(&w, "headsSha256", &m->heads);
	write_server(&w, m);
	if (m->has_dump)
		write_dump(&w, m);
	write_outputs(&w, m);
	JW_KEY(&w, "nodes");
	jw_arr(&w);
	for (size_t i = 0; i < m->node_count; i++)
		jw_str(&w, m->nodes[i]);
	jw_arr_end(&w);
	JW_KBOOL(&w, "withKeys", m->with_keys);
	jw_obj_end(&w);
	buf_add_char(out, '\n');
}

/* ---- reading ---- */

/* Notes the first member that is missing or of another form. */
struct reading {
	struct json doc;
	const char *bad;
};

static struct str take_str(struct reading *r, struct json of, const char *name, bool is_required)
{
	struct json v = json_get(of, str_from(name));
	struct str text = json_str(v);

	if (!r->bad && (is_required ? !text.len : json_is(v) && !str_is(text)))
		r->bad = name;
	return text;
}

static int64_t take_int(struct reading *r, struct json of, const char *name)
{
	int64_t n = json_int(json_get(of, str_from(name)), -1);

	if (n < 0 && !r->bad)
		r->bad = name;
	return n;
}

static bool take_bool(struct reading *r, struct json of, const char *name)
{
	struct json v = json_get(of, str_from(name));

	if (json_type(v) != JSON_BOOL && !r->bad)
		r->bad = name;
	return json_bool(v, false);
}

static struct json take_obj(struct reading *r, const char *name, bool is_required)
{
	struct json v = json_get(r->doc, str_from(name));

	if (!r->bad && (is_required || json_is(v)) && json_type(v) != JSON_OBJ)
		r->bad = name;
	return v;
}

static void take_hash(struct reading *r, struct json of, const char *name, struct sha256 *ret)
{
	if (!sha256_read_hex(json_str(json_get(of, str_from(name))), ret) && !r->bad)
		r->bad = name;
}

static void take_server(struct reading *r, struct pg_backup_manifest *m)
{
	struct json server = take_obj(r, "server", true);

	m->server_version = take_str(r, server, "version", false);
	m->system_id = take_str(r, server, "systemId", false);
	m->lsn = take_str(r, server, "lsn", false);
	m->wal_file = take_str(r, server, "walFile", false);
	m->is_standby = take_bool(r, server, "isStandby");
}

/* The name is fixed, so that a manifest leads to no other file. */
static void take_dump(struct reading *r, struct pg_backup_manifest *m)
{
	struct json dump = take_obj(r, "dump", false);

	m->has_dump = json_is(dump);
	if (!m->has_dump)
		return;
	m->dump_bytes = take_int(r, dump, "bytes");
	take_hash(r, dump, "sha256", &m->dump);
}

static void take_outputs(struct reading *r, struct pg_backup_manifest *m)
{
	struct json outputs = take_obj(r, "outputs", true);

	m->outputs_database = take_int(r, outputs, "database");
	m->outputs_bucket = take_int(r, outputs, "objectStore");
	m->outputs_files = take_int(r, outputs, "files");
	m->bucket = take_str(r, outputs, "bucket", false);
	m->prefix = take_str(r, outputs, "prefix", false);
	m->endpoint = take_str(r, outputs, "endpoint", false);
}

static void take_nodes(struct reading *r, struct pg_backup_manifest *m)
{
	struct json nodes = JSON_GET(r->doc, "nodes");
	struct json_iter it = json_iter(nodes);
	struct json node;
	struct str key;

	if (json_type(nodes) != JSON_ARR && !r->bad)
		r->bad = "nodes";
	while (json_next(&it, &key, &node) && m->node_count < PG_BACKUP_NODES_MAX)
		if (str_is(json_str(node)))
			m->nodes[m->node_count++] = json_str(node);
}

static enum err unreadable(struct error *e, const char *what, const char *name)
{
	return fail(
		e, ERR_INVALID,
		"backup_unreadable: backup.json %s%s. Take another backup, or the file from where "
		"it was copied",
		what, name);
}

enum err pg_backup_manifest_read(struct arena *mem, struct str text, struct pg_backup_manifest *ret,
                                 struct error *e)
{
	struct reading r = { 0 };
	struct error why;
	int64_t format;

	*ret = (struct pg_backup_manifest){ 0 };
	if (json_read(mem, text, &r.doc, &why) != OK || json_type(r.doc) != JSON_OBJ)
		return unreadable(e, "is no JSON object", "");
	format = json_int(JSON_GET(r.doc, "format"), 0);
	if (format == BACKUP_FORMAT_DIRECTORY)
		return fail(
			e, ERR_INVALID,
			"backup_directory: this is the backup of a log in a directory, and thole "
			"restore brings it back");
	if (format != BACKUP_FORMAT_DATABASE ||
	    !str_eq(json_str(JSON_GET(r.doc, "store")), STR(STORE)))
		return unreadable(e, "has a format that this version does not know", "");
	ret->version = take_str(&r, r.doc, "version", true);
	ret->at = take_str(&r, r.doc, "at", true);
	ret->log_id = take_str(&r, r.doc, "logId", true);
	ret->place = take_str(&r, r.doc, "place", true);
	ret->schema = take_str(&r, r.doc, "schema", true);
	ret->store_format = take_int(&r, r.doc, "storeFormat");
	ret->sessions = take_int(&r, r.doc, "sessions");
	ret->events = take_int(&r, r.doc, "events");
	ret->last_position = take_int(&r, r.doc, "lastPosition");
	take_hash(&r, r.doc, "headsSha256", &ret->heads);
	take_server(&r, ret);
	take_dump(&r, ret);
	take_outputs(&r, ret);
	take_nodes(&r, ret);
	ret->with_keys = take_bool(&r, r.doc, "withKeys");
	return r.bad ? unreadable(e, "has no proper member ", r.bad) : OK;
}

enum err pg_backup_manifest_load(struct arena *mem, const char *path,
                                 struct pg_backup_manifest *ret, struct error *e)
{
	FD_SCOPE dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	FD_SCOPE fd = dir < 0 ? -1
	                      : openat(dir, BACKUP_MANIFEST,
	                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	CLEANUP(buf_done) struct buf text = { .max = BACKUP_MANIFEST_MAX };
	char piece[4096];
	ssize_t got;

	if (fd < 0)
		return fail_errno(e, ERR_INVALID, "backup_unreadable: %s has no " BACKUP_MANIFEST,
		                  path);
	while ((got = read(fd, piece, sizeof piece)) > 0 && !text.overflowed)
		buf_add(&text, piece, (size_t)got);
	if (got < 0)
		return fail_errno(e, ERR_INVALID, "backup_unreadable: " BACKUP_MANIFEST);
	if (text.overflowed)
		return unreadable(e, "is longer than a backup writes", "");
	return pg_backup_manifest_read(mem, arena_keep(mem, buf_str(&text)), ret, e);
}
