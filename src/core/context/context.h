#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H
/*
 * The context of a run: which sources it consists of, recorded as events, and how many tokens it
 * takes.
 */
#include "core/turn/turn.h"

/* False: files have to be read first; the engine reads them and repeats the step. */
bool context_is_read(const struct decision *d, const struct st_turn *t);
void context_emit(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* Emitted again within a run: a compaction changed what the model sees (GAP-66). */
void context_emit_again(struct decision *d, const struct st_thread *th, const struct st_turn *t);

#endif
