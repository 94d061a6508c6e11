#ifndef APP_WAIT_NOTICE_H
#define APP_WAIT_NOTICE_H
/*
 * When a command is not answered for a moment, a line on stderr says what the
 * runtime waits for, if that is known.
 */
#include "app/cli/cli.h"

#include <pthread.h>

struct wait_notice {
	const struct cli *c;
	const char *socket; /* NULL: no second connection is possible */
	bool color;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool is_over, is_started;
};

/* The command may wait for tool servers; the thread asks the daemon. */
void wait_notice_begin(struct wait_notice *p, const struct cli *c, bool asks_servers);
/* Says only that the daemon is stopped (SIGSTOP, ^Z) and does not answer, as soon as that is so. */
void wait_notice_watch(struct wait_notice *p, const struct cli *c);
void wait_notice_end(struct wait_notice *p);

#endif
