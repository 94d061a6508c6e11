/*
 * The queue of hook calls that the embedding program answers.  One lock guards it, because any
 * thread of the program may take and answer calls.
 *
 *   hook_queue_put ─► WAITING ─► TAKEN ─► ANSWERED ─► hook_queue_answered
 *         loop         │   any thread       ▲   loop
 *                      └── hook_queue_stop ─┘
 *
 * A call can be dropped in every state; an answer that comes later finds no call and is
 * refused.
 */
#include "hooks/hook_queue.h"

#include "base/arena.h"
#include "base/list.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum call_state { CALL_WAITING, CALL_TAKEN, CALL_ANSWERED };

struct hook_queue_call {
	struct list node;
	enum call_state state;
	uint64_t id;
	char *input, *response;
	void *owner;
};

/*
 * calls: one list per state.  fd and is_shown: see queue_show().  wake is called under the
 * lock, from any thread, and must only signal the loop.
 */
struct hook_queue {
	pthread_mutex_t lock;
	struct list calls[CALL_ANSWERED + 1];
	uint64_t last_id;
	int fd;
	bool is_shown, is_stopped;
	void (*wake)(void *arg);
	void *wake_arg;
};

struct hook_queue *hook_queue_new(void (*wake)(void *arg), void *wake_arg)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct hook_queue *d;

	if (fd < 0)
		return NULL;
	d = memory_zeroed(1, sizeof *d);
	pthread_mutex_init(&d->lock, NULL);
	for (size_t i = 0; i < COUNT_OF(d->calls); i++)
		list_init(&d->calls[i]);
	d->fd = fd;
	d->wake = wake;
	d->wake_arg = wake_arg;
	return d;
}

static void call_free(struct hook_queue_call *c)
{
	list_remove(&c->node);
	free(c->input);
	free(c->response);
	memory_free(c);
}

void hook_queue_free(struct hook_queue *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < COUNT_OF(d->calls); i++)
		LIST_EACH_SAFE (&d->calls[i], node, next)
			call_free(LIST_ITEM(node, struct hook_queue_call, node));
	close(d->fd);
	pthread_mutex_destroy(&d->lock);
	memory_free(d);
}

/* ---- under the lock ---- */

/* The descriptor is readable while calls wait; it does not count them. */
static void queue_show(struct hook_queue *d)
{
	bool has_news = d->is_stopped || !list_is_empty(&d->calls[CALL_WAITING]);
	uint64_t count = 1;

	if (has_news == d->is_shown)
		return;
	/* Neither can fail: the counter is 0 or 1. */
	if (has_news ? write(d->fd, &count, sizeof count) : read(d->fd, &count, sizeof count))
		d->is_shown = has_news;
}

static void call_move(struct hook_queue *d, struct hook_queue_call *c, enum call_state to)
{
	list_remove(&c->node);
	c->state = to;
	list_add(&d->calls[to], &c->node);
	if (to == CALL_ANSWERED)
		d->wake(d->wake_arg);
}

static struct hook_queue_call *queue_first(struct hook_queue *d, enum call_state state)
{
	struct list *l = &d->calls[state];

	return list_is_empty(l) ? NULL : LIST_ITEM(l->next, struct hook_queue_call, node);
}

static struct hook_queue_call *find_taken(struct hook_queue *d, uint64_t id)
{
	LIST_EACH (&d->calls[CALL_TAKEN], node) {
		struct hook_queue_call *c = LIST_ITEM(node, struct hook_queue_call, node);

		if (c->id == id)
			return c;
	}
	return NULL;
}

/* The texts cross the C API and belong to the embedding program, which frees them with free(). */
static char *copy_text(struct str s)
{
	char *text = memory_alloc(s.len + 1);

	memcpy(text, s.ptr, s.len);
	text[s.len] = 0;
	return text;
}

/* ---- the loop ---- */

struct hook_queue_call *hook_queue_put(struct hook_queue *d, struct str input, void *owner)
{
	struct hook_queue_call *c = memory_zeroed(1, sizeof *c);

	c->input = copy_text(input);
	c->owner = owner;
	list_init(&c->node);
	pthread_mutex_lock(&d->lock);
	c->id = ++d->last_id;
	/*
	 * After a stop no thread of the program takes calls, so the call ends at once, without a
	 * response.
	 */
	call_move(d, c, d->is_stopped ? CALL_ANSWERED : CALL_WAITING);
	queue_show(d);
	pthread_mutex_unlock(&d->lock);
	return c;
}

/* Closes a race: the deadline must not end a call whose answer a thread has already delivered. */
bool hook_queue_is_answered(struct hook_queue *d, const struct hook_queue_call *c)
{
	bool is_answered;

	pthread_mutex_lock(&d->lock);
	is_answered = c->state == CALL_ANSWERED;
	pthread_mutex_unlock(&d->lock);
	return is_answered;
}

void hook_queue_drop(struct hook_queue *d, struct hook_queue_call *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&d->lock);
	call_free(c);
	queue_show(d);
	pthread_mutex_unlock(&d->lock);
}

/* *ret is NULL when the program gave the call up. */
void *hook_queue_answered(struct hook_queue *d, char **ret)
{
	struct hook_queue_call *c;
	void *owner = NULL;

	pthread_mutex_lock(&d->lock);
	c = queue_first(d, CALL_ANSWERED);
	if (c) {
		owner = c->owner;
		*ret = c->response;
		c->response = NULL;
		call_free(c);
	}
	pthread_mutex_unlock(&d->lock);
	return owner;
}

/* ---- any thread ---- */

int hook_queue_fd(const struct hook_queue *d)
{
	return d->fd;
}

enum queue_take hook_queue_take(struct hook_queue *d, uint64_t *ret_id, char **ret)
{
	enum queue_take result;
	struct hook_queue_call *c;

	pthread_mutex_lock(&d->lock);
	c = queue_first(d, CALL_WAITING);
	result = c ? HOOK_QUEUE_TAKEN : d->is_stopped ? HOOK_QUEUE_STOPPED : HOOK_QUEUE_EMPTY;
	if (c) {
		*ret_id = c->id;
		*ret = c->input;
		c->input = NULL;
		call_move(d, c, CALL_TAKEN);
		queue_show(d);
	}
	pthread_mutex_unlock(&d->lock);
	return result;
}

bool hook_queue_answer(struct hook_queue *d, uint64_t id, const char *response)
{
	struct hook_queue_call *c;

	pthread_mutex_lock(&d->lock);
	c = find_taken(d, id);
	if (c) {
		c->response = response ? copy_text(str_from(response)) : NULL;
		call_move(d, c, CALL_ANSWERED);
	}
	pthread_mutex_unlock(&d->lock);
	return c != NULL;
}

void hook_queue_stop(struct hook_queue *d)
{
	struct hook_queue_call *c;

	pthread_mutex_lock(&d->lock);
	d->is_stopped = true;
	/* Calls that a thread has taken end too: nothing guarantees that it comes back. */
	while ((c = queue_first(d, CALL_WAITING)) || (c = queue_first(d, CALL_TAKEN)))
		call_move(d, c, CALL_ANSWERED);
	queue_show(d);
	pthread_mutex_unlock(&d->lock);
}
