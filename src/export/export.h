#ifndef EXPORT_EXPORT_H
#define EXPORT_EXPORT_H
/*
 * Forms: other standards' ways of telling the same facts.
 *
 * An event gives one record of a form, or none when the form has no word for
 * it.  A record says nothing that its event does not, and is made from that
 * event alone: it is the same whenever and by whomever it is asked for.
 */
#include "catalog/catalog.h"
#include "base/jw.h"

/*
 * Writes the record of a stored event; *ret_name is its class there, a word
 * that lives for ever.  False: there is no word for it, and nothing was
 * written.
 */
bool export_write(enum event_form form, struct json ev, struct json_writer *w,
                  struct str *ret_name) MUST_USE;

/* ---- one function per form ---- */

bool agent_ui_write(struct json ev, struct json_writer *w, struct str *ret_name) MUST_USE;
bool agent_policy_write(struct json ev, struct json_writer *w, struct str *ret_name) MUST_USE;

#endif
