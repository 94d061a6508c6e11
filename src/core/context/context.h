#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H
/* What the model will see: assembly as facts, and how many tokens it takes. */
#include "core/turn/turn.h"

/* False: something has to be read first; the engine does that and comes again. */
bool context_is_read(const struct decision *d, const struct st_turn *t);
void context_emit(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* Said again within a run: a compaction changed what the model will see (GAP-66). */
void context_emit_again(struct decision *d, const struct st_thread *th, const struct st_turn *t);

#endif
