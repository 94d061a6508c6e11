#ifndef STORE_LEDGER_H
#define STORE_LEDGER_H
/*
 * The ledger of a process: balances in memory, loaded once at the start.  On a store that several
 * nodes share it is shared_ledger.c.
 */
#include "ports/clock.h"
#include "ports/ledger.h"
#include "ports/store.h"

/* Closed after the store. */
enum err ledger_open(struct store *s, struct clock *c, struct ledger **ret,
                     struct error *e) MUST_USE;

/* ---- shared_ledger.c ---- */

/* With what the accounts have so far. */
struct ledger *shared_ledger_new(struct store *s, struct clock *c, const struct ledger_move *rows,
                                 size_t count);

#endif
