#ifndef ENGINE_RESOURCES_HOLDERS_H
#define ENGINE_RESOURCES_HOLDERS_H
/*
 * Holders of tokens: which principal a token is, what that principal can
 * reach, and what it has under way.
 *
 *   named token ──SHA-256──► record (events of the system session) ──► struct caller
 *   token of an issuer ──checked by the transport──► its bearer ─────► struct caller
 *
 * All tokens that one bearer gets from an issuer are one holder.  Such a holder
 * exists since its first token after the start and never expires; the caller and
 * the stream say until when the token at hand is valid.
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

/* Transports keep views of these strings, so a revoked one stays until the engine ends. */
enum holders_use { HOLDERS_REQUEST, HOLDERS_STREAM, HOLDERS_USES };
struct holder {
	struct list node;
	struct arena *mem;
	const struct rec_access_token *record;
	struct str principal; /* NAME, or TENANT/NAME: one name may be of two tenants in turn */
	struct str reach, home;
	struct list_str directories;
	unsigned scopes;
	unsigned used[HOLDERS_USES];
	bool is_revoked;
};

void holders_init(struct engine *e);
void holders_free(struct engine *e);
/* Bearers whose hash begins so come back with their next token. */
void holders_forget_issuer(struct engine *e, struct str prefix);
void holders_add(struct engine *e, const struct rec_access_token *record);
void holders_remove(struct engine *e, struct str name);
bool holders_is_expired(const struct holder *h, int64_t now_ms);

/* control_ops.admit, principal, is_usable and last_place */
bool holders_admit(struct control *c, const struct control_bearer *b, struct caller *ret);
bool holders_is_usable(struct control *c, const struct caller *caller);
bool holders_principal(struct control *c, struct str token, struct caller *ret);
uint64_t holders_last_place(struct control *c, struct str reach);

/*
 * What a named token has under way, within limits.principal_*.  enter: false when the limit is
 * reached; *ret is NULL for callers without a named token.  leave takes NULL.
 */
bool holders_enter(struct engine *e, const struct caller *caller, enum holders_use use,
                   struct holder **ret);
void holders_leave(struct holder *h, enum holders_use use);

/* Whether the caller's token, if it has one, is still valid. */
bool holders_is_valid(const struct engine *e, const struct caller *caller);
/* Whether a session of that id exists for the caller, if it exists. */
bool holders_reaches(const struct caller *caller, struct str session_id);
/* Does the session belong to a principal with a limited reach?  Its id says so. */
bool holders_own(struct str session_id);
/* The id of a new session, which says whom it belongs to. */
struct str holders_new_session(struct arena *mem, const struct caller *caller,
                               struct id_source *ids);
/* The hash by which a token is known. */
struct str holders_hash(struct arena *mem, struct str token);
/* How a position is shown to callers with that reach, and what a shown one was. */
uint64_t holders_show_place(const struct engine *e, struct str reach, uint64_t position);
uint64_t holders_read_place(const struct engine *e, struct str reach, uint64_t shown);

#endif
