#ifndef LIB_SETTINGS_H
#define LIB_SETTINGS_H
/* The settings of thole_options, in the order in which they count. */
#include "lib/config.h"
#include "thole/thole.h"

/* Files, project, THOLE_*, options; the error names the layer and the key. */
enum err settings_add(struct config *c, const struct thole_options *o, struct error *e) MUST_USE;

#endif
