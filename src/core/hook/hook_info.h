#ifndef CORE_HOOK_HOOK_INFO_H
#define CORE_HOOK_HOOK_INFO_H
/*
 * A hook as it is configured, and the end of one run of it.
 */
#include "catalog/catalog.h"

struct hook_info {
	struct str ref; /* hook:user:notify; unique */
	enum hook_point point;
	enum hook_handler kind;
	struct str match; /* names of tools separated by |, * at the end of one; absent: all */
	enum fail_policy on_failure;
	enum hook_trust trust; /* an untrusted hook must not be started */
	struct str handler;    /* command line or address, for display */
	int64_t timeout_ms;
};

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
