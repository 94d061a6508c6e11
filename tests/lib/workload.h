#ifndef TESTS_WORKLOAD_H
#define TESTS_WORKLOAD_H
/*
 * Random commands to a runtime, from a seed: several sessions, every kind of
 * command, right ones and wrong ones, repeated ones, at every moment; and time
 * that advances slowly, quickly and in jumps.
 */
#include "crash_run.h"

/* The script that the inputs speak to; read once from tests/sim/crash.json. */
struct str workload_script(void);

/* How a run is started, by the crash run's own seed. */
struct crash_run_process workload_run(struct crash_run *t);

/* One thing that happens, or some time that passes. */
void workload_step(struct crash_run *t);

/* A crash run of so many runs with a power cut, a kill or an orderly end between them. */
void workload_trial(struct crash_run *t);

/* The same, but a few steps before one end: many more of them fit into the same time. */
void workload_brief(struct crash_run *t);

#endif
