#ifndef CORE_TODO_H
#define CORE_TODO_H
/*
 * The todo list that a model keeps for itself.
 *
 * It informs people and the model: the newest successful call of kind todo
 * defines its content.  No turn, task or step depends on it.
 * spec: contracts/tasks-and-work — a todo list is not the lifecycle
 */
#include "core/state.h"
#include "base/jw.h"

/* One line for each item. */
struct str todo_text(struct arena *mem, struct json args);

void todo_fold(struct state *w, struct st_thread *th, const struct st_call *c);
/* After a rollback of its turn. */
void todo_forget(struct st_thread *th);
void todo_view(struct json_writer *w, const struct st_thread *th);

#endif
