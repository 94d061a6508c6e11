#ifndef CATALOG_CATALOG_H
#define CATALOG_CATALOG_H
/*
 * The generated catalogue: event classes and commands by number and name.
 */
#include "catalog/gen/commands.h"
#include "base/gen/limits.h"
#include "catalog/gen/records.h"

/* The effect that starts when an event of a class is durable. */
enum effect {
	EFFECT_NONE,
	EFFECT_MODEL_REQUEST,
	EFFECT_TOOL_RUN,
	EFFECT_HOOK_RUN,
	EFFECT_OUTPUT_DROP,
};

/* A rule of the order check: an object of this kind must be open, is opened or is closed. */
struct gate {
	enum gate_kind kind; /* 0 ends the list */
	uint16_t offset;     /* of the object's id in struct event */
	uint16_t field;      /* of an enum in the payload */
	uint32_t word;       /* the enum's value for which the rule applies; 0: it always applies */
	bool or_next;        /* this rule or the next is enough */
};

struct event_class {
	struct str name;
	bool is_built, is_core;
	/* Programs below this revision of the catalogue (CATALOG_REV) cannot fold it; 0: all can. */
	uint32_t since;
	enum effect effect;
	const struct rec_desc *payload;
	uint64_t scope;    /* bit n: field n of the envelope, a string, must be present */
	uint64_t requires; /* bit n: field n of the envelope, a record, must be present */
	const struct enum_desc *statuses; /* allowed words of its status; NULL: any */
	const struct gate *needs, *opens, *closes, *reopens;
};

enum target {
	TARGET_RUNTIME,        /* no session */
	TARGET_SESSION,        /* sessionId names one that exists */
	TARGET_SESSION_NEW,    /* created when absent */
	TARGET_SESSION_OR_ALL, /* the one that sessionId names, or the runtime when it is absent */
};

struct command_class {
	struct str name, summary;
	bool is_built, mutates;
	enum scope scope;
	enum target target;
	const struct rec_desc *args, *reply;
	/* Without a session it shows a caller with limited reach only what that caller may use. */
	bool is_for_own;
	bool is_core;
	bool is_internal; /* only the runtime itself sends it (control_call.is_own) */
};

struct view_class {
	struct str name;
	bool is_built;
};

extern const struct event_class event_classes[EV_COUNT];
extern const struct command_class command_classes[COMMAND_COUNT];
extern const struct view_class view_classes[];
extern const size_t view_class_count;

static inline struct str event_type_word(enum event_type type)
{
	return enum_word(&enum_event_type, type);
}
enum command catalog_command_find(struct str name); /* COMMAND_ABSENT: no such command */

/* How refs of exports begin; no other output has such a ref. */
#define CATALOG_EXPORT_PREFIX "out_evd_"
/* Of packs with the journal, which only callers with scope admin may read. */
#define CATALOG_DECISIONS_PREFIX CATALOG_EXPORT_PREFIX "decisions_"
/* How refs of uploads begin. */
#define CATALOG_UPLOAD_PREFIX "out_upload_"

#define SCHEMA_VERSION STR("lime-profile-0.4.0")

/* The error code for a fault that rec_read() found in a caller's record. */
enum error_code catalog_code_of_fault(const struct error *e);

/* The shape check of one event: its fields, its class's scope ids, its payload. */
enum err catalog_event_check(const struct event *ev, struct error *e) MUST_USE;
/* Without the fields, for an event that was read as REC_FOREIGN: these were checked there. */
enum err catalog_event_class_check(const struct event *ev, struct error *e) MUST_USE;

#endif
