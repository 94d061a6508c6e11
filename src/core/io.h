#ifndef CORE_IO_H
#define CORE_IO_H
/*
 * What effects report back: inputs to decisions.
 *
 * A model request, a tool call, a process and a hook run outside of the core.
 * What they sent and how they ended arrives as one of these structs, by the
 * input_...() function of its topic.  Strings live as long as the call.
 */
#include "catalog/catalog.h"

enum input_piece { INPUT_TEXT, INPUT_REASONING, INPUT_TOOL_ARGS };

struct input_call {
	struct str provider_call_id, name, args; /* args: text as the model gave it */
};

/* What the provider's headers said of its limits; -1: nothing. */
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
	struct str text; /* of a summary; answers come in pieces */
	struct str
		schema_error; /* why the answer does not fit the schema of the turn; absent: it does */
	struct str state;     /* what the provider wants back with this answer; absent: nothing */
	enum error_category category;
	struct str message;
	int64_t http_status;
	bool retryable;
	int64_t retry_after_ms; /* -1: not said */
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
	struct rec_sandbox_override *needs; /* NULL: nothing that a person can give */
};

struct input_change {
	enum artifact_change change;
	struct str path, hash, diff;
	struct str before; /* content, when there was a file */
	bool has_before;
	int64_t size;
	struct str media_type;
	struct str validation; /* JSON: the record artifact_validation; absent: not looked at */
};

enum process_exit {
	EXIT_NONE,
	EXIT_BY_CODE,
	EXIT_BY_SIGNAL,
	EXIT_BY_STOP, /* we ended it */
	EXIT_BY_TIMEOUT,
	EXIT_BY_SILENCE,
	EXIT_BY_LIMIT,
	EXIT_NEVER_BEGAN,
	EXIT_UNSEEN,
};

/* Something was taken out of what it said. */
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
	struct str media_type; /* what it printed is an image of that kind; absent: it is not */
	/* What it printed: all of it when it is small, else head and tail, and a sealed blob. */
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
	int64_t dropped_bytes; /* beyond what it may write */
	bool was_full;         /* it had as many processes as it may */
	struct str hosts;      /* JSON: a list of the record reached_host; absent: none */
};

/* Who wanted it ended; zero: nobody here. */
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
	int64_t left_out;    /* bytes beyond what is read of it */
	struct str message;  /* unless it answered */
};

/* What a lost call had printed, as far as the disk kept it. */
struct recovered_output {
	struct str call_id;
	struct input_tool_end end; /* the fields about output only */
};

/* The runtime came up and found this session with open work. */
struct recovered {
	const struct recovered_output *outputs;
	size_t output_count;
	struct list_str missing; /* refs of stored outputs that are not there any more */
};

#endif
