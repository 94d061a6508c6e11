#ifndef DIAGNOSE_DIAGNOSE_H
#define DIAGNOSE_DIAGNOSE_H
/*
 * `thole-supervisor diagnose`: language servers behind a protocol of lines.
 *
 *	first line   {"cwd", "servers": [{"name", "argv": [], "language", "files": [".c"]}]}
 *	request      {"id": 1, "files": ["/ws/a.c"], "waitMs": 3000}
 *	answer       {"id": 1, "diagnostics": [{"path", "line", "column", "severity", "message", "server"}],
 *	              "left": 3, "waiting": ["clangd"]}
 *
 * A server is started when a file of its kind is first named, and ends with this program.
 * `waiting` names servers that had not answered in time, `left` counts what did not fit.
 */

/* Until the input ends.  Returns the exit code. */
int diagnose_serve(void);

#endif
