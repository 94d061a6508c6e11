#ifndef ENGINE_EFFECTS_OUTPUT_TOOLS_H
#define ENGINE_EFFECTS_OUTPUT_TOOLS_H
/*
 * The tool read_output, with which a model reads on in an output that was cut
 * for it.
 */
#include "engine/engine_state.h"

struct toolset *output_tools_new(struct engine *e);

#endif
