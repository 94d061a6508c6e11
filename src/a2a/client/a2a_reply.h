#ifndef A2A_REPLY_H
#define A2A_REPLY_H
/*
 * Replies of a remote agent and items of its streams, in both bindings.  Pure.
 *
 * A reply is a task, a message, a change of the status, a piece of an artifact, or an error.
 * Strings point into the parsed document and live as long as its arena.
 */
#include "a2a/a2a_state.h"
#include "a2a/client/a2a_ask.h"
#include "base/gen/limits.h"
#include "base/json.h"

enum a2a_part_kind { A2A_PART_TEXT, A2A_PART_RAW, A2A_PART_URL, A2A_PART_DATA };

struct a2a_part {
	enum a2a_part_kind kind;
	struct str value; /* the text, the bytes in base64, the address, the JSON text */
	struct str name, type;
	size_t room; /* of a text that comes in pieces: bytes at value.ptr; 0: as many as it has */
};

struct a2a_parts {
	struct a2a_part *at;
	size_t count;
};

struct a2a_got_artifact {
	struct str id, name;
	struct a2a_parts parts;
	bool is_append, is_last;
};

/* What an error means for the delegation. */
enum a2a_fault {
	A2A_FAULT_NONE,
	A2A_FAULT_MISSING,     /* the agent does not know the task */
	A2A_FAULT_UNSUPPORTED, /* it does not offer this operation */
	A2A_FAULT_AUTH,        /* it refuses the credential */
	A2A_FAULT_REFUSED,     /* it refuses the request: sending it again does not help */
	A2A_FAULT_LATER,       /* it cannot now */
};

enum a2a_reply_kind {
	A2A_REPLY_TASK,
	A2A_REPLY_MESSAGE,
	A2A_REPLY_STATUS,
	A2A_REPLY_ARTIFACT,
	A2A_REPLY_ERROR,
};

struct a2a_reply {
	enum a2a_reply_kind kind;
	struct str task_id, context_id;
	enum a2a_state state;
	struct str state_word; /* as it was sent */
	struct str message_id; /* of the message of the status, or of the message itself */
	struct str text;       /* its texts, joined */
	struct a2a_got_artifact *artifacts;
	size_t artifact_count;
	enum a2a_fault fault;
	struct str error; /* one sentence of the agent: untrusted */
};

/*
 * Reads a body or an item of a stream; `http` is the status of the response.  False: it is not
 * what the protocol says, and ret_why is one sentence.
 */
bool a2a_reply_read(struct arena *mem, enum a2a_binding binding, enum a2a_ask_kind asked, int http,
                    struct str text, struct a2a_reply *ret, struct str *ret_why) MUST_USE;

#endif
