#ifndef ENGINE_EFFECTS_SKILL_TOOLS_H
#define ENGINE_EFFECTS_SKILL_TOOLS_H
/* The tool read_skill, with which a model reads a skill and the files beside it. */
#include "engine/engine_state.h"

struct toolset *skill_tools_new(struct engine *e);

#endif
