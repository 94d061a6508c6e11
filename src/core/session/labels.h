#ifndef CORE_LABELS_H
#define CORE_LABELS_H
/*
 * Labels of sessions and tasks: words "key=value" or "key" by which a caller
 * finds them again.  The runtime gives them no meaning.  A list has each key
 * once and is sorted, so that equal labels are equal text.
 */
#include "core/decision.h"

/* Checks and sorts what a caller gave; of a key that comes twice the last counts.  False: refused. */
bool labels_take(struct decision *d, const struct list_str *given, struct list_str *ret);
/* Has it all of these?  A wanted "key" fits any value. */
bool labels_fit(const struct list_str *has, const struct list_str *wanted);

#endif
