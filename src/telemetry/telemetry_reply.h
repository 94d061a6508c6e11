#ifndef TELEMETRY_REPLY_H
#define TELEMETRY_REPLY_H
/* What a collector answers: how much of a request it rejected, and why. */
#include "base/json.h"
#include "telemetry/otlp.h"

struct telemetry_reply {
	uint64_t rejected;
	char message[200]; /* for a log line; may be empty */
};

/* An answer that cannot be read says nothing: rejected stays 0. */
void telemetry_reply_read(struct str body, enum otlp_form form, struct telemetry_reply *ret);
/* The pause that a Retry-After header asks for, in seconds or as a date; 0: none. */
int64_t telemetry_reply_pause_ms(struct str retry_after, int64_t now_ms);

#endif
