#ifndef CORE_HOOK_HOOK_INFO_H
#define CORE_HOOK_HOOK_INFO_H
/*
 * A hook as it is configured (struct hook_info, catalog/settings.json), and the end of one run
 * of it.
 */
#include "catalog/gen/settings_record.h"

enum hook_result {
	HOOK_ANSWERED,
	HOOK_BROKE,
	HOOK_TIMED_OUT,
	HOOK_NOT_STARTED,
	HOOK_CANCELLED,
	HOOK_LOST, /* the runtime stopped while the hook ran; only recovery reports it */
};

struct hook_end {
	enum hook_result result;
	int64_t exit_code; /* of a command; an HTTP 2xx response counts as 0 */
	bool has_exit_code;
	struct str out, err; /* output, bounded */
	int64_t left_out;    /* bytes beyond that bound */
	struct str message;  /* one sentence when it failed */
};

#endif
