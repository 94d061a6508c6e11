#ifndef CORE_CONTEXT_TOKENS_H
#define CORE_CONTEXT_TOKENS_H
/*
 * The size of what a model request sends, in tokens.
 *
 * Compaction, routing and reservations ask for it before a request leaves.
 * An estimate counts three bytes a token, which is rather too many than too
 * few.
 */
#include "core/turn/turn.h"

#define CONTEXT_BYTES_PER_TOKEN 3

/* Tokens of the ended turns that are sent as they are, and of the summary before them. */
int64_t context_tokens_history(const struct st_thread *th);
/* By estimate alone, conservatively: three bytes a token. */
int64_t context_tokens_raw(const struct decision *d, const struct st_thread *th,
                           const struct st_turn *t);
/* What the next request of a turn will send, by measure where there is one, else by estimate. */
int64_t context_tokens_request(const struct decision *d, const struct st_thread *th,
                               const struct st_turn *t);
/* What no compaction can make less. */
int64_t context_tokens_least(const struct decision *d, const struct st_thread *th,
                             const struct st_turn *t);

#endif
