#ifndef ACP_ACP_MESSAGE_H
#define ACP_ACP_MESSAGE_H
/*
 * Messages of the Agent Client Protocol 1, as an agent reads and writes them.
 * Pure: parsed JSON in, texts out.
 *
 * Readers take the params of a request and fail with ERR_INVALID and one
 * sentence; strings of their results live as long as the params.  Members that
 * the protocol allows and this version does not use are ignored, as the
 * protocol demands; a member of the wrong type is an error.
 *
 * Writers add one JSON value, the params or the result of a message.
 */
#include "base/buf.h"
#include "base/err.h"
#include "base/json.h"
#include "base/jw.h"

#define ACP_VERSION 1

/* Codes of the protocol besides those of JSON-RPC. */
enum {
	ACP_AUTH_REQUIRED = -32000,
	ACP_NOT_FOUND = -32002,
	ACP_CANCELLED = -32800,
};

/* StopReason and ToolCallStatus. */
#define ACP_STOP_END_TURN "end_turn"
#define ACP_STOP_MAX_TOKENS "max_tokens"
#define ACP_STOP_MAX_REQUESTS "max_turn_requests"
#define ACP_STOP_REFUSAL "refusal"
#define ACP_STOP_CANCELLED "cancelled"
#define ACP_CALL_PENDING "pending"
#define ACP_CALL_IN_PROGRESS "in_progress"
#define ACP_CALL_COMPLETED "completed"
#define ACP_CALL_FAILED "failed"

/* The tool whose calls are the plan. */
#define ACP_TODO_TOOL "update_todo"

/* ---- requests of the editor ---- */

struct acp_client {
	struct str name, version; /* or absent */
	/* What it can do besides the common part; everything else is never asked of it. */
	bool has_notices, has_compaction; /* updates that it shows */
	bool has_forms, has_urls;         /* kinds of elicitation */
	bool reads_files;                 /* fs/read_text_file */
	bool has_terminal_auth;           /* runs this program in a terminal for a login */
};

/* The client's version is not returned: version 1 is offered whatever it is. */
enum err acp_message_read_initialize(struct json params, struct acp_client *ret,
                                     struct error *e) MUST_USE;

/* The params of session/new, and of session/load and session/resume, which name a session. */
struct acp_place {
	struct str session_id; /* absent in session/new */
	struct str cwd;        /* absolute */
	struct json servers;   /* tool servers that the editor names; acp_server.h reads them */
};
enum err acp_message_read_place(struct json params, bool names_session, struct acp_place *ret,
                                struct error *e) MUST_USE;

/* The params of session/list; both may be absent. */
enum err acp_message_read_list(struct json params, struct str *ret_cwd, struct str *ret_cursor,
                               struct error *e) MUST_USE;
/* sessionId, which every other request of a session has. */
enum err acp_message_read_session_id(struct json params, struct str *ret, struct error *e) MUST_USE;

/*
 * The prompt as the `input` of submit_turn; *ret_title is its first line, cut, or absent.  Audio and
 * binary resources are refused: initialize has not offered them.  first: a text instead of the first
 * part; absent: as it is.
 */
enum err acp_message_read_prompt(struct arena *mem, struct json params, struct str first,
                                 struct buf *input, struct str *ret_title,
                                 struct error *e) MUST_USE;

/* ---- results ---- */

void acp_message_write_initialized(struct buf *out, const struct acp_client *client,
                                   struct str version);
/* reason: a word of StopReason. */
void acp_message_write_stopped(struct buf *out, struct str reason);
/* Adds the rows of a page of list_sessions to those of session/list; returns how many. */
size_t acp_message_write_sessions(struct json_writer *w, struct json page, struct str cwd);

/* ---- errors ---- */

/* Ids of authMethods. */
#define ACP_AUTH_KEYS "thole-keys"   /* the keys that Thole has */
#define ACP_AUTH_SETUP "thole-setup" /* `thole setup` in a terminal */

/* The code of JSON-RPC for a problem of the runtime (RFC 9457). */
int64_t acp_message_code_of(struct json problem);
/* One sentence of it. */
struct str acp_message_text_of(struct json problem);

/* ---- questions to the user ---- */

struct acp_option {
	const char *id;   /* returned by the editor */
	const char *name; /* on its button */
	const char *kind; /* PermissionOptionKind */
};
/* session/request_permission about a tool call. */
struct acp_permission {
	struct str session_id, call_id, title;
	const struct acp_option *options;
	size_t option_count;
};
void acp_message_write_permission(struct buf *out, const struct acp_permission *p);
/* The option that the editor's result selects; absent: none, because the user has not decided. */
struct str acp_message_read_selected(struct json result);
/* elicitation/complete: the login behind the page has ended. */
void acp_message_write_complete(struct buf *out, struct str id);
/* $/cancel_request of a request of ours. */
void acp_message_write_cancel(struct buf *out, int64_t request_id);

#endif
