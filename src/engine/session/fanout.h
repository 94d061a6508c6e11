#ifndef ENGINE_SESSION_FANOUT_H
#define ENGINE_SESSION_FANOUT_H
/*
 * Subscribers: each follows a session, or all of them, with its own cursor.
 */
#include "engine/engine_state.h"

struct subscription *fanout_subscribe(struct control *c, const struct control_stream *stream);
void fanout_resume(struct control *c, struct subscription *sub);
void fanout_unsubscribe(struct control *c, struct subscription *sub);
void fanout_published(struct engine *e, const struct pending_slice *p);
/* Another node has written to this session, up to seq; everything up to a position is durable. */
void fanout_moved(struct engine *e, struct str session, uint64_t seq);
void fanout_position(struct engine *e, uint64_t position);
void fanout_batch_done(struct engine *e,
                       const struct error *why); /* delivers events to the subscribers */
void fanout_store_failed(struct engine *e);
void fanout_end(struct engine *e, enum stream_end why);
/* The streams of that named token, which is not valid any more; returns how many there were. */
unsigned fanout_end_token(struct engine *e, struct str token);
/* The same of all tokens that begin so. */
unsigned fanout_end_issuer(struct engine *e, struct str prefix);
void fanout_init(struct engine *e);
void fanout_free(struct engine *e);
/* Stored events were removed or erased: drops all events in memory. */
void fanout_forget_recent(struct engine *e);
/* The session was deleted: ends the streams of its subscribers. */
void fanout_removed(struct engine *e, struct str session);
void fanout_freed(struct session *s);
/* Does the envelope have this id?  An absent value always matches. */
bool fanout_event_has(struct str body, const char *key, struct str value);
/*
 * Appends its record in an export format to out.  False: the format has no counterpart, and nothing
 * was added.
 */
bool fanout_event_export(struct engine *e, enum event_form form, struct str body, struct buf *out,
                         struct str *ret_name) MUST_USE;

#endif
