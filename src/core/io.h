#ifndef CORE_IO_H
#define CORE_IO_H
/*
 * Reports of effects: inputs to decisions.
 *
 * Model requests, tool calls, processes and hooks run outside of the core.
 * Their output and their end arrive as one of these structs, through the
 * input_...() function of the topic.  Strings live as long as the call.
 */
#include "catalog/catalog.h"

enum input_piece { INPUT_TEXT, INPUT_REASONING, INPUT_TOOL_ARGS };

struct input_call {
	struct str provider_call_id, name, args; /* args: text of the model */
};

/* The limits in the provider's headers; -1: not reported. */
struct input_limits {
	int64_t limit, left, reset_ms;
};

struct input_model_end {
	bool failed;
	enum stop_reason stop;
	struct str native_stop;
	const struct input_call *calls;
	size_t call_count;
	struct str reasoning_summary;
	struct str text; /* of a summary; responses come in pieces */
	/* why the response violates the schema of the turn; absent: it does not */
	struct str schema_error;
	struct str state; /* opaque data that the provider needs back; absent: none */
	enum error_category category;
	struct str message;
	int64_t http_status;
	bool retryable;
	int64_t retry_after_ms; /* -1: not reported */
	bool usage_known;
	int64_t input_tokens, cached_tokens, cache_written_tokens, output_tokens, reasoning_tokens;
	struct input_limits limits;
	struct str raw;
	int64_t bytes_received;
};

struct input_violation {
	enum violation_kind kind;
	struct str operation, path, host, syscall, err_name, rule, address, would_allow;
	int64_t port, count;
	bool is_blocked;
	bool has_fallback;
	struct rec_sandbox_override *needs; /* NULL: no grant would help */
};

struct input_change {
	enum artifact_change change;
	struct str path, hash, diff;
	struct str before; /* the content, if there was a file */
	bool has_before;
	int64_t size;
	struct str media_type;
	struct str validation; /* JSON: the record artifact_validation; absent: not validated */
};

enum process_exit {
	EXIT_NONE,
	EXIT_BY_CODE,
	EXIT_BY_SIGNAL,
	EXIT_BY_STOP, /* the runtime ended it */
	EXIT_BY_TIMEOUT,
	EXIT_BY_SILENCE,
	EXIT_BY_LIMIT,
	EXIT_NEVER_BEGAN,
	EXIT_UNSEEN,
};

/* A secret was removed from the output. */
struct input_redaction {
	enum redaction kind;
	struct str rule;
	int64_t count;
};

struct input_tool_end {
	bool failed, cancelled, is_error;
	enum error_category category;
	struct str message, advice;
	bool retryable;
	enum executed executed;
	int64_t exit_code;
	bool has_exit_code;
	struct str structured; /* JSON text */
	struct str media_type; /* the output is one image of this type; absent: it is not */
	/* The output: all of it when it is small, else head and tail, and a sealed blob. */
	struct str text;
	struct str output_ref; /* present when spilled */
	int64_t output_bytes;
	struct str sha256, head, tail;
	bool is_text;
	bool is_complete; /* the blob was sealed in full */
	const struct input_change *changes;
	size_t change_count;
	const struct input_redaction *redactions;
	size_t redaction_count;
	/* Of a command. */
	enum process_exit exit;
	struct str signal;
	bool is_escalated;
	int64_t survivors; /* -1: not counted */
	int64_t max_rss_bytes, cpu_ms;
	int64_t dropped_bytes; /* beyond its output limit */
	bool was_full;         /* it reached its limit of processes */
	struct str hosts;      /* JSON: a list of the record reached_host; absent: none */
};

/* The actor that stopped it; zero: the runtime did not. */
struct input_stop {
	enum terminated_by by;
	struct str cause, reason;
	struct rec_actor *actor;
};

enum hook_end_kind {
	HOOK_END_ANSWERED,
	HOOK_END_BROKE,
	HOOK_END_TIMED_OUT,
	HOOK_END_NOT_STARTED,
	HOOK_END_CANCELLED,
	HOOK_END_LOST,
};

struct input_hook_end {
	enum hook_end_kind end;
	int64_t exit_code;
	bool has_exit_code;
	struct str out, err; /* what it wrote */
	int64_t left_out;    /* bytes beyond the output that is read */
	struct str message;  /* set unless it answered */
};

/* The output of a lost call, as far as it is on disk. */
struct recovered_output {
	struct str call_id;
	struct input_tool_end end; /* only the fields about output */
};

/* The runtime started and found open work in this session. */
struct recovered {
	const struct recovered_output *outputs;
	size_t output_count;
	struct list_str missing; /* refs of stored outputs that no longer exist */
};

#endif
