#ifndef CORE_CALL_INPUT_H
#define CORE_CALL_INPUT_H
/*
 * The arguments of a call, whole.
 *
 * Up to LIMIT_INLINE_ARGS they stand in the events and in the world.  Larger
 * ones are a blob, which the engine reads and hands to a decision
 * (outcome.inputs).  A decision that needs one which is not there says which
 * (outcome.wants_input) and is made again when it was read.  Nothing is
 * decided about a call whose arguments are not at hand.
 */
#include "core/decision.h"

struct call_input {
	struct call_input *next;
	struct str ref;
	struct str text; /* JSON; absent: it cannot be read */
};

enum call_input_state { CALL_INPUT_KNOWN, CALL_INPUT_WANTED, CALL_INPUT_LOST };

/* ret_text is set when it is known. */
enum call_input_state call_input(struct decision *d, const struct st_call *c, struct str *ret_text);

/* The same where a missing input was dealt with before; absent when it is not known. */
struct str call_input_text(const struct decision *d, const struct st_call *c);

/* Does it stand behind a ref that is not in the list? */
bool call_input_is_missing(const struct call_input *inputs, const struct st_call *c);

#endif
