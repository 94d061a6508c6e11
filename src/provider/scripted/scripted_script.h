#ifndef PROVIDER_SCRIPTED_SCRIPT_H
#define PROVIDER_SCRIPTED_SCRIPT_H
/*
 * The script as it was read: plain data, checked, never changed after.
 *
 * Private to the files of the scripted model.  Everything lives in the arena
 * that it was read into.
 */
#include "base/arena.h"
#include "base/list.h"
#include "base/map.h"
#include "ports/clock.h"
#include "ports/provider.h"
#include "ports/tool.h"

#define SCRIPT_TEXT_MAX (4 << 20) /* a script is written by hand, or exported from one session */
#define SCRIPT_UNIT_MAX 4096 /* of {"repeat": ...}; many of them fit into one piece of output */
#define SCRIPT_REGEX_MAX 1024

/* A number that must lie within; both ends count.  max 0: not asked for. */
struct script_span {
	int64_t min, max;
};

struct script_regex; /* compiled; see scripted_match.c */

struct script_when {
	/* at most one of these three */
	struct str contains, equals;
	struct script_regex *regex;
	struct script_span turn, request, attempt, images;
	struct str message_id, turn_id, peer_message_id;
	struct str provider, model;
	struct str purpose; /* answer when absent, or summary */
	bool has_result;    /* some tool result of this turn is ... */
	struct str result_name, result_contains;
	bool asks_is_error, is_error;
	struct str after_tool;
	int64_t times;     /* 0: as often as it likes */
	size_t times_slot; /* where a session counts it */
};

enum script_text_kind {
	TEXT_NONE,
	TEXT_WHOLE,  /* items[0], cut into words or chunks */
	TEXT_PIECES, /* items as they are */
	TEXT_REPEAT, /* items[0] again and again: `times`, or until `bytes` are there */
};
struct script_text {
	enum script_text_kind kind;
	struct str *items;
	size_t count;
	int64_t times, bytes;
	bool is_literal; /* no templates in it */
};

struct script_call {
	struct str name, id;
	struct str args; /* as JSON text; not JSON at all when it was given raw */
};

struct script_usage {
	bool is_unknown, is_given;
	/* -1: estimate */
	int64_t input, cached, cache_written, output, reasoning;
};

struct script_error {
	bool is_given;
	bool is_cut;
	int64_t status; /* 0: nothing was received */
	struct str category, message;
	bool retryable;
	int64_t retry_after_ms; /* -1: not said */
};

struct script_reply {
	struct script_text reasoning, text;
	struct str reasoning_summary;
	int64_t chunk; /* characters; 0: words */
	int64_t first_delay_ms, delay_ms;
	struct script_call *calls;
	size_t call_count;
	struct script_usage usage;
	struct model_limit limits[2]; /* requests, tokens */
	size_t limit_count;
	enum stop_reason stop;
	struct str stop_word;
	struct script_error error;
	bool hangs;
	int64_t max_pieces; /* an error or a hang comes behind so many; INT64_MAX: behind all */
};

struct script_rule {
	struct script_when when;
	struct script_reply *replies; /* reply: one; replies: one for each request of the turn */
	size_t reply_count;
	bool by_request;
};

struct script_progress {
	int64_t after_ms;
	struct str message;
	int64_t completed, total; /* -1: not said */
};

struct script_result {
	struct script_text text;
	int64_t every_ms; /* between the pieces of TEXT_PIECES */
	struct str structured;
	bool is_error;
	bool has_exit_code;
	int64_t exit_code;
	int64_t delay_ms;
	struct script_progress *progress;
	size_t progress_count;
	bool fails;
	struct str fail_category, fail_message, fail_advice, fail_executed;
	bool fail_retryable;
	bool hangs;
	struct str file_path, file_text; /* path absent: none */
	bool is_artifact;
	struct str media_type, schema, sha256; /* that the artifact declares; absent: not */
	int64_t size;
	bool has_size;
	struct tool_part *files; /* beside the text of the result */
	size_t file_count;
	struct script_result *each; /* one for each call of a session, when they differ */
	size_t each_count;
};

struct script {
	struct model_info model;   /* what the script itself says of its model */
	struct model_info *models; /* all it offers; one when none are listed */
	size_t model_count;
	bool enforces_window; /* what does not fit is refused */
	struct script_rule *rules;
	size_t rule_count;
	size_t times_count;             /* how many rules have `times` */
	struct script_reply *otherwise; /* the default, or NULL */
	struct tool_info *tools;        /* ask_user first, then the script's own */
	size_t tool_count;
	struct script_result *results; /* of tools[i + 1] */
};

enum err scripted_script_read(struct arena *mem, struct str text, struct script **ret,
                              struct error *e) MUST_USE;

#endif
