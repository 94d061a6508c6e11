/*
 * Keys that clients lend to connections, and that sessions keep.
 *
 * A holder (connection or session) has at most one text per variable of a
 * provider.  Holders are few, so lists are searched; the oldest session gives
 * way when there are too many.
 */
#include "provider/keys/key_ring.h"

#include "base/gen/limits.h"
#include "base/list.h"
#include "base/memory.h"
#include "text/redact.h"

#define VARIABLES_MAX 128

struct key_holder {
	struct list node;
	uint64_t connection; /* 0: a session */
	char *session;
	struct secret *lent[VARIABLES_MAX]; /* by the ring's variables; NULL: not lent */
	struct str providers[VARIABLES_MAX];
	size_t provider_count; /* those with a credential */
};

struct key_variable {
	struct str provider, name;
	enum key_kind kind;
};

struct key_ring {
	struct credentials port;
	struct arena *mem;
	struct scrub *scrub;
	struct list connections, sessions; /* the oldest first */
	size_t connection_count, session_count;
	size_t variable_count;
	struct key_variable variables[VARIABLES_MAX];
};

/* ---- holders ---- */

static bool is_secret(enum key_kind kind)
{
	return kind == KEY_KIND_KEY || kind == KEY_KIND_IDENTITY || kind == KEY_KIND_PART;
}

/* The last holder of a secret takes it out of the redaction, too. */
static void drop_one(struct key_ring *r, struct key_holder *h, size_t i)
{
	if (h->lent[i] && is_secret(r->variables[i].kind) && r->scrub)
		redact_forget(r->scrub, keys_secret_for_header(h->lent[i]));
	keys_secret_free(h->lent[i]);
	h->lent[i] = NULL;
}

static void holder_free(struct key_ring *r, struct key_holder *h)
{
	for (size_t i = 0; i < r->variable_count; i++)
		drop_one(r, h, i);
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

/* The first key of a provider, as it registered them; with a name that variable. */
static const struct secret *lent_to(const struct key_ring *r, const struct key_holder *h,
                                    struct str provider, struct str name)
{
	for (size_t i = 0; h && i < r->variable_count; i++) {
		const struct key_variable *v = &r->variables[i];

		if (h->lent[i] && str_eq(v->provider, provider) &&
		    (str_is(name) ? str_eq(v->name, name) : v->kind == KEY_KIND_KEY))
			return h->lent[i];
	}
	return NULL;
}

static bool has_provider(const struct key_holder *h, struct str provider)
{
	for (size_t i = 0; i < h->provider_count; i++)
		if (str_eq(h->providers[i], provider))
			return true;
	return false;
}

/* The secret is the holder's from now on. */
static void put_lent(struct key_ring *r, struct key_holder *h, size_t i, struct secret *lent)
{
	const struct key_variable *v = &r->variables[i];

	if (is_secret(v->kind) && r->scrub)
		redact_know(r->scrub, keys_secret_for_header(lent));
	drop_one(r, h, i);
	h->lent[i] = lent;
	if ((v->kind == KEY_KIND_KEY || v->kind == KEY_KIND_IDENTITY ||
	     v->kind == KEY_KIND_POINTER) &&
	    !has_provider(h, v->provider))
		h->providers[h->provider_count++] = v->provider;
}

/* What another client lent for these providers is dropped: parts of two accounts never mix. */
static void drop_lent(struct key_ring *r, struct key_holder *h, const struct key_holder *from)
{
	for (size_t i = 0; i < r->variable_count; i++)
		if (has_provider(from, r->variables[i].provider))
			drop_one(r, h, i);
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

static enum err lend_one(struct key_ring *r, struct key_holder *h, size_t i, struct str text,
                         struct error *e)
{
	bool is_key = is_secret(r->variables[i].kind);
	struct secret *lent = is_key ? keys_secret_new(text) : keys_secret_of_line(text);

	if (!lent)
		return fail(e, ERR_INVALID,
		            is_key ? "this is not a key: one word of visible characters"
		                   : "this is not one line of text");
	put_lent(r, h, i, lent);
	return OK;
}

static enum err ring_lend(struct credentials *c, uint64_t connection, struct str variable,
                          struct str text, struct error *e)
{
	struct key_ring *r = ring_of(c);
	struct key_holder *h;
	bool is_read = false;
	enum err err = OK;

	for (size_t i = 0; i < r->variable_count; i++)
		is_read |= str_eq(r->variables[i].name, variable);
	if (!is_read)
		return fail(e, ERR_NOT_FOUND, "no provider reads this variable");
	h = connection_of(r, connection);
	if (!h)
		return fail(e, ERR_TOO_LARGE, "too many clients have lent keys");
	for (size_t i = 0; !err && i < r->variable_count; i++)
		if (str_eq(r->variables[i].name, variable))
			err = lend_one(r, h, i, text, e);
	return err;
}

static void ring_leave(struct credentials *c, uint64_t connection)
{
	struct key_ring *r = ring_of(c);
	struct key_holder *h = find_connection(r, connection);

	if (!h)
		return;
	holder_free(r, h);
	r->connection_count--;
}

static void ring_forget(struct credentials *c, struct str session)
{
	struct key_ring *r = ring_of(c);
	struct key_holder *h = find_session(r, session);

	if (!h)
		return;
	holder_free(r, h);
	r->session_count--;
}

/*
 * An address, a region or a part without a credential stays with its client: it would change where
 * another client's key goes.
 */
static void ring_bind(struct credentials *c, uint64_t connection, struct str session)
{
	struct key_ring *r = ring_of(c);
	const struct key_holder *from = find_connection(r, connection);
	struct key_holder *to = from ? find_session(r, session) : NULL;

	if (!from || !from->provider_count)
		return;
	if (!to && r->session_count == LIMIT_KEY_HOLDERS) {
		holder_free(r, LIST_ITEM(r->sessions.next, struct key_holder, node));
		r->session_count--;
	}
	if (!to) {
		to = holder_new(&r->sessions, 0, session);
		r->session_count++;
	}
	drop_lent(r, to, from);
	for (size_t i = 0; i < r->variable_count; i++)
		if (from->lent[i] && has_provider(from, r->variables[i].provider))
			put_lent(r, to, i,
			         keys_secret_of_line(keys_secret_for_header(from->lent[i])));
}

static size_t names_of(const struct key_holder *h, const struct str **ret)
{
	*ret = h ? h->providers : NULL;
	return h ? h->provider_count : 0;
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

static const struct key_holder *holder_of(const struct key_ring *r, struct key_client client)
{
	return client.connection ? find_connection(r, client.connection)
	                         : find_session(r, client.session);
}

const struct secret *key_ring_key(const struct key_ring *r, struct key_client client,
                                  struct str provider)
{
	return r ? lent_to(r, holder_of(r, client), provider, STR_NONE) : NULL;
}

const struct secret *key_ring_variable(const struct key_ring *r, struct key_client client,
                                       struct str provider, struct str variable)
{
	return r ? lent_to(r, holder_of(r, client), provider, variable) : NULL;
}

bool key_ring_has(const struct key_ring *r, struct key_client client, struct str provider)
{
	const struct key_holder *h = r ? holder_of(r, client) : NULL;

	return h && has_provider(h, provider);
}

void key_ring_register(struct key_ring *r, struct str provider, struct str variable,
                       enum key_kind kind)
{
	if (!variable.len || r->variable_count == VARIABLES_MAX)
		return;
	r->variables[r->variable_count++] =
		(struct key_variable){ arena_keep(r->mem, provider), arena_keep(r->mem, variable),
		                       kind };
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
		holder_free(r, LIST_ITEM(r->connections.next, struct key_holder, node));
	while (!list_is_empty(&r->sessions))
		holder_free(r, LIST_ITEM(r->sessions.next, struct key_holder, node));
	arena_free(r->mem);
	memory_free(r);
}
