#ifndef CORE_DECIDE_H
#define CORE_DECIDE_H
/* The generated command table: one command to the topic that owns it. */
#include "core/decision.h"
#include "core/gen/tables.h"

/* False: no topic owns it (it is declared only, or the engine answers it). */
bool decide_command(struct decision *d, enum command command, const void *args);

#endif
