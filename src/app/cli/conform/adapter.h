#ifndef APP_ADAPTER_H
#define APP_ADAPTER_H
/*
 * How another runtime spells commands, replies and events
 * (docs/formats/conformance-pack.md#adapters).  An adapter renames what is there; it
 * cannot add a value, so that a runtime is not made to conform by it.
 */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"

/* Whether it has the form of an adapter: no unknown members, only names and paths. */
enum err adapter_check(struct json adapter, struct error *e) MUST_USE;

struct adapter_call {
	struct str method, path, body; /* body absent: none */
};

/* ERR_NOT_FOUND: the adapter has commands, and not this one.  ERR_INVALID: $name is no parameter. */
enum err adapter_call_of(struct arena *mem, struct json adapter, struct str command,
                         struct json params, struct adapter_call *ret, struct error *e) MUST_USE;
/* The reply in our terms. */
struct json adapter_reply_of(struct arena *mem, struct json adapter, struct str command,
                             struct json reply);
/* Asks for events of a session after a sequence; turn: the last one that was submitted. */
enum err adapter_events_call(struct arena *mem, struct json adapter, struct str session,
                             struct str turn, int64_t after, struct adapter_call *ret) MUST_USE;

/* A server-sent event: its own name and id are the members "@event" and "@id" for an adapter. */
struct adapter_frame {
	struct str name, id;
	struct buf data;
};

/* The data as one line; an object also has these two members, if the adapter names fields. */
struct str adapter_frame_text(struct arena *mem, struct json adapter,
                              const struct adapter_frame *f);
void adapter_frame_done(struct adapter_frame *f);
/* One event in our terms, as text; what is no object stays as it is. */
struct str adapter_event_of(struct arena *mem, struct json adapter, struct str event);
/* The place of the list in a reply with events; absent: one event per line. */
struct str adapter_events_list(struct json adapter);

#endif
