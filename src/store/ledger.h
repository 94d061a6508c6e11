#ifndef STORE_LEDGER_H
#define STORE_LEDGER_H
/* The ledger of a process that owns its store: balances in memory, loaded once at the start. */
#include "ports/ledger.h"
#include "ports/store.h"

enum err ledger_open(struct store *s, struct ledger **ret, struct error *e) MUST_USE;

#endif
