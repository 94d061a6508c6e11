#ifndef CORE_CHANNEL_H
#define CORE_CHANNEL_H
/*
 * Channels: enrolled connections that can acknowledge events and answer
 * actions.  The first command that a channel sends to a session binds it to
 * that session; from then on events of the session record when it connects and
 * disconnects.
 * spec: contracts/remote-channels; GAP-63
 */
#include "core/decision.h"

/* Records the caller's channel in this session, unless it is bound already. */
void channel_bind(struct decision *d);
/* Forwards an action to a channel that can decide it, once. */
void channel_forward(struct decision *d, const struct rec_channel *channel,
                     const struct st_thread *th, const struct st_turn *t, const struct st_call *c,
                     const struct st_action *a);
/* The connection has ended, or was found dead after a restart. */
void channel_gone(struct decision *d, struct str channel_id, enum disconnect_cause cause,
                  int64_t acked);
/* After a restart no channel is connected: reports all that were as disconnected. */
void channel_recover(struct decision *d);
/*
 * A connection that no session knows yet: an event of the system session, which is created if
 * needed.
 */
void channel_enrolled(struct decision *d, const struct rec_channel *channel);

/* Callers without a valid token were refused; count: how many since the last report. */
void channel_login_refused(struct decision *d, struct str via, int64_t count, struct str address);

#endif
