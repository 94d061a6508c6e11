#ifndef CORE_TASK_REPORT_H
#define CORE_TASK_REPORT_H
/* Reports about work at remote agents: report_delegation, and what follows from the state. */
#include "core/task/task.h"

/* Withdraws a question whose run has ended.  Returns whether events were emitted. */
bool task_report_step(struct decision *d, const struct st_task *t);

#endif
