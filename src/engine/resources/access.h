#ifndef ENGINE_RESOURCES_ACCESS_H
#define ENGINE_RESOURCES_ACCESS_H
/*
 * Named tokens: which principal a token is, and what that principal can reach.
 *
 *   token ──SHA-256──► record (events of the system session) ──► struct caller
 *
 * The ids of sessions say whom they belong to.  Those that a principal with a
 * tenant or with own sessions creates begin with two tags, which only this
 * installation can compute:
 *
 *   sess_ TENANT PRINCIPAL _ 01KA…
 *
 * So whether a session exists for a caller is decided by comparing its id with
 * the caller's reach, before anything is looked up: a foreign session and one
 * that never was get the same answer in the same time.
 */
#include "engine/engine_state.h"

void access_init(struct engine *e);
void access_free(struct engine *e);
void access_learn(struct engine *e); /* at the start: ready waits for it */
void access_folded(struct session *s, const struct event *ev);

/* control_ops.principal and control_ops.last_place */
bool access_principal(struct control *c, struct str token, struct caller *ret);
uint64_t access_last_place(struct control *c, struct str reach);

/* Whether the caller's named token, if it has one, is still valid. */
bool access_is_valid(const struct engine *e, const struct caller *caller);
/* Whether a session of that id exists for the caller, if it exists. */
bool access_reaches(const struct caller *caller, struct str session_id);
/* The hash by which a token is known. */
struct str access_hash(struct arena *mem, struct str token);
/* How a position is shown to callers with that reach, and what a shown one was. */
uint64_t access_show_place(const struct engine *e, struct str reach, uint64_t position);
uint64_t access_read_place(const struct engine *e, struct str reach, uint64_t shown);

#endif
