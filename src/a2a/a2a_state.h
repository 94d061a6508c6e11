#ifndef A2A_STATE_H
#define A2A_STATE_H
/* States of a task for peers, and which of ours they are made of.  Pure. */
#include "base/str.h"

enum a2a_state {
	A2A_STATE_NONE,
	A2A_STATE_SUBMITTED,
	A2A_STATE_WORKING,
	A2A_STATE_INPUT_REQUIRED,
	A2A_STATE_AUTH_REQUIRED,
	A2A_STATE_COMPLETED,
	A2A_STATE_FAILED,
	A2A_STATE_CANCELED,
	A2A_STATE_REJECTED,
	A2A_STATES
};

struct str a2a_state_word(enum a2a_state s); /* TASK_STATE_WORKING */
/* A2A_STATE_NONE: there is no such word, or it is TASK_STATE_UNSPECIFIED. */
enum a2a_state a2a_state_read(struct str word);

/*
 * Of the status of a task of ours; category: of the error of a failed one.  A model that refuses
 * has rejected the task.  A2A_STATE_NONE: the status says nothing about the work (archived).
 */
enum a2a_state a2a_state_of_status(struct str status, struct str category);
/*
 * The one status of ours that is this state, to filter a list; absent: several are, and each
 * row has to be looked at.
 */
struct str a2a_state_status(enum a2a_state s);

/* Nothing follows. */
bool a2a_state_is_final(enum a2a_state s);
/* The task waits for the peer or for a person. */
bool a2a_state_is_interrupted(enum a2a_state s);

#endif
