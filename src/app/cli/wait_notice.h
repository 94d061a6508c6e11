#ifndef APP_WAIT_NOTICE_H
#define APP_WAIT_NOTICE_H
/*
 * No wait is silent: when a command is not answered for a moment, a line on
 * stderr says what the runtime is waiting for, as far as it can be asked.
 */
#include "app/cli/cli.h"

#include <pthread.h>

struct wait_notice {
	const char *socket; /* NULL: nobody else can be asked */
	bool color;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool is_over, is_started;
};

/* The wait may be for tool servers: the daemon is asked whether it is. */
void wait_notice_begin(struct wait_notice *p, const struct cli *c, bool asks_servers);
void wait_notice_end(struct wait_notice *p);

#endif
