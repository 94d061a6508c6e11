#ifndef CORE_DECIDE_H
#define CORE_DECIDE_H
/* The generated command table: calls the decision of the topic that owns a command. */
#include "core/decision.h"
#include "core/gen/tables.h"

/* False: no topic owns it (it is only declared, or the engine handles it). */
bool decide_command(struct decision *d, enum command command, const void *args);

#endif
