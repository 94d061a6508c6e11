#ifndef STORE_LEDGER_H
#define STORE_LEDGER_H
/* The ledger of one process that owns its store: balances in memory, read once at the start. */
#include "ports/ledger.h"
#include "ports/store.h"

enum err ledger_open(struct store *s, struct ledger **ret, struct error *e) MUST_USE;

#endif
