/* What `thole doctor` says of a PostgreSQL, from readings that are made up. */
#include "lib/t.h"

#include "store/postgres/check/pg_check.h"
#include "store/postgres/pg_schema.h"
#include "store/postgres/postgres.h"

/* A server that is as it should be, with two nodes on it. */
static struct pg_check_readings good(void)
{
	static struct pg_check_table tables[] = { { STR("chunk"), 90 << 20, 1000000, 20000, 60000 },
		                                  { STR("idx"), 5 << 20, 100000, 0, -1 } };

	return (struct pg_check_readings){
		.steps = PG_CHECK_STEPS,
		.place = STR("postgresql://db/thole"),
		.version = 150018,
		.version_text = STR("15.18"),
		.encoding = STR("UTF8"),
		.role = STR("agent"),
		.commit = STR("on"),
		.standby_names = STR(""),
		.statement_timeout = STR("0"),
		.idle_timeout = STR("0"),
		.has_fsync = true,
		.has_full_pages = true,
		.has_autovacuum = true,
		.slots = 97,
		.others = 3,
		.ours = 2 * POSTGRES_CONNECTIONS,
		.role_limit = -1,
		.database_limit = -1,
		.has_schema = true,
		.may_use = true,
		.may_create = true,
		.tables = 17,
		.is_ours = true,
		.schema = STR("thole"),
		.format = PG_SCHEMA_FORMAT,
		.tables_format = PG_SCHEMA_FORMAT,
		.nodes = 2,
		.waiting_ms = -1,
		.skew_ms = 3,
		.trip_ms = 1,
		.items = tables,
		.item_count = COUNT_OF(tables),
		.bytes = 95 << 20,
	};
}

static struct arena *mem;
static struct pg_check_finding found[PG_CHECK_FINDINGS];
static size_t found_count;

static void judge(const struct pg_check_readings *r)
{
	arena_free(mem);
	mem = arena_new();
	found_count = pg_check_judge(mem, r, found);
}

static const struct pg_check_finding *find(const char *id)
{
	const struct pg_check_finding *f = NULL;

	for (size_t i = 0; i < found_count; i++)
		if (strcmp(found[i].id, id) == 0) {
			CHECK(!f); /* each id once */
			f = &found[i];
		}
	return f;
}

static bool has(struct str text, const char *part)
{
	return str_find(text, str_from(part)) >= 0;
}

/* Exactly this one is not ok, and it says these words; the remedy says those. */
static void check_one(const struct pg_check_readings *r, const char *id,
                      enum pg_check_status status, const char *detail, const char *remedy)
{
	const struct pg_check_finding *f;

	judge(r);
	f = find(id);
	CHECK(f && f->status == status);
	if (!has(f->detail, detail) || !has(f->remedy, remedy))
		printf("%.*s / %.*s\n", STR_ARG(f->detail), STR_ARG(f->remedy));
	CHECK(has(f->detail, detail));
	CHECK(has(f->remedy, remedy));
	for (size_t i = 0; i < found_count; i++)
		CHECK(&found[i] == f || found[i].status == PG_CHECK_OK);
}

TEST(a_server_as_it_should_be_has_good_findings_without_a_remedy)
{
	struct pg_check_readings r = good();

	judge(&r);
	CHECK(found_count == 15);
	for (size_t i = 0; i < found_count; i++) {
		CHECK(found[i].status == PG_CHECK_OK);
		CHECK(!str_is(found[i].remedy));
		CHECK(found[i].detail.len > 0);
	}
	CHECK(has(find("store.size")->detail, "95 MiB in 2 tables; the largest is chunk"));
	CHECK(has(find("store.version")->detail, "PostgreSQL 15.18"));
}

TEST(a_server_that_cannot_be_reached_is_one_bad_finding)
{
	struct pg_check_readings r = { .place = STR("postgresql:///thole") };

	(void)fail(&r.failure, ERR_UNAVAILABLE, "store_unreachable: nothing listens. Start it");
	check_one(&r, "store.reach", PG_CHECK_BAD, "store_unreachable: nothing listens",
	          "store-errors.md");
	CHECK(found_count == 1);
}

TEST(a_reply_that_does_not_come_names_what_was_asked_for_and_keeps_what_was_read)
{
	struct pg_check_readings r = good();

	r.steps = PG_CHECK_TABLES;
	r.failed_at = STR("the size of the tables");
	(void)fail(&r.failure, ERR_TIMEOUT, "store_timeout: no reply");
	check_one(&r, "store.reach", PG_CHECK_BAD,
	          "did not answer when asked for the size of the tables", "holds locks");
	CHECK(find("store.transactions") && !find("store.vacuum") && !find("store.size"));
}

TEST(an_error_of_the_server_is_named_with_what_was_asked_for)
{
	struct pg_check_readings r = { .steps = 0, .failed_at = STR("its settings") };

	(void)fail(&r.failure, ERR_UNAVAILABLE, "store_lost: it broke");
	check_one(&r, "store.reach", PG_CHECK_BAD, "asked for its settings: store_lost: it broke",
	          "store-errors.md");
}

TEST(an_old_server_and_another_encoding_are_bad)
{
	struct pg_check_readings r = good();

	r.version = 130011;
	r.version_text = STR("13.11");
	check_one(&r, "store.version", PG_CHECK_BAD, "PostgreSQL 13.11", "14 or later");
	r = good();
	r.encoding = STR("SQL_ASCII");
	check_one(&r, "store.encoding", PG_CHECK_BAD, "SQL_ASCII", "--encoding UTF8");
}

TEST(a_pool_in_transaction_mode_is_bad_unless_the_settings_say_so)
{
	struct pg_check_readings r = good();

	r.pool = PG_POOL_SESSION;
	judge(&r);
	CHECK(find("store.pool")->status == PG_CHECK_OK);
	r.pool = PG_POOL_SHARED;
	check_one(&r, "store.pool", PG_CHECK_BAD, "keeps no session", "store.prepare = false");
	r.is_pooled = true;
	check_one(&r, "store.pool", PG_CHECK_BAD, "no node starts", "store.listen = false");
	r.has_no_hints = true;
	judge(&r);
	CHECK(find("store.pool")->status == PG_CHECK_OK);
}

TEST(commits_that_a_crash_loses_are_bad_unless_durability_is_relaxed)
{
	struct pg_check_readings r = good();

	r.commit = STR("off");
	check_one(&r, "store.durability", PG_CHECK_BAD, "no node starts",
	          "ALTER ROLE \"agent\" SET synchronous_commit = on");
	r.is_relaxed = true;
	judge(&r);
	CHECK(find("store.durability")->status == PG_CHECK_OK);
}

TEST(commits_that_pass_by_a_standby_are_noted)
{
	static struct pg_check_standby there[] = { { STR("one"), STR("sync") } };
	struct pg_check_readings r = good();

	r.standby_names = STR("one");
	r.standbys = there;
	r.standby_count = 1;
	r.commit = STR("local");
	check_one(&r, "store.durability", PG_CHECK_NOTE, "do not wait for one", "= on");
	r.commit = STR("remote_write");
	check_one(&r, "store.durability", PG_CHECK_NOTE, "may lose commits", "= on");
}

TEST(a_server_without_fsync_is_bad_and_one_without_full_pages_noted)
{
	struct pg_check_readings r = good();

	r.has_full_pages = false;
	check_one(&r, "store.fsync", PG_CHECK_NOTE, "full_page_writes = off",
	          "full_page_writes = on");
	r.has_fsync = false;
	check_one(&r, "store.fsync", PG_CHECK_BAD, "fsync = off", "SET fsync = on");
}

TEST(timeouts_of_the_role_are_noted)
{
	struct pg_check_readings r = good();

	r.statement_timeout = STR("5s");
	check_one(&r, "store.timeouts", PG_CHECK_NOTE, "statement_timeout = 5s",
	          "ALTER ROLE \"agent\"");
	r = good();
	r.idle_timeout = STR("1min");
	check_one(&r, "store.timeouts", PG_CHECK_NOTE, "= 1min", "ALTER ROLE");
}

TEST(a_server_has_room_for_the_nodes_that_live)
{
	struct pg_check_readings r = good();

	r.slots = 2 * POSTGRES_CONNECTIONS + r.others;
	judge(&r);
	CHECK(find("store.connections")->status == PG_CHECK_OK);
	r.slots--;
	check_one(&r, "store.connections", PG_CHECK_BAD, "max_connections leaves",
	          "Raise max_connections to");
	r = good();
	r.role_limit = 2 * POSTGRES_CONNECTIONS - 1;
	check_one(&r, "store.connections", PG_CHECK_BAD, "the limit of the role leaves",
	          "CONNECTION LIMIT");
	r.is_super = true; /* limits of roles do not hold for it */
	judge(&r);
	CHECK(find("store.connections")->status == PG_CHECK_OK);
	r = good();
	r.database_limit = 4;
	check_one(&r, "store.connections", PG_CHECK_BAD, "the limit of the database leaves 1",
	          "CONNECTION LIMIT");
}

TEST(a_role_without_rights_gets_the_statement_that_gives_them)
{
	struct pg_check_readings r = good();

	r.may_create = false;
	check_one(&r, "store.rights", PG_CHECK_BAD, "agent may not make tables in the schema thole",
	          "GRANT USAGE, CREATE ON SCHEMA \"thole\" TO \"agent\"");
	r.may_use = false;
	check_one(&r, "store.rights", PG_CHECK_BAD, "agent may not use the schema thole", "GRANT");
	r = good();
	r.unusable = STR("chunk, idx");
	check_one(&r, "store.rights", PG_CHECK_BAD, "read and write: chunk, idx",
	          "ON ALL TABLES IN SCHEMA");
	r = good();
	r.owners = STR("admin");
	check_one(&r, "store.rights", PG_CHECK_NOTE, "tables belong to admin",
	          "REASSIGN OWNED BY \"admin\"");
}

TEST(a_schema_that_is_not_there_yet_is_noted_when_it_can_be_made)
{
	struct pg_check_readings r = good();

	r.has_schema = r.is_ours = false;
	r.tables = r.format = 0;
	r.may_make_schema = true;
	check_one(&r, "store.format", PG_CHECK_NOTE, "has no tables yet", "first start");
	CHECK(find("store.rights")->status == PG_CHECK_OK);
	r.may_make_schema = false;
	judge(&r);
	CHECK(find("store.rights")->status == PG_CHECK_BAD);
	CHECK(has(find("store.rights")->remedy, "CREATE SCHEMA \"thole\" AUTHORIZATION \"agent\""));
}

TEST(tables_of_others_and_of_newer_programs_are_bad_those_of_older_ones_noted)
{
	struct pg_check_readings r = good();

	r.is_ours = false;
	check_one(&r, "store.format", PG_CHECK_BAD, "other tables", "store.schema");
	r = good();
	r.format++;
	check_one(&r, "store.format", PG_CHECK_BAD, "knows formats up to", "newer program");
	r.format = PG_SCHEMA_BESIDE;
	check_one(&r, "store.format", PG_CHECK_NOTE, "may still use them", "with this version");
	r.tables_format = PG_SCHEMA_BESIDE;
	check_one(&r, "store.format", PG_CHECK_NOTE, "this program writes", "while nodes");
	r.format = r.tables_format = PG_SCHEMA_BESIDE - 1;
	check_one(&r, "store.format", PG_CHECK_NOTE, "this program writes", "stop the nodes");
}

/* How synchronous_standby_names may be written; `one` and `two` are connected. */
static void check_standbys(const char *names, enum pg_check_status status, const char *detail)
{
	static struct pg_check_standby there[] = { { STR("one"), STR("sync") },
		                                   { STR("two"), STR_NONE } };
	struct pg_check_readings r = good();
	const struct pg_check_finding *f;

	r.standby_names = str_from(names);
	r.standbys = there;
	r.standby_count = 2;
	judge(&r);
	f = find("store.standbys");
	if (f->status != status || !has(f->detail, detail))
		printf("%s: %.*s\n", names, STR_ARG(f->detail));
	CHECK(f->status == status);
	CHECK(has(f->detail, detail));
}

TEST(standbys_that_commits_wait_for_are_compared_with_those_that_are_connected)
{
	check_standbys("one", PG_CHECK_OK, "1 connected");
	check_standbys("one, two", PG_CHECK_OK, "2 connected");
	check_standbys("ONE", PG_CHECK_OK, "1 connected");
	check_standbys("\"two\"", PG_CHECK_OK, "1 connected");
	check_standbys("*", PG_CHECK_OK, "2 connected");
	check_standbys("2 (one, two)", PG_CHECK_OK, "2 connected");
	check_standbys("ANY 1 (one, far)", PG_CHECK_NOTE, "absent: far");
	check_standbys("far", PG_CHECK_BAD, "absent: far");
	check_standbys("FIRST 2 (one, far, away)", PG_CHECK_BAD, "absent: far, away");
	check_standbys("ANY 3 (*)", PG_CHECK_BAD, "absent: any standby");
}

TEST(an_absent_standby_is_told_with_the_time_since_when_commits_wait)
{
	struct pg_check_readings r = good();

	r.standby_names = STR("far");
	r.waiting = 3;
	r.waiting_ms = 95000;
	check_one(&r, "store.standbys", PG_CHECK_BAD, "commits that wait: 3, since 95 s",
	          "Start the standby");
	r.waiting_ms = -1;
	check_one(&r, "store.standbys", PG_CHECK_BAD, "commits that wait: 3", "Start the standby");
	r.waiting = 0;
	check_one(&r, "store.standbys", PG_CHECK_BAD, "no commit waits at this moment",
	          "pg_reload_conf");
}

TEST(clocks_that_differ_are_told_when_the_trip_does_not_explain_it)
{
	struct pg_check_readings r = good();

	r.skew_ms = 2500;
	check_one(&r, "store.clock", PG_CHECK_BAD, "2500 ms behind the server", "NTP");
	r.skew_ms = -20000;
	check_one(&r, "store.clock", PG_CHECK_BAD, "20000 ms ahead of the server", "NTP");
	r.skew_ms = 2500;
	r.trip_ms = 600;
	judge(&r);
	CHECK(find("store.clock")->status == PG_CHECK_OK);
}

TEST(an_old_transaction_is_named_with_process_user_age_and_application)
{
	struct pg_check_readings r = good();

	r.oldest = (struct pg_check_transaction){ .pid = 77,
		                                  .user = STR("bob"),
		                                  .name = STR("psql"),
		                                  .state = STR("idle in transaction"),
		                                  .age_ms = 59000 };
	judge(&r);
	CHECK(find("store.transactions")->status == PG_CHECK_OK);
	r.oldest.age_ms = 300000;
	check_one(&r, "store.transactions", PG_CHECK_NOTE,
	          "a transaction of bob (process 77, application \"psql\", idle in transaction) is "
	          "open for 5 min",
	          "pg_terminate_backend(77)");
	r.oldest.age_ms = 3 * 3600000;
	check_one(&r, "store.transactions", PG_CHECK_BAD, "open for 3 h", "(77)");
	r.oldest.age_ms = -1;
	r.oldest.state = STR_NONE;
	check_one(&r, "store.transactions", PG_CHECK_NOTE, "not shown",
	          "GRANT pg_monitor TO \"agent\"");
}

TEST(a_transaction_that_nodes_wait_for_is_bad_at_once)
{
	struct pg_check_readings r = good();

	r.oldest = (struct pg_check_transaction){
		.pid = 77, .user = STR("bob"), .name = STR(""), .age_ms = 10, .blocks = true
	};
	check_one(&r, "store.transactions", PG_CHECK_BAD, "and nodes wait for it", "(77)");
	r.oldest.pid = -1;
	r.oldest.name = STR("gid-1");
	check_one(&r, "store.transactions", PG_CHECK_BAD, "the prepared transaction gid-1 of bob",
	          "ROLLBACK PREPARED 'gid-1'");
}

TEST(tables_that_are_not_cleaned_are_named)
{
	static struct pg_check_table tables[] = {
		{ STR("chunk"), 1, 1000, 60000, -1 },
		{ STR("idx"), 1, 1000000, 400000, 7200000 },
		{ STR("idem"), 1, 1000000, 460000, 7200000 },
	};
	struct pg_check_readings r = good();

	r.items = tables;
	r.item_count = COUNT_OF(tables);
	check_one(
		&r, "store.vacuum", PG_CHECK_NOTE,
		"chunk 60000 beside 1000 (cleaned never), idem 460000 beside 1000000 (cleaned 2 h "
		"ago)",
		"VACUUM \"thole\".\"chunk\"");
	tables[1].is_off = true;
	check_one(&r, "store.vacuum", PG_CHECK_BAD, "autovacuum is off for: idx",
	          "RESET (autovacuum_enabled)");
	r.has_autovacuum = false;
	check_one(&r, "store.vacuum", PG_CHECK_BAD, "grow without end", "SET autovacuum = on");
}

TEST_MAIN()
