#ifndef ACP_ACP_SESSION_INT_H
#define ACP_ACP_SESSION_INT_H
/* Shared by the files of one conversation only. */
#include "acp/acp_message.h"
#include "acp/acp_session.h"
#include "acp/acp_update.h"
#include "base/jw.h"
#include "base/list.h"
#include "net/jsonrpc.h"

#define ACP_ID_MAX (ID_MAX + 1)
#define ACP_NOT_OPEN "This session is not open in this connection; load it first."

enum acp_prompt_state {
	ACP_PROMPT_NONE,
	ACP_PROMPT_SUBMITTED,
	ACP_PROMPT_RUNNING,
	ACP_PROMPT_STOPPING,
	ACP_PROMPT_STATES,
};

/* A request of the editor that is answered later. */
struct acp_request {
	struct list node;
	struct jsonrpc_call *call;
	char *id; /* raw JSON, as it came */
};

/* A session that the editor has opened. */
struct acp_thread {
	struct list node;
	struct acp_session *s;
	char id[ACP_ID_MAX];
	char main[ACP_ID_MAX]; /* its main thread; "": not known yet */
	char *cwd;
	int64_t seen; /* last event */
	bool has_title;
	size_t server_count; /* tool servers that the editor names */
	char mode[32];       /* permission mode; "": not known */
	char model[256];     /* PROVIDER/MODEL of the session; "": the default */
	char effort[32];     /* of its prompts; "": the default */
	struct list asks;
	char *commands; /* names, each between line breaks; or NULL */

	/* While it is opened: events up to past_through are of the past. */
	struct acp_request *opening; /* NULL: it is open */
	int64_t past_through;        /* -1: not known yet */
	bool is_silent;              /* the past is not sent */
	bool is_new;                 /* by session/new */

	enum acp_prompt_state state;
	struct acp_request *prompt;
	char turn[ACP_ID_MAX];
	char stop[32];     /* the stop reason of the last model response */
	bool wants_cancel; /* before the turn was accepted */
	char *held;        /* the params of a prompt whose command is being expanded; or NULL */
};

/* What a call to the runtime was for. */
enum acp_call {
	ACP_CALL_NEW,
	ACP_CALL_OPEN,
	ACP_CALL_LIST,
	ACP_CALL_MODE,
	ACP_CALL_MODELS,
	ACP_CALL_COMMANDS,
	ACP_CALL_EXPAND,
	ACP_CALL_CONFIG,
	ACP_CALL_SUBMIT,
	ACP_CALL_STOP,
	ACP_CALL_UNQUEUE,
	ACP_CALL_ANSWER,
	ACP_CALL_OTHER, /* its reply does not matter */
};

struct acp_open_call {
	struct list node;
	uint64_t tag;
	enum acp_call what;
	struct acp_thread *thread;   /* or NULL */
	struct acp_request *request; /* of the editor, answered with the reply; or NULL */
	char about[ACP_ID_MAX];      /* the action of an answer, the turn of a prompt */
	char *cwd;                   /* of ACP_CALL_NEW and ACP_CALL_LIST; or NULL */
	size_t server_count;         /* of ACP_CALL_NEW: tool servers that the editor names */
};

struct acp_model {
	char *name;       /* PROVIDER/MODEL */
	unsigned efforts; /* a bit for each word of the vocabulary */
	bool is_default;
};

struct acp_session {
	const struct acp_session_ops *ops;
	void *owner;
	struct jsonrpc *peer;
	struct arena *mem; /* of one step */
	struct id_source ids;
	char *version;
	size_t params_max;
	bool is_initialized;
	bool has_notices;
	char *client_name, *client_version;                     /* or NULL */
	char channel[ACP_ID_MAX], resume_token[ACP_ID_MAX * 2]; /* "": not enrolled */
	struct list threads, requests, calls;
	size_t thread_count;
	struct acp_model *models;
	size_t model_count;
	bool has_asked_models;
	uint64_t last_tag;
	int64_t last_request; /* id of our last request to the editor */
};

/* ---- acp_peer.c ---- */

/* NULL: the editor has not opened it. */
struct acp_thread *acp_peer_thread(struct acp_session *s, struct str session_id);

/* Params of a command; sent and emptied by acp_peer_call(). */
struct acp_params {
	struct buf text;
	struct json_writer w;
};
void acp_peer_begin_call(struct acp_params *p, struct str session_id);
/* Adds a new idempotency key. */
void acp_peer_add_key(struct acp_session *s, struct acp_params *p);
struct acp_open_call *acp_peer_call(struct acp_session *s, enum acp_call what, const char *command,
                                    struct acp_params *p);

/* A notification, and a request of ours, whose id is returned; params are emptied. */
void acp_peer_notify(struct acp_session *s, const char *method, struct buf *params);
int64_t acp_peer_ask(struct acp_session *s, const char *method, struct buf *params);

/* Keeps a request of the editor that is answered later.  NULL: refused, because its id is in use. */
struct acp_request *acp_peer_keep(struct acp_session *s, const struct jsonrpc_message *m);
/* Both end the request. */
void acp_peer_answer(struct acp_request *r, struct str result);
void acp_peer_refuse(struct acp_request *r, int64_t code, struct str message, struct str data);
/* The same by a problem of the runtime. */
void acp_peer_refuse_by(struct acp_session *s, struct acp_request *r, struct json problem);
/* Refuses a request that was not kept. */
void acp_peer_refuse_now(const struct jsonrpc_message *m, int64_t code, const char *message);

/* ---- acp_prompt.c: session/prompt and session/cancel ---- */

void acp_prompt_begin(struct acp_session *s, const struct jsonrpc_message *m);
void acp_prompt_cancel(struct acp_thread *t);
/* The reply to ACP_CALL_EXPAND, ACP_CALL_SUBMIT, ACP_CALL_STOP or ACP_CALL_UNQUEUE. */
void acp_prompt_replied(const struct acp_open_call *c, bool is_ok, struct json reply);
/* Ends the open prompt, if there is one, with a problem. */
void acp_prompt_refuse(struct acp_thread *t, struct json problem);
/* Takes what an event says about the open prompt. */
void acp_prompt_event(struct acp_thread *t, struct str type, struct json event);

/* ---- acp_mode.c: session/set_mode ---- */

void acp_mode_begin(struct acp_session *s, const struct jsonrpc_message *m);
/* Notes the session's permission mode. */
void acp_mode_event(struct acp_thread *t, struct str type, struct json event);
/* The modes that are offered, by number; NULL behind the last. */
const char *acp_mode_id(const struct acp_thread *t, size_t i);
const char *acp_mode_name(const struct acp_thread *t, size_t i);
/* Adds the member `modes`, if the mode is known. */
void acp_mode_write(const struct acp_thread *t, struct json_writer *w);

/* ---- acp_config.c: session/set_config_option ---- */

void acp_config_begin(struct acp_session *s, const struct jsonrpc_message *m);
void acp_config_ask_models(struct acp_session *s); /* once */
void acp_config_models(struct acp_session *s, struct json reply);
void acp_config_changed(const struct acp_open_call *c); /* ACP_CALL_CONFIG was accepted */
/* Notes the session's model, and tells the editor of changes. */
void acp_config_event(struct acp_thread *t, struct str type, struct json event);
/* Adds the member `configOptions`, if the models are known. */
void acp_config_write(const struct acp_thread *t, struct json_writer *w);
void acp_config_free(struct acp_session *s);

/* ---- acp_command.c: slash commands ---- */

void acp_command_ask(struct acp_thread *t);
void acp_command_listed(struct acp_thread *t, struct json reply);
/* Whether a prompt begins with a command; the strings live as long as the params. */
bool acp_command_find(const struct acp_thread *t, struct json params, struct str *ret_name,
                      struct str *ret_arguments);

/* ---- acp_ask.c: session/request_permission ---- */

/* Opens and closes questions.  Those of the past are asked by acp_ask_send_pending(). */
void acp_ask_event(struct acp_thread *t, struct str type, struct json event, bool is_past);
void acp_ask_send_pending(struct acp_thread *t);
/* The editor's answer to one of our requests. */
void acp_ask_answered(struct acp_session *s, const struct jsonrpc_message *m);
/* The runtime did not accept the answer. */
void acp_ask_refused(const struct acp_open_call *c, struct json problem);
/* Withdraws the questions of a turn that has ended. */
void acp_ask_withdraw(struct acp_thread *t, struct str turn_id);
void acp_ask_free_all(struct acp_thread *t);

#endif
