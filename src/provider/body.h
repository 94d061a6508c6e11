#ifndef PROVIDER_BODY_H
#define PROVIDER_BODY_H
/*
 * Parts of request bodies that all dialects share.
 */
#include "provider/dialect.h"
#include "base/jw.h"

/* JSON text of an object. */
bool body_is_object(struct str text);

/* ERR_INVALID names the tool whose schema is not an object, or the response schema. */
enum err body_check(const struct model_request *req, const struct body_options *o,
                    struct error *e) MUST_USE;

/* The schema of a tool's arguments; of one that has none, an empty object. */
struct str body_tool_schema(const struct tool_spec *t);

/*
 * The messages of a request as servers accept them: the results of a response's
 * calls follow it directly, each call has one, and none is without a call.
 */
size_t body_messages(struct arena *mem, const struct model_request *req,
                     const struct message **ret);
/*
 * For servers whose results are text only: the images of results follow all
 * results of a response, as a message of the user.
 */
size_t body_messages_apart(struct arena *mem, const struct model_request *req,
                           const struct message **ret);

/* Members of the settings' extraBody that are not among ours. */
void body_write_extra(struct json_writer *w, struct str extra, const struct str *ours,
                      size_t count);
/* One member of extraBody; JSON_NONE when it is not there. */
struct json body_extra(struct arena *mem, const struct body_options *o, struct str key);

/*
 * Whether OpenAI's strict mode accepts this schema: closed objects with all
 * members required, and no unsupported keywords.  Strict mode with any other
 * schema is an error.
 */
bool body_is_strict(struct str schema);

/*
 * The parts of a model's response, in their order: from the stored state if it
 * is of this model and matches the text; else text, then calls.
 */
struct body_part {
	enum { SAID_TEXT, SAID_CALL, SAID_THOUGHT, SAID_OPAQUE } kind;
	struct str text; /* text, thought */
	const struct model_call *call;
	struct json opaque;
	struct str signature;
};
size_t body_parts(struct arena *mem, const struct dialect *d, const struct model_request *req,
                  const struct message *m, struct body_part **ret);

/*
 * Whether the last response made calls and does not begin with the thought that led to them: then a
 * request that asks for thinking is refused, also if words of the user follow the results.
 */
bool body_lost_thought(struct arena *mem, const struct dialect *d, const struct model_request *req,
                       const struct message *messages, size_t count);

/*
 * The id of a call with letters, digits, _ and - only, as other providers' ids need not be.  A
 * longer one than max is cut and ends with a hash, so that two stay different.
 */
struct str body_safe_id(struct arena *mem, struct str id, size_t max);

/* No visible character: some servers refuse such a text. */
bool body_is_blank(struct str text);
bool body_is_worth_sending(const struct message *m);

#endif
