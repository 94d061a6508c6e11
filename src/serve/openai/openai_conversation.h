#ifndef SERVE_OPENAI_CONVERSATION_H
#define SERVE_OPENAI_CONVERSATION_H
/*
 * Conversations of the OpenAI APIs, which are sessions, and the deletion of what they hold.
 *
 *   POST   /conversations      create_session ► get_session
 *   GET    /conversations/ID   get_session ► events of the session
 *   POST   /conversations/ID   update_session ► as GET
 *   DELETE /conversations/ID   delete_session
 *   DELETE /responses/ID       list_threads ► get_thread_read ► delete_session
 *
 * A response is deleted with its session, if it is the only one there: the log of a session has no
 * gaps.  Each function ends with the reply to the request.
 */
#include "serve/openai/openai_op.h"

void openai_conversation_create(struct openai_op *o);
void openai_conversation_get(struct openai_op *o, struct str id);
void openai_conversation_update(struct openai_op *o, struct str id);
void openai_conversation_delete(struct openai_op *o, struct str id);
void openai_conversation_delete_response(struct openai_op *o, struct str id);

#endif
