#ifndef CORE_RUNTIME_EVENTS_H
#define CORE_RUNTIME_EVENTS_H
/*
 * Events about the runtime as a whole: in the system session (policy, grants,
 * channels) or in this node's session (start, stop, failures).
 */
#include "core/decision.h"

/* Creates such a session and its only thread if they do not exist. */
void runtime_events_emit_system_session(struct decision *d, struct str title, struct str thread_id);

/* store_failed: the previous run ended because its store failed. */
void runtime_events_started(struct decision *d, struct str version, bool store_failed,
                            int64_t recovered);
/*
 * The heads of sessions, in the system session: the root over the leaves, and their text.
 * They are added to the one tree of the state.  checkpoint: that tree as a signed note; absent: it
 * is not signed.
 */
void runtime_events_anchor(struct decision *d, int64_t tree_size, struct str root,
                           struct str leaves, struct str checkpoint, struct str key_id);
/* A key that signs from now on; nothing is emitted if it is the active one. */
void runtime_events_key(struct decision *d, const struct rec_signing_key *key);

/* For the system session: the file of settings has changed. */
void runtime_events_issuer(struct decision *d, const struct rec_issuer_change *issuer);
/* A named token is made or, by its state, revoked. */
void runtime_events_token(struct decision *d, const struct rec_access_token *token);
/* The token of that name in the system session's state, valid or expired; NULL: none. */
const struct rec_access_token *runtime_events_find_token(const struct state *w, struct str name);

/* The owner's token is replaced by the one of that name; all devices are unpaired. */
void runtime_events_owner_token(struct decision *d, struct str token_id);
/* A device is offered a code, paired or revoked, by its state. */
void runtime_events_device(struct decision *d, const struct rec_paired_device *device);
/* In the system session's state; one that was carried over is there also when it is revoked.  NULL: none. */
const struct rec_paired_device *runtime_events_find_device(const struct state *w, struct str id);

/* The tree over the leaves of all anchors; what is not readable counts as empty. */
struct merkle_tree;
void runtime_events_tree(const struct state *w, struct merkle_tree *ret);
/* Adds a leaf for each line of the text. */
void runtime_events_grow(struct merkle_tree *tree, struct str leaves);
/* The key that signs; NULL: none is recorded. */
const struct rec_signing_key *runtime_events_active_key(const struct state *w);
/* It was replaced by another one: it signs no more, also if its file is put back. */
#define RUNTIME_EVENTS_RETIRED                                                                     \
	"the signing key is one that was replaced; to make another, run: thole key rotate"
bool runtime_events_key_is_retired(const struct state *w, struct str key_id);
void runtime_events_stopped(struct decision *d, struct str version);
/* Other nodes take over its work; then it stops. */
void runtime_events_leaving(struct decision *d, struct str version);
void runtime_events_error(struct decision *d, struct str kind, struct str message);
void runtime_events_warning(struct decision *d, enum warning_category category, struct str message);

#endif
