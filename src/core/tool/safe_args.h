#ifndef CORE_SAFE_ARGS_H
#define CORE_SAFE_ARGS_H
/*
 * Arguments of a call as facts show them: without the values that the tool's
 * schema marks as secret (writeOnly, or of the format password).  What the
 * policy judges a call by is shown whatever a schema says, so that nobody
 * gets around a rule by calling a path a secret.
 * spec: contracts/tool-context-capabilities#tool-invocation
 */
#include "base/json.h"

/* The text of args, which must be an object; *ret_hidden says whether something was left out. */
struct str safe_args(struct arena *mem, struct str schema, struct json args, bool *ret_hidden);

#endif
