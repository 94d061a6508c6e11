#ifndef OPENAI_API_ID_H
#define OPENAI_API_ID_H
/*
 * Ids that clients see: a prefix, the session, and one object of it, with "~" between.  Our ids
 * contain no "~", so the parts can be read back without a table.  Pure.
 *
 *   resp_SESSION~TURN~SEQUENCE      a response: the turn from the event of that number on
 *   call_SESSION~CALL               a call of a tool that the client runs
 *   mcpr_SESSION~ACTION~TURN        a request for an approval
 *   conv_SESSION                    a conversation
 */
#include "base/arena.h"

#define OPENAI_API_ID_RESPONSE "resp_"
#define OPENAI_API_ID_CHAT "chatcmpl-"
#define OPENAI_API_ID_CALL "call_"
#define OPENAI_API_ID_APPROVAL "mcpr_"
#define OPENAI_API_ID_CONVERSATION "conv_"

struct openai_api_id {
	struct str session_id, object_id, rest; /* rest: absent with two parts */
};

/* False: it is none of ours. */
bool openai_api_id_read(struct str id, const char *prefix, struct openai_api_id *ret) MUST_USE;
/* False: it is none of ours. */
bool openai_api_id_read_conversation(struct str id, struct str *ret_session_id) MUST_USE;
struct str openai_api_id_conversation(struct arena *mem, struct str session_id);
struct str openai_api_id_make(struct arena *mem, const char *prefix, struct str session_id,
                              struct str object_id);
struct str openai_api_id_response(struct arena *mem, const char *prefix, struct str session_id,
                                  struct str turn_id, uint64_t first_sequence);

#endif
