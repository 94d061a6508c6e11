/*
 * Keys that clients lend to connections, and that sessions keep.
 *
 * A holder (connection or session) has at most one key per provider.  Holders
 * are few, so lists are searched; the oldest session gives way when there are
 * too many.
 */
#include "provider/keys/key_ring.h"

#include "base/gen/limits.h"
#include "base/list.h"
#include "base/memory.h"
#include "text/redact.h"

#define VARIABLES_MAX 64

struct key_holder {
	struct list node;
	uint64_t connection; /* 0: a session */
	char *session;
	size_t count;
	struct str providers[VARIABLES_MAX]; /* names of the ring */
	struct secret *keys[VARIABLES_MAX];
};

struct key_ring {
	struct credentials port;
	struct arena *mem;
	struct scrub *scrub;
	struct list connections, sessions; /* the oldest first */
	size_t connection_count, session_count;
	size_t variable_count;
	struct str variables[VARIABLES_MAX], providers[VARIABLES_MAX];
};

/* ---- holders ---- */

static void holder_free(struct key_holder *h)
{
	for (size_t i = 0; i < h->count; i++)
		keys_secret_free(h->keys[i]);
	list_remove(&h->node);
	memory_free(h->session);
	memory_free(h);
}

static struct key_holder *find_connection(const struct key_ring *r, uint64_t connection)
{
	LIST_EACH (&r->connections, node) {
		struct key_holder *h = LIST_ITEM(node, struct key_holder, node);

		if (h->connection == connection)
			return h;
	}
	return NULL;
}

static struct key_holder *find_session(const struct key_ring *r, struct str session)
{
	LIST_EACH (&r->sessions, node) {
		struct key_holder *h = LIST_ITEM(node, struct key_holder, node);

		if (str_eq(str_from(h->session), session))
			return h;
	}
	return NULL;
}

static struct key_holder *holder_new(struct list *in, uint64_t connection, struct str session)
{
	struct key_holder *h = memory_zeroed(1, sizeof *h);

	h->connection = connection;
	if (str_is(session)) {
		h->session = memory_zeroed(1, session.len + 1);
		memcpy(h->session, session.ptr, session.len);
	}
	list_add(in, &h->node);
	return h;
}

static const struct secret *key_of(const struct key_holder *h, struct str provider)
{
	for (size_t i = 0; h && i < h->count; i++)
		if (str_eq(h->providers[i], provider))
			return h->keys[i];
	return NULL;
}

/* The key is the holder's from now on. */
static void put_key(struct key_holder *h, struct str provider, struct secret *key)
{
	for (size_t i = 0; i < h->count; i++)
		if (str_eq(h->providers[i], provider)) {
			keys_secret_free(h->keys[i]);
			h->keys[i] = key;
			return;
		}
	h->providers[h->count] = provider;
	h->keys[h->count++] = key;
}

/* ---- the port ---- */

static struct key_ring *ring_of(struct credentials *c)
{
	return OWNER_OF(c, struct key_ring, port);
}

static struct key_holder *connection_of(struct key_ring *r, uint64_t connection)
{
	struct key_holder *h = find_connection(r, connection);

	if (!h && r->connection_count < LIMIT_KEY_HOLDERS) {
		h = holder_new(&r->connections, connection, STR_NONE);
		r->connection_count++;
	}
	return h;
}

static enum err ring_lend(struct credentials *c, uint64_t connection, struct str variable,
                          struct str text, struct error *e)
{
	struct key_ring *r = ring_of(c);
	struct key_holder *h;
	bool is_read = false;

	for (size_t i = 0; i < r->variable_count; i++)
		is_read |= str_eq(r->variables[i], variable);
	if (!is_read)
		return fail(e, ERR_NOT_FOUND, "no provider reads this variable");
	h = connection_of(r, connection);
	if (!h)
		return fail(e, ERR_TOO_LARGE, "too many clients have lent keys");
	for (size_t i = 0; i < r->variable_count; i++) {
		struct secret *key;

		if (!str_eq(r->variables[i], variable))
			continue;
		key = keys_secret_new(text);
		if (!key)
			return fail(e, ERR_INVALID,
			            "this is not a key: one word of visible characters");
		if (r->scrub)
			redact_know(r->scrub, keys_secret_for_header(key));
		put_key(h, r->providers[i], key);
	}
	return OK;
}

static void ring_leave(struct credentials *c, uint64_t connection)
{
	struct key_ring *r = ring_of(c);
	struct key_holder *h = find_connection(r, connection);

	if (!h)
		return;
	holder_free(h);
	r->connection_count--;
}

static void ring_forget(struct credentials *c, struct str session)
{
	struct key_ring *r = ring_of(c);
	struct key_holder *h = find_session(r, session);

	if (!h)
		return;
	holder_free(h);
	r->session_count--;
}

static void ring_bind(struct credentials *c, uint64_t connection, struct str session)
{
	struct key_ring *r = ring_of(c);
	const struct key_holder *from = find_connection(r, connection);
	struct key_holder *to = from ? find_session(r, session) : NULL;

	if (!from)
		return;
	if (!to && r->session_count == LIMIT_KEY_HOLDERS) {
		holder_free(LIST_ITEM(r->sessions.next, struct key_holder, node));
		r->session_count--;
	}
	if (!to) {
		to = holder_new(&r->sessions, 0, session);
		r->session_count++;
	}
	for (size_t i = 0; i < from->count; i++)
		put_key(to, from->providers[i],
		        keys_secret_new(keys_secret_for_header(from->keys[i])));
}

static size_t names_of(const struct key_holder *h, const struct str **ret)
{
	*ret = h ? h->providers : NULL;
	return h ? h->count : 0;
}

static size_t ring_of_session(struct credentials *c, struct str session, const struct str **ret)
{
	return names_of(find_session(ring_of(c), session), ret);
}

static size_t ring_of_connection(struct credentials *c, uint64_t connection, const struct str **ret)
{
	return names_of(find_connection(ring_of(c), connection), ret);
}

/* ---- for providers ---- */

const struct secret *key_ring_of_session(const struct key_ring *r, struct str session,
                                         struct str provider)
{
	return key_of(find_session(r, session), provider);
}

const struct secret *key_ring_of_connection(const struct key_ring *r, uint64_t connection,
                                            struct str provider)
{
	return key_of(find_connection(r, connection), provider);
}

void key_ring_register(struct key_ring *r, struct str provider, struct str variable)
{
	if (!variable.len || r->variable_count == VARIABLES_MAX)
		return;
	r->providers[r->variable_count] = arena_keep(r->mem, provider);
	r->variables[r->variable_count++] = arena_keep(r->mem, variable);
}

struct credentials *key_ring_port(struct key_ring *r)
{
	return &r->port;
}

struct key_ring *key_ring_new(struct scrub *scrub)
{
	static const struct credentials_ops ops = {
		.lend = ring_lend,
		.leave = ring_leave,
		.bind = ring_bind,
		.forget = ring_forget,
		.of_session = ring_of_session,
		.of_connection = ring_of_connection,
	};
	struct key_ring *r = memory_zeroed(1, sizeof *r);

	r->port.ops = &ops;
	r->mem = arena_new();
	r->scrub = scrub;
	list_init(&r->connections);
	list_init(&r->sessions);
	return r;
}

void key_ring_free(struct key_ring *r)
{
	if (!r)
		return;
	while (!list_is_empty(&r->connections))
		holder_free(LIST_ITEM(r->connections.next, struct key_holder, node));
	while (!list_is_empty(&r->sessions))
		holder_free(LIST_ITEM(r->sessions.next, struct key_holder, node));
	arena_free(r->mem);
	memory_free(r);
}
