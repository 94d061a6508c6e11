#ifndef PORTS_CREDENTIALS_H
#define PORTS_CREDENTIALS_H
/*
 * Keys that clients lend.
 *
 *   client ── lend ──► its connection ── bind ──► sessions in which it begins work
 *                         │ leave                    │ forget, or the runtime stops
 *
 * A client of the owner's Unix socket lends the keys of its environment to its
 * connection.  A session keeps the keys of the last connection that began work
 * in it.  Keys stay in memory: no function here returns one, only the provider
 * that a key belongs to can read it.
 *
 * All functions are called on the loop thread.  Connections are numbers that
 * their transport gives out once; 0 is no connection.
 */
#include "base/err.h"
#include "base/str.h"

#include <stdint.h>

struct credentials;
struct credentials_ops {
	/*
	 * The key of the provider that reads this environment variable; the text is copied.
	 * ERR_NOT_FOUND: no provider reads it; ERR_INVALID: the text is no key; ERR_TOO_LARGE.
	 */
	enum err (*lend)(struct credentials *c, uint64_t connection, struct str variable,
	                 struct str key, struct error *e);
	/* The connection has ended. */
	void (*leave)(struct credentials *c, uint64_t connection);
	void (*bind)(struct credentials *c, uint64_t connection, struct str session);
	void (*forget)(struct credentials *c, struct str session);
	/* Providers whose key was lent; the array lives until the next call. */
	size_t (*of_session)(struct credentials *c, struct str session, const struct str **ret);
	size_t (*of_connection)(struct credentials *c, uint64_t connection, const struct str **ret);
};
struct credentials {
	const struct credentials_ops *ops;
};

#endif
