#ifndef APP_FORM_PROMPT_H
#define APP_FORM_PROMPT_H
/*
 * Asks the fields of a form, one line each.
 *
 *   field ──► field ──► ... ──► review (send, change, decline)
 *     │                           ▲
 *     └── an empty line at a required field
 *
 * A form of one field without a default has no review: its line is the answer, and an empty one
 * declines.  Answers stay until the prompt closes, so that changing begins with them.
 */
#include "app/cli/print/form.h"

enum form_prompt_step {
	FORM_PROMPT_MORE, /* another line is wanted */
	FORM_PROMPT_REVIEW,
	FORM_PROMPT_DONE,
	FORM_PROMPT_DECLINED
};

struct form_prompt {
	struct form form;
	struct str answers[LIMIT_FORM_FIELDS]; /* as JSON; absent: none */
	size_t field;                          /* that is asked */
};

void form_prompt_open(struct form_prompt *p, struct json schema);
/* Prints what the current field is about; the text is its prompt. */
void form_prompt_show(const struct form_prompt *p, struct cli *c, FILE *out);
const char *form_prompt_text(const struct form_prompt *p, struct cli *c);
/* *ret_why: the line does not fit; NULL: it does. */
enum form_prompt_step form_prompt_line(struct form_prompt *p, struct cli *c, struct str line,
                                       const char **ret_why);
/* Prints the answers; the text is the prompt of the review. */
const char *form_prompt_review(const struct form_prompt *p, struct cli *c, FILE *out);
/* Has every required field an answer? */
bool form_prompt_is_whole(const struct form_prompt *p);
/* The fields are asked again, from the first one that needs an answer. */
void form_prompt_change(struct form_prompt *p);
/* The answer as a JSON object. */
struct str form_prompt_payload(const struct form_prompt *p, struct arena *mem);

#endif
