#ifndef TELEMETRY_SPAN_CONTENT_H
#define TELEMETRY_SPAN_CONTENT_H
/*
 * What people and models wrote, for operators who want it in their collector
 * (telemetry.content).
 *
 * All of it comes from events: the beginning of a prompt, the text of a response,
 * arguments without what the tool's schema marks as secret, the beginning of a
 * result.  Names of attributes and the form of messages are those of the GenAI
 * conventions; a message is a JSON text.  Every text passes the redactor.
 */
#include "telemetry/spans.h"

struct span_redactor {
	/*
	 * The text without secrets, in mem.  is_cut: the text ends early, so what may be the
	 * beginning of a secret at its end is left out.
	 */
	struct str (*clean)(void *owner, struct arena *mem, struct str text, bool is_cut);
	void *owner;
};

/* Is the event needed for content alone? */
bool span_content_wants(enum event_type type);
/* Adds what the event says to the span that it belongs to. */
void span_content_event(const struct span_redactor *r, struct span *x, enum event_type type,
                        struct json ev);
/* The newest response of a turn is the turn's. */
void span_content_pass(struct span *turn, const struct span *request);

#endif
