#ifndef PROTO_TIME_H
#define PROTO_TIME_H
/* google.protobuf.Timestamp as ProtoJSON has it: RFC 3339 in UTC with none, 3, 6 or 9 decimals. */
#include "base/arena.h"

struct proto_time {
	int64_t seconds; /* since 1970; years 1 to 9999 */
	int32_t nanos;   /* 0 to 999,999,999 */
};

/* Absent when the time is outside these years. */
struct str proto_time_text(struct arena *mem, struct proto_time t);
/* Any offset is applied. */
bool proto_time_read(struct str text, struct proto_time *ret) MUST_USE;

#endif
