#ifndef ENGINE_SESSION_CONVERSATION_CACHE_H
#define ENGINE_SESSION_CONVERSATION_CACHE_H
/*
 * Conversations that are held in memory instead of being read for every request.
 */
#include "engine/engine_state.h"

struct assembly;
struct conversation_start;

void conversation_cache_folded(struct session *s, const struct event *ev);
void conversation_cache_forget(struct session *s);
/* Nothing is under way in it: what it holds may stay for a moment, if it is not much. */
void conversation_cache_settled(struct session *s);
/* What the request at `seq` is made of.  False: it is not at hand, and has to be read. */
bool conversation_cache_take(struct session *s, struct str thread_id, int64_t seq,
                             const struct conversation_start *start, struct arena *mem,
                             struct assembly *ret) MUST_USE;
/* The request at `seq` read it: it is held from now on, unless something was said meanwhile. */
void conversation_cache_were_read(struct session *s, struct str thread_id, int64_t seq,
                                  const struct assembly *a);

#endif
