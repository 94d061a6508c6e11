#ifndef CORE_CALL_INPUT_H
#define CORE_CALL_INPUT_H
/*
 * The complete arguments of a call.
 *
 * Up to LIMIT_INLINE_ARGS they are part of the events and of the state.  Larger
 * ones are a blob, which the engine reads and passes to a decision
 * (decision.inputs).  A decision that needs a missing one names it
 * (decision.wants_input) and is repeated after it was read.  No decision is
 * made about a call without its arguments.
 */
#include "core/decision.h"

struct call_input {
	struct call_input *next;
	struct str ref;
	struct str text; /* JSON; absent: it cannot be read */
};

enum call_input_state { CALL_INPUT_KNOWN, CALL_INPUT_WANTED, CALL_INPUT_LOST };

/* Sets ret_text when it is known. */
enum call_input_state call_input(struct decision *d, const struct st_call *c, struct str *ret_text);

/* The same where a missing input was handled before; absent when it is not known. */
struct str call_input_text(const struct decision *d, const struct st_call *c);

/* The ref of arguments that the event stores and that later decisions need; absent: none. */
struct str call_input_ref(const struct event *ev);

/* Is it stored behind a ref that is not in the list? */
bool call_input_is_missing(const struct call_input *inputs, const struct st_call *c);

#endif
