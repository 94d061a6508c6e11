#ifndef BENCH_BARE_H
#define BENCH_BARE_H
/*
 * Bare SQLite with the same rows, indexes and batch.
 *
 * What a run of the daemon appended is read back and written again by a
 * plain loop of prepared statements: the same events in the same order,
 * the same head, index and snapshot rows per slice, as many events in a
 * transaction as the daemon had on average, the same settings.
 */

/* Events per second.  log_dir: a data directory that no process has open. */
double bare_run(const char *log_dir, const char *dir, double events_per_commit);

#endif
