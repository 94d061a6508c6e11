/* The loop's side of the wire; the picture is in wire_int.h. */
#include "net/wire.h"

#include "base/arena.h"
#include "net/wire_int.h"

#include <signal.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define HEADERS_MAX 100

struct wire {
	struct arena *mem;
	struct loop *loop;
	struct loop_wake wake;
	struct mailbox news;
	struct wire_thread side;
	pthread_t thread;
	bool has_thread;
	struct list calls; /* all that the thread may still post about */
	struct list ready; /* those with something to deliver */
};

struct wire_call {
	struct wire_job job;
	struct list node;  /* in calls */
	struct list ready; /* in ready */
	struct wire *wire;
	struct wire_sink sink;
	void *owner;
	struct mail *first, *last; /* what came and is not delivered yet */
	size_t taken;              /* of the first, if it is a body */
	size_t unacked;
	bool is_paused;
	bool is_busy; /* inside a callback */
	bool is_gone; /* cancelled: waits for the thread's last word */
	bool has_head, has_end;
	bool wants_body; /* resumed: called once more, even with nothing */
};

/* ---- jobs and mail ---- */

void wire_job_free(struct wire_job *job)
{
	struct wire_call *c = OWNER_OF(job, struct wire_call, job);

	if (job->headers.ptr)
		explicit_bzero(job->headers.ptr, job->headers.cap);
	buf_done(&job->headers);
	buf_done(&job->body);
	xfree((char *)job->method.ptr);
	xfree((char *)job->url.ptr);
	if (job->guard)
		xfree(job->guard->rules.at);
	xfree(job->guard);
	xfree(c);
}

struct wire_news *wire_news_new(struct wire_job *job, enum wire_news_kind kind, struct str data)
{
	struct wire_news *n = xmalloc(sizeof *n + data.len);

	*n = (struct wire_news){ .job = job, .kind = kind, .len = data.len, .cap = data.len };
	if (data.len)
		memcpy(n->data, data.ptr, data.len);
	return n;
}

static void order(struct wire_call *c, enum wire_order_kind kind, size_t bytes)
{
	struct wire *w = c->wire;
	struct wire_order *o = xmalloc(sizeof *o);

	*o = (struct wire_order){ .kind = kind, .job = &c->job, .bytes = bytes };
	mailbox_post(&w->side.orders, &o->mail);
}

static void free_news(struct wire_call *c)
{
	struct mail *next;

	for (struct mail *m = c->first; m; m = next) {
		next = m->next;
		xfree(OWNER_OF(m, struct wire_news, mail));
	}
	c->first = c->last = NULL;
}

static void pop_news(struct wire_call *c)
{
	struct mail *m = c->first;

	c->first = m->next;
	if (!c->first)
		c->last = NULL;
	c->taken = 0;
	xfree(OWNER_OF(m, struct wire_news, mail));
}

/* The thread has said its last word about it, and this is ours. */
static void drop(struct wire_call *c)
{
	list_remove(&c->node);
	list_remove(&c->ready);
	free_news(c);
	if (c->wire->has_thread)
		order(c, ORDER_DROP, 0);
	else
		wire_job_free(&c->job);
}

static void make_ready(struct wire_call *c)
{
	list_remove(&c->ready);
	list_add(&c->wire->ready, &c->ready);
}

/* ---- delivery ---- */

struct str wire_head_get(const struct wire_head *h, struct str name)
{
	for (size_t i = 0; i < h->header_count; i++)
		if (h->headers[i].name.len == name.len &&
		    !strncasecmp(h->headers[i].name.ptr, name.ptr, name.len))
			return h->headers[i].value;
	return STR_NONE;
}

static void deliver_head(struct wire_call *c, const struct wire_news *n)
{
	struct wire_header headers[HEADERS_MAX];
	struct wire_head head = { .status = n->status, .headers = headers };
	struct str rest = str_of(n->data, n->len);

	while (str_is(rest) && head.header_count < HEADERS_MAX) {
		struct str value = str_cut(&rest, '\n');
		struct str name = str_cut(&value, ':');

		if (str_is(value) && name.len)
			headers[head.header_count++] =
				(struct wire_header){ name, str_trim(value) };
	}
	c->has_head = true;
	c->sink.head(c->owner, &head);
}

static void acknowledge(struct wire_call *c, size_t bytes)
{
	c->unacked += bytes;
	if (c->unacked < WIRE_WINDOW / 2 || c->has_end)
		return;
	order(c, ORDER_ACK, c->unacked);
	c->unacked = 0;
}

static void deliver_body(struct wire_call *c, struct wire_news *n)
{
	struct str rest = n ? str_of(n->data + c->taken, n->len - c->taken) : STR("");
	size_t took = c->sink.body(c->owner, rest);

	if (c->is_gone)
		return;
	assert(took <= rest.len && (took == rest.len || c->is_paused));
	acknowledge(c, took);
	c->taken += took;
	if (n && c->taken == n->len)
		pop_news(c);
}

static void deliver_end(struct wire_call *c, const struct wire_news *n)
{
	struct wire_end end = { .result = n->result,
		                .message = str_of(n->data, n->len),
		                .bytes = n->total };

	c->is_gone = true;
	c->sink.end(c->owner, &end);
}

static void deliver_one(struct wire_call *c)
{
	struct wire_news *n = c->first ? OWNER_OF(c->first, struct wire_news, mail) : NULL;

	c->is_busy = true;
	if (c->wants_body && c->has_head && (!n || n->kind != NEWS_BODY)) {
		c->wants_body = false;
		deliver_body(c, NULL);
	} else if (n && n->kind == NEWS_HEAD) {
		deliver_head(c, n);
		if (!c->is_gone)
			pop_news(c);
	} else if (n && n->kind == NEWS_BODY) {
		c->wants_body = false;
		deliver_body(c, n);
	} else if (n) {
		deliver_end(c, n);
	}
	c->is_busy = false;
}

static void deliver(struct wire_call *c)
{
	while (!c->is_gone && !c->is_paused && (c->first || (c->wants_body && c->has_head)))
		deliver_one(c);
	if (c->is_gone) {
		free_news(c);
		if (c->has_end)
			drop(c);
	}
}

/* What came for a call that is gone is thrown away; the end of it is awaited all the same. */
static void sort_news(struct wire_news *n)
{
	struct wire_call *c = OWNER_OF(n->job, struct wire_call, job);

	if (n->kind == NEWS_END)
		c->has_end = true;
	if (c->is_gone) {
		xfree(n);
		if (c->has_end)
			drop(c);
		return;
	}
	n->mail.next = NULL;
	if (c->last)
		c->last->next = &n->mail;
	else
		c->first = &n->mail;
	c->last = &n->mail;
	make_ready(c);
}

static void on_wake(struct loop_wake *wake)
{
	struct wire *w = OWNER_OF(wake, struct wire, wake);
	struct list now;
	struct mail *next;

	for (struct mail *m = mailbox_take(&w->news); m; m = next) {
		next = m->next;
		sort_news(OWNER_OF(m, struct wire_news, mail));
	}
	/* Those that are resumed by a callback have their turn when the loop comes again. */
	list_init(&now);
	while (!list_is_empty(&w->ready)) {
		struct list *node = w->ready.next;

		list_remove(node);
		list_add(&now, node);
	}
	while (!list_is_empty(&now)) {
		struct wire_call *c = LIST_ITEM(now.next, struct wire_call, ready);

		list_remove(&c->ready);
		deliver(c);
	}
}

/* ---- calls ---- */

static struct str keep(struct str s)
{
	char *p = xmalloc(s.len + 1);

	if (s.len)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return str_of(p, s.len);
}

/* libcurl sends header lines as they are, so a line break would be a header of its own. */
static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < 0x20 && s.ptr[i] != '\t')
			return false;
	return true;
}

/* Grown once: a copy that stays behind would hold a key. */
static void write_headers(struct wire_job *job, const struct wire_request *r)
{
	size_t size = 1;

	for (size_t i = 0; i < r->header_count; i++)
		size += r->headers[i].name.len + r->headers[i].value.len + 3;
	buf_reserve(&job->headers, size);
	for (size_t i = 0; i < r->header_count; i++) {
		const struct wire_header *h = &r->headers[i];

		if (!h->name.len || !is_plain(h->name) || !is_plain(h->value) ||
		    str_find_char(h->name, ':') >= 0)
			job->has_bad_header = true;
		buf_add_str(&job->headers, h->name);
		buf_add_c(&job->headers, h->value.len ? ": " : ";"); /* ";" sends an empty value */
		buf_add_str(&job->headers, h->value);
		buf_add_char(&job->headers, '\0');
	}
}

/* No signal of the program's is for this thread or for those that libcurl starts. */
static void start_thread(struct wire *w)
{
	sigset_t all, old;

	if (w->has_thread)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	w->has_thread = pthread_create(&w->thread, NULL, wire_thread_main, &w->side) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* The thread may look at it when its owner has gone. */
static struct wire_guard *keep_guard(const struct wire_guard *g)
{
	struct wire_guard *own = g ? xmalloc(sizeof *own) : NULL;

	if (!g)
		return NULL;
	*own = *g;
	own->rules.at = xcalloc(g->rules.count + 1, sizeof *g->rules.at);
	for (size_t i = 0; i < g->rules.count; i++) {
		own->rules.at[i] = g->rules.at[i];
		own->rules.at[i].text = STR_NONE;
	}
	return own;
}

struct wire_call *wire_send(struct wire *w, struct wire_request *r, const struct wire_sink *sink,
                            void *owner)
{
	struct wire_call *c = xcalloc(1, sizeof *c);
	struct str method = str_is(r->method) ? r->method : r->body.len ? STR("POST") : STR("GET");

	c->wire = w;
	c->sink = *sink;
	c->owner = owner;
	c->job = (struct wire_job){
		.method = keep(method),
		.url = keep(r->url),
		.body = r->body,
		.connect_ms = r->connect_ms,
		.first_byte_ms = r->first_byte_ms,
		.stall_ms = r->stall_ms,
		.total_ms = r->total_ms,
		.response_max = r->response_max,
	};
	r->body = (struct buf){ 0 };
	c->job.guard = keep_guard(r->guard);
	write_headers(&c->job, r);
	list_add(&w->calls, &c->node);
	list_init(&c->ready);
	start_thread(w);
	if (w->has_thread) {
		order(c, ORDER_START, 0);
	} else {
		struct wire_news *n =
			wire_news_new(&c->job, NEWS_END, STR("no thread for outbound requests"));

		n->result = WIRE_FAILED;
		mailbox_post(&w->news, &n->mail);
	}
	return c;
}

static void abandon(struct wire_call *c, enum wire_order_kind how)
{
	if (c->is_gone)
		return;
	c->is_gone = true;
	list_remove(&c->ready);
	if (!c->has_end && c->wire->has_thread)
		order(c, how, 0);
	if (c->is_busy)
		return; /* deliver() goes on */
	free_news(c);
	if (c->has_end)
		drop(c);
}

void wire_cancel(struct wire_call *c)
{
	abandon(c, ORDER_CANCEL);
}

void wire_release(struct wire_call *c)
{
	abandon(c, ORDER_RELEASE);
}

void wire_pause(struct wire_call *c)
{
	c->is_paused = true;
}

void wire_resume(struct wire_call *c)
{
	if (!c->is_paused || c->is_gone)
		return;
	c->is_paused = false;
	c->wants_body = true;
	make_ready(c);
	loop_wake_send(&c->wire->wake);
}

/* ---- the whole ---- */

static void wake_thread(void *arg)
{
	struct wire_thread *t = arg;
	uint64_t one = 1;
	ssize_t n = write(t->wake_fd, &one, sizeof one);

	(void)n; /* full means that it is awake */
}

struct wire *wire_new(const struct wire_options *o)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return NULL;

	struct wire *w = xcalloc(1, sizeof *w);

	w->mem = arena_new();
	w->loop = o->loop;
	list_init(&w->calls);
	list_init(&w->ready);
	loop_wake_init(o->loop, &w->wake, on_wake);
	mailbox_init(&w->news, loop_wake_call, &w->wake);
	w->side = (struct wire_thread){
		.news = &w->news,
		.wake_fd = fd,
		.library = o->library ? arena_keep(w->mem, str_from(o->library)).ptr : NULL,
		.user_agent = arena_keep(w->mem, o->user_agent.len ? o->user_agent : STR("thole")),
		.ca_file = arena_keep(w->mem, o->ca_file),
		.proxy = arena_keep(w->mem, o->proxy),
	};
	mailbox_init(&w->side.orders, wake_thread, &w->side);
	return w;
}

void wire_warm(struct wire *w)
{
	start_thread(w);
}

static void join_thread(struct wire *w)
{
	struct wire_order stop = { .kind = ORDER_STOP };

	if (!w->has_thread)
		return;
	mailbox_post(&w->side.orders, &stop.mail);
	pthread_join(w->thread, NULL);
	w->has_thread = false;
}

void wire_free(struct wire *w)
{
	struct mail *next;

	if (!w)
		return;
	join_thread(w);
	for (struct mail *m = mailbox_take(&w->news); m; m = next) {
		next = m->next;
		xfree(OWNER_OF(m, struct wire_news, mail));
	}
	LIST_EACH_SAFE (&w->calls, node, tmp)
		drop(LIST_ITEM(node, struct wire_call, node));
	loop_wake_done(&w->wake);
	mailbox_done(&w->news);
	mailbox_done(&w->side.orders);
	close(w->side.wake_fd);
	arena_free(w->mem);
	xfree(w);
}
