#ifndef ENGINE_IMPORT_REDACT_H
#define ENGINE_IMPORT_REDACT_H
/* Removes secrets from imported texts; a step of a request that never waits. */
#include "engine/request/request.h"

bool import_redact_gather(struct request *r);

#endif
