#ifndef STORE_POSTGRES_WIRE_PG_URL_H
#define STORE_POSTGRES_WIRE_PG_URL_H
/* The address of a database: whether libpq takes it, and its form without the password. */
#include "base/arena.h"
#include "store/postgres/wire/pg_lib.h"

/*
 * ERR_INVALID: not an address; the message holds neither user nor password.  The address
 * itself must not be logged, pg_url_plain() may.
 */
enum err pg_url_check(const struct pg_lib *lib, const char *url, struct error *e) MUST_USE;

/* The password in the address, decoded; absent: none. */
struct str pg_url_password(struct arena *mem, const struct pg_lib *lib, const char *url);

/* All of the address but its secrets, in the form "name='value' ...", for other programs. */
struct str pg_url_without_secrets(struct arena *mem, const struct pg_lib *lib, const char *url);

/* "postgresql://host/database": the address without user, password and parameters. */
struct str pg_url_plain(struct arena *mem, const char *url);

#endif
