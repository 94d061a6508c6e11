#ifndef CONFORM_EVENT_SELECT_H
#define CONFORM_EVENT_SELECT_H
/* Which events a check looks at, and the values in them that it compares. */
#include "conform/conform_pack.h"

/* By the type of the event and the conditions; the last selector that matches decides. */
bool event_select_has(const struct event_select *s, struct str type, struct json event);
/* "turn.*" has turn.started; "*" has everything. */
bool event_select_pattern(struct str pattern, struct str type);
/* The value at "a.b", or of "a.b|c" the first that is there; null counts as absent. */
struct json event_select_place(struct json event, struct str place);
/* Its text; absent unless it is a string that is not empty. */
struct str event_select_id(struct json event, struct str place);

#endif
