/* States of a task for peers. */
#include "a2a/a2a_state.h"

#include "base/gen/words.h"
#include "base/util.h"

#define WORD(text)                                                                                 \
	{                                                                                          \
		"TASK_STATE_" text, sizeof("TASK_STATE_" text) - 1                                 \
	}

static const struct str words[A2A_STATES] = {
	[A2A_STATE_NONE] = WORD("UNSPECIFIED"),
	[A2A_STATE_SUBMITTED] = WORD("SUBMITTED"),
	[A2A_STATE_WORKING] = WORD("WORKING"),
	[A2A_STATE_INPUT_REQUIRED] = WORD("INPUT_REQUIRED"),
	[A2A_STATE_AUTH_REQUIRED] = WORD("AUTH_REQUIRED"),
	[A2A_STATE_COMPLETED] = WORD("COMPLETED"),
	[A2A_STATE_FAILED] = WORD("FAILED"),
	[A2A_STATE_CANCELED] = WORD("CANCELED"),
	[A2A_STATE_REJECTED] = WORD("REJECTED"),
};

static const struct {
	const char *status;
	enum a2a_state state;
} of_status[] = {
	{ WORD_TASK_STATUS_DRAFT, A2A_STATE_SUBMITTED },
	{ WORD_TASK_STATUS_ACCEPTED, A2A_STATE_SUBMITTED },
	{ WORD_TASK_STATUS_QUEUED, A2A_STATE_SUBMITTED },
	{ WORD_TASK_STATUS_WAITING_INPUT, A2A_STATE_INPUT_REQUIRED },
	{ WORD_TASK_STATUS_WAITING_PERMISSION, A2A_STATE_AUTH_REQUIRED },
	{ WORD_TASK_STATUS_COMPLETED, A2A_STATE_COMPLETED },
	{ WORD_TASK_STATUS_CANCELLED, A2A_STATE_CANCELED },
	{ WORD_TASK_STATUS_FAILED, A2A_STATE_FAILED },
	{ WORD_TASK_STATUS_TIMED_OUT, A2A_STATE_FAILED },
	{ WORD_TASK_STATUS_LOST, A2A_STATE_FAILED },
	{ WORD_TASK_STATUS_ARCHIVED, A2A_STATE_NONE },
};

struct str a2a_state_word(enum a2a_state s)
{
	return words[s];
}

enum a2a_state a2a_state_read(struct str word)
{
	for (enum a2a_state s = 1; s < A2A_STATES; s++)
		if (str_eq(words[s], word))
			return s;
	return A2A_STATE_NONE;
}

enum a2a_state a2a_state_of_status(struct str status, struct str category)
{
	for (size_t i = 0; i < COUNT_OF(of_status); i++) {
		if (!str_eq(status, str_from(of_status[i].status)))
			continue;
		if (of_status[i].state == A2A_STATE_FAILED &&
		    (str_eq(category, STR(WORD_ERROR_CATEGORY_REFUSAL)) ||
		     str_eq(category, STR(WORD_ERROR_CATEGORY_CONTENT_FILTER))))
			return A2A_STATE_REJECTED;
		return of_status[i].state;
	}
	return A2A_STATE_WORKING; /* it runs, is paused, or waits for something but a person */
}

struct str a2a_state_status(enum a2a_state s)
{
	switch (s) {
	case A2A_STATE_COMPLETED:
		return STR(WORD_TASK_STATUS_COMPLETED);
	case A2A_STATE_CANCELED:
		return STR(WORD_TASK_STATUS_CANCELLED);
	case A2A_STATE_INPUT_REQUIRED:
		return STR(WORD_TASK_STATUS_WAITING_INPUT);
	default:
		return STR_NONE;
	}
}

bool a2a_state_is_final(enum a2a_state s)
{
	return s >= A2A_STATE_COMPLETED;
}

bool a2a_state_is_interrupted(enum a2a_state s)
{
	return s == A2A_STATE_INPUT_REQUIRED || s == A2A_STATE_AUTH_REQUIRED;
}
