/*
 * The thread of the HTTP client: libcurl's multi interface driven by epoll.
 *
 * curl_multi_socket_action() rather than curl_multi_perform(): with five
 * hundred streams open, one byte on one of them costs one transfer's work.
 *
 * In one turn all bytes of a transfer are gathered and posted at its end, so a
 * burst of small chunks is one message.
 */
#include "base/arena.h"
#include "base/os/clock.h"
#include "base/os/libcurl.h"
#include "base/err.h"
#include "base/list.h"
#include "base/memory.h"
#include "net/http/http_client_int.h"

#include <poll.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define READ_SIZE 2048L    /* libcurl's buffer per transfer; events are small */
#define UPLOAD_SIZE 16384L /* the smallest it takes */
#define IDLE_CONNECTIONS 64L
#define RELEASE_MS 1000 /* for a response whose rest is read only to keep its connection */
#define EVENTS 64
#define RUSH_MS 20     /* so long is counted */
#define RUSH_EVENTS 40 /* in RUSH_MS: then bytes are gathered for GATHER_MS */
#define GATHER_MS 2

/* ---- the thread ---- */

struct thread {
	struct http_client_thread *side;
	struct libcurl library;
	const struct libcurl *curl; /* NULL: error has the reason */
	struct error error;
	CURLM *multi;
	int epoll_fd;
	char *ca_file; /* absent: what libcurl was built with */
	struct list transfers, dirty;
	int64_t curl_due_ms;  /* -1: libcurl waits for nothing */
	int64_t check_due_ms; /* the earliest deadline of any transfer, or earlier */
	int64_t rush_since_ms;
	unsigned rush_heard; /* so much since then */
	bool is_rush;
	bool is_stopping;
};

struct transfer {
	struct list node;  /* in transfers */
	struct list dirty; /* in dirty: body is to be posted */
	struct thread *thread;
	struct http_client_job *job;
	CURL *easy;
	struct curl_slist *headers;
	char error[CURL_ERROR_SIZE];
	struct buf head;
	struct http_client_news *body; /* gathered in this turn */
	size_t under_way;              /* bytes not yet acknowledged by the loop */
	uint64_t total;
	int64_t begun_ms, heard_ms;
	int64_t release_ms; /* when a released transfer is given up; 0: not released */
	bool has_head, has_body;
	bool is_held;                    /* the window is full */
	enum http_client_result verdict; /* our result, which overrides libcurl's */
	struct address forbidden;        /* the last one that the guard refused */
	bool is_forbidden;
};

/* The earlier of two times; -1 is never. */
static int64_t sooner(int64_t a, int64_t b)
{
	return a < 0 ? b : b < 0 ? a : MIN(a, b);
}

static void post(struct thread *t, struct http_client_news *n)
{
	mailbox_post(t->side->news, &n->mail);
}

static void post_body(struct transfer *x)
{
	list_remove(&x->dirty);
	if (x->body)
		post(x->thread, x->body);
	x->body = NULL;
}

/* ---- bounds in time ---- */

/*
 * The deadline of this transfer, and its result then; -1: none.
 *
 *    begun ── first_byte_ms ──► first byte ── stall_ms ──► next byte ...
 *      └──────────────────────── total_ms ─────────────────────────►
 *
 * A transfer whose window is full does not stall: the reader is slow, not the peer.
 */
static int64_t deadline(const struct transfer *x, enum http_client_result *ret_verdict)
{
	const struct http_client_job *job = x->job;
	int64_t due = -1;

	if (x->release_ms) {
		*ret_verdict = HTTP_CLIENT_CUT;
		return x->release_ms;
	}
	if (x->has_body ? job->stall_ms && !x->is_held : job->first_byte_ms != 0) {
		due = x->has_body ? x->heard_ms + job->stall_ms : x->begun_ms + job->first_byte_ms;
		*ret_verdict =
			x->has_body ? HTTP_CLIENT_TIMEOUT_STALL : HTTP_CLIENT_TIMEOUT_FIRST_BYTE;
	}
	if (job->total_ms && (due < 0 || x->begun_ms + job->total_ms <= due)) {
		due = x->begun_ms + job->total_ms;
		*ret_verdict = HTTP_CLIENT_TIMEOUT_TOTAL;
	}
	return due;
}

/*
 * Brings the thread's next check forward.  A deadline that moved back is found by a
 * check that comes too early and does nothing.
 */
static void overdue_deadline(struct transfer *x)
{
	enum http_client_result verdict;

	x->thread->check_due_ms = sooner(x->thread->check_due_ms, deadline(x, &verdict));
}

/* ---- the end of a transfer ---- */

static void free_transfer(struct transfer *x)
{
	const struct libcurl *curl = x->thread->curl;

	list_remove(&x->node);
	list_remove(&x->dirty);
	if (x->easy)
		curl->easy_cleanup(x->easy);
	for (struct curl_slist *s = x->headers; s; s = s->next)
		explicit_bzero(s->data, strlen(s->data)); /* a key may be among them */
	if (x->headers)
		curl->slist_free_all(x->headers);
	memory_free(x->body);
	buf_done(&x->head);
	x->job->thread_side = NULL;
	memory_free(x);
}

/* Exactly once per job, whatever happened: the loop waits for it. */
static void post_end(struct thread *t, struct http_client_job *job, enum http_client_result result,
                     uint64_t total, struct str message)
{
	struct http_client_news *n = http_client_news_new(job, NEWS_END, message);

	n->result = result;
	n->total = total;
	post(t, n);
}

/*
 * What a person reads about a failed request: the limit that was reached and how far
 * the response had come.
 */
static struct str end_message(const struct transfer *x, enum http_client_result result, char *out,
                              size_t size)
{
	const struct http_client_job *job = x->job;
	long long total = (long long)x->total;
	char address[HOST_TEXT_MAX];

	switch (result) {
	case HTTP_CLIENT_OK:
		return STR("");
	case HTTP_CLIENT_TIMEOUT_CONNECT:
		snprintf(out, size, "no connection within %lld ms",
		         (long long)(job->connect_ms ? job->connect_ms : 300000)); /* libcurl's */
		break;
	case HTTP_CLIENT_TIMEOUT_FIRST_BYTE:
		snprintf(out, size, "no answer within %lld ms", (long long)job->first_byte_ms);
		break;
	case HTTP_CLIENT_TIMEOUT_STALL:
		snprintf(out, size, "the answer stalled: nothing for %lld ms after %lld bytes",
		         (long long)job->stall_ms, total);
		break;
	case HTTP_CLIENT_TIMEOUT_TOTAL:
		snprintf(out, size, "the answer was not whole after %lld ms (%lld bytes)",
		         (long long)job->total_ms, total);
		break;
	case HTTP_CLIENT_TOO_LARGE:
		snprintf(out, size, "the answer is larger than %llu bytes",
		         (unsigned long long)job->response_max);
		break;
	case HTTP_CLIENT_FORBIDDEN:
		address_text(&x->forbidden, address);
		snprintf(out, size, "%s is a %s address, and no rule names it", address,
		         address_kind_name(address_kind(&x->forbidden)));
		break;
	case HTTP_CLIENT_NOT_HTTP:
		snprintf(out, size, "what answers there does not speak HTTP");
		break;
	case HTTP_CLIENT_CUT:
		if (x->has_head) {
			snprintf(out, size, "the connection broke after %lld bytes of the answer",
			         total);
			break;
		}
		/* fall through */
	default:
		snprintf(out, size, "%s", x->error[0] ? x->error : "the request failed");
		break;
	}
	return str_from(out);
}

/* The gathered bytes come before NEWS_END.  libcurl's handle is removed before it is freed. */
static void transfer_finish(struct transfer *x, enum http_client_result result)
{
	struct thread *t = x->thread;
	char text[CURL_ERROR_SIZE + 64];

	post_body(x);
	post_end(t, x->job, result, x->total, end_message(x, result, text, sizeof text));
	t->curl->multi_remove_handle(t->multi, x->easy);
	free_transfer(x);
}

/* Our own reason first: an aborted transfer looks like a write error to libcurl. */
static enum http_client_result result_of(const struct transfer *x, CURLcode code)
{
	curl_off_t sent_us = 0;

	if (x->verdict)
		return x->verdict;
	switch (code) {
	case CURLE_OK:
		return HTTP_CLIENT_OK;
	case CURLE_URL_MALFORMAT:
		return HTTP_CLIENT_INVALID;
	case CURLE_UNSUPPORTED_PROTOCOL: /* HTTP/0.9, that is: anything */
	case CURLE_WEIRD_SERVER_REPLY:
		return HTTP_CLIENT_NOT_HTTP;
	case CURLE_COULDNT_RESOLVE_HOST:
	case CURLE_COULDNT_RESOLVE_PROXY:
		return HTTP_CLIENT_RESOLVE;
	case CURLE_COULDNT_CONNECT:
		return x->is_forbidden ? HTTP_CLIENT_FORBIDDEN : HTTP_CLIENT_CONNECT;
	case CURLE_PEER_FAILED_VERIFICATION:
	case CURLE_SSL_CACERT_BADFILE:
	case CURLE_SSL_ISSUER_ERROR:
	case CURLE_SSL_INVALIDCERTSTATUS:
		return HTTP_CLIENT_UNTRUSTED;
	case CURLE_SSL_CONNECT_ERROR:
	case CURLE_SSL_CIPHER:
		return HTTP_CLIENT_TLS;
	case CURLE_OPERATION_TIMEDOUT:
		x->thread->curl->easy_getinfo(x->easy, CURLINFO_PRETRANSFER_TIME_T, &sent_us);
		return sent_us ? HTTP_CLIENT_FAILED : HTTP_CLIENT_TIMEOUT_CONNECT;
	case CURLE_PARTIAL_FILE:
	case CURLE_GOT_NOTHING:
	case CURLE_RECV_ERROR:
	case CURLE_SEND_ERROR:
		return HTTP_CLIENT_CUT;
	default:
		return HTTP_CLIENT_FAILED;
	}
}

/* ---- what libcurl calls ---- */

/*
 * A stream may last for minutes, and its request may be large.  Once the response
 * begins, the request is not needed again: redirects are not followed, and
 * libcurl repeats a request only without a response.
 */
static void forget_request(struct transfer *x)
{
	const struct libcurl *curl = x->thread->curl;
	curl_off_t sent = 0;

	curl->easy_getinfo(x->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
	if (!x->job->body.len || sent < (curl_off_t)x->job->body.len)
		return;
	curl->easy_setopt(x->easy, CURLOPT_POSTFIELDS, "");
	http_client_job_forget_body(x->job);
}

/*
 * Called per line, ends included.  A 1xx may precede the real head; only the last head
 * is reported.
 */
static size_t on_header(char *data, size_t one, size_t len, void *arg)
{
	struct transfer *x = arg;
	struct str line = str_of(data, len);
	long status = 0;

	(void)one;
	if (x->has_head)
		return len; /* a trailer */
	if (str_starts(line, STR("HTTP/"))) {
		buf_clear(&x->head); /* the earlier head was a 1xx */
		return len;
	}
	line = str_trim(line);
	if (line.len) {
		if (x->head.len + line.len < HTTP_CLIENT_HEAD_MAX) {
			buf_add_str(&x->head, line);
			buf_add_char(&x->head, '\n');
		}
		return len;
	}
	x->thread->curl->easy_getinfo(x->easy, CURLINFO_RESPONSE_CODE, &status);
	if (status < 200)
		return len;
	x->has_head = true;
	forget_request(x);

	struct http_client_news *n = http_client_news_new(x->job, NEWS_HEAD, buf_str(&x->head));

	n->status = (int)status;
	post(x->thread, n);
	buf_done(&x->head);
	return len;
}

/* Bytes of one turn are one message, whose buffer doubles. */
static void gather(struct transfer *x, const char *data, size_t len)
{
	struct http_client_news *n = x->body;

	if (!n) {
		x->body = http_client_news_new(x->job, NEWS_BODY, str_of(data, len));
		list_add(&x->thread->dirty, &x->dirty);
		return;
	}
	if (n->cap - n->len < len) {
		n->cap = MAX(2 * n->cap, n->len + len);
		n = x->body = memory_resize(n, sizeof *n + n->cap);
	}
	memcpy(n->data + n->len, data, len);
	n->len += len;
}

/*
 * Backpressure: when the loop has HTTP_CLIENT_WINDOW bytes that it has not
 * acknowledged, libcurl stops reading the socket, and TCP stops the peer.
 */
static size_t on_body(char *data, size_t one, size_t len, void *arg)
{
	struct transfer *x = arg;

	(void)one;
	if (x->release_ms)
		return len;
	if (x->under_way >= HTTP_CLIENT_WINDOW) {
		x->is_held = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	x->heard_ms = clock_mono_ms();
	if (!x->has_body) {
		x->has_body = true;
		overdue_deadline(x); /* another limit applies, which may be nearer */
	}
	x->total += len;
	if (x->job->response_max && x->total > x->job->response_max) {
		x->verdict = HTTP_CLIENT_TOO_LARGE;
		return 0; /* an error to libcurl */
	}
	x->under_way += len;
	gather(x, data, len);
	return len;
}

/*
 * A descriptor that libcurl closed and opened again under the same number is unknown to
 * epoll, hence ADD when MOD fails.
 */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *is_known)
{
	struct thread *t = arg;
	struct epoll_event ev = { .data.fd = fd };

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(t->epoll_fd, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	ev.events = (what & CURL_POLL_IN ? EPOLLIN : 0u) | (what & CURL_POLL_OUT ? EPOLLOUT : 0u);
	if (!is_known || epoll_ctl(t->epoll_fd, EPOLL_CTL_MOD, fd, &ev) != 0)
		epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, fd, &ev);
	t->curl->multi_assign(t->multi, fd, t); /* known from now on */
	return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *arg)
{
	struct thread *t = arg;

	(void)multi;
	t->curl_due_ms = timeout_ms < 0 ? -1 : clock_mono_ms() + timeout_ms;
	return 0;
}

/* ---- orders ---- */

/*
 * An empty "Expect:" removes the header that libcurl adds to large bodies, and with it
 * the wait for 100 Continue.  CUSTOMREQUEST replaces the method that CURLOPT_POST
 * implies.
 */
static void set_request(struct transfer *x)
{
	const struct libcurl *curl = x->thread->curl;
	const struct http_client_job *job = x->job;
	struct str lines = buf_str(&job->headers);

	while (lines.len) {
		size_t len = strlen(lines.ptr);

		x->headers = curl->slist_append(x->headers, lines.ptr);
		lines = str_skip(lines, len + 1);
	}
	x->headers = curl->slist_append(x->headers, "Expect:"); /* no waiting for a 100 */
	curl->easy_setopt(x->easy, CURLOPT_URL, job->url.ptr);
	curl->easy_setopt(x->easy, CURLOPT_HTTPHEADER, x->headers);
	curl->easy_setopt(x->easy, CURLOPT_USERAGENT, x->thread->side->user_agent.ptr);
	if (job->body.len) {
		curl->easy_setopt(x->easy, CURLOPT_POST, 1L);
		curl->easy_setopt(x->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)job->body.len);
		curl->easy_setopt(x->easy, CURLOPT_POSTFIELDS, job->body.ptr);
	}
	curl->easy_setopt(x->easy, CURLOPT_CUSTOMREQUEST, job->method.ptr);
	if (job->connect_ms)
		curl->easy_setopt(x->easy, CURLOPT_CONNECTTIMEOUT_MS, (long)job->connect_ms);
}

/*
 * Settings that do not depend on the request.  Redirects are not followed: a credential
 * would travel to an address that was not configured.
 */
static void set_options(struct transfer *x)
{
	const struct libcurl *curl = x->thread->curl;
	const struct http_client_thread *side = x->thread->side;
	struct str proxy = str_starts(x->job->url, STR("https:")) ? side->proxy : side->http_proxy;
	CURL *easy = x->easy;

	curl->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl->easy_setopt(easy, CURLOPT_NOPROGRESS, 1L);
	curl->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl->easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
	/* An empty text keeps libcurl from looking in the environment. */
	curl->easy_setopt(easy, CURLOPT_PROXY, proxy.len && !x->job->is_direct ? proxy.ptr : "");
	curl->easy_setopt(easy, CURLOPT_NOPROXY, side->no_proxy.ptr);
	curl->easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
	curl->easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 1L);
	curl->easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 2L);
	curl->easy_setopt(easy, CURLOPT_SSLVERSION, (long)CURL_SSLVERSION_TLSv1_2);
	/* One file and no directory: only then is the store shared, 72 KiB a stream and not 900. */
	if (x->thread->ca_file)
		curl->easy_setopt(easy, CURLOPT_CAINFO, x->thread->ca_file);
	curl->easy_setopt(easy, CURLOPT_CAPATH, NULL);
	curl->easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
	curl->easy_setopt(easy, CURLOPT_BUFFERSIZE, READ_SIZE);
	curl->easy_setopt(easy, CURLOPT_UPLOAD_BUFFERSIZE, UPLOAD_SIZE);
	curl->easy_setopt(easy, CURLOPT_ERRORBUFFER, x->error);
	curl->easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
	curl->easy_setopt(easy, CURLOPT_HEADERDATA, x);
	curl->easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl->easy_setopt(easy, CURLOPT_WRITEDATA, x);
	curl->easy_setopt(easy, CURLOPT_PRIVATE, x);
}

/* libcurl tries the next address of the name when this one is refused. */
static curl_socket_t on_open(void *arg, curlsocktype purpose, struct curl_sockaddr *a)
{
	struct transfer *x = arg;
	const struct http_client_guard *g = x->job->guard;
	struct address at;
	uint16_t port;

	(void)purpose;
	if (!address_of(&a->addr, &at, &port))
		return CURL_SOCKET_BAD;
	if (!host_rule_may_reach(&g->rules, &g->host, port, &at)) {
		x->forbidden = at;
		x->is_forbidden = true;
		return CURL_SOCKET_BAD;
	}
	return socket(a->family, a->socktype | SOCK_CLOEXEC, a->protocol);
}

/*
 * Addresses are checked when a socket is opened, after the name was resolved: a name
 * that resolves to a private address is found, and it cannot change in between.  A
 * reused connection or a proxy would bypass that check.
 */
static void set_guard(struct transfer *x)
{
	const struct libcurl *curl = x->thread->curl;

	if (x->job->is_once)
		curl->easy_setopt(x->easy, CURLOPT_FRESH_CONNECT, 1L);
	if (!x->job->guard)
		return;
	curl->easy_setopt(x->easy, CURLOPT_OPENSOCKETFUNCTION, on_open);
	curl->easy_setopt(x->easy, CURLOPT_OPENSOCKETDATA, x);
	curl->easy_setopt(x->easy, CURLOPT_FRESH_CONNECT, 1L);
	curl->easy_setopt(x->easy, CURLOPT_FORBID_REUSE, 1L);
	curl->easy_setopt(x->easy, CURLOPT_PROXY, "");
}

/* libcurl speaks file:, ftp: and more, which an address from a configuration must not reach. */
static bool is_http(struct str url)
{
	return (url.len > 7 && !strncasecmp(url.ptr, "http://", 7)) ||
	       (url.len > 8 && !strncasecmp(url.ptr, "https://", 8));
}

/*
 * Requests that cannot be sent end here with NEWS_END, without a transfer; later orders
 * for them find thread_side NULL.
 */
static void transfer_start(struct thread *t, struct http_client_job *job)
{
	if (!t->curl) {
		post_end(t, job, HTTP_CLIENT_NO_LIBRARY, 0, str_from(t->error.message));
		return;
	}
	if (!is_http(job->url) || job->has_bad_header) {
		post_end(t, job, HTTP_CLIENT_INVALID, 0,
		         job->has_bad_header
		                 ? STR("a header has no name or holds a control character")
		                 : STR("the address does not begin with http:// or https://"));
		return;
	}

	struct transfer *x = memory_zeroed(1, sizeof *x);

	x->thread = t;
	x->job = job;
	x->begun_ms = x->heard_ms = clock_mono_ms();
	x->easy = t->curl->easy_init();
	list_init(&x->dirty);
	list_add(&t->transfers, &x->node);
	job->thread_side = x;
	set_options(x);
	set_request(x);
	set_guard(x);
	t->curl->multi_add_handle(t->multi, x->easy);
	overdue_deadline(x);
}

static void transfer_resume(struct transfer *x, size_t bytes)
{
	x->under_way -= bytes;
	if (!x->is_held || x->under_way >= HTTP_CLIENT_WINDOW)
		return;
	x->is_held = false;
	x->heard_ms = clock_mono_ms();
	overdue_deadline(x);
	/* This may call on_body() immediately. */
	x->thread->curl->easy_pause(x->easy, CURLPAUSE_CONT);
}

/*
 * Reads the rest of a response that is not wanted, for a second: closing instead would
 * cost the next request a new TLS handshake.
 */
static void transfer_release(struct transfer *x)
{
	x->release_ms = clock_mono_ms() + RELEASE_MS;
	overdue_deadline(x);
	if (x->is_held) {
		x->is_held = false;
		x->thread->curl->easy_pause(x->easy, CURLPAUSE_CONT);
	}
}

/*
 * Every order but START may arrive after the transfer has ended by itself; thread_side
 * is NULL then.
 */
static void handle_order(struct thread *t, const struct http_client_order *o)
{
	if (o->kind == ORDER_STOP) {
		t->is_stopping = true;
		return;
	}

	struct transfer *x = o->job->thread_side;

	switch (o->kind) {
	case ORDER_START:
		transfer_start(t, o->job);
		break;
	case ORDER_DROP:
		http_client_job_free(o->job);
		break;
	case ORDER_STOP:
		break;
	/* Other orders may arrive after the transfer has ended. */
	case ORDER_ACK:
		if (x)
			transfer_resume(x, o->bytes);
		break;
	case ORDER_CANCEL:
		if (x)
			transfer_finish(x, HTTP_CLIENT_CUT);
		break;
	case ORDER_RELEASE:
		if (x)
			transfer_release(x);
		break;
	}
}

static void take_orders(struct thread *t)
{
	struct mail *next;

	for (struct mail *m = mailbox_take(&t->side->orders); m; m = next) {
		struct http_client_order *o = OWNER_OF(m, struct http_client_order, mail);

		next = m->next;
		handle_order(t, o);
		if (o->kind != ORDER_STOP) /* ORDER_STOP is on the loop's stack */
			memory_free(o);
	}
}

/* ---- turns ---- */

/* Walks all transfers, but only when the earliest deadline may have passed. */
static void check_deadlines(struct thread *t, int64_t now)
{
	if (t->check_due_ms < 0 || now < t->check_due_ms)
		return;
	t->check_due_ms = -1;
	LIST_EACH_SAFE (&t->transfers, node, tmp) {
		struct transfer *x = LIST_ITEM(node, struct transfer, node);
		enum http_client_result verdict = HTTP_CLIENT_FAILED;
		int64_t due = deadline(x, &verdict);

		if (due >= 0 && due <= now)
			transfer_finish(x, verdict);
		else
			t->check_due_ms = sooner(t->check_due_ms, due);
	}
}

static void read_results(struct thread *t)
{
	int left;

	for (CURLMsg *m; (m = t->curl->multi_info_read(t->multi, &left));) {
		struct transfer *x;

		if (m->msg != CURLMSG_DONE)
			continue;
		t->curl->easy_getinfo(m->easy_handle, CURLINFO_PRIVATE, (char **)&x);
		transfer_finish(x, result_of(x, m->data.result));
	}
}

/*
 * Under load, bytes that arrive within two milliseconds are handled together,
 * because each wake-up here costs one of the loop too.  Orders do not wait.
 */
static void gather_news(struct thread *t, int heard)
{
	struct pollfd orders = { .fd = t->side->wake_fd, .events = POLLIN };
	int64_t now = clock_mono_ms();

	if (now - t->rush_since_ms >= RUSH_MS) {
		t->is_rush = t->rush_heard >= RUSH_EVENTS;
		t->rush_since_ms = now;
		t->rush_heard = 0;
	}
	t->rush_heard += (unsigned)heard;
	if (t->is_rush)
		poll(&orders, 1, GATHER_MS);
}

/* Waits for events and returns their number. */
static int wait_for_news(struct thread *t)
{
	struct epoll_event events[EVENTS];
	int64_t due = sooner(t->curl_due_ms, t->check_due_ms);
	int64_t left = due < 0 ? -1 : due - clock_mono_ms();
	int wait = due < 0 ? -1 : left < 0 ? 0 : (int)MIN(left, (int64_t)60000);
	int count = epoll_wait(t->epoll_fd, events, EVENTS, wait);
	int running;
	uint64_t times;

	for (int i = 0; i < count; i++) {
		int fd = events[i].data.fd;
		uint32_t is = events[i].events;
		int mask = (is & EPOLLIN ? CURL_CSELECT_IN : 0) |
		           (is & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
		           (is & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);

		if (fd != t->side->wake_fd)
			t->curl->multi_socket_action(t->multi, fd, mask, &running);
		else if (read(fd, &times, sizeof times) < 0)
			continue; /* the counter was read already */
	}
	return MAX(count, 0);
}

/*
 * Orders come before libcurl's timers, so that a cancelled transfer does no further
 * work.  Bodies are posted last, with all bytes of the turn.
 */
static void thread_turn(struct thread *t)
{
	int running, heard = wait_for_news(t);

	take_orders(t);
	if (t->curl_due_ms >= 0 && clock_mono_ms() >= t->curl_due_ms) {
		t->curl_due_ms = -1;
		t->curl->multi_socket_action(t->multi, CURL_SOCKET_TIMEOUT, 0, &running);
	}
	if (t->curl)
		read_results(t);
	check_deadlines(t, clock_mono_ms());
	while (!list_is_empty(&t->dirty))
		post_body(LIST_ITEM(t->dirty.next, struct transfer, dirty));
	gather_news(t, heard);
}

/* ---- beginning and end ---- */

static void thread_begin(struct thread *t)
{
	struct epoll_event ev = { .events = EPOLLIN, .data.fd = t->side->wake_fd };

	if (libcurl_load(t->side->library, &t->library, &t->error) == OK)
		t->curl = &t->library;
	t->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (t->epoll_fd < 0)
		abort(); /* without epoll nothing works */
	epoll_ctl(t->epoll_fd, EPOLL_CTL_ADD, t->side->wake_fd, &ev);
	t->ca_file = libcurl_ca_file(t->side->ca_file);
	if (!t->curl)
		return;
	t->multi = t->curl->multi_init();
	t->curl->multi_setopt(t->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
	t->curl->multi_setopt(t->multi, CURLMOPT_SOCKETDATA, t);
	t->curl->multi_setopt(t->multi, CURLMOPT_TIMERFUNCTION, on_timer);
	t->curl->multi_setopt(t->multi, CURLMOPT_TIMERDATA, t);
	t->curl->multi_setopt(t->multi, CURLMOPT_MAXCONNECTS, IDLE_CONNECTIONS);
}

/* No NEWS_END is posted: the loop frees all calls after the join. */
static void thread_end(struct thread *t)
{
	LIST_EACH_SAFE (&t->transfers, node, tmp) {
		struct transfer *x = LIST_ITEM(node, struct transfer, node);

		t->curl->multi_remove_handle(t->multi, x->easy);
		free_transfer(x);
	}
	if (t->curl)
		t->curl->multi_cleanup(t->multi);
	close(t->epoll_fd);
	free(t->ca_file);
}

void *http_client_curl_thread_main(void *arg)
{
	struct thread t = { .side = arg, .curl_due_ms = -1, .check_due_ms = -1 };

	pthread_setname_np(pthread_self(), "wire");
	list_init(&t.transfers);
	list_init(&t.dirty);
	thread_begin(&t);
	while (!t.is_stopping)
		thread_turn(&t);
	thread_end(&t);
	return NULL;
}
