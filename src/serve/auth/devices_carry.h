#ifndef SERVE_DEVICES_CARRY_H
#define SERVE_DEVICES_CARRY_H
/*
 * Devices that an earlier version kept beside the log, in a value of the node, become events once.
 *
 * Each is recorded by itself, and the value is emptied when all are.  A start that ends in between
 * begins again: what is recorded stays as it is, also when it was revoked since.
 */
#include "serve/auth/devices.h"

/* A value that cannot be read is an error: its devices would be forgotten. */
enum err devices_carry_read(struct devices *ds, struct error *e) MUST_USE;
/* Begins. */
void devices_carry_start(struct devices *ds);
void devices_carry_done(struct devices *ds);
/* Their token is replaced, so this node has none any more. */
enum err devices_carry_drop(struct store *store, struct error *e) MUST_USE;

#endif
