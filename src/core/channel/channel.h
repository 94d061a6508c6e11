#ifndef CORE_CHANNEL_H
#define CORE_CHANNEL_H
/*
 * Channels: connections that are more than readers.  A channel is bound to a
 * session by the first command that it sends there; from then on its coming
 * and going are facts of that session.
 * spec: contracts/remote-channels; GAP-63
 */
#include "core/decision.h"

/* The caller's channel becomes a fact of this session, unless it is one already. */
void channel_bind(struct decision *d);
/*
 * A question is passed on to a channel that can decide it; otherwise, or when
 * it was before, nothing.
 */
void channel_forward(struct decision *d, const struct rec_channel *channel,
                     const struct st_thread *th, const struct st_turn *t, const struct st_call *c,
                     const struct st_action *a);
/* The connection has ended, or was found dead after a restart. */
void channel_gone(struct decision *d, struct str channel_id, enum disconnect_cause cause,
                  int64_t acked);
/* After a restart nobody is connected: every channel that was is gone. */
void channel_recover(struct decision *d);
/* A connection that no session knows yet: a fact of the system session, made when need be. */
void channel_enrolled(struct decision *d, const struct rec_channel *channel);

/* Callers without a valid token were refused; so many since that was told last. */
void channel_login_refused(struct decision *d, struct str via, int64_t count);

#endif
