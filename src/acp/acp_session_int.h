#ifndef ACP_ACP_SESSION_INT_H
#define ACP_ACP_SESSION_INT_H
/* Shared by the files of one conversation only. */
#include "acp/message/acp_message.h"
#include "acp/acp_session.h"
#include "acp/message/acp_update.h"
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

struct acp_reading; /* of a stored output: acp_fetch.c */
struct acp_plan;    /* todo list and tasks: acp_plan.c */

/* The context and the cost, as far as events say. */
struct acp_usage {
	int64_t used, size; /* tokens; size 0: not known */
	int64_t cost_nano;  /* in 1e-9 dollars */
	bool has_cost;
};

/* A session that the editor has opened. */
struct acp_thread {
	struct list node;
	struct acp_session *s;
	char id[ACP_ID_MAX];
	char main[ACP_ID_MAX]; /* its main thread; "": not known yet */
	char *cwd;             /* of the session, whatever the editor says */
	char *servers; /* tool servers that the editor names, as the runtime reads them; or NULL */
	int64_t seen;  /* last event */
	bool has_title;
	char mode[32];   /* permission mode; "": not known */
	char model[256]; /* PROVIDER/MODEL of the session; "": the default */
	char effort[32]; /* of its prompts; "": the default */
	struct list asks;
	char *commands; /* names, each between line breaks; or NULL */
	struct acp_usage usage;
	struct acp_plan *plan;    /* or NULL */
	struct list outputs;      /* of commands that run: acp_output.c */
	struct list files;        /* that are read now: acp_file.c */
	struct acp_reading *hold; /* until it is read, no event is taken; or NULL */

	/* While it is opened: events up to past_through are of the past. */
	struct acp_request *opening; /* NULL: it is open */
	int64_t past_through;        /* -1: not known yet */
	bool is_silent;              /* the past is not sent */
	bool is_new;                 /* by session/new */
	bool is_attaching;           /* its tool servers are being named to the runtime */

	struct acp_request
		*closing; /* session/close or session/delete waits for its end; or NULL */
	bool is_deleted;  /* it is deleted then */
	bool is_detached; /* its tool servers have ended */

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
	ACP_CALL_ATTACH,
	ACP_CALL_DETACH,
	ACP_CALL_DELETE,
	ACP_CALL_AUTH,
	ACP_CALL_READ,
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
	char *servers;   /* of ACP_CALL_NEW: tool servers that the editor names; or NULL */
	struct buf rows; /* of ACP_CALL_LIST: rows of earlier pages, without brackets */
	unsigned pages;  /* of ACP_CALL_LIST: read so far */
	struct acp_reading *reading; /* of ACP_CALL_READ; NULL: it is not wanted any more */
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
	bool is_logged_out;                 /* the user has to sign in again first */
	struct acp_client client;           /* what it can do; its names are below */
	char *client_name, *client_version; /* or NULL */
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

/* A text below a notice, if the editor shows notices. */
void acp_peer_notice(struct acp_thread *t, struct str text);
/* True: the user has to sign in first, and the request was refused with that. */
bool acp_peer_needs_login(struct acp_session *s, const struct jsonrpc_message *m);

#endif
