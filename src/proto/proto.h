#ifndef PROTO_PROTO_H
#define PROTO_PROTO_H
/*
 * Tables of messages and methods, written from catalog/a2a_proto.json at build time.  They have
 * what converts a message between its wire form and ProtoJSON, and what maps a method to a path of
 * the HTTP+JSON binding.  Constant data.
 */
#include "base/str.h"

enum proto_kind {
	PROTO_STR = 1,
	PROTO_BYTES,
	PROTO_BOOL,
	PROTO_INT32,
	PROTO_ENUM,
	PROTO_RECORD,
	PROTO_STRUCT, /* google.protobuf.Struct: a JSON object */
	PROTO_VALUE,  /* google.protobuf.Value: any JSON */
	PROTO_TIME,   /* google.protobuf.Timestamp: a text of RFC 3339 */
};

enum proto_label {
	PROTO_ONE,      /* its default is not written */
	PROTO_OPTIONAL, /* is written whenever it is given, like the members of a oneof */
	PROTO_LIST,
	PROTO_MAP, /* from strings to `kind` */
};

struct proto_enum {
	const char *name;
	const char *const *words; /* by number, without gaps */
	uint8_t count;
};

#define PROTO_NAME_MAX 32

/* Without pointers: the loader would have to adjust each of them. */
struct proto_field {
	char name[PROTO_NAME_MAX]; /* as the definition spells it */
	char json[PROTO_NAME_MAX];
	uint8_t of; /* row of proto_messages (PROTO_RECORD) or of proto_enums (PROTO_ENUM) */
	uint8_t number;
	uint8_t kind, label;
	uint8_t oneof; /* 0: of none; members of a oneof share a number */
};

#define PROTO_FIELDS_MAX 16

struct proto_message {
	const char *name;
	const struct proto_field *fields;
	uint8_t count; /* at most PROTO_FIELDS_MAX */
};

struct proto_method {
	const char *name;
	const struct proto_message *request, *response; /* response NULL: google.protobuf.Empty */
	const char *http, *path;                        /* "GET", "/tasks/{id}" */
	bool streams, has_body;
};

/* ---- a2a_proto.c, generated ---- */

extern const struct proto_method proto_methods[];
extern const size_t proto_method_count;
extern const struct proto_message proto_messages[];
extern const size_t proto_message_count;
extern const struct proto_enum proto_enums[];
extern const char proto_service[]; /* "lf.a2a.v1.A2AService" */

#endif
