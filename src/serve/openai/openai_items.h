#ifndef SERVE_OPENAI_ITEMS_H
#define SERVE_OPENAI_ITEMS_H
/*
 * Items of a conversation, read from the log of its session.
 *
 *   GET    /conversations/ID/items        events ► a page
 *   GET    /conversations/ID/items/ITEM   events ► one item
 *   POST   /conversations/ID/items        refused: words join a log with the turn that reads them
 *   DELETE /conversations/ID/items/ITEM   refused: a log has no gaps
 *
 * Each function ends with the reply to the request.
 */
#include "serve/openai/openai_op.h"

/* rest: behind the id of the conversation, "items" or "items/ITEM".  False: there is no such path. */
bool openai_items_open(struct openai_op *o, struct str conversation_id, struct str rest) MUST_USE;
/* The conversation with its metadata, which the events of its session have. */
void openai_items_show_conversation(struct openai_op *o, int64_t created_ms);

#endif
