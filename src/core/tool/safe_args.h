#ifndef CORE_SAFE_ARGS_H
#define CORE_SAFE_ARGS_H
/*
 * Arguments of a call as events show them: without the values that the tool's
 * schema marks as secret (writeOnly, or of the format password).  The members
 * by which the policy evaluates a call are always shown, so that marking a path
 * as secret does not hide it from rules.
 * spec: contracts/tool-context-capabilities#tool-invocation
 */
#include "base/json.h"

/* The text of args, which must be an object; *ret_hidden: a value was left out. */
struct str safe_args(struct arena *mem, struct str schema, struct json args, bool *ret_hidden);

#endif
