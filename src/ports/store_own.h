#ifndef PORTS_STORE_OWN_H
#define PORTS_STORE_OWN_H
/*
 * Values of the store that concern one machine: its files, its addresses, its token.  Nodes do not see
 * each other's.  What a log had before it was shared counts for each until it sets its own.
 */
#include "ports/store.h"

#define PORT_STORE_OWN "node:"

/* The owner's token of all nodes.  A store of one node has it in a file, and a move there leaves it out. */
#define PORT_STORE_TOKEN STR("token")

/* The key of a value of one node, without the node; absent: it is not such a value. */
static inline struct str port_store_own_rest(struct str key)
{
	struct str rest = key;

	if (!str_starts(key, STR(PORT_STORE_OWN)))
		return STR_NONE;
	rest = str_skip(key, strlen(PORT_STORE_OWN));
	(void)str_cut(&rest, ':');
	return rest;
}

static inline struct str port_store_own_key(struct store *s, struct arena *mem, struct str key)
{
	struct str name = s->nodes->self(s)->name;

	return arena_printf(mem, PORT_STORE_OWN "%.*s:%.*s", STR_ARG(name), STR_ARG(key));
}

static inline enum err port_store_get_own(struct store *s, struct arena *mem, struct str key,
                                          struct str *ret, struct error *e)
{
	enum err err = ERR_NOT_FOUND;

	if (s->nodes && str_is(key))
		err = s->ops->get_meta(s, mem, port_store_own_key(s, mem, key), ret, e);
	return err == ERR_NOT_FOUND ? s->ops->get_meta(s, mem, key, ret, e) : err;
}

static inline enum err port_store_set_own(struct store *s, struct str key, struct str value,
                                          struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = NULL;

	if (!s->nodes || !str_is(key))
		return s->ops->set_meta(s, key, value, e);
	mem = arena_new_small();
	return s->ops->set_meta(s, port_store_own_key(s, mem, key), value, e);
}

#endif
