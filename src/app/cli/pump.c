#include "app/cli/pump.h"

#include "base/arena.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void wake(void *arg)
{
	struct pump *p = arg;
	uint64_t one = 1;

	while (write(p->fd, &one, sizeof one) < 0 && errno == EINTR)
		;
}

static void *read_stream(void *arg)
{
	struct pump *p = arg;
	int code = THOLE_OK;

	while (code == THOLE_OK && !atomic_load(&p->is_stopping)) {
		struct pumped *m = xcalloc(1, sizeof *m);

		code = m->code = thole_next(p->stream, p->patience_ms, &m->text, &m->len);
		if (code == THOLE_TIMEOUT) {
			xfree(m);
			code = THOLE_OK;
		} else {
			mailbox_post(&p->box, &m->mail);
		}
	}
	thole_unsubscribe(p->stream);
	return NULL;
}

void pump_start(struct pump *p, struct thole_stream *stream, int patience_ms)
{
	*p = (struct pump){ .stream = stream, .patience_ms = patience_ms };
	p->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mailbox_init(&p->box, wake, p);
	/* Like memory, a thread that cannot be had is the end. */
	if (p->fd < 0 || pthread_create(&p->thread, NULL, read_stream, p) != 0)
		abort();
	p->is_running = true;
}

struct pumped *pump_take(struct pump *p)
{
	uint64_t count;
	struct mail *first;

	while (read(p->fd, &count, sizeof count) < 0 && errno == EINTR)
		;
	first = mailbox_take(&p->box);
	return first ? OWNER_OF(first, struct pumped, mail) : NULL;
}

struct pumped *pumped_next(struct pumped *m)
{
	return m->mail.next ? OWNER_OF(m->mail.next, struct pumped, mail) : NULL;
}

void pumped_free(struct pumped *m)
{
	thole_free(m->text);
	xfree(m);
}

void pump_stop(struct pump *p)
{
	struct pumped *m, *next;

	if (!p->is_running)
		return;
	atomic_store(&p->is_stopping, true);
	pthread_join(p->thread, NULL);
	for (m = pump_take(p); m; m = next) {
		next = pumped_next(m);
		pumped_free(m);
	}
	mailbox_done(&p->box);
	close(p->fd);
	p->is_running = false;
}
