#ifndef ENGINE_SESSION_CALL_INPUTS_H
#define ENGINE_SESSION_CALL_INPUTS_H
/*
 * Inputs of open calls that are too large for events.
 */
#include "engine/engine_state.h"

void call_inputs_written(struct session *s, const struct decision *d, const struct event *ev);
void call_inputs_stepped(struct session *s, const struct decision *d);
void call_inputs_settled(struct session *s);
void call_inputs_drop(struct session *s);
/* The input of the call that the command is about is read first. */
bool call_inputs_gather(struct request *r);

#endif
