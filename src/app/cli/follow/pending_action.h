#ifndef APP_PENDING_ACTION_H
#define APP_PENDING_ACTION_H
/* An action.required event in the form of a row of list_actions. */
#include "app/cli/print/shown_event.h"

/* The row lives in mem; JSON_NONE if the event cannot be read. */
struct json pending_action_read(struct arena *mem, const struct shown_event *f);

#endif
