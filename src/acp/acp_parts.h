#ifndef ACP_ACP_PARTS_H
#define ACP_ACP_PARTS_H
/* What the parts of one conversation offer each other. */
#include "acp/acp_session_int.h"

/* ---- acp_open.c: session/new, load, resume, list, close, delete ---- */

void acp_open_new(struct acp_session *s, const struct jsonrpc_message *m);
void acp_open_load(struct acp_session *s, const struct jsonrpc_message *m);
void acp_open_resume(struct acp_session *s, const struct jsonrpc_message *m);
void acp_open_list(struct acp_session *s, const struct jsonrpc_message *m);
void acp_open_close(struct acp_session *s, const struct jsonrpc_message *m);
void acp_open_delete(struct acp_session *s, const struct jsonrpc_message *m);
/* The reply to ACP_CALL_NEW, OPEN, LIST, ATTACH, DETACH or DELETE. */
void acp_open_replied(struct acp_session *s, struct acp_open_call *c, bool is_ok,
                      struct json reply);
/* An event or a text was taken: answers session/load at the end of the past. */
void acp_open_taken(struct acp_thread *t);
/* The connection to the runtime was replaced. */
void acp_open_reconnected(struct acp_thread *t);
/* Closes a session whose work has ended, if the editor asked for that; may free it. */
void acp_open_settle(struct acp_thread *t);
/* Requests that wait for it are refused with the problem, or answered without one. */
void acp_open_free(struct acp_thread *t, struct json problem);

/* ---- acp_auth.c: authenticate, logout ---- */

void acp_auth_begin(struct acp_session *s, const struct jsonrpc_message *m);
void acp_auth_end(struct acp_session *s, const struct jsonrpc_message *m);
void acp_auth_replied(struct acp_session *s, const struct acp_open_call *c, bool is_ok,
                      struct json reply);

/* ---- acp_fetch.c: reads stored outputs ---- */

struct acp_reading {
	struct acp_thread *t;
	char ref[ACP_ID_MAX];
	int64_t offset; /* of the next part; negative: the last bytes alone */
	size_t max;     /* bytes; the rest is left out */
	bool is_base64; /* the bytes are wanted in base64 */
	struct buf text;
	/* The text is whole, or what could be read of it; frees nothing of the reading. */
	void (*done)(struct acp_reading *r, bool is_ok);
	void *owner;
};
/* Begins it; the memory is the caller's until done was called or acp_fetch_stop(). */
void acp_fetch_begin(struct acp_reading *r);
void acp_fetch_stop(struct acp_reading *r);
void acp_fetch_replied(const struct acp_open_call *c, bool is_ok, struct json reply);

/* ---- acp_past.c: messages that are longer than their events ---- */

/* True: the event is shown when its text has been read; until then no event is taken. */
bool acp_past_hold(struct acp_thread *t, struct str type, struct json event);
/* The same for images of a tool, behind the update that the event has. */
void acp_past_hold_images(struct acp_thread *t, struct str type, struct json event);
void acp_past_free(struct acp_thread *t);

/* ---- acp_plan.c: todo list and tasks as a plan; context and cost ---- */

/* is_sent: the editor is informed of a change. */
void acp_plan_event(struct acp_thread *t, struct str type, struct json event, bool is_sent);
void acp_plan_free(struct acp_thread *t);
void acp_plan_usage_event(struct acp_thread *t, struct str type, struct json event, bool is_sent);

/* ---- acp_output.c: the output of a command as it grows ---- */

void acp_output_event(struct acp_thread *t, struct str type, struct json event);
void acp_output_free_all(struct acp_thread *t);

/* ---- acp_file.c: files with unsaved text ---- */

void acp_file_event(struct acp_thread *t, struct str type, struct json event);
/* True: the message is the answer to such a question. */
bool acp_file_answered(struct acp_session *s, const struct jsonrpc_message *m);
void acp_file_free_all(struct acp_thread *t);

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
