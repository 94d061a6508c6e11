#ifndef PROVIDER_EFFORT_H
#define PROVIDER_EFFORT_H
/*
 * How much a model is asked to think, in the words of its provider.
 *
 * One wish fits all models: a word that a model does not accept becomes the
 * nearest one that it does.  Older models take a number of tokens instead.
 */
#include "ports/provider.h"
#include "provider/dialect.h"

/*
 * Sets effort and effort_tokens of the body.  m: what is known about the model,
 * may be NULL; of an unknown one the words low, medium and high are sent.
 */
void effort_choose(enum effort wish, const struct model_info *m, struct body_options *o);

#endif
