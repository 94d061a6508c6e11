#ifndef BENCH_TOOL_DAEMON_H
#define BENCH_TOOL_DAEMON_H
/*
 * Tool calls in a daemon: turns with many of them, floods, and the cost of a
 * running process.
 */

/* echo_ms: one sandboxed echo through the toolset, the median. */
void measure_daemon(double echo_ms);

#endif
