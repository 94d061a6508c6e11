/*
 * Mailboxes between threads: a list under a lock.  A message that arrives in an
 * empty mailbox wakes the reader, which then takes all of them.
 */
#include "base/os/mailbox.h"

#include <assert.h>

void mailbox_init(struct mailbox *m, void (*wake)(void *arg), void *wake_arg)
{
	*m = (struct mailbox){ .wake = wake, .wake_arg = wake_arg };
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->filled, NULL);
}

void mailbox_done(struct mailbox *m)
{
	assert(!m->first && "messages without an owner");
	pthread_cond_destroy(&m->filled);
	pthread_mutex_destroy(&m->lock);
}

/* Only the first message of a burst wakes the reader: thousands of messages cost one wake-up. */
bool mailbox_post(struct mailbox *m, struct mail *mail)
{
	mail->next = NULL;
	pthread_mutex_lock(&m->lock);

	bool taken = !m->closed;

	if (taken) {
		bool was_empty = !m->first;

		if (was_empty)
			m->first = mail;
		else
			m->last->next = mail;
		m->last = mail;

		/*
		 * Under the lock: once it is released the reader may take this
		 * mail, find that it was the last one, and end the mailbox.
		 */
		if (was_empty) {
			pthread_cond_signal(&m->filled);
			if (m->wake)
				m->wake(m->wake_arg);
		}
	}
	pthread_mutex_unlock(&m->lock);
	return taken;
}

static struct mail *take_all(struct mailbox *m)
{
	struct mail *all = m->first;

	m->first = m->last = NULL;
	return all;
}

struct mail *mailbox_take(struct mailbox *m)
{
	pthread_mutex_lock(&m->lock);

	struct mail *all = take_all(m);

	pthread_mutex_unlock(&m->lock);
	return all;
}

/* Messages that were posted before the close are still returned. */
struct mail *mailbox_wait(struct mailbox *m)
{
	pthread_mutex_lock(&m->lock);
	while (!m->first && !m->closed)
		pthread_cond_wait(&m->filled, &m->lock);

	struct mail *all = take_all(m);

	pthread_mutex_unlock(&m->lock);
	return all;
}

void mailbox_close(struct mailbox *m)
{
	pthread_mutex_lock(&m->lock);
	m->closed = true;
	pthread_cond_broadcast(&m->filled);
	pthread_mutex_unlock(&m->lock);
}
