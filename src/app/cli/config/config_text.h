#ifndef APP_CONFIG_TEXT_H
#define APP_CONFIG_TEXT_H
/*
 * Changes one member in the text of a JSON object and keeps every other byte:
 * the order, the indentation and the comments are the user's.
 *
 * The text is one that json_read_config() accepts, with an object at its top.
 *
 * Pure.
 */
#include "base/arena.h"
#include "base/str.h"

/*
 * The text with a member more, in mem: path is its name, behind those of the objects that hold it.
 * Objects that are missing are added.  value is JSON on one line.  Absent: there is a member of that
 * name, or something on the way is no object.
 */
struct str config_text_add(struct arena *mem, struct str text, const struct str path[],
                           size_t depth, struct str value);
/* The text without that member, in mem.  Absent: it is not there. */
struct str config_text_remove(struct arena *mem, struct str text, const struct str path[],
                              size_t depth);

#endif
