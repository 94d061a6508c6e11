/* The files that describe the backup of a log in PostgreSQL, as they are written and as they must not be. */
#include "lib/t.h"

#include "base/json.h"
#include "base/jw.h"
#include "store/postgres/backup/pg_backup_heads.h"
#include "store/postgres/backup/pg_backup_manifest.h"
#include "store/postgres/wire/pg_url.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static char dir[] = "/tmp/thole-pg-backup-XXXXXX";
static struct arena *mem;

static const char *at(const char *name)
{
	return arena_printf(mem, "%s/%s", dir, name).ptr;
}

static void begin(void)
{
	strcpy(dir + sizeof dir - 7, "XXXXXX");
	arena_free(mem);
	mem = arena_new();
	CHECK(mkdtemp(dir));
}

static void done(void)
{
	unlink(at("backup.json"));
	unlink(at("heads"));
	CHECK(rmdir(dir) == 0);
	arena_free(mem);
	mem = NULL;
}

static void put(const char *name, struct str text)
{
	int fd = open(at(name), O_WRONLY | O_CREAT | O_TRUNC, 0600);

	CHECK(fd >= 0 && write(fd, text.ptr, text.len) == (ssize_t)text.len);
	close(fd);
}

static bool has(const char *text, const char *part)
{
	return str_find(str_from(text), str_from(part)) >= 0;
}

/* ---- backup.json ---- */

static struct pg_backup_manifest good(void)
{
	return (struct pg_backup_manifest){
		.version = STR("0.1.0"),
		.at = STR("2026-11-19T13:00:00.123Z"),
		.log_id = STR("rt_1"),
		.place = STR("postgresql://db/thole"),
		.schema = STR("agents"),
		.store_format = 5,
		.sessions = 3,
		.events = 90,
		.last_position = 1234567890123,
		.heads = sha256_of(STR("heads")),
		.server_version = STR("15.18"),
		.system_id = STR("7400000000000000001"),
		.lsn = STR("0/3000148"),
		.wal_file = STR("000000010000000000000003"),
		.has_dump = true,
		.dump_bytes = 4096,
		.dump = sha256_of(STR("dump")),
		.outputs_database = 2,
		.outputs_bucket = 1,
		.outputs_files = 0,
		.bucket = STR("outputs"),
		.prefix = STR("a/b"),
		.endpoint = STR("https://s3.example"),
		.nodes = { STR("a"), STR("b") },
		.node_count = 2,
		.with_keys = true,
	};
}

static struct str text_of(const struct pg_backup_manifest *m)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	pg_backup_manifest_write(&out, m);
	return arena_keep(mem, buf_str(&out));
}

/* Refused with this code and these words. */
static void refused(struct str text, const char *code, const char *words)
{
	struct pg_backup_manifest m;
	struct error e = { 0 };

	CHECK(pg_backup_manifest_read(mem, text, &m, &e) == ERR_INVALID);
	if (!str_starts(str_from(e.message), str_from(code)) || !has(e.message, words))
		printf("%s\n", e.message);
	CHECK(str_starts(str_from(e.message), str_from(code)));
	CHECK(has(e.message, words));
}

TEST(a_manifest_reads_back_as_it_was_written)
{
	struct pg_backup_manifest m = good(), back;
	struct error e;

	begin();
	CHECK(pg_backup_manifest_read(mem, text_of(&m), &back, &e) == OK);
	CHECK(str_eq(text_of(&back), text_of(&m)));
	CHECK(back.last_position == 1234567890123 && sha256_eq(&back.dump, &m.dump));
	CHECK(back.node_count == 2 && str_eq(back.nodes[1], STR("b")));
	m.has_dump = m.with_keys = false;
	m.server_version = m.system_id = m.lsn = m.wal_file = STR_NONE;
	m.bucket = m.prefix = m.endpoint = STR_NONE;
	m.is_standby = true;
	m.node_count = 0;
	CHECK(pg_backup_manifest_read(mem, text_of(&m), &back, &e) == OK);
	CHECK(str_eq(text_of(&back), text_of(&m)));
	CHECK(!back.has_dump && back.is_standby && !str_is(back.lsn));
	done();
}

TEST(a_truncated_manifest_is_unreadable_at_every_length)
{
	struct pg_backup_manifest m = good();
	struct str text;

	begin();
	text = text_of(&m);
	for (size_t len = 0; len < text.len - 1; len++)
		refused(str_head(text, len), "backup_unreadable: ", "is no JSON object");
	done();
}

/* Each member with a value of another type, and without it. */
TEST(a_member_of_another_type_or_a_missing_one_is_named)
{
	static const char *const optional[] = { "dump" };
	struct pg_backup_manifest m = good();
	struct json doc, value;
	struct json_iter it;
	struct str name;

	begin();
	CHECK(json_read(mem, text_of(&m), &doc, NULL) == OK);
	it = json_iter(doc);
	while (json_next(&it, &name, &value)) {
		bool is_first = str_eq(name, STR("format")) || str_eq(name, STR("store"));

		for (int with = 0; with < 2; with++) {
			CLEANUP(buf_done) struct buf out = { 0 };
			struct json_iter all = json_iter(doc);
			struct json_writer w;
			struct json v;
			struct str key;

			jw_init(&w, &out);
			jw_obj(&w);
			while (json_next(&all, &key, &v)) {
				bool is_it = str_eq(key, name);

				if (is_it && !with)
					continue;
				jw_key(&w, key);
				if (is_it)
					jw_null(&w);
				else
					jw_value(&w, v);
			}
			jw_obj_end(&w);
			if (!with && str_eq(name, str_from(optional[0])))
				continue;
			refused(arena_keep(mem, buf_str(&out)), "backup_unreadable: ",
			        is_first ? "format that this version does not know"
			                 : arena_keep(mem, name).ptr);
		}
	}
	done();
}

TEST(numbers_and_hashes_that_cannot_be_are_refused)
{
	struct pg_backup_manifest m = good();

	begin();
	m.sessions = -1;
	refused(text_of(&m), "backup_unreadable: ", "sessions");
	m = good();
	m.log_id = STR("");
	refused(text_of(&m), "backup_unreadable: ", "logId");
	refused(STR("[]"), "backup_unreadable: ", "is no JSON object");
	refused(STR("{\"format\":3,\"store\":\"postgresql\"}"),
	        "backup_unreadable: ", "does not know");
	refused(STR("{\"format\":2,\"store\":\"mysql\"}"), "backup_unreadable: ", "does not know");
	refused(STR("{\"format\":1,\"logId\":\"x\",\"logSha256\":\"y\"}"),
	        "backup_directory: ", "thole restore");
	done();
}

TEST(a_huge_manifest_is_not_read_to_its_end)
{
	struct pg_backup_manifest m = good(), back;
	CLEANUP(buf_done) struct buf text = { 0 };
	struct error e = { 0 };

	begin();
	put("backup.json", text_of(&m));
	CHECK(pg_backup_manifest_load(mem, dir, &back, &e) == OK);
	buf_add_str(&text, text_of(&m));
	while (text.len < 2 * BACKUP_MANIFEST_MAX)
		buf_add_c(&text,
		          "                                                                ");
	put("backup.json", buf_str(&text));
	CHECK(pg_backup_manifest_load(mem, dir, &back, &e) == ERR_INVALID);
	CHECK(str_starts(str_from(e.message), STR("backup_unreadable: ")) &&
	      has(e.message, "longer"));
	unlink(at("backup.json"));
	CHECK(pg_backup_manifest_load(mem, dir, &back, &e) == ERR_INVALID);
	CHECK(str_starts(str_from(e.message), STR("backup_unreadable: ")));
	/* A link leads elsewhere, and a pipe would keep the reader. */
	CHECK(symlink("/etc/passwd", at("backup.json")) == 0);
	CHECK(pg_backup_manifest_load(mem, dir, &back, &e) == ERR_INVALID);
	unlink(at("backup.json"));
	CHECK(mkfifo(at("backup.json"), 0600) == 0);
	CHECK(pg_backup_manifest_load(mem, dir, &back, &e) == ERR_INVALID);
	done();
}

/* ---- heads ---- */

static struct str line_of(int64_t no, const char *id)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct pg_backup_head h = {
		.no = no, .seq = (uint64_t)no * 10, .floor = 2, .hash = sha256_of(str_from(id))
	};

	snprintf(h.id, sizeof h.id, "%s", id);
	pg_backup_heads_put(&out, &h);
	return arena_keep(mem, buf_str(&out));
}

TEST(a_line_of_heads_reads_back_and_others_are_refused)
{
	static const char *const bad[] = {
		"",
		"1",
		"1 2",
		"1 10 00 2 s",
		"0 10 HASH 2 s",
		"-1 10 HASH 2 s",
		"1 -1 HASH 2 s",
		"1 10 HASH 11 s",
		"1 10 HASH 2",
		"1 10 HASH 2 ",
		"1 10 HASH 2 a b",
		"1 10 HASH 2 s\r",
		"99999999999999999999 10 HASH 2 s",
		"1 99999999999999999999 HASH 2 s",
		"1  10 HASH 2 s",
	};
	struct pg_backup_head h;
	struct str line;

	begin();
	line = line_of(7, "sess_1");
	CHECK(pg_backup_heads_take(str_head(line, line.len - 1), &h));
	CHECK(h.no == 7 && h.seq == 70 && h.floor == 2 && strcmp(h.id, "sess_1") == 0);
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		struct str rest = str_from(bad[i]);
		struct str head = str_cut(&rest, 'H');
		struct sha256 hash = sha256_of(STR("x"));
		struct str text = str_is(rest) ? arena_printf(mem, "%.*s%.*s%.*s", STR_ARG(head),
		                                              STR_ARG(sha256_hex(mem, &hash)),
		                                              STR_ARG(str_skip(rest, 3)))
		                               : head;

		CHECK(!pg_backup_heads_take(text, &h));
	}
	done();
}

static enum err read_heads(const struct sha256 *hash, int *ret_count, struct error *e)
{
	struct pg_backup_heads f;
	struct pg_backup_head h;
	bool more = true;
	enum err err = pg_backup_heads_open(&f, dir, hash, e);

	*ret_count = -1;
	while (err == OK && more) {
		err = pg_backup_heads_next(&f, &h, &more, e);
		++*ret_count;
	}
	pg_backup_heads_close(&f);
	return err;
}

/* The hash is that of the text, so that only the lines decide. */
static enum err read_text(struct str text, int *ret_count)
{
	struct sha256 hash = sha256_of(text);
	struct error e = { 0 };
	enum err err;

	put("heads", text);
	err = read_heads(&hash, ret_count, &e);
	CHECK(err == OK || str_starts(str_from(e.message), STR("backup_unreadable: ")));
	return err;
}

TEST(a_file_of_many_heads_is_read_to_its_end_and_what_is_wrong_in_it_is_found)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct sha256 other = sha256_of(STR("other"));
	struct error e = { 0 };
	int count;

	begin();
	for (int i = 1; i <= 5000; i++)
		buf_add_str(&text, line_of(i, arena_printf(mem, "sess_%d", i).ptr));
	CHECK(text.len > 400000);
	CHECK(read_text(buf_str(&text), &count) == OK && count == 5000);
	CHECK(read_heads(&other, &count, &e) == ERR_INVALID);
	CHECK(has(e.message, "is not what was written"));
	CHECK(read_text(str_head(buf_str(&text), text.len - 1), &count) == ERR_INVALID);
	CHECK(read_text(str_head(buf_str(&text), text.len / 2), &count) == ERR_INVALID);
	/* A number that does not rise, and a line without end. */
	buf_add_str(&text, line_of(5000, "again"));
	CHECK(read_text(buf_str(&text), &count) == ERR_INVALID);
	buf_clear(&text);
	while (text.len < 300000)
		buf_add_c(&text, "1 1 1 1 1 1 1 1 ");
	CHECK(read_text(buf_str(&text), &count) == ERR_INVALID);
	CHECK(read_text(STR(""), &count) == OK && count == 0);
	done();
}

/* ---- addresses ---- */

TEST(an_address_for_other_programs_has_everything_but_its_secrets)
{
	struct error e;
	const struct pg_lib *lib = pg_lib_load(&e);
	struct str plain;

	if (!lib) {
		skip();
		return;
	}
	begin();
	plain = pg_url_without_secrets(
		mem, lib,
		"postgresql://me:s3cret@db1,db2:5433/my'base\\?sslmode=require&sslpassword=t0p");
	CHECK(!has(plain.ptr, "s3cret") && !has(plain.ptr, "t0p"));
	CHECK(has(plain.ptr, "user='me'") && has(plain.ptr, "host='db1,db2'"));
	CHECK(has(plain.ptr, "dbname='my\\'base\\\\'") && has(plain.ptr, "sslmode='require'"));
	done();
}

TEST_MAIN()
