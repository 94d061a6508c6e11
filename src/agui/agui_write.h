#ifndef AGUI_WRITE_H
#define AGUI_WRITE_H
/* What the files of a run share: how an event is written. */
#include "agui/agui_run.h"
#include "base/jw.h"

struct agui_writing {
	struct json_writer w;
	struct buf json;
};

/* The caller adds the members of its type and calls agui_write_send(). */
struct json_writer *agui_write_begin(struct agui_writing *x, const char *type);
void agui_write_send(struct agui_run *r, struct agui_writing *x);
/* role: may be NULL. */
void agui_write_message(struct agui_run *r, const struct agui_speaker *s, const char *type,
                        struct str id, const char *role);
void agui_write_end_reasoning(struct agui_run *r, struct agui_speaker *s);
/* Ends the messages that are open. */
void agui_write_end_messages(struct agui_run *r, struct agui_speaker *s);

/* ---- agui_child.c ---- */

/* The child that works in this thread; NULL: none that the run knows. */
struct agui_speaker *agui_child_find(struct agui_run *r, struct str thread_id);
/* subagent.*; others are ignored. */
void agui_child_event(struct agui_run *r, struct str type, struct json event);
/* The run ends: children that work on are suspended.  interrupt: the one that asks, and its id. */
void agui_child_suspend(struct agui_run *r, const struct agui_speaker *asks, struct str interrupt);

/* ---- agui_activity.c ---- */

/* task.* of the session, and calls of update_todo; others are ignored. */
void agui_activity_event(struct agui_run *r, struct str type, struct json event);

#endif
