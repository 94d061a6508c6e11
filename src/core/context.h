#ifndef CORE_CONTEXT_H
#define CORE_CONTEXT_H
/* What the model will see: assembly as facts, and how many tokens it takes. */
#include "core/turn.h"

void emit_context(struct outcome *d, struct st_thread *th, struct st_turn *t);

#endif
