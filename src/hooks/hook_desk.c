#include "hooks/hook_desk.h"

#include "base/arena.h"
#include "base/list.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum call_state { CALL_WAITING, CALL_TAKEN, CALL_ANSWERED };

struct desk_call {
	struct list node;
	enum call_state state;
	uint64_t id;
	char *input, *answer;
	void *owner;
};

struct hook_desk {
	pthread_mutex_t lock;
	struct list calls[CALL_ANSWERED + 1];
	uint64_t last_id;
	int fd;
	bool is_shown, is_stopped;
	void (*wake)(void *arg);
	void *wake_arg;
};

struct hook_desk *hook_desk_new(void (*wake)(void *arg), void *wake_arg)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	struct hook_desk *d;

	if (fd < 0)
		return NULL;
	d = xcalloc(1, sizeof *d);
	pthread_mutex_init(&d->lock, NULL);
	for (size_t i = 0; i < COUNT_OF(d->calls); i++)
		list_init(&d->calls[i]);
	d->fd = fd;
	d->wake = wake;
	d->wake_arg = wake_arg;
	return d;
}

static void call_free(struct desk_call *c)
{
	list_remove(&c->node);
	free(c->input);
	free(c->answer);
	xfree(c);
}

void hook_desk_free(struct hook_desk *d)
{
	if (!d)
		return;
	for (size_t i = 0; i < COUNT_OF(d->calls); i++)
		LIST_EACH_SAFE (&d->calls[i], node, next)
			call_free(LIST_ITEM(node, struct desk_call, node));
	close(d->fd);
	pthread_mutex_destroy(&d->lock);
	xfree(d);
}

/* ---- under the lock ---- */

/* The descriptor says what there is, not how often something came. */
static void show(struct hook_desk *d)
{
	bool has_news = d->is_stopped || !list_is_empty(&d->calls[CALL_WAITING]);
	uint64_t count = 1;

	if (has_news == d->is_shown)
		return;
	/* Neither can fail: the counter is 0 or 1. */
	if (has_news ? write(d->fd, &count, sizeof count) : read(d->fd, &count, sizeof count))
		d->is_shown = has_news;
}

static void move(struct hook_desk *d, struct desk_call *c, enum call_state to)
{
	list_remove(&c->node);
	c->state = to;
	list_add(&d->calls[to], &c->node);
	if (to == CALL_ANSWERED)
		d->wake(d->wake_arg);
}

static struct desk_call *first(struct hook_desk *d, enum call_state state)
{
	struct list *l = &d->calls[state];

	return list_is_empty(l) ? NULL : LIST_ITEM(l->next, struct desk_call, node);
}

static struct desk_call *find_taken(struct hook_desk *d, uint64_t id)
{
	LIST_EACH (&d->calls[CALL_TAKEN], node) {
		struct desk_call *c = LIST_ITEM(node, struct desk_call, node);

		if (c->id == id)
			return c;
	}
	return NULL;
}

static char *copy(struct str s)
{
	char *text = xmalloc(s.len + 1);

	memcpy(text, s.ptr, s.len);
	text[s.len] = 0;
	return text;
}

/* ---- the loop ---- */

struct desk_call *hook_desk_put(struct hook_desk *d, struct str input, void *owner)
{
	struct desk_call *c = xcalloc(1, sizeof *c);

	c->input = copy(input);
	c->owner = owner;
	list_init(&c->node);
	pthread_mutex_lock(&d->lock);
	c->id = ++d->last_id;
	move(d, c, d->is_stopped ? CALL_ANSWERED : CALL_WAITING);
	show(d);
	pthread_mutex_unlock(&d->lock);
	return c;
}

bool hook_desk_is_answered(struct hook_desk *d, const struct desk_call *c)
{
	bool is_answered;

	pthread_mutex_lock(&d->lock);
	is_answered = c->state == CALL_ANSWERED;
	pthread_mutex_unlock(&d->lock);
	return is_answered;
}

void hook_desk_drop(struct hook_desk *d, struct desk_call *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&d->lock);
	call_free(c);
	show(d);
	pthread_mutex_unlock(&d->lock);
}

void *hook_desk_answered(struct hook_desk *d, char **ret)
{
	struct desk_call *c;
	void *owner = NULL;

	pthread_mutex_lock(&d->lock);
	c = first(d, CALL_ANSWERED);
	if (c) {
		owner = c->owner;
		*ret = c->answer;
		c->answer = NULL;
		call_free(c);
	}
	pthread_mutex_unlock(&d->lock);
	return owner;
}

/* ---- any thread ---- */

int hook_desk_fd(const struct hook_desk *d)
{
	return d->fd;
}

enum desk_take hook_desk_take(struct hook_desk *d, uint64_t *ret_id, char **ret)
{
	enum desk_take result;
	struct desk_call *c;

	pthread_mutex_lock(&d->lock);
	c = first(d, CALL_WAITING);
	result = c ? DESK_TAKEN : d->is_stopped ? DESK_STOPPED : DESK_EMPTY;
	if (c) {
		*ret_id = c->id;
		*ret = c->input;
		c->input = NULL;
		move(d, c, CALL_TAKEN);
		show(d);
	}
	pthread_mutex_unlock(&d->lock);
	return result;
}

bool hook_desk_answer(struct hook_desk *d, uint64_t id, const char *answer)
{
	struct desk_call *c;

	pthread_mutex_lock(&d->lock);
	c = find_taken(d, id);
	if (c) {
		c->answer = answer ? copy(str_from(answer)) : NULL;
		move(d, c, CALL_ANSWERED);
	}
	pthread_mutex_unlock(&d->lock);
	return c != NULL;
}

void hook_desk_stop(struct hook_desk *d)
{
	struct desk_call *c;

	pthread_mutex_lock(&d->lock);
	d->is_stopped = true;
	while ((c = first(d, CALL_WAITING)) || (c = first(d, CALL_TAKEN)))
		move(d, c, CALL_ANSWERED);
	show(d);
	pthread_mutex_unlock(&d->lock);
}
