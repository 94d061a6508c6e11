#ifndef SUPERVISOR_SANDBOX_RUN_H
#define SUPERVISOR_SANDBOX_RUN_H
/*
 * One command in a sandbox, for people and scripts:
 *
 *	thole-supervisor sandbox-run [OPTION…] -- COMMAND…
 *
 * Standard input (unless it is a terminal), output and error are relayed, so
 * that the command holds pipes of its own and nothing of the caller's.  The
 * exit code is the command's, 128 + n after signal n, 125 when the sandbox was
 * refused, 126 or 127 when the program could not be executed.
 */

/* argv begins behind the verb. */
int sandbox_run(int argc, char **argv);

#endif
