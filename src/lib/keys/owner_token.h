#ifndef LIB_KEYS_OWNER_TOKEN_H
#define LIB_KEYS_OWNER_TOKEN_H
/*
 * The owner's secret, DATA/token, 0600: read, or made on the first start.
 *
 * Nodes of one store have one token.  The first one that starts puts its own there, the others take it
 * from there and write it into their file, instead of what the file had.
 */
#include "ports/store.h"

enum err owner_token_take(struct arena *mem, const char *data_dir, struct store *store,
                          struct str *ret, struct error *e) MUST_USE;
/* Makes another one, where owner_token_look() of every node finds it; ret_id is its name in events. */
enum err owner_token_renew(struct arena *mem, const char *data_dir, struct store *store,
                           struct str *ret_id, struct error *e) MUST_USE;
/* The token as it is now; the file gets it. */
enum err owner_token_look(struct arena *mem, const char *data_dir, struct store *store,
                          struct str *ret, struct error *e) MUST_USE;
/* A random one, which is stored nowhere. */
enum err owner_token_make(struct arena *mem, struct str *ret, struct error *e) MUST_USE;

#endif
