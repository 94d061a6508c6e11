/*
 * The loop's side of the HTTP client: sends orders to the thread and delivers
 * its news.  http_client_int.h has the picture.
 */
#include "net/http/http_client.h"

#include "base/arena.h"
#include "base/memory.h"
#include "net/http/http_client_int.h"

#include <signal.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define HEADERS_MAX 100

struct http_client {
	struct arena *mem;
	struct loop *loop;
	struct loop_wake wake;
	struct mailbox news;
	struct http_client_thread side;
	pthread_t thread;
	bool has_thread;
	struct list calls; /* calls that the thread may still post about */
	struct list ready; /* calls with something to deliver */
};

struct http_client_call {
	struct http_client_job job;
	struct list node;  /* in calls */
	struct list ready; /* in ready */
	struct http_client *http_client;
	struct http_client_sink sink;
	void *owner;
	struct mail *first, *last; /* received and not yet delivered */
	size_t taken;              /* of the first, if it is a body */
	size_t unacked;
	bool is_paused;
	bool is_busy; /* inside a callback */
	bool is_gone; /* cancelled: waits for NEWS_END */
	bool has_head, has_end;
	bool wants_body; /* resumed: body is called once more, even without bytes */
};

/* ---- jobs and mail ---- */

void http_client_job_forget_body(struct http_client_job *job)
{
	if (job->is_secret && job->body.ptr)
		explicit_bzero(job->body.ptr, job->body.cap);
	buf_done(&job->body);
}

/* Headers carry credentials, so their bytes are wiped before they are freed. */
void http_client_job_free(struct http_client_job *job)
{
	struct http_client_call *c = OWNER_OF(job, struct http_client_call, job);

	if (job->headers.ptr)
		explicit_bzero(job->headers.ptr, job->headers.cap);
	buf_done(&job->headers);
	http_client_job_forget_body(job);
	memory_free((char *)job->method.ptr);
	memory_free((char *)job->url.ptr);
	if (job->guard)
		memory_free(job->guard->rules.at);
	memory_free(job->guard);
	memory_free(c);
}

struct http_client_news *http_client_news_new(struct http_client_job *job,
                                              enum http_client_news_kind kind, struct str data)
{
	struct http_client_news *n = memory_alloc(sizeof *n + data.len);

	*n = (struct http_client_news){
		.job = job, .kind = kind, .len = data.len, .cap = data.len
	};
	if (data.len)
		memcpy(n->data, data.ptr, data.len);
	return n;
}

static void order(struct http_client_call *c, enum http_client_order_kind kind, size_t bytes)
{
	struct http_client *w = c->http_client;
	struct http_client_order *o = memory_alloc(sizeof *o);

	*o = (struct http_client_order){ .kind = kind, .job = &c->job, .bytes = bytes };
	mailbox_post(&w->side.orders, &o->mail);
}

static void free_news(struct http_client_call *c)
{
	struct mail *next;

	for (struct mail *m = c->first; m; m = next) {
		next = m->next;
		memory_free(OWNER_OF(m, struct http_client_news, mail));
	}
	c->first = c->last = NULL;
}

static void pop_news(struct http_client_call *c)
{
	struct mail *m = c->first;

	c->first = m->next;
	if (!c->first)
		c->last = NULL;
	c->taken = 0;
	memory_free(OWNER_OF(m, struct http_client_news, mail));
}

/* NEWS_END has come; ORDER_DROP lets the thread free the job. */
static void drop(struct http_client_call *c)
{
	list_remove(&c->node);
	list_remove(&c->ready);
	free_news(c);
	if (c->http_client->has_thread)
		order(c, ORDER_DROP, 0);
	else
		http_client_job_free(&c->job);
}

static void make_ready(struct http_client_call *c)
{
	list_remove(&c->ready);
	list_add(&c->http_client->ready, &c->ready);
}

/* ---- delivery ---- */

struct str http_client_head_get(const struct http_client_head *h, struct str name)
{
	for (size_t i = 0; i < h->header_count; i++)
		if (h->headers[i].name.len == name.len &&
		    !strncasecmp(h->headers[i].name.ptr, name.ptr, name.len))
			return h->headers[i].value;
	return STR_NONE;
}

/* More than HEADERS_MAX headers, and lines without a colon, are left out. */
static void deliver_head(struct http_client_call *c, const struct http_client_news *n)
{
	struct http_client_header headers[HEADERS_MAX];
	struct http_client_head head = { .status = n->status, .headers = headers };
	struct str rest = str_of(n->data, n->len);

	while (str_is(rest) && head.header_count < HEADERS_MAX) {
		struct str value = str_cut(&rest, '\n');
		struct str name = str_cut(&value, ':');

		if (str_is(value) && name.len)
			headers[head.header_count++] =
				(struct http_client_header){ name, str_trim(value) };
	}
	c->has_head = true;
	c->sink.head(c->owner, &head);
}

/* In halves of the window, so that the thread gets few messages and keeps reading. */
static void acknowledge(struct http_client_call *c, size_t bytes)
{
	c->unacked += bytes;
	if (c->unacked < HTTP_CLIENT_WINDOW / 2 || c->has_end)
		return;
	order(c, ORDER_ACK, c->unacked);
	c->unacked = 0;
}

/*
 * A sink that is paused may take a part; `taken` remembers how much.  n is NULL for a
 * call that was resumed and has nothing new: the sink may hold bytes itself.
 */
static void deliver_body(struct http_client_call *c, struct http_client_news *n)
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

static void deliver_end(struct http_client_call *c, const struct http_client_news *n)
{
	struct http_client_end end = { .result = n->result,
		                       .message = str_of(n->data, n->len),
		                       .bytes = n->total };

	c->is_gone = true;
	c->sink.end(c->owner, &end);
}

/*
 * One message to the sink.  is_busy keeps a cancel inside the callback from freeing the
 * call under it.
 */
static void deliver_one(struct http_client_call *c)
{
	struct http_client_news *n =
		c->first ? OWNER_OF(c->first, struct http_client_news, mail) : NULL;

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

static void deliver(struct http_client_call *c)
{
	while (!c->is_gone && !c->is_paused && (c->first || (c->wants_body && c->has_head)))
		deliver_one(c);
	if (c->is_gone) {
		free_news(c);
		if (c->has_end)
			drop(c);
	}
}

/* News for a cancelled call is dropped, but its NEWS_END is still awaited. */
static void sort_news(struct http_client_news *n)
{
	struct http_client_call *c = OWNER_OF(n->job, struct http_client_call, job);

	if (n->kind == NEWS_END)
		c->has_end = true;
	if (c->is_gone) {
		memory_free(n);
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

/* All mail is sorted to its calls first, so that each call is delivered once per turn. */
static void on_wake(struct loop_wake *wake)
{
	struct http_client *w = OWNER_OF(wake, struct http_client, wake);
	struct list now;
	struct mail *next;

	for (struct mail *m = mailbox_take(&w->news); m; m = next) {
		next = m->next;
		sort_news(OWNER_OF(m, struct http_client_news, mail));
	}
	/* Calls that a callback resumes are delivered in the next turn of the loop. */
	list_init(&now);
	while (!list_is_empty(&w->ready)) {
		struct list *node = w->ready.next;

		list_remove(node);
		list_add(&now, node);
	}
	while (!list_is_empty(&now)) {
		struct http_client_call *c = LIST_ITEM(now.next, struct http_client_call, ready);

		list_remove(&c->ready);
		deliver(c);
	}
}

/* ---- calls ---- */

static struct str keep(struct str s)
{
	char *p = memory_alloc(s.len + 1);

	if (s.len)
		memcpy(p, s.ptr, s.len);
	p[s.len] = '\0';
	return str_of(p, s.len);
}

/* libcurl sends header lines unchecked, so a line break would start another header. */
static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.ptr[i] < 0x20 && s.ptr[i] != '\t')
			return false;
	return true;
}

/* Reserved once: a reallocation would leave a copy of a key in freed memory. */
static void write_headers(struct http_client_job *job, const struct http_client_request *r)
{
	size_t size = 1;

	for (size_t i = 0; i < r->header_count; i++)
		size += r->headers[i].name.len + r->headers[i].value.len + 3;
	buf_reserve(&job->headers, size);
	for (size_t i = 0; i < r->header_count; i++) {
		const struct http_client_header *h = &r->headers[i];

		if (!h->name.len || !is_plain(h->name) || !is_plain(h->value) ||
		    str_find_char(h->name, ':') >= 0)
			job->has_bad_header = true;
		buf_add_str(&job->headers, h->name);
		buf_add_c(&job->headers, h->value.len ? ": " : ";"); /* ";" sends an empty value */
		buf_add_str(&job->headers, h->value);
		buf_add_char(&job->headers, '\0');
	}
}

/* This thread, and those that libcurl starts, block all signals of the program. */
static void start_thread(struct http_client *w)
{
	sigset_t all, old;

	if (w->has_thread)
		return;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	w->has_thread =
		pthread_create(&w->thread, NULL, http_client_curl_thread_main, &w->side) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
}

/* Copied, because the thread may use it after its owner has gone. */
static struct http_client_guard *keep_guard(const struct http_client_guard *g)
{
	struct http_client_guard *own = g ? memory_alloc(sizeof *own) : NULL;

	if (!g)
		return NULL;
	*own = *g;
	own->rules.at = memory_zeroed(g->rules.count + 1, sizeof *g->rules.at);
	for (size_t i = 0; i < g->rules.count; i++) {
		own->rules.at[i] = g->rules.at[i];
		own->rules.at[i].text = STR_NONE;
	}
	return own;
}

/*
 * Takes the body over and copies the rest.  Errors come through the sink too, never
 * from this call, so that callers have one path.
 */
struct http_client_call *http_client_send(struct http_client *w, struct http_client_request *r,
                                          const struct http_client_sink *sink, void *owner)
{
	struct http_client_call *c = memory_zeroed(1, sizeof *c);
	struct str method = str_is(r->method) ? r->method : r->body.len ? STR("POST") : STR("GET");

	c->http_client = w;
	c->sink = *sink;
	c->owner = owner;
	c->job = (struct http_client_job){
		.method = keep(method),
		.url = keep(r->url),
		.body = r->body,
		.is_direct = r->is_direct,
		.is_secret = r->is_secret,
		.is_once = r->is_once,
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
		struct http_client_news *n = http_client_news_new(
			&c->job, NEWS_END, STR("no thread for outbound requests"));

		n->result = HTTP_CLIENT_FAILED;
		mailbox_post(&w->news, &n->mail);
	}
	return c;
}

/*
 * Nothing is delivered after this.  The call itself lives until NEWS_END, because the
 * thread still refers to its job.
 */
static void abandon(struct http_client_call *c, enum http_client_order_kind how)
{
	if (c->is_gone)
		return;
	c->is_gone = true;
	list_remove(&c->ready);
	if (!c->has_end && c->http_client->has_thread)
		order(c, how, 0);
	if (c->is_busy)
		return; /* deliver() continues */
	free_news(c);
	if (c->has_end)
		drop(c);
}

void http_client_cancel(struct http_client_call *c)
{
	abandon(c, ORDER_CANCEL);
}

void http_client_release(struct http_client_call *c)
{
	abandon(c, ORDER_RELEASE);
}

void http_client_pause(struct http_client_call *c)
{
	c->is_paused = true;
}

void http_client_resume(struct http_client_call *c)
{
	if (!c->is_paused || c->is_gone)
		return;
	c->is_paused = false;
	c->wants_body = true;
	make_ready(c);
	loop_wake_send(&c->http_client->wake);
}

/* ---- the whole ---- */

static void wake_thread(void *arg)
{
	struct http_client_thread *t = arg;
	uint64_t one = 1;
	ssize_t n = write(t->wake_fd, &one, sizeof one);

	(void)n; /* a full counter means that the thread is awake */
}

/* A star means every host; libcurl takes it only where it stands alone. */
static struct str no_proxy_of(struct arena *mem, struct str hosts)
{
	if (str_eq(str_trim(hosts), STR("*")))
		return STR("*");
	return arena_printf(mem, "localhost,127.0.0.1,::1%s%.*s", hosts.len ? "," : "",
	                    STR_ARG(hosts));
}

struct http_client *http_client_new(const struct http_client_options *o)
{
	int fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

	if (fd < 0)
		return NULL;

	struct http_client *w = memory_zeroed(1, sizeof *w);

	w->mem = arena_new();
	w->loop = o->loop;
	list_init(&w->calls);
	list_init(&w->ready);
	loop_wake_init(o->loop, &w->wake, on_wake);
	mailbox_init(&w->news, loop_wake_call, &w->wake);
	w->side = (struct http_client_thread){
		.news = &w->news,
		.wake_fd = fd,
		.library = o->library ? arena_keep(w->mem, str_from(o->library)).ptr : NULL,
		.user_agent = arena_keep(w->mem, o->user_agent.len ? o->user_agent : STR("thole")),
		.ca_file = arena_keep(w->mem, o->ca_file),
		.proxy = arena_keep(w->mem, o->proxy),
		.http_proxy = arena_keep(w->mem, o->http_proxy),
		.no_proxy = no_proxy_of(w->mem, o->no_proxy),
	};
	mailbox_init(&w->side.orders, wake_thread, &w->side);
	return w;
}

void http_client_warm(struct http_client *w)
{
	start_thread(w);
}

/* The order is on this stack; the thread does not free it and has ended when this returns. */
static void join_thread(struct http_client *w)
{
	struct http_client_order stop = { .kind = ORDER_STOP };

	if (!w->has_thread)
		return;
	mailbox_post(&w->side.orders, &stop.mail);
	pthread_join(w->thread, NULL);
	w->has_thread = false;
}

/* Sinks of open calls are not called any more. */
void http_client_free(struct http_client *w)
{
	struct mail *next;

	if (!w)
		return;
	join_thread(w);
	for (struct mail *m = mailbox_take(&w->news); m; m = next) {
		next = m->next;
		memory_free(OWNER_OF(m, struct http_client_news, mail));
	}
	LIST_EACH_SAFE (&w->calls, node, tmp)
		drop(LIST_ITEM(node, struct http_client_call, node));
	loop_wake_done(&w->wake);
	mailbox_done(&w->news);
	mailbox_done(&w->side.orders);
	close(w->side.wake_fd);
	arena_free(w->mem);
	memory_free(w);
}
