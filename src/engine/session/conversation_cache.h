#ifndef ENGINE_SESSION_CONVERSATION_CACHE_H
#define ENGINE_SESSION_CONVERSATION_CACHE_H
/*
 * Conversations that are cached in memory instead of being read for every
 * request.
 */
#include "engine/engine_state.h"

struct assembly;
struct assembly_start;

void conversation_cache_folded(struct session *s, const struct event *ev);
void conversation_cache_forget(struct session *s);
/* The session is idle: a small conversation may stay for a moment. */
void conversation_cache_settled(struct session *s);
/* Copies the conversation of the request at `seq`.  False: it is not cached and has to be read. */
bool conversation_cache_take(struct session *s, struct str thread_id, int64_t seq,
                             const struct assembly_start *start, struct arena *mem,
                             struct assembly *ret) MUST_USE;
/* The request at `seq` has read it: caches it, unless it is outdated already. */
void conversation_cache_were_read(struct session *s, struct str thread_id, int64_t seq,
                                  const struct assembly *a);

#endif
