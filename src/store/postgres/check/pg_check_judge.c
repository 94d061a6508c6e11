/*
 * From what was read of a server to findings: what is well, what to know, and what to change.
 *
 * Pure.  A detail says what is so and what follows from it, a remedy what to do.
 */
#include "store/postgres/check/pg_check.h"

#include "base/gen/limits.h"
#include "store/postgres/pg_schema.h"
#include "store/postgres/postgres.h"

#include <strings.h>

#define LEAST_VERSION 140000
#define OLD_NOTE_MS 60000
#define OLD_BAD_MS 600000
/* Twice of what autovacuum leaves by default, in tables where it matters. */
#define DEAD_ROWS 50000
#define DEAD_PART(live) ((live)*2 / 5)
#define STANDBYS_MAX 32

struct judging {
	struct arena *mem;
	const struct pg_check_readings *r;
	struct pg_check_finding *to;
	size_t count;
};

static void add(struct judging *j, const char *id, enum pg_check_status status, struct str detail,
                struct str remedy)
{
	assert(j->count < PG_CHECK_FINDINGS);
	j->to[j->count++] = (struct pg_check_finding){ id, status, detail, remedy };
}

static void ok(struct judging *j, const char *id, struct str detail)
{
	add(j, id, PG_CHECK_OK, detail, STR_NONE);
}

static bool was_read(const struct judging *j, enum pg_check_step step)
{
	return j->r->steps > (size_t)step;
}

static bool is(struct str s, const char *word)
{
	return str_eq(s, str_from(word));
}

/* "90 s", "15 min", "3 h"; whole units, rounded down. */
static struct str time_text(struct arena *mem, int64_t ms)
{
	int64_t s = ms / 1000;

	if (s < 120)
		return arena_printf(mem, "%lld s", (long long)s);
	if (s < 7200)
		return arena_printf(mem, "%lld min", (long long)(s / 60));
	return arena_printf(mem, "%lld h", (long long)(s / 3600));
}

static struct str size_text(struct arena *mem, int64_t bytes)
{
	if (bytes < (int64_t)10 << 20)
		return arena_printf(mem, "%lld KiB", (long long)(bytes >> 10));
	if (bytes < (int64_t)10 << 30)
		return arena_printf(mem, "%lld MiB", (long long)(bytes >> 20));
	return arena_printf(mem, "%lld GiB", (long long)(bytes >> 30));
}

/* ---- the server and its settings ---- */

/* The message begins with a code of docs/reference/store-errors.md and has its remedy. */
static void judge_reach(struct judging *j)
{
	const struct pg_check_readings *r = j->r;
	struct str why = arena_keep(j->mem, str_from(r->failure.message));

	if (!r->failure.code)
		ok(j, "store.reach", arena_printf(j->mem, "%.*s answers", STR_ARG(r->place)));
	else if (!str_is(r->failed_at))
		add(j, "store.reach", PG_CHECK_BAD, why,
		    STR("docs/reference/store-errors.md describes this code."));
	else if (r->failure.code == ERR_TIMEOUT)
		add(j, "store.reach", PG_CHECK_BAD,
		    arena_printf(j->mem,
		                 "%.*s took the connection and did not answer when asked for "
		                 "%.*s",
		                 STR_ARG(r->place), STR_ARG(r->failed_at)),
		    STR("Look at the load of the server, and in pg_stat_activity for who holds "
		        "locks."));
	else
		add(j, "store.reach", PG_CHECK_BAD,
		    arena_printf(j->mem, "asked for %.*s: %.*s", STR_ARG(r->failed_at),
		                 STR_ARG(why)),
		    STR("docs/reference/store-errors.md describes this code."));
}

static void judge_version(struct judging *j)
{
	struct str text = arena_printf(j->mem, "PostgreSQL %.*s", STR_ARG(j->r->version_text));

	if (j->r->version < LEAST_VERSION)
		add(j, "store.version", PG_CHECK_BAD, text,
		    STR("Upgrade the server to PostgreSQL 14 or later."));
	else
		ok(j, "store.version", text);
}

static void judge_pool(struct judging *j)
{
	const struct pg_check_readings *r = j->r;

	if (r->pool == PG_POOL_NONE)
		ok(j, "store.pool", STR("there is none; the address leads to the server itself"));
	else if (r->pool == PG_POOL_SESSION)
		ok(j, "store.pool", STR("a pool in session mode is between"));
	else if (r->is_pooled && r->has_no_hints)
		ok(j, "store.pool",
		   STR("a pool in transaction mode is between, as the settings say"));
	else
		add(j, "store.pool", PG_CHECK_BAD,
		    STR("a pool in transaction mode is between, which keeps no session: no node "
		        "starts"),
		    STR("Set store.prepare = false and store.listen = false, or use a pool in "
		        "session mode."));
}

static void judge_encoding(struct judging *j)
{
	if (is(j->r->encoding, "UTF8"))
		ok(j, "store.encoding", STR("UTF8"));
	else
		add(j, "store.encoding", PG_CHECK_BAD,
		    arena_printf(j->mem, "the database has the encoding %.*s, and UTF8 is needed",
		                 STR_ARG(j->r->encoding)),
		    STR("Make another one: createdb --template template0 --encoding UTF8 NAME"));
}

/* Whether a commit waits for a standby. */
static bool waits_for_standbys(const struct pg_check_readings *r)
{
	return str_is(r->standby_names) && r->standby_names.len && !r->is_relaxed &&
	       !is(r->commit, "off") && !is(r->commit, "local");
}

static void judge_commit(struct judging *j)
{
	const struct pg_check_readings *r = j->r;
	struct str now = arena_printf(j->mem, "synchronous_commit = %.*s", STR_ARG(r->commit));

	if (r->is_relaxed)
		ok(j, "store.durability",
		   STR("durability = relaxed: the last commits may be lost in a crash of the "
		       "server"));
	else if (is(r->commit, "off"))
		add(j, "store.durability", PG_CHECK_BAD,
		    arena_printf(j->mem,
		                 "%.*s: a crash loses acknowledged events, and no node starts",
		                 STR_ARG(now)),
		    arena_printf(j->mem,
		                 "ALTER ROLE \"%.*s\" SET synchronous_commit = on; or set "
		                 "durability = relaxed.",
		                 STR_ARG(r->role)));
	else if (r->standby_names.len && !waits_for_standbys(r))
		add(j, "store.durability", PG_CHECK_NOTE,
		    arena_printf(j->mem, "%.*s: commits do not wait for %.*s", STR_ARG(now),
		                 STR_ARG(r->standby_names)),
		    arena_printf(j->mem, "ALTER ROLE \"%.*s\" SET synchronous_commit = on;",
		                 STR_ARG(r->role)));
	else if (is(r->commit, "remote_write"))
		add(j, "store.durability", PG_CHECK_NOTE,
		    arena_printf(j->mem,
		                 "%.*s: the standby may lose commits when its system crashes",
		                 STR_ARG(now)),
		    arena_printf(j->mem, "ALTER ROLE \"%.*s\" SET synchronous_commit = on;",
		                 STR_ARG(r->role)));
	else
		ok(j, "store.durability",
		   waits_for_standbys(r)
		           ? arena_printf(j->mem, "%.*s: commits wait for %.*s", STR_ARG(now),
		                          STR_ARG(r->standby_names))
		           : arena_printf(j->mem, "%.*s: a commit is on this one server",
		                          STR_ARG(now)));
}

static void judge_disk(struct judging *j)
{
	if (!j->r->has_fsync)
		add(j, "store.fsync", PG_CHECK_BAD,
		    STR("fsync = off: a power cut may damage the whole database"),
		    STR("ALTER SYSTEM SET fsync = on; SELECT pg_reload_conf();"));
	else if (!j->r->has_full_pages)
		add(j, "store.fsync", PG_CHECK_NOTE,
		    STR("full_page_writes = off: a power cut may damage pages, unless the file "
		        "system writes them whole"),
		    STR("ALTER SYSTEM SET full_page_writes = on; SELECT pg_reload_conf();"));
	else
		ok(j, "store.fsync", STR("fsync and full_page_writes are on"));
}

static bool is_set(struct str timeout)
{
	return str_is(timeout) && !is(timeout, "0");
}

/* Nodes turn them off for their own connections; what else runs as this role is cut short. */
static void judge_timeouts(struct judging *j)
{
	const struct pg_check_readings *r = j->r;

	if (!is_set(r->statement_timeout) && !is_set(r->idle_timeout))
		ok(j, "store.timeouts", STR("the role has none"));
	else
		add(j, "store.timeouts", PG_CHECK_NOTE,
		    arena_printf(j->mem,
		                 "statement_timeout = %.*s, idle_in_transaction_session_timeout = "
		                 "%.*s: nodes turn them off for themselves, but backups by the "
		                 "role %.*s may be cut short",
		                 STR_ARG(r->statement_timeout), STR_ARG(r->idle_timeout),
		                 STR_ARG(r->role)),
		    arena_printf(j->mem, "ALTER ROLE \"%.*s\" SET statement_timeout = 0;",
		                 STR_ARG(r->role)));
}

/* ---- connections ---- */

/* Who sets the lowest limit that is too low; NULL: there is room. */
static const char *short_of(const struct pg_check_readings *r, int64_t need, int64_t *ret_has)
{
	const struct {
		const char *name;
		int64_t has;
		bool counts;
	} limits[] = {
		{ "max_connections", r->slots - r->others, true },
		{ "the limit of the role", r->role_limit, r->role_limit >= 0 && !r->is_super },
		{ "the limit of the database", r->database_limit - r->others,
		  r->database_limit >= 0 && !r->is_super },
	};

	for (size_t i = 0; i < COUNT_OF(limits); i++)
		if (limits[i].counts && limits[i].has < need) {
			*ret_has = MAX(0, limits[i].has);
			return limits[i].name;
		}
	return NULL;
}

static struct str need_text(struct judging *j, int64_t nodes, int64_t need)
{
	return nodes == 1 ? arena_printf(j->mem, "one node needs %lld", (long long)need)
	                  : arena_printf(j->mem, "%lld nodes need %lld", (long long)nodes,
	                                 (long long)need);
}

static void judge_connections(struct judging *j)
{
	const struct pg_check_readings *r = j->r;
	int64_t nodes = was_read(j, PG_CHECK_NODES) ? r->nodes : 1;
	int64_t need = nodes * POSTGRES_CONNECTIONS, has = 0;
	const char *who = short_of(r, need, &has);
	struct str needs = need_text(j, nodes, need);

	if (who)
		add(j, "store.connections", PG_CHECK_BAD,
		    arena_printf(j->mem,
		                 "%.*s connections, and %s leaves %lld; %lld are in use by other "
		                 "programs",
		                 STR_ARG(needs), who, (long long)has, (long long)r->others),
		    str_starts(str_from(who), STR("max"))
		            ? arena_printf(j->mem,
		                           "Raise max_connections to %lld or more and restart the "
		                           "server.",
		                           (long long)(need + r->others + 10))
		            : STR("Raise it: ALTER ROLE or ALTER DATABASE … CONNECTION LIMIT."));
	else
		ok(j, "store.connections",
		   arena_printf(j->mem, "%lld of %lld are in use; %.*s",
		                (long long)(r->others + r->ours), (long long)r->slots,
		                STR_ARG(needs)));
}

/* ---- rights and tables ---- */

static struct str grant_text(struct judging *j)
{
	return arena_printf(
		j->mem,
		"As the owner: GRANT USAGE, CREATE ON SCHEMA \"%.*s\" TO \"%.*s\"; GRANT "
		"SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \"%.*s\" TO "
		"\"%.*s\";",
		STR_ARG(j->r->schema), STR_ARG(j->r->role), STR_ARG(j->r->schema),
		STR_ARG(j->r->role));
}

static void judge_missing_schema(struct judging *j)
{
	const struct pg_check_readings *r = j->r;

	if (r->may_make_schema)
		ok(j, "store.rights", STR("the role may make the schema"));
	else
		add(j, "store.rights", PG_CHECK_BAD,
		    arena_printf(j->mem, "there is no schema %.*s, and %.*s may not make one",
		                 STR_ARG(r->schema), STR_ARG(r->role)),
		    arena_printf(
			    j->mem,
			    "As an administrator: CREATE SCHEMA \"%.*s\" AUTHORIZATION \"%.*s\";",
			    STR_ARG(r->schema), STR_ARG(r->role)));
}

static void judge_rights(struct judging *j)
{
	const struct pg_check_readings *r = j->r;

	if (!r->has_schema)
		judge_missing_schema(j);
	else if (!r->may_use || !r->may_create)
		add(j, "store.rights", PG_CHECK_BAD,
		    arena_printf(j->mem, "%.*s may not %s the schema %.*s", STR_ARG(r->role),
		                 r->may_use ? "make tables in" : "use", STR_ARG(r->schema)),
		    grant_text(j));
	else if (str_is(r->unusable))
		add(j, "store.rights", PG_CHECK_BAD,
		    arena_printf(j->mem, "%.*s may not read and write: %.*s", STR_ARG(r->role),
		                 STR_ARG(r->unusable)),
		    grant_text(j));
	else if (str_is(r->owners))
		add(j, "store.rights", PG_CHECK_NOTE,
		    arena_printf(j->mem,
		                 "tables belong to %.*s: a newer version cannot change them as "
		                 "%.*s",
		                 STR_ARG(r->owners), STR_ARG(r->role)),
		    arena_printf(j->mem,
		                 "REASSIGN OWNED BY \"%.*s\" TO \"%.*s\"; or use that role.",
		                 STR_ARG(r->owners), STR_ARG(r->role)));
	else
		ok(j, "store.rights",
		   arena_printf(j->mem, "%.*s may read and write the schema %.*s", STR_ARG(r->role),
		                STR_ARG(r->schema)));
}

static void judge_format(struct judging *j)
{
	const struct pg_check_readings *r = j->r;

	if (!r->has_schema || !r->tables)
		add(j, "store.format", PG_CHECK_NOTE,
		    arena_printf(j->mem, "the schema %.*s has no tables yet", STR_ARG(r->schema)),
		    STR("They are made at the first start."));
	else if (!r->is_ours)
		add(j, "store.format", PG_CHECK_BAD,
		    arena_printf(j->mem,
		                 "the schema %.*s holds other tables than this program's, or they "
		                 "cannot be read",
		                 STR_ARG(r->schema)),
		    STR("Choose another name with the setting store.schema, or grant rights on "
		        "the table store."));
	else if (r->format > PG_SCHEMA_FORMAT)
		add(j, "store.format", PG_CHECK_BAD,
		    arena_printf(j->mem,
		                 "the tables have format %lld, and this program knows formats up "
		                 "to %d",
		                 (long long)r->format, PG_SCHEMA_FORMAT),
		    STR("Use the newer program that wrote them."));
	else if (r->tables_format < PG_SCHEMA_FORMAT)
		add(j, "store.format", PG_CHECK_NOTE,
		    arena_printf(j->mem, "the tables have format %lld, this program writes %d",
		                 (long long)r->tables_format, PG_SCHEMA_FORMAT),
		    r->tables_format >= PG_SCHEMA_BESIDE
		            ? STR("The next start changes them, while nodes of the version before "
		                  "work.")
		            : STR("The next start changes them; stop the nodes of older versions "
		                  "first."));
	else if (r->format < PG_SCHEMA_FORMAT)
		add(j, "store.format", PG_CHECK_NOTE,
		    arena_printf(j->mem,
		                 "the tables have format %d, and nodes that know format %lld may "
		                 "still use them",
		                 PG_SCHEMA_FORMAT, (long long)r->format),
		    STR("That ends when the last of them has ended: start them with this "
		        "version."));
	else
		ok(j, "store.format",
		   arena_printf(j->mem, "format %lld, as this program writes it",
		                (long long)r->format));
}

/* ---- standbys ---- */

/* synchronous_standby_names: how many of which names a commit waits for. */
struct wanted {
	int64_t count;
	struct str names[STANDBYS_MAX];
	size_t name_count;
	bool is_any_name; /* * stands for every standby */
};

/* "name", or "a quoted ""name"""; PostgreSQL compares names without regard to case. */
static struct str unquoted(struct str s)
{
	s = str_trim(s);
	return s.len >= 2 && s.ptr[0] == '"' ? str_head(str_skip(s, 1), s.len - 2) : s;
}

/* "a, b", "2 (a, b)", "FIRST 2 (a, b)", "ANY 1 (a, b)", "*" */
static struct wanted read_names(struct str text)
{
	struct wanted w = { .count = 1 };
	struct str head = str_cut(&text, '('), list = text, word;

	if (!str_is(list) || !list.len) {
		list = head;
	} else {
		head = str_trim(head);
		word = str_cut(&head, ' ');
		(void)!str_to_i64(str_trim(head.len ? head : word), &w.count);
		list = str_cut(&list, ')');
	}
	while (str_is(list) && list.len && w.name_count < STANDBYS_MAX) {
		struct str name = unquoted(str_cut(&list, ','));

		w.is_any_name |= is(name, "*");
		w.names[w.name_count++] = name;
	}
	return w;
}

static bool is_connected(const struct pg_check_readings *r, struct str name)
{
	for (size_t i = 0; i < r->standby_count; i++)
		if (r->standbys[i].name.len == name.len &&
		    strncasecmp(r->standbys[i].name.ptr, name.ptr, name.len) == 0)
			return true;
	return false;
}

/* The names that are not connected, joined. */
static struct str absent_names(struct judging *j, const struct wanted *w, int64_t *ret_there)
{
	struct str text = STR("");

	*ret_there = 0;
	for (size_t i = 0; i < w->name_count; i++) {
		if (is_connected(j->r, w->names[i]))
			++*ret_there;
		else
			text = arena_printf(j->mem, "%.*s%s%.*s", STR_ARG(text),
			                    text.len ? ", " : "", STR_ARG(w->names[i]));
	}
	if (w->is_any_name) {
		*ret_there = (int64_t)j->r->standby_count;
		text = STR("any standby");
	}
	return text;
}

static struct str since_text(struct judging *j)
{
	const struct pg_check_readings *r = j->r;

	if (!r->waiting)
		return STR("no commit waits at this moment");
	if (r->waiting_ms < 0)
		return arena_printf(j->mem, "commits that wait: %lld", (long long)r->waiting);
	return arena_printf(j->mem, "commits that wait: %lld, since %.*s", (long long)r->waiting,
	                    STR_ARG(time_text(j->mem, r->waiting_ms)));
}

static void judge_wanted(struct judging *j)
{
	struct wanted w = read_names(j->r->standby_names);
	int64_t there;
	struct str absent = absent_names(j, &w, &there);

	if (there < w.count)
		add(j, "store.standbys", PG_CHECK_BAD,
		    arena_printf(j->mem,
		                 "absent: %.*s; synchronous_standby_names = %.*s wants %lld, and "
		                 "%lld are connected; %.*s",
		                 STR_ARG(absent), STR_ARG(j->r->standby_names), (long long)w.count,
		                 (long long)there, STR_ARG(since_text(j))),
		    STR("Start the standby, or change synchronous_standby_names and run SELECT "
		        "pg_reload_conf(); until then nothing is acknowledged."));
	else if (absent.len && !w.is_any_name)
		add(j, "store.standbys", PG_CHECK_NOTE,
		    arena_printf(j->mem, "absent: %.*s; commits wait for %lld others",
		                 STR_ARG(absent), (long long)w.count),
		    STR("Start it again: when one more is lost, commits wait."));
	else
		ok(j, "store.standbys",
		   arena_printf(j->mem, "%lld connected that commits may wait for",
		                (long long)there));
}

static void judge_standbys(struct judging *j)
{
	if (waits_for_standbys(j->r))
		judge_wanted(j);
	else
		ok(j, "store.standbys",
		   arena_printf(j->mem, "commits wait for none; %zu are connected",
		                j->r->standby_count));
}

/* ---- clock, transactions, tables ---- */

static void judge_clock(struct judging *j)
{
	int64_t off = j->r->skew_ms < 0 ? -j->r->skew_ms : j->r->skew_ms;
	int64_t surely = MAX(0, off - j->r->trip_ms);
	struct str text = arena_printf(j->mem, "this machine is %lld ms %s the server",
	                               (long long)off, j->r->skew_ms > 0 ? "behind" : "ahead of");

	if (surely <= LIMIT_NODE_CLOCK_OFF_MS)
		ok(j, "store.clock",
		   arena_printf(j->mem, "that of the server, within %lld ms",
		                (long long)(off + j->r->trip_ms)));
	else
		add(j, "store.clock", PG_CHECK_BAD, text,
		    STR("Synchronise both clocks (NTP). Until then a node here gives new work to "
		        "others."));
}

static struct str transaction_text(struct judging *j, const struct pg_check_transaction *t)
{
	struct str who =
		t->pid < 0 ? arena_printf(j->mem, "the prepared transaction %.*s of %.*s",
	                                  STR_ARG(t->name), STR_ARG(t->user))
			   : arena_printf(j->mem,
	                                  "a transaction of %.*s (process %lld, "
	                                  "application \"%.*s\", %.*s)",
	                                  STR_ARG(t->user), (long long)t->pid, STR_ARG(t->name),
	                                  STR_ARG(str_is(t->state) ? t->state : STR("not shown")));

	if (t->age_ms < 0)
		return arena_printf(j->mem, "%.*s, whose age this role is not shown", STR_ARG(who));
	return arena_printf(j->mem, "%.*s is open for %.*s", STR_ARG(who),
	                    STR_ARG(time_text(j->mem, t->age_ms)));
}

static void judge_transactions(struct judging *j)
{
	const struct pg_check_transaction *t = &j->r->oldest;
	struct str text = t->pid ? transaction_text(j, t) : STR_NONE;
	struct str end =
		t->pid < 0 ? arena_printf(j->mem, "ROLLBACK PREPARED '%.*s';", STR_ARG(t->name))
			   : arena_printf(j->mem,
	                                  "Let its program end it, or run: SELECT "
	                                  "pg_terminate_backend(%lld);",
	                                  (long long)t->pid);

	if (!t->pid || (!t->blocks && t->age_ms >= 0 && t->age_ms < OLD_NOTE_MS))
		ok(j, "store.transactions", STR("no other transaction is open for long"));
	else if (t->blocks)
		add(j, "store.transactions", PG_CHECK_BAD,
		    arena_printf(j->mem, "%.*s, and nodes wait for it", STR_ARG(text)), end);
	else if (t->age_ms < 0)
		add(j, "store.transactions", PG_CHECK_NOTE, text,
		    arena_printf(j->mem, "To see it: GRANT pg_monitor TO \"%.*s\";",
		                 STR_ARG(j->r->role)));
	else
		add(j, "store.transactions", t->age_ms < OLD_BAD_MS ? PG_CHECK_NOTE : PG_CHECK_BAD,
		    arena_printf(j->mem, "%.*s: rows that were removed since stay on disk",
		                 STR_ARG(text)),
		    end);
}

static bool is_bloated(const struct pg_check_table *t)
{
	return t->dead > DEAD_ROWS + DEAD_PART(t->live);
}

static struct str joined(struct judging *j, struct str list, struct str item)
{
	return arena_printf(j->mem, "%.*s%s%.*s", STR_ARG(list), list.len ? ", " : "",
	                    STR_ARG(item));
}

static void judge_vacuum(struct judging *j)
{
	const struct pg_check_readings *r = j->r;
	struct str off = STR(""), dead = STR(""), first = STR("");

	for (size_t i = 0; i < r->item_count; i++) {
		const struct pg_check_table *t = &r->items[i];

		if (t->is_off)
			off = joined(j, off, t->name);
		if (!is_bloated(t))
			continue;
		first = first.len ? first : t->name;
		dead = joined(
			j, dead,
			arena_printf(
				j->mem, "%.*s %lld beside %lld (cleaned %.*s)", STR_ARG(t->name),
				(long long)t->dead, (long long)t->live,
				STR_ARG(t->cleaned_ms < 0
		                                ? STR("never")
		                                : arena_printf(j->mem, "%.*s ago",
		                                               STR_ARG(time_text(
								       j->mem, t->cleaned_ms))))));
	}
	if (!r->has_autovacuum)
		add(j, "store.vacuum", PG_CHECK_BAD,
		    STR("autovacuum or track_counts is off: tables grow without end"),
		    STR("ALTER SYSTEM SET autovacuum = on; ALTER SYSTEM SET track_counts = on; "
		        "SELECT pg_reload_conf();"));
	else if (off.len)
		add(j, "store.vacuum", PG_CHECK_BAD,
		    arena_printf(j->mem, "autovacuum is off for: %.*s", STR_ARG(off)),
		    arena_printf(j->mem, "ALTER TABLE \"%.*s\".NAME RESET (autovacuum_enabled);",
		                 STR_ARG(r->schema)));
	else if (dead.len)
		add(j, "store.vacuum", PG_CHECK_NOTE,
		    arena_printf(j->mem, "dead rows: %.*s", STR_ARG(dead)),
		    arena_printf(
			    j->mem,
			    "See whether an old transaction or a slow autovacuum is the cause; "
			    "then run: VACUUM \"%.*s\".\"%.*s\";",
			    STR_ARG(r->schema), STR_ARG(first)));
	else
		ok(j, "store.vacuum", STR("autovacuum is on, and few dead rows are left"));
}

static void judge_size(struct judging *j)
{
	const struct pg_check_readings *r = j->r;
	struct str largest = r->item_count
	                             ? arena_printf(j->mem, "; the largest is %.*s with %.*s",
	                                            STR_ARG(r->items[0].name),
	                                            STR_ARG(size_text(j->mem, r->items[0].bytes)))
	                             : STR("");

	ok(j, "store.size",
	   arena_printf(j->mem, "%.*s in %zu tables%.*s", STR_ARG(size_text(j->mem, r->bytes)),
	                r->item_count, STR_ARG(largest)));
}

/* ---- all of them ---- */

size_t pg_check_judge(struct arena *mem, const struct pg_check_readings *r,
                      struct pg_check_finding ret[PG_CHECK_FINDINGS])
{
	static const struct {
		void (*judge)(struct judging *j);
		enum pg_check_step of;
	} all[] = {
		{ judge_version, PG_CHECK_SERVER },
		{ judge_pool, PG_CHECK_POOL },
		{ judge_encoding, PG_CHECK_SERVER },
		{ judge_commit, PG_CHECK_SERVER },
		{ judge_disk, PG_CHECK_SERVER },
		{ judge_timeouts, PG_CHECK_SERVER },
		{ judge_connections, PG_CHECK_CONNECTIONS },
		{ judge_rights, PG_CHECK_RIGHTS },
		{ judge_format, PG_CHECK_RIGHTS },
		{ judge_standbys, PG_CHECK_STANDBYS },
		{ judge_clock, PG_CHECK_CLOCK },
		{ judge_transactions, PG_CHECK_TRANSACTIONS },
		{ judge_vacuum, PG_CHECK_TABLES },
		{ judge_size, PG_CHECK_TABLES },
	};
	struct judging j = { .mem = mem, .r = r, .to = ret };

	judge_reach(&j);
	for (size_t i = 0; i < COUNT_OF(all); i++)
		if (was_read(&j, all[i].of))
			all[i].judge(&j);
	return j.count;
}
