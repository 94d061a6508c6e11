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
bool agent_tool_write(struct json ev, struct json_writer *w, struct str *ret_name) MUST_USE;
bool agent_context_write(struct json ev, struct json_writer *w, struct str *ret_name) MUST_USE;
bool agent_artifact_write(struct json ev, struct json_writer *w, struct str *ret_name) MUST_USE;
bool agent_evidence_write(struct json ev, struct json_writer *w, struct str *ret_name) MUST_USE;
/* The name is the class of ours; the type in the record has a prefix. */
bool cloudevents_write(struct json ev, struct json_writer *w, struct str *ret_name) MUST_USE;

/* ---- read models ---- */

/*
 * Writes a read model in the terms of the format: the tool inventory (agent_tool) or the artifacts
 * of a session (agent_artifact).
 */
void agent_tool_write_inventory(struct json view, struct json_writer *w);
void agent_artifact_write_rows(struct json view, struct json_writer *w);

#endif
