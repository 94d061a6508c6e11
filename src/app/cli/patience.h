#ifndef APP_PATIENCE_H
#define APP_PATIENCE_H
/*
 * No wait is silent: when a command is not answered for a moment, a line on
 * stderr says what the runtime is waiting for, as far as it can be asked.
 */
#include "app/cli/cli.h"

#include <pthread.h>

struct patience {
	const char *socket; /* NULL: nobody else can be asked */
	bool color;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t over;
	bool is_over, is_started;
};

/* The wait may be for tool servers: the daemon is asked whether it is. */
void patience_begin(struct patience *p, const struct cli *c, bool asks_servers);
void patience_end(struct patience *p);

#endif
