#ifndef TELEMETRY_SPAN_ATTRS_H
#define TELEMETRY_SPAN_ATTRS_H
/*
 * Attributes of spans and log records, taken from events by the rules of
 * span_table.h.
 */
#include "base/buf.h"
#include "base/json.h"
#include "telemetry/span_table.h"

struct span_attr {
	const char *key;
	enum span_value type;
	int64_t number;
	double real;
	uint32_t text_at, text_len; /* in the list's text */
};

/* A list of attributes that owns its memory. */
struct span_attrs {
	struct span_attr *items;
	uint32_t count, cap;
	struct buf text;
};

struct str span_attrs_text(const struct span_attrs *list, const struct span_attr *a);
/* The key is a constant; the text is copied. */
void span_attrs_add_text(struct span_attrs *list, const char *key, enum span_value type,
                         struct str text);
/* The members of the payload that the rules name; rules may be NULL. */
void span_attrs_add_payload(struct span_attrs *list, const struct span_attr_rule *rules,
                            struct json ev);
/* The ids of the event; a later event of the span adds those that the first did not have. */
void span_attrs_add_ids(struct span_attrs *list, struct json ev);
/* The end of a span may say again what its begin said; the end counts. */
void span_attrs_drop(struct span_attrs *list, const struct span_attr_rule *rules);
void span_attrs_done(struct span_attrs *list);

/* A member by its dotted path. */
struct json span_attrs_member(struct json v, const char *path);

#endif
