#ifndef CORE_NOTICE_NOTICE_H
#define CORE_NOTICE_NOTICE_H
/*
 * What the runtime notices about the work of a turn, as runtime.warning events:
 * a call that failed again and again, open items of the todo list at the end,
 * and tests that failed last.  Only what is recorded counts; no text is judged.
 */
#include "core/turn/turn.h"

/* Before a request: calls that just failed for the third time; assemble.c adds a note for the model. */
void notice_repeated(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* Before turn.completed. */
void notice_end(struct decision *d, const struct st_thread *th, const struct st_turn *t);

#endif
