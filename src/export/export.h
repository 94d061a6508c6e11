#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H
/*
 * Export formats: our events in the terms of other standards.
 *
 * An event has one record in a format, or none when the format has no
 * counterpart.  A record is made from its event alone and states nothing else,
 * so every export of an event is the same.
 */
#include "catalog/catalog.h"
#include "base/jw.h"

/*
 * Writes the record of a stored event; *ret_name is its class in the format, a constant.  False:
 * the format has no counterpart, and nothing was written.
 */
bool export_write(enum event_form form, struct json ev, struct json_writer *w,
                  struct str *ret_name) MUST_USE;

/* ---- one function per format ---- */

bool agent_ui_write(struct json ev, struct json_writer *w, struct str *ret_name) MUST_USE;
bool agent_policy_write(struct json ev, struct json_writer *w, struct str *ret_name) MUST_USE;

#endif
