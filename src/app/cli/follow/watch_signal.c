/*
 * Ctrl-C, on a thread that only waits for signals: the first one stops the turn
 * that is followed; the next ends the program in any state.
 */
#include "app/cli/follow/turn.h"

#include "base/gen/words.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static struct {
	struct cli *c;
	int fd;
	atomic_bool has_turn;
	atomic_int count; /* signals since the turn began */
	atomic_int first; /* the first of them */
} signals = { .fd = -1 };

/* write() and not stdio: the main thread may hold the lock of stderr. */
static void say_left(struct cli *c)
{
	static const char here[] = "\nthole: stopped immediately; running work is lost\n";
	static const char there[] = "\nthole: left; `thole ps` shows what still runs\n";

	if (c->opts.here)
		(void)!write(STDERR_FILENO, here, sizeof here - 1);
	else
		(void)!write(STDERR_FILENO, there, sizeof there - 1);
}

static void *wait_for_signals(void *arg)
{
	sigset_t *set = arg;
	uint64_t one = 1;
	int number;

	while (sigwait(set, &number) == 0) {
		if (atomic_load(&signals.has_turn) && !atomic_fetch_add(&signals.count, 1)) {
			atomic_store(&signals.first, number);
			(void)!write(signals.fd, &one, sizeof one);
			continue;
		}
		if (atomic_load(&signals.count))
			say_left(signals.c);
		paths_done(signals.c);
		_exit(CODE_INTERRUPTED);
	}
	return NULL;
}

/*
 * Blocked signals are inherited by threads, so this must precede the first one; only the waiting
 * thread then gets them.
 */
void watch_signal_all(struct cli *c)
{
	static sigset_t set;
	pthread_t thread;

	if (signals.fd >= 0) /* one thread serves all turns of the program */
		return;
	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	pthread_sigmask(SIG_BLOCK, &set, NULL);
	signals.c = c;
	signals.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (signals.fd < 0 || pthread_create(&thread, NULL, wait_for_signals, &set) != 0)
		abort();
	pthread_detach(thread);
}

/* SIGTERM is sent by programs, such as timeout(1) and those that shut a machine down. */
const char *watch_signal_reason(void)
{
	return atomic_load(&signals.first) == SIGTERM ? WORD_INTERRUPT_REASON_CLIENT_ENDED
	                                              : WORD_INTERRUPT_REASON_USER;
}

int watch_signal_fd(void)
{
	return signals.fd;
}

void watch_signal_begin(void)
{
	atomic_store(&signals.count, 0);
	atomic_store(&signals.has_turn, true);
}

void watch_signal_end(void)
{
	atomic_store(&signals.count, 0);
	atomic_store(&signals.has_turn, false);
}
