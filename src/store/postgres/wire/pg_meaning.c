/* Tables of SQLSTATEs and of words: what each means, its code and its remedy. */
#include "store/postgres/wire/pg_meaning.h"

#include "base/util.h"

#define LOGIN "Check user, password and pg_hba.conf; a password may be in ~/.pgpass or PGPASSWORD"

static const struct pg_meaning login = { ERR_UNAVAILABLE, "store_login", LOGIN };
static const struct pg_meaning crowded = { ERR_UNAVAILABLE, "store_connections",
	                                   "Raise max_connections; a node needs six" };
static const struct pg_meaning shutdown = {
	ERR_UNAVAILABLE, "store_shutdown",
	"The server is being stopped or started. Start it if it stays away"
};
static const struct pg_meaning read_only = { ERR_UNAVAILABLE, "store_read_only",
	                                     "Use the primary, not a standby" };
static const struct pg_meaning unreachable = {
	ERR_UNAVAILABLE, "store_unreachable",
	"Check host, port and database, and that the server runs"
};
static const struct pg_meaning lost = { ERR_UNAVAILABLE, "store_lost",
	                                "The connection to PostgreSQL broke" };
static const struct pg_meaning full = { ERR_UNAVAILABLE, "store_full",
	                                "Free disk space on the database server" };
static const struct pg_meaning resources = {
	ERR_UNAVAILABLE, "store_resources",
	"The database server lacks memory or another resource; see its log"
};
static const struct pg_meaning rights = {
	ERR_UNAVAILABLE, "store_rights",
	"Let an administrator run: CREATE SCHEMA thole AUTHORIZATION user"
};
static const struct pg_meaning no_database = { ERR_UNAVAILABLE, "store_unreachable",
	                                       "Create the database: createdb NAME" };
static const struct pg_meaning timeout = {
	ERR_UNAVAILABLE, "store_timeout",
	"A statement was cancelled. Look for who cancels statements of this role"
};
static const struct pg_meaning busy = { ERR_UNAVAILABLE, "store_busy",
	                                "Another transaction was in the way" };
/* pg_slice.c divides by zero to end a transaction that another node was faster than. */
static const struct pg_meaning raced = { ERR_UNAVAILABLE, "store_busy", "Another node was faster" };
static const struct pg_meaning server = {
	ERR_UNAVAILABLE, "store_server",
	"The system of the database server reports an error; see its log and its disk"
};
static const struct pg_meaning value = { ERR_INVALID, "store_value",
	                                 "This is a fault of thole; please report it" };

/*
 * All of a SQLSTATE, or how it begins; the first that fits counts
 * (https://www.postgresql.org/docs/current/errcodes-appendix.html).
 */
static const struct {
	const char *state;
	const struct pg_meaning *means;
} states[] = {
	{ "53100", &full },      { "53300", &crowded },     { "53", &resources },
	{ "28", &login },        { "3D000", &no_database }, { "42501", &rights },
	{ "25006", &read_only }, { "57014", &timeout },     { "57P01", &shutdown },
	{ "57P02", &shutdown },  { "57P03", &shutdown },    { "57P04", &no_database },
	{ "57P05", &lost },      { "08", &lost },           { "40", &busy },
	{ "22012", &raced },     { "55P03", &busy },        { "58", &server },
	{ "22", &value },
};

/* In this order: a wrong password counts more than another host that does not answer. */
static const struct {
	const char *words;
	const struct pg_meaning *means;
} connects[] = {
	{ "authentication failed", &login },
	{ "no pg_hba.conf entry", &login },
	{ "no password supplied", &login },
	{ "too many clients", &crowded },
	{ "too many connections", &crowded },
	{ "remaining connection slots", &crowded },
	{ "is shutting down", &shutdown },
	{ "is starting up", &shutdown },
	{ "not yet accepting connections", &shutdown },
	{ "not accepting connections", &shutdown },
	{ "in recovery mode", &shutdown },
	{ "session is read-only", &read_only },
	{ "in hot standby mode", &read_only },
};

const struct pg_meaning *pg_meaning_of_state(const char *sqlstate)
{
	for (size_t i = 0; sqlstate && i < COUNT_OF(states); i++)
		if (str_starts(str_from(sqlstate), str_from(states[i].state)))
			return states[i].means;
	return NULL;
}

bool pg_meaning_ends_connection(const char *sqlstate)
{
	return sqlstate && str_starts(str_from(sqlstate), STR("57P"));
}

const struct pg_meaning *pg_meaning_of_words(struct str words)
{
	for (size_t i = 0; i < COUNT_OF(connects); i++)
		if (str_find(words, str_from(connects[i].words)) >= 0)
			return connects[i].means;
	return &unreachable;
}
