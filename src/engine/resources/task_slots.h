#ifndef ENGINE_RESOURCES_TASK_SLOTS_H
#define ENGINE_RESOURCES_TASK_SLOTS_H
/*
 * Room for tasks over all sessions and tenants: who runs, who waits in line.
 */
#include "engine/engine_state.h"

void task_slots_prepare(struct session *s, struct decision *d);
void task_slots_stepped(struct session *s, const struct decision *d);
/* Whether it could begin a task, but for others. */
void task_slots_want(struct session *s, bool wants);
void task_slots_folded(struct session *s, const struct event *ev);
void task_slots_count(struct session *s);
/* Its state was read: what runs in it counts, and what waits is looked at. */
void task_slots_load(struct session *s, enum load_phase phase);
/* It leaves memory: what runs in it counts all the same. */
void task_slots_forget(struct session *s);
/* So many tasks are under way in a session that is not in memory. */
void task_slots_sleep(struct engine *e, struct str session_id, struct str tenant, int64_t running);
/* Soon: is there room for those in line? */
void task_slots_look(struct engine *e);
void task_slots_free(struct engine *e);

#endif
