#ifndef EXPORT_FORM_H
#define EXPORT_FORM_H
/*
 * What the writers of export formats share: reading members of an event, and
 * writing members, refs and ids in snake_case.
 */
#include "base/json.h"
#include "base/jw.h"

/* One event and the writer of its record. */
struct form {
	struct json ev, payload;
	struct json_writer *w;
};

/* A member that is a text; none: an empty one. */
struct str form_text(struct json v, const char *key) MUST_USE;

/* Writes a member; nothing if the text is empty or the value absent. */
void form_put_text(struct form *f, const char *key, struct str s);
void form_put_value(struct form *f, const char *key, struct json v);

/* Opens a member that is an object or a list; jw_obj_end() or jw_arr_end() closes it. */
void form_obj(struct form *f, const char *key);
void form_arr(struct form *f, const char *key);

/* A member {"type": …, "id": …, "name": …}; what is empty is left out. */
void form_put_party(struct form *f, const char *key, const char *type, struct str id,
                    struct str name);

/* An element {"type": …, "id": …} of a list; nothing without an id. */
void form_put_ref(struct form *f, const char *type, struct str id);

/* The ids of the envelope, in snake_case; absent ones are left out. */
void form_put_ids(struct form *f);

/*
 * Opens the record of an event and writes what Agent Tool and Agent Context have in common;
 * jw_obj_end() closes it.
 */
void form_begin_record(struct form *f, struct str schema, struct str type);
/* A list of the trace and span of the event. */
void form_put_trace(struct form *f, const char *key);

/* Joins a list of texts of the payload into the open list. */
void form_put_each(struct form *f, const char *list);

/* allow, ask or deny: what the runtime's decision comes to. */
struct str form_decision(struct str decision) MUST_USE;

#endif
