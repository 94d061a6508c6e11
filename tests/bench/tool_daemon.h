#ifndef BENCH_TOOL_DAEMON_H
#define BENCH_TOOL_DAEMON_H
/* Calls of tools in a daemon: turns with many of them, floods, and what a live process costs. */

/* echo_ms: one sandboxed echo through the toolset, the median. */
void measure_daemon(double echo_ms);

#endif
