#ifndef TELEMETRY_SPAN_TABLE_H
#define TELEMETRY_SPAN_TABLE_H
/*
 * What each event class means for traces: which span it opens, ends or belongs
 * to, and which of its members become attributes.
 *
 * Only members of this table leave the runtime: numbers, words of the
 * vocabulary, ids and names.  Text of users, models and tools is not in it; with
 * telemetry.content, span_content.h adds it.
 */
#include "catalog/catalog.h"

/* The nine spans of the standard. */
enum span_kind {
	SPAN_INTERACTION, /* a turn */
	SPAN_TASK_RUN,    /* one attempt of a task */
	SPAN_CONTEXT_RESOLVE,
	SPAN_MODEL_REQUEST,
	SPAN_TOOL_CALL,
	SPAN_PROCESS_EXEC,
	SPAN_HOOK_RUN,
	SPAN_ARTIFACT_WRITE,
	SPAN_EVIDENCE_EXPORT,
	SPAN_KIND_COUNT,
};

enum span_role {
	SPAN_ROLE_NONE,
	SPAN_ROLE_OPENS,
	SPAN_ROLE_ENDS,
	SPAN_ROLE_FAILS, /* ends it with an error */
	SPAN_ROLE_WHOLE, /* the event alone is the span */
	SPAN_ROLE_NOTES, /* an event on the span that it belongs to */
};

enum span_value { SPAN_TEXT, SPAN_INT, SPAN_REAL, SPAN_BOOL, SPAN_LIST_OF_ONE };

struct span_attr_rule {
	const char *path; /* of a member in the payload, "usage.inputTokens"; NULL ends a list */
	const char *key;
	enum span_value type;
};

/* As OpenTelemetry numbers them. */
enum span_severity {
	SEVERITY_NONE = 0,
	SEVERITY_INFO = 9,
	SEVERITY_WARN = 13,
	SEVERITY_ERROR = 17
};

struct span_rule {
	enum span_role role;
	enum span_kind kind;
	const char *id;                     /* path of the object's id in the envelope */
	const struct span_attr_rule *attrs; /* may be NULL */
	enum span_severity severity;        /* not none: the event is a log record, too */
};

/* The rule of an event class; its role is SPAN_ROLE_NONE for most. */
const struct span_rule *span_table_rule(enum event_type type);

/* The standard's name of a span. */
struct str span_table_name(enum span_kind kind);
/* Envelope members with the ids of possible parents, innermost first; ends with NULL. */
const char *const *span_table_parents(enum span_kind kind);

/* Ids that every span, log record and metric carries when its event has them. */
struct span_id_rule {
	const char *member, *key; /* member: a path in the envelope */
};
extern const struct span_id_rule span_table_ids[];
extern const size_t span_table_id_count;

#endif
