/*
 * Shifts the wall clock by an amount that may change at any time; no other clock
 * is touched.  Preloaded into the real daemon by set_clock.py:
 *
 *	SET_CLOCK=FILE
 *
 * FILE holds the milliseconds as a 64-bit number in the machine's own order.
 * It is mapped, so that a change is seen by the next call.
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static _Atomic(int64_t) none, *shift = &none;

__attribute__((constructor)) static void begin(void)
{
	const char *file = getenv("SET_CLOCK");
	int fd = file ? open(file, O_RDONLY | O_CLOEXEC) : -1;
	void *at = fd < 0 ? MAP_FAILED : mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, fd, 0);

	if (at != MAP_FAILED)
		shift = at;
	if (fd >= 0)
		close(fd);
	unsetenv("LD_PRELOAD"); /* children have the usual time */
}

static void move(struct timespec *t)
{
	int64_t ms = atomic_load(shift), ns = t->tv_nsec + ms % 1000 * 1000000;

	t->tv_sec += ms / 1000 + (ns < 0 ? -1 : ns / 1000000000);
	t->tv_nsec = ns < 0 ? ns + 1000000000 : ns % 1000000000;
}

int clock_gettime(clockid_t which, struct timespec *t)
{
	int result = (int)syscall(SYS_clock_gettime, which, t);

	if (result == 0 && (which == CLOCK_REALTIME || which == CLOCK_REALTIME_COARSE))
		move(t);
	return result;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
	struct timespec now;

	(void)zone;
	clock_gettime(CLOCK_REALTIME, &now);
	t->tv_sec = now.tv_sec;
	t->tv_usec = now.tv_nsec / 1000;
	return 0;
}

time_t time(time_t *t)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	if (t)
		*t = now.tv_sec;
	return now.tv_sec;
}
