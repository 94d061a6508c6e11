#ifndef PROTO_WIRE_H
#define PROTO_WIRE_H
/* Single fields of the wire form.  Groups, which version 3 of the language dropped, are refused. */
#include "base/buf.h"

enum proto_wire_type {
	PROTO_WIRE_VARINT = 0,
	PROTO_WIRE_FIXED64 = 1,
	PROTO_WIRE_BYTES = 2,
	PROTO_WIRE_FIXED32 = 5,
};

struct proto_item {
	uint32_t number;
	enum proto_wire_type type;
	uint64_t value;   /* of a varint or a fixed number */
	struct str bytes; /* points into the message */
};

enum proto_wire_step {
	PROTO_WIRE_END,
	PROTO_WIRE_ITEM,
	PROTO_WIRE_BAD, /* truncated, or not this format */
};

/* Takes one field from the front of *rest. */
enum proto_wire_step proto_wire_next(struct str *rest, struct proto_item *ret) MUST_USE;

void proto_wire_varint(struct buf *out, uint64_t value);
void proto_wire_tag(struct buf *out, uint32_t number, enum proto_wire_type type);
void proto_wire_number(struct buf *out, uint32_t number, uint64_t value);
void proto_wire_double(struct buf *out, uint32_t number, double value);
void proto_wire_bytes(struct buf *out, uint32_t number, struct str bytes);

/* A message inside another: what was written since begin becomes its content. */
size_t proto_wire_begin(struct buf *out, uint32_t number);
void proto_wire_end(struct buf *out, size_t begin);

#endif
