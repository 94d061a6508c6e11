/*
 * A thread that reads events of one stream and passes them to the terminal
 * loop, which waits on an eventfd together with stdin.
 */
#include "app/cli/follow/event_reader.h"

#include "base/arena.h"
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

/* A program that does not take what has come, such as one whose editor does not read, stops the reading. */
#define WAITING_MAX (32u << 20)
#define PAUSE_NS 5000000

static void wake(void *arg)
{
	struct event_reader *p = arg;
	uint64_t one = 1;

	while (write(p->fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

/*
 * The item with the code that ended the stream is posted too: the loop learns of the end from it.
 */
static void *read_stream(void *arg)
{
	struct event_reader *p = arg;
	int code = THOLE_OK;

	while (code == THOLE_OK && !atomic_load(&p->is_stopping)) {
		if (atomic_load(&p->waiting) > WAITING_MAX) {
			nanosleep(&(struct timespec){ .tv_nsec = PAUSE_NS }, NULL);
			continue;
		}

		struct reader_item *m = memory_zeroed(1, sizeof *m);

		code = m->code = thole_next(p->stream, p->patience_ms, &m->text, &m->len);
		if (code == THOLE_TIMEOUT) {
			memory_free(m);
			code = THOLE_OK;
		} else {
			atomic_fetch_add(&p->waiting, m->len);
			mailbox_post(&p->box, &m->mail);
		}
	}
	thole_unsubscribe(p->stream);
	return NULL;
}

void event_reader_start(struct event_reader *p, struct thole_stream *stream, int patience_ms)
{
	*p = (struct event_reader){ .stream = stream, .patience_ms = patience_ms };
	p->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mailbox_init(&p->box, wake, p);
	/* A failure to create a thread is fatal, like lack of memory. */
	if (p->fd < 0 || pthread_create(&p->thread, NULL, read_stream, p) != 0)
		abort();
	p->is_running = true;
}

struct reader_item *event_reader_take(struct event_reader *p)
{
	uint64_t count;
	struct mail *first;

	while (read(p->fd, &count, sizeof count) < 0 && errno == EINTR)
		;
	first = mailbox_take(&p->box);
	atomic_store(&p->waiting, 0);
	return first ? OWNER_OF(first, struct reader_item, mail) : NULL;
}

struct reader_item *event_reader_next_item(struct reader_item *m)
{
	return m->mail.next ? OWNER_OF(m->mail.next, struct reader_item, mail) : NULL;
}

void event_reader_free_item(struct reader_item *m)
{
	thole_free(m->text);
	memory_free(m);
}

static void reader_done(struct event_reader *p)
{
	struct reader_item *m, *next;

	for (m = event_reader_take(p); m; m = next) {
		next = event_reader_next_item(m);
		event_reader_free_item(m);
	}
	mailbox_done(&p->box);
	close(p->fd);
	p->is_running = false;
}

/* Joins the thread, so thole_next() must return: the stream has ended, or patience_ms is set. */
void event_reader_stop(struct event_reader *p)
{
	if (!p->is_running)
		return;
	atomic_store(&p->is_stopping, true);
	pthread_join(p->thread, NULL);
	reader_done(p);
}

bool event_reader_try_stop(struct event_reader *p)
{
	if (!p->is_running)
		return true;
	atomic_store(&p->is_stopping, true);
	if (pthread_tryjoin_np(p->thread, NULL) != 0)
		return false;
	reader_done(p);
	return true;
}
