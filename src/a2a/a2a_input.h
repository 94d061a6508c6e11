#ifndef A2A_INPUT_H
#define A2A_INPUT_H
/*
 * The parts of a peer's message as the input of a turn, or as the answer to a question.  A file
 * with an address becomes a link that is not fetched here; an address that leads into this
 * machine or its networks is refused unless `rules` allow it.  Pure.
 */
#include "a2a/a2a_request.h"
#include "sandbox/host_rule.h"

/* The array of parts that submit_turn reads. */
bool a2a_input_write(struct arena *mem, struct json_writer *w, const struct a2a_message *m,
                     const struct host_rules *rules, struct a2a_error *e) MUST_USE;

/* The answer: the object of the first part with data, else the text. */
void a2a_input_write_answer(struct json_writer *w, const struct a2a_message *m);

/* May the peer name this address?  e says why not; the name is checked again when it is dialled. */
bool a2a_input_is_address(struct arena *mem, struct str url, const struct host_rules *rules,
                          struct str field, struct a2a_error *e) MUST_USE;

#endif
