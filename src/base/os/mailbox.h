#ifndef BASE_MAILBOX_H
#define BASE_MAILBOX_H
/*
 * Many writers, one reader.  A message is an intrusive node that is owned by
 * exactly one side at a time.  Posting into an empty mailbox calls `wake`
 * once (on the writer's thread, under the mailbox's lock: it must not touch
 * the mailbox); the reader then takes everything at once.
 */
#include "base/util.h"

#include <pthread.h>

struct mail {
	struct mail *next;
};

struct mailbox {
	pthread_mutex_t lock;
	pthread_cond_t filled; /* for mailbox_wait */
	struct mail *first, *last;
	bool closed;
	void (*wake)(void *arg); /* may be NULL: then the reader uses mailbox_wait */
	void *wake_arg;
};

void mailbox_init(struct mailbox *m, void (*wake)(void *arg), void *wake_arg);
void mailbox_done(struct mailbox *m); /* it must be empty */
/* False when closed: the message stays with the caller. */
bool mailbox_post(struct mailbox *m, struct mail *mail);
/* Everything that waits, oldest first, or NULL.  Never blocks. */
struct mail *mailbox_take(struct mailbox *m);
/* Blocks until there is mail or the box is closed (NULL then, once what was left is taken). */
struct mail *mailbox_wait(struct mailbox *m);
void mailbox_close(struct mailbox *m);

#endif
