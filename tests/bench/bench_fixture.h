#ifndef BENCH_FIXTURE_H
#define BENCH_FIXTURE_H
/*
 * Shared by the measuring programs: their own daemon, floors of the same run,
 * and the rows of the table.
 *
 * A program is called with the path of `thole` and a directory to work in,
 * on the disk that is meant.  It prints one line per row, fields separated
 * by tabs, which tests/bench/run puts together.  Nothing here asserts a
 * time: a figure that falls short is a row that says no.  What breaks ends
 * the program with a message and status 1.
 */
#include "base/str.h"

#include <sys/types.h>

#define ROUNDS 3 /* of which the best counts: the machine is shared */

extern const char *bench_fixture_thole; /* the program */
extern const char *bench_fixture_dir;   /* empty, ours */

void bench_fixture_begin(int argc, char **argv);
const char *
bench_fixture_path(const char *name); /* in bench_fixture_dir; lives as long as the program */
void die(const char *fmt, ...) PRINTF_LIKE(1, 2) NORETURN;

/* Text that lives for the next 64 calls. */
const char *text(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* ---- time ---- */

int64_t now_ns(void);
void nap_ms(int ms);

/* Sorts in place. */
double median(double *values, size_t count);
double percentile(double *values, size_t count, double share);

/* ---- floors ---- */

/* Milliseconds for append 4 KiB + fdatasync in bench_fixture_dir: each of count, to be looked at by median(). */
void floor_sync(double *ret_ms, size_t count);
double floor_sync_ms(void); /* the best of several medians */
/* Milliseconds from fork to the end of /bin/true, the median of many. */
double floor_spawn_ms(void);

/* ---- rows ---- */

enum reached { REACHED_NO, REACHED_YES, REACHED_NONE /* there is no target */ };

struct row {
	const char *name, *measured;
	const char *floor;  /* NULL: there is none */
	double ratio;       /* to the floor; 0: none */
	const char *target; /* NULL: none */
	enum reached reached;
	const char *note; /* NULL: none */
};
void row_print(const struct row *r);
#define ROW(...) row_print(&(struct row){ __VA_ARGS__ })

/* ---- files ---- */

void bench_fixture_write(const char *path, const char *content);
void bench_fixture_remove(const char *path);

/* ---- a daemon ---- */

struct daemon {
	pid_t pid;
	int port;
	char dir[256], socket[300], token[128];
};

/*
 * Starts `thole serve` and waits until it has said its address.  script and
 * the settings ("key=value", NULL at the end) may be NULL.  THOLE_STRICT is
 * set: an append that the gates refuse aborts it, and we notice.
 */
void daemon_start(struct daemon *d, const char *dir, const char *script,
                  const char *const *settings);
/* Ends it in order; anything but a clean end is reported as broken. */
void daemon_stop(struct daemon *d);

/* Only starts it, for callers that measure when it answers; fills everything but the port. */
void daemon_spawn(struct daemon *d, const char *dir, const char *script,
                  const char *const *settings);

/* ---- what a process takes ---- */

struct memory {
	double rss_kib, private_kib;
};
struct memory memory_of(pid_t pid);
double cpu_seconds_of(pid_t pid); /* user and system */
int descriptors_of(pid_t pid);

#endif
