#ifndef ACP_ACP_FORM_H
#define ACP_ACP_FORM_H
/*
 * Questions with a typed answer as forms of an editor.  Pure.
 *
 * A form of the protocol is a flat object of texts, numbers, yes or no, and
 * choices.  A schema that says more, such as an object inside the object, has
 * no form: its question is answered elsewhere.
 */
#include "base/jw.h"

#define ACP_FORM_CHOICES_MAX 16

/* Adds one value, the requestedSchema.  False: there is no form, and what was written is no value. */
bool acp_form_write(struct json_writer *w, struct json schema);

/* A question that one choice answers. */
struct acp_form_choice {
	struct str property; /* that the answer consists of */
	struct str values[ACP_FORM_CHOICES_MAX], names[ACP_FORM_CHOICES_MAX];
	size_t count;
};
/* False: it is not such a question. */
bool acp_form_read_choice(struct json schema, struct acp_form_choice *ret);

#endif
