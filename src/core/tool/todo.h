#ifndef CORE_TODO_H
#define CORE_TODO_H
/*
 * The list of what there is to do that a model keeps for itself.
 *
 * It is a hint for people and for the model: the newest call of kind todo
 * that succeeded says what is on it.  No turn, task or step changes by it, and
 * nothing asks it whether something is done.
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
