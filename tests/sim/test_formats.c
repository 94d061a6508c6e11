/*
 * Logs of every format that was ever written are opened by this version: all
 * sessions are whole, and what was open continues.
 *
 * A fixture is the SQL of a log that the code of its time wrote and that was
 * killed (tests/formats/log-format-N.sql, made by make.py there).  A new format
 * comes with a fixture of its own: every format that can be written is opened.
 */
#include "sim.h"

#include "base/json.h"
#include "lib/t.h"
#include "store/sqlite/sqlite_int.h" /* STORE_FORMAT alone */

#include <sqlite3.h>
#include <unistd.h>

static const char script[] =
	"{ \"version\": 1, \"tools\": [ { \"name\": \"careful\", \"policy\": \"ask\", "
	"\"result\": { \"text\": \"done with care\" } } ],"
	"  \"rules\": [ { \"when\": { \"afterTool\": \"careful\" }, \"reply\": { \"text\": "
	"\"it was allowed\" } },"
	"    { \"when\": { \"text\": \"careful\", \"request\": 1 }, \"reply\": { \"toolCalls\": [ "
	"{ \"name\": \"careful\", \"args\": {} } ] } } ],"
	"  \"default\": { \"text\": \"hello there\" } }";

struct house {
	char dir[40], path[64];
	struct sim *sim;
};

static char *read_whole(const char *path)
{
	FILE *f = fopen(path, "re");
	struct buf b = { 0 };
	char part[4096];
	size_t n;

	CHECK(f);
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		buf_add(&b, part, n);
	fclose(f);
	return buf_take(&b, &n);
}

static int64_t sql(const char *path, const char *text)
{
	sqlite3 *db;
	sqlite3_stmt *st;
	int64_t value;

	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_prepare_v2(db, text, -1, &st, NULL), SQLITE_OK);
	CHECK_INT(sqlite3_step(st), SQLITE_ROW);
	value = sqlite3_column_int64(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return value;
}

static void house_open(struct house *h)
{
	h->sim = sim_new(&(struct sim_options){
		.dir = h->dir,
		.script = str_from(script),
		.start_ms = sql(h->path, "SELECT max(at) FROM idx_session") + 1000,
		.seed = 8 });
}

static void house_begin(struct house *h, int format)
{
	char *text;
	char fixture[64];
	sqlite3 *db;

	strcpy(h->dir, "/tmp/thole-format-XXXXXX");
	CHECK(mkdtemp(h->dir));
	snprintf(h->path, sizeof h->path, "%s/log.db", h->dir);
	snprintf(fixture, sizeof fixture, "tests/formats/log-format-%d.sql", format);
	text = read_whole(fixture);
	CHECK_INT(sqlite3_open(h->path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_exec(db, text, NULL, NULL, NULL), SQLITE_OK);
	sqlite3_close(db);
	free(text);
	CHECK_INT(sql(h->path, "PRAGMA user_version"), format);
	house_open(h);
}

static void house_end(struct house *h)
{
	char command[80];

	sim_free(h->sim);
	CHECK_INT(sql(h->path, "PRAGMA user_version"), STORE_FORMAT);
	snprintf(command, sizeof command, "rm -rf %s", h->dir);
	CHECK_INT(system(command), 0);
}

static struct json ask(struct house *h, const char *command, const char *params)
{
	const struct sim_answer *a = sim_call(h->sim, command, params);
	struct json doc;

	CHECK(a->is_done);
	CHECK_INT(a->code, 0);
	CHECK_INT(json_read_trusted(sim_mem(h->sim), a->body, &doc, NULL), OK);
	return doc;
}

static struct json ask_of(struct house *h, const char *command, struct str session,
                          const char *more)
{
	return ask(
		h, command,
		arena_printf(sim_mem(h->sim), "{\"sessionId\":\"%.*s\"%s}", STR_ARG(session), more)
			.ptr);
}

/* Every session is what was chained, also when it is read again. */
static void check_all(struct house *h, size_t least)
{
	struct json list = JSON_GET(ask(h, "list_sessions", "{\"system\":true}"), "sessions"), row;
	struct json_iter it = json_iter(list);
	struct str key;
	size_t count = 0;

	while (json_next(&it, &key, &row)) {
		struct str id = json_str(JSON_GET(row, "sessionId"));

		CHECK_SAME(json_str(JSON_GET(ask_of(h, "verify_log", id, ""), "status")),
		           str_eq(id, STR("trimmed")) ? STR("erased") : STR("whole"));
		CHECK_SAME(json_str(JSON_GET(ask_of(h, "get_session", id, ""), "sessionId")), id);
		count++;
	}
	CHECK(count >= least);
}

static size_t count_of(struct house *h, struct str type, struct str session)
{
	size_t n = 0;

	for (size_t i = 0; i < sim_log(h->sim)->count; i++) {
		struct json doc;

		CHECK_INT(json_read_trusted(sim_mem(h->sim), sim_log(h->sim)->lines[i], &doc, NULL),
		          OK);
		n += str_eq(json_str(JSON_GET(doc, "type")), type) &&
		     str_eq(json_str(JSON_GET(doc, "sessionId")), session);
	}
	return n;
}

/* The settings of a turn of then, which were stored in another place. */
static void check_settings(struct house *h)
{
	struct json page = JSON_GET(
		ask_of(h, "list_events", STR("at-rest"), ",\"types\":[\"turn.submitted\"]"),
		"events");
	struct str ref = json_str(JSON_GET(JSON_GET(json_at(page, 0), "payload"), "configRef"));
	struct json found;

	CHECK(str_is(ref));
	found = ask(h, "get_output",
	            arena_printf(sim_mem(h->sim), "{\"outputRef\":\"%.*s\"}", STR_ARG(ref)).ptr);
	CHECK(str_find(json_str(JSON_GET(found, "text")), STR("\"actionTimeoutMs\"")) > 0);
}

static void check_goes_on(struct house *h)
{
	struct json action;

	/* Said once, and not again. */
	CHECK_INT(count_of(h, STR("task.lost"), STR("at-work")), 1);
	CHECK_INT(count_of(h, STR("history.reconstructed"), STR("asks")), 1);
	/* Answered, and what was queued behind it comes. */
	action = json_at(JSON_GET(ask_of(h, "list_actions", STR("asks"), ",\"status\":\"pending\""),
	                          "actions"),
	                 0);
	CHECK(json_is(action));
	ask_of(h, "respond_action", STR("asks"),
	       arena_printf(sim_mem(h->sim), ",\"actionId\":\"%.*s\",\"decision\":\"allow\"",
	                    STR_ARG(json_str(JSON_GET(action, "actionId"))))
	               .ptr);
	sim_run(h->sim, 5000);
	CHECK_INT(count_of(h, STR("turn.completed"), STR("asks")), 2);
	/* One more turn in an idle session. */
	ask_of(h, "submit_turn", STR("at-rest"), ",\"input\":\"hello again\"");
	sim_run(h->sim, 5000);
	CHECK_INT(count_of(h, STR("turn.completed"), STR("at-rest")), 3);
	CHECK_SAME(json_str(JSON_GET(
			   JSON_GET(ask_of(h, "get_task", STR("tasks"), ",\"taskId\":\"task-1\""),
	                            "task"),
			   "objective")),
	           STR("to be done"));
	CHECK(json_is(json_at(JSON_GET(ask(h, "list_schedules", "{}"), "schedules"), 0)));
	/* The beginning is gone, and the rest is there. */
	CHECK(json_is(JSON_GET(ask_of(h, "list_events", STR("trimmed"), ",\"after\":0"), "gap")));
}

TEST(a_log_of_format_1_is_opened)
{
	struct house h;

	house_begin(&h, 1);
	check_all(&h, 1);
	house_end(&h);
}

TEST(logs_of_formats_2_to_4_are_opened_and_go_on)
{
	for (int format = 2; format <= STORE_FORMAT; format++) {
		struct house h;

		house_begin(&h, format);
		check_all(&h, 5);
		check_settings(&h);
		check_goes_on(&h);
		sim_free(h.sim);
		house_open(&h);
		check_all(&h, 5);
		house_end(&h);
	}
}

/* ---- a new log ---- */

/* Tables with their columns, and indexes, as SQLite understands them; a text, to be freed. */
static char *shape_of(const char *path)
{
	static const char text[] =
		"SELECT group_concat(line, char(10)) FROM (SELECT 'table ' || l.name || ' strict ' "
		"|| "
		"l.strict || ' wr ' || l.wr || (SELECT group_concat(char(10) || '  ' || i.name || "
		"' ' || "
		"i.type || ' ' || i.\"notnull\" || ' ' || coalesce(i.dflt_value, '') || ' ' || "
		"i.pk, '')"
		" FROM pragma_table_xinfo(l.name) i) AS line FROM pragma_table_list l"
		" WHERE l.schema = 'main' AND l.name NOT LIKE 'sqlite%'"
		" UNION ALL SELECT 'index ' || m.name || ' on ' || m.tbl_name || ' ' || "
		"coalesce(m.sql, "
		"(SELECT group_concat(x.name) FROM pragma_index_info(m.name) x))"
		" FROM sqlite_schema m WHERE m.type = 'index' ORDER BY 1)";
	sqlite3 *db;
	sqlite3_stmt *st;
	char *shape;

	CHECK_INT(sqlite3_open(path, &db), SQLITE_OK);
	CHECK_INT(sqlite3_prepare_v2(db, text, -1, &st, NULL), SQLITE_OK);
	CHECK_INT(sqlite3_step(st), SQLITE_ROW);
	shape = strdup((const char *)sqlite3_column_text(st, 0));
	sqlite3_finalize(st);
	sqlite3_close(db);
	return shape;
}

/* It takes no steps, and has the tables that the steps lead to. */
TEST(a_new_log_has_the_tables_of_a_log_that_was_brought_forward)
{
	struct house made = { .dir = "/tmp/thole-format-XXXXXX" };
	char *want, *is;

	CHECK(mkdtemp(made.dir));
	snprintf(made.path, sizeof made.path, "%s/log.db", made.dir);
	made.sim = sim_new(
		&(struct sim_options){ .dir = made.dir, .script = str_from(script), .seed = 8 });
	sim_run(made.sim, 100);
	want = shape_of(made.path);
	CHECK(strstr(want, "table event strict 1") && strstr(want, "  journal BLOB"));
	for (int format = 1; format <= STORE_FORMAT; format++) {
		struct house h;

		house_begin(&h, format);
		is = shape_of(h.path);
		if (strcmp(is, want) != 0)
			printf("# new:\n%s\n# of format %d:\n%s\n", want, format, is);
		CHECK(strcmp(is, want) == 0);
		free(is);
		house_end(&h);
	}
	free(want);
	house_end(&made);
}

TEST_MAIN()
