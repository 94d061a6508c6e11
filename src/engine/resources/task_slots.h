#ifndef ENGINE_RESOURCES_TASK_SLOTS_H
#define ENGINE_RESOURCES_TASK_SLOTS_H
/*
 * Task slots over all sessions and tenants: which sessions run tasks, which
 * wait in the queue.
 */
#include "engine/engine_state.h"

/* Running tasks of all sessions, and TASKS_ACCOUNT:TENANT; kept by the engine, not in the log. */
#define TASKS_ACCOUNT STR("tasks")

void task_slots_prepare(struct session *s, struct decision *d);
void task_slots_stepped(struct session *s, const struct decision *d);
/* wants: it could start a task if a slot were free. */
void task_slots_want(struct session *s, bool wants);
void task_slots_folded(struct session *s, const struct event *ev);
void task_slots_count(struct session *s);
/* Its state was loaded: counts its running tasks, and checks its waiting ones. */
void task_slots_load(struct session *s, enum load_phase phase);
/* It leaves memory: its running tasks still count. */
void task_slots_forget(struct session *s);
/* The number of running tasks of a session outside memory. */
void task_slots_sleep(struct engine *e, struct str session_id, struct str tenant, int64_t running);
/* It is outside memory and has running tasks, so it keeps its slots here. */
bool task_slots_keeps(const struct engine *e, struct str session_id);
/* Another node is to continue it: its tasks take the slots there. */
void task_slots_hand_over(struct engine *e, struct str session_id);
/* Checks soon whether there are slots for queued sessions. */
void task_slots_look(struct engine *e);
void task_slots_free(struct engine *e);

#endif
