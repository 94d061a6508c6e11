#ifndef PROTO_WRITE_H
#define PROTO_WRITE_H
/*
 * From ProtoJSON to the wire form.  Both spellings of a name are read, null is absent (but a value
 * where any JSON may be), numbers may be texts, and members that the table does not know are
 * ignored, as ProtoJSON asks of tolerant readers.  Base64 may be of either alphabet, with or without
 * padding.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "proto/proto.h"

/* Appends to out, which may overflow: the caller checks it. */
enum err proto_write(const struct proto_message *m, struct json v, struct buf *out,
                     struct error *e) MUST_USE;

#endif
