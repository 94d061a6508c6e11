#ifndef CORE_IO_H
#define CORE_IO_H
/*
 * Reports of effects: inputs to decisions.
 *
 * Model requests, tool calls, processes and hooks run outside of the core.
 * Their output and their end arrive as one of these structs, through the
 * input_...() function of the topic.  Strings live as long as the call.
 */
#include "base/gen/tool_errors.h"
#include "catalog/catalog.h"
#include "core/model_io.h"

/* A denial by the sandbox that was observed, never inferred. */
struct tool_violation {
	enum violation_kind kind;
	struct str operation, path, host, syscall, err_name;
	struct str rule;        /* of the proxy: why it refused the host */
	struct str address;     /* that the host resolved to, if that was the reason */
	struct str would_allow; /* the one rule that would allow it */
	struct str
		needs; /* JSON: the record sandbox_override; absent: nothing that a user can grant */
	int64_t port, count; /* 0: none, not counted */
	bool is_blocked;
	bool has_fallback; /* programs try it and have another way */
};

/* A file as the call left it, and what it was before. */
struct tool_change {
	enum artifact_change change;
	struct str kind;  /* file, link, directory; absent: file */
	struct str path;  /* relative to the workspace when below it, else absolute */
	struct str place; /* where it led through links: absolute; absent: no link was on the way */
	struct str hash;  /* SHA-256 of the new content, hexadecimal; absent when it was deleted */
	struct str diff;  /* unified, may be cut; absent: not known */
	struct str before; /* the old content; absent when there was no file */
	bool has_before;
	struct str mode, previous_mode; /* permission bits, octal; or absent */
	int64_t size;
	struct str media_type;
	struct str validation; /* JSON: the record artifact_validation; absent: not validated */
};

/* A binary part of a result, beside its text, or a file that is elsewhere. */
struct tool_part {
	struct str media_type; /* of an image as its bytes say, otherwise as the tool says */
	struct str bytes;
	struct str name; /* of the file, without a path; or absent */
	struct str url;  /* where the file is, instead of its bytes; or absent */
	bool is_image;   /* that models take */
};

/* A text or an image of a tool server's request for an answer of a model. */
struct sampling_part {
	bool is_assistant; /* it says that a model said it */
	struct str text;   /* absent: an image */
	struct str media_type, base64;
};

/* Such a request, checked, with what the settings of the server permit. */
struct sampling_request {
	struct str server;
	bool asks;          /* a person decides */
	struct str model;   /* absent: that of the turn */
	int64_t budget_usd; /* of all its requests in one turn, in 1e-9 dollars */
	int64_t max_tokens;
	struct str system; /* its system prompt; or absent */
	const struct sampling_part *parts;
	size_t part_count;
};

enum process_exit {
	EXIT_NONE, /* no process of its own */
	EXIT_BY_CODE,
	EXIT_BY_SIGNAL, /* that the runtime did not send */
	EXIT_BY_STOP,   /* by cancel() */
	EXIT_BY_TIMEOUT,
	EXIT_BY_SILENCE, /* wrote nothing for too long */
	EXIT_BY_LIMIT,   /* memory or processes */
	EXIT_NEVER_BEGAN,
	EXIT_UNSEEN, /* gone, and how is not known */
};

/* Something was taken out of what it said. */
struct tool_redaction {
	enum redaction kind;
	struct str rule;
	int64_t count;
};

/*
 * How a tool call ended.  A toolset fills the first part; the engine adds what
 * it collected of the output.
 */
struct tool_end {
	bool failed, cancelled;
	bool is_error;                /* it ran, and its result is an error */
	enum error_category category; /* when failed; absent: tool_failed */
	struct str message;           /* when failed: one sentence */
	struct str advice;
	bool retryable;
	enum executed executed;
	int64_t exit_code;
	bool has_exit_code;
	struct str structured; /* JSON text of a structured result, or absent */
	struct str content; /* JSON array: parts of the result that a text cannot hold, or absent */
	struct str media_type; /* the output is an image of that kind and nothing else; or absent */
	const struct tool_part *parts;
	size_t part_count;
	const struct tool_change *changes;
	size_t change_count;
	/* Of a command. */
	struct str not_covered; /* one sentence: changes that undo cannot revert; or absent */
	enum process_exit exit;
	struct str signal;             /* SIGTERM */
	bool is_escalated;             /* a harder signal was needed */
	int64_t survivors;             /* of its process tree; -1: not counted */
	int64_t max_rss_bytes, cpu_ms; /* 0: not known */
	int64_t run_ms;                /* how long the process ran; 0: not known */
	int64_t dropped_bytes;         /* beyond what it may write */
	bool was_full;                 /* it had as many processes as it may */
	struct str hosts;              /* JSON: a list of the record reached_host; absent: none */

	/* By the engine: the output, whole when it is small, else head and tail and a sealed blob. */
	struct str text;
	struct str output_ref; /* present when spilled */
	int64_t output_bytes;
	struct str sha256, head, tail;
	bool is_text;
	bool is_complete; /* the blob was sealed in full */
	const struct tool_redaction *redactions;
	size_t redaction_count;
};

/* Marks the call as failed with a row of catalog/tool_errors.json. */
static inline void tool_end_fail(struct tool_end *end, const struct tool_error *error)
{
	end->failed = true;
	end->category = rec_enum_read(&enum_error_category, error->category);
	end->message = error->message;
	end->advice = error->advice;
	end->retryable = error->is_retryable;
}

/* The actor that stopped it; zero: the runtime did not. */
struct input_stop {
	enum terminated_by by;
	struct str cause, reason;
	struct rec_actor *actor;
};

/* The output of a lost call, as far as it is on disk. */
struct recovered_output {
	struct str call_id;
	struct tool_end end; /* the fields about output only */
};

/* The runtime started and found open work in this session. */
struct recovered {
	const struct recovered_output *outputs;
	size_t output_count;
	struct list_str missing; /* refs of stored outputs that no longer exist */
};

#endif
