#ifndef CORE_CONTEXT_TOKENS_H
#define CORE_CONTEXT_TOKENS_H
/*
 * The size of a model request, in tokens.  Compaction, routing and reservations
 * use it before the request is sent.  An estimate counts three bytes per token,
 * which is usually too high.
 */
#include "core/turn/turn.h"

#define CONTEXT_BYTES_PER_TOKEN 3

/* Tokens of the ended turns that are sent as they are, and of the summary before them. */
int64_t context_tokens_history(const struct st_thread *th);
/* The estimate alone, conservatively: three bytes per token. */
int64_t context_tokens_raw(const struct decision *d, const struct st_thread *th,
                           const struct st_turn *t);
/* The size of a turn's next request: measured where possible, else estimated. */
int64_t context_tokens_request(const struct decision *d, const struct st_thread *th,
                               const struct st_turn *t);
/* The same for a request of a tool server: its own messages and its system prompt, no tools. */
int64_t context_tokens_sampling(int64_t messages, int64_t system_prompt);
/* The part that no compaction can reduce. */
int64_t context_tokens_least(const struct decision *d, const struct st_thread *th,
                             const struct st_turn *t);

#endif
