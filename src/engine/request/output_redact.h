#ifndef ENGINE_OUTPUT_REDACT_H
#define ENGINE_OUTPUT_REDACT_H
/* Removes secrets from outputs that a command brings; a step of a request that never waits. */
#include "engine/request/request.h"

bool output_redact_gather(struct request *r);

#endif
