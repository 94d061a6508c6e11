#ifndef PROTO_READ_H
#define PROTO_READ_H
/*
 * From the wire form to ProtoJSON.  The bytes are not trusted.
 *
 * Fields that the table does not know are skipped, as the format asks.  Of a scalar that comes twice
 * the last one counts.  Refused: truncated or malformed fields, text that is not UTF-8, numbers
 * that JSON lacks, nesting beyond LIMIT_JSON_DEPTH, a key of a map that comes twice, and a message
 * that comes twice where the table has one.  (The format would merge the two; no program writes
 * that, and merging costs memory by depth.)
 */
#include "base/buf.h"
#include "base/err.h"
#include "proto/proto.h"

/* Appends one JSON object to out, which may overflow: the caller checks it. */
enum err proto_read(const struct proto_message *m, struct str wire, struct buf *out,
                    struct error *e) MUST_USE;

#endif
