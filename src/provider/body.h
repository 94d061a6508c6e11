#ifndef PROVIDER_BODY_H
#define PROVIDER_BODY_H
/*
 * What the bodies of all dialects have in common.
 */
#include "provider/dialect.h"
#include "base/jw.h"

/* JSON text of an object. */
bool body_is_object(struct str text);

/* ERR_INVALID names the tool whose schema is not an object, or says that the answer's is not. */
enum err body_check(const struct model_request *req, const struct body_options *o,
                    struct error *e) MUST_USE;

/* The schema of a tool's arguments; of one that has none, an empty object. */
struct str body_tool_schema(const struct tool_spec *t);

/*
 * The messages of a request as servers take them: the results of an answer's
 * calls stand right behind it, each call has one, and none is without a call.
 */
size_t body_messages(struct arena *mem, const struct model_request *req,
                     const struct message **ret);
/*
 * For servers whose results are text only: the images of results follow
 * behind all results of an answer, as a message of the user.
 */
size_t body_messages_apart(struct arena *mem, const struct model_request *req,
                           const struct message **ret);

/* Members of the settings' extraBody that are not among ours. */
void body_write_extra(struct json_writer *w, struct str extra, const struct str *ours,
                      size_t count);
/* One member of extraBody; JSON_NONE when it is not there. */
struct json body_extra(struct arena *mem, const struct body_options *o, struct str key);

/*
 * Whether OpenAI can hold a model to this schema: closed objects with all
 * members required, and none of the keywords it does not take.  Asking for it
 * with any other schema is an error there.
 */
bool body_is_strict(struct str schema);

/*
 * What the model said in an answer, in its order.  From the state that came
 * with it when that is this model's and fits the text; else text, then calls.
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

#endif
