/*
 * One connection:
 *
 *	accept ──► head ──► name ──► addresses ──► dialled ──► relayed
 *	             │        │          │            │
 *	             ▼        ▼          ▼            ▼
 *	            4xx      403        403          502
 *
 * A denial is in the tally before it is answered, so the supervisor finds it
 * there when it ends the sandbox after the command saw the answer.
 */
#include "supervisor/egress/proxy_serve.h"

#include "base/memory.h"
#include "base/os/clock.h"
#include "base/os/sys.h"
#include "supervisor/egress/proxy_head.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <sys/socket.h>

#define RESPONSE_MS 10000
#define DIAL_MS 10000
#define LINGER_MS 1000
#define DIALS_MAX 4
#define STACK_BYTES (512 << 10) /* NSS modules are not thrifty */
#define RELAY_BYTES 16384

/* Set once by proxy_serve() and read by all threads. */
static const struct proxy_place *place;
static pthread_mutex_t tally_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t slots;

/* ---- the tally ---- */

/* With tally_lock.  A new row is filled but not counted yet; NULL: the table is full. */
static struct proxy_row *row_for(const struct net_host *h, uint16_t port, bool is_refused,
                                 const char *rule, const char *address)
{
	struct proxy_tally *t = place->tally;
	uint32_t count = atomic_load(&t->count);
	struct proxy_row *r = t->rows;

	for (; r < t->rows + count; r++)
		if (r->port == port && r->is_refused == is_refused && !strcmp(r->host, h->text) &&
		    !strcmp(r->rule, rule))
			return r;
	if (count == PROXY_ROWS_MAX)
		return NULL;
	r->is_refused = is_refused;
	r->port = port;
	memcpy(r->host, h->text, sizeof r->host);
	snprintf(r->rule, sizeof r->rule, "%s", rule);
	snprintf(r->address, sizeof r->address, "%s", address);
	return r;
}

/*
 * The count of rows grows after the row is complete, so the supervisor never reads a partial one.
 */
static void tally_add(const struct proxy_head *h, bool is_refused, const char *rule,
                      const char *address)
{
	struct proxy_tally *t = place->tally;
	uint64_t one = 1;

	pthread_mutex_lock(&tally_lock);

	struct proxy_row *r = row_for(&h->host, h->port, is_refused, rule, address);
	bool is_new = r && r == &t->rows[atomic_load(&t->count)];

	atomic_fetch_add(r ? &r->hits : is_refused ? &t->refused_more : &t->reached_more, 1);
	if (is_new)
		atomic_fetch_add(&t->count, 1);
	pthread_mutex_unlock(&tally_lock);
	if (is_new && write(place->news_fd, &one, sizeof one) < 0)
		_exit(1); /* the supervisor is gone */
}

/* ---- bytes ---- */

static bool wait_for(int fd, short events, int64_t until_ms)
{
	struct pollfd p = { .fd = fd, .events = events };
	int64_t left = until_ms - clock_mono_ms();

	while (left > 0) {
		int n = poll(&p, 1, (int)left);

		if (n > 0)
			return true;
		if (n == 0 || errno != EINTR)
			return false;
		left = until_ms - clock_mono_ms();
	}
	return false;
}

/*
 * With a deadline: a program inside that does not read must not hold a thread and a slot forever.
 */
static bool send_all(int fd, struct str bytes)
{
	int64_t until = clock_mono_ms() + RESPONSE_MS;

	while (bytes.len) {
		ssize_t n = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL | MSG_DONTWAIT);

		if (n > 0)
			bytes = str_skip(bytes, (size_t)n);
		else if (errno != EINTR && (errno != EAGAIN || !wait_for(fd, POLLOUT, until)))
			return false;
	}
	return true;
}

/*
 * Reads what the client still sends: closing a socket with unread bytes resets the connection,
 * and the client would lose the answer.
 */
static void close_after_answer(int fd)
{
	int64_t until = clock_mono_ms() + LINGER_MS;
	char rest[4096];

	shutdown(fd, SHUT_WR);
	while (wait_for(fd, POLLIN, until))
		if (recv(fd, rest, sizeof rest, MSG_DONTWAIT) <= 0)
			break;
}

static void send_response(int fd, int status, const char *why)
{
	const char *reason = status == 403   ? "Forbidden"
	                     : status == 408 ? "Request Timeout"
	                     : status == 411 ? "Length Required"
	                     : status == 431 ? "Request Header Fields Too Large"
	                     : status == 502 ? "Bad Gateway"
	                     : status == 505 ? "HTTP Version Not Supported"
	                                     : "Bad Request";
	char text[1024];
	int len = snprintf(text, sizeof text,
	                   "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
	                   "Connection: close\r\n\r\nsandbox: %s\n",
	                   status, reason, strlen(why) + 10, why);

	send_all(fd, str_of(text, (size_t)len));
	close_after_answer(fd);
}

/* ---- the head ---- */

/* What came: the head, and behind it perhaps the first bytes of what follows. */
struct opening {
	char bytes[PROXY_HEAD_MAX];
	size_t len, head_len;
};

/*
 * 0, a status to answer, or -1: the client is gone.  One deadline for the whole head, so that
 * single bytes do not extend it.
 */
static int read_head(int fd, struct opening *o)
{
	int64_t until = clock_mono_ms() + place->head_ms;

	while (!(o->head_len = proxy_head_end(str_of(o->bytes, o->len)))) {
		ssize_t n;

		if (o->len == sizeof o->bytes)
			return 431;
		if (!wait_for(fd, POLLIN, until))
			return 408;
		n = recv(fd, o->bytes + o->len, sizeof o->bytes - o->len, MSG_DONTWAIT);
		if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
			return -1;
		o->len += n > 0 ? (size_t)n : 0;
	}
	return 0;
}

/* ---- checking and connecting ---- */

static int refuse_host(int fd, const struct proxy_head *h, const char *rule, const char *address)
{
	char why[2 * HOST_TEXT_MAX + 128];

	tally_add(h, true, rule, address);
	snprintf(why, sizeof why, "%s:%u may not be reached from here: %s%s%s", h->host.text,
	         h->port, rule, address[0] ? " " : "", address);
	send_response(fd, 403, why);
	return -1;
}

/* Called directly after connect(), whose errno it reads. */
static bool finish_dial(int fd, int64_t until)
{
	int err = 0;
	socklen_t len = sizeof err;

	return errno == EINPROGRESS && wait_for(fd, POLLOUT, until) &&
	       getsockopt(fd, SOL_SOCKET, SO_ERROR, &err, &len) == 0 && !err;
}

/* Connects to exactly the address that was checked: nothing is resolved again. */
static int dial(const struct addrinfo *a)
{
	FD_SCOPE fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int ret;

	if (fd < 0 || (connect(fd, a->ai_addr, a->ai_addrlen) < 0 &&
	               !finish_dial(fd, clock_mono_ms() + DIAL_MS)))
		return -1;
	ret = fd;
	fd = -1;
	return ret;
}

/*
 * Each address is checked: an allowed name may resolve to a private one.  403 only if no address
 * passed; 502 if one passed and did not answer.
 */
static int dial_one_of(int client, const struct proxy_head *h, const struct addrinfo *list)
{
	char rule[48] = "no_address", address[HOST_TEXT_MAX] = "", why[HOST_TEXT_MAX + 64];
	int dialled = 0;

	for (const struct addrinfo *a = list; a && dialled < DIALS_MAX; a = a->ai_next) {
		struct address at;
		uint16_t port;

		if (!address_of(a->ai_addr, &at, &port))
			continue;
		if (!host_rule_may_reach(place->rules, &h->host, h->port, &at)) {
			snprintf(rule, sizeof rule, "%s_address",
			         address_kind_name(address_kind(&at)));
			address_text(&at, address);
			continue;
		}
		dialled++;

		int fd = dial(a);

		if (fd >= 0)
			return fd;
	}
	if (!dialled)
		return refuse_host(client, h, rule, address);
	snprintf(why, sizeof why, "%s:%u does not answer", h->host.text, h->port);
	send_response(client, 502, why);
	return -1;
}

/*
 * The name is checked before it is resolved: a query for a forbidden name could carry data out.
 */
static int connect_host(int client, const struct proxy_head *h)
{
	const struct host_rule *rule = host_rule_find(place->rules, &h->host, h->port);
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM,
		                  .ai_flags = AI_NUMERICSERV |
		                              (h->host.is_address ? AI_NUMERICHOST : 0) };
	struct addrinfo *list = NULL;
	char port[8], why[HOST_TEXT_MAX + 64], text[48];
	int fd;

	if (!rule)
		return refuse_host(client, h, "host_not_listed", "");
	snprintf(port, sizeof port, "%u", h->port);
	if (getaddrinfo(h->host.text, port, &hints, &list) != 0) {
		snprintf(why, sizeof why, "there is no address for %s", h->host.text);
		send_response(client, 502, why);
		return -1;
	}
	fd = dial_one_of(client, h, list);
	freeaddrinfo(list);
	snprintf(text, sizeof text, "%.*s", STR_ARG(rule->text));
	if (fd >= 0)
		tally_add(h, false, text, "");
	return fd;
}

/* ---- relaying ---- */

struct half {
	int from, to;
	uint64_t left; /* bytes that may still be read: the rest of a body, or without limit */
	size_t len, at;
	bool is_ended;
	char bytes[RELAY_BYTES];
};

static bool wants_read(const struct half *x)
{
	return !x->is_ended && x->at == x->len && x->left;
}

/* False: that side is broken. */
static bool half_read(struct half *x)
{
	ssize_t n = recv(x->from, x->bytes, MIN((uint64_t)sizeof x->bytes, x->left), MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	x->at = 0;
	x->len = (size_t)n;
	x->left -= (uint64_t)n;
	x->is_ended = n == 0;
	if (x->is_ended)
		shutdown(x->to, SHUT_WR);
	return true;
}

static bool half_write(struct half *x)
{
	ssize_t n = send(x->to, x->bytes + x->at, x->len - x->at, MSG_NOSIGNAL | MSG_DONTWAIT);

	if (n < 0)
		return errno == EAGAIN || errno == EINTR;
	x->at += (size_t)n;
	return true;
}

static short events_of(const struct half *reads, const struct half *writes)
{
	return (short)((wants_read(reads) ? POLLIN : 0) | (writes->at < writes->len ? POLLOUT : 0));
}

/*
 * up: from the sandbox; down: to it.  The end of the server's side ends the connection.  Each
 * half holds at most one buffer and reads again only when it is written, so memory stays bounded.
 */
static void relay(struct half *up, struct half *down)
{
	while (!down->is_ended || down->at < down->len) {
		struct pollfd fds[] = { { .fd = up->from, .events = events_of(up, down) },
			                { .fd = down->from, .events = events_of(down, up) } };

		if (!fds[1].events)
			fds[1].fd = -1; /* its end is known; poll() would report it forever */
		int n = poll(fds, COUNT_OF(fds), place->idle_ms);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		if (!fds[0].events && fds[0].revents)
			return; /* the sandbox's end is gone */
		if ((fds[0].revents & ~POLLOUT) && wants_read(up) && !half_read(up))
			return;
		if ((fds[1].revents & ~POLLOUT) && wants_read(down) && !half_read(down))
			return;
		if (up->at < up->len && !half_write(up))
			return;
		if (down->at < down->len && !half_write(down))
			return;
	}
}

/*
 * The bytes that arrived with the head are the first ones to send up, at most as many as the body
 * has: a second request behind it must not reach the server.
 */
static void relay_connection(int client, int server, const struct proxy_head *h,
                             const struct opening *o)
{
	struct half *both = memory_zeroed(2, sizeof *both), *up = &both[0], *down = &both[1];
	size_t rest = o->len - o->head_len;
	struct str first = h->is_connect ? STR("HTTP/1.1 200 Connection established\r\n\r\n")
	                                 : buf_str(&h->text);

	*up = (struct half){ .from = client, .to = server };
	*down = (struct half){ .from = server, .to = client, .left = UINT64_MAX };
	up->left = h->is_connect ? UINT64_MAX : h->body_len;
	up->len = MIN((uint64_t)rest, up->left);
	memcpy(up->bytes, o->bytes + o->head_len, up->len);
	up->left -= up->len;
	if (send_all(h->is_connect ? client : server, first))
		relay(up, down);
	if (!h->is_connect)
		close_after_answer(client); /* a second request would not be read */
	memory_free(both);
}

/* ---- a connection ---- */

static void serve_client(int client, struct opening *o)
{
	struct proxy_head h = { .port = 0 };
	const char *why = "the request did not come whole";
	int status = read_head(client, o);

	if (!status)
		status = proxy_head_read(str_of(o->bytes, o->head_len), &h, &why);
	if (status > 0)
		send_response(client, status, why);
	if (status)
		return;

	FD_SCOPE server = connect_host(client, &h);

	if (server >= 0)
		relay_connection(client, server, &h, o);
	buf_done(&h.text);
}

static void *on_connection(void *arg)
{
	FD_SCOPE client = (int)(intptr_t)arg;
	struct opening *o = memory_alloc(sizeof *o);

	o->len = o->head_len = 0;
	serve_client(client, o);
	memory_free(o);
	sys_close(&client);
	sem_post(&slots);
	return NULL;
}

/*
 * A slot is taken before accept(), so further connections wait in the kernel's queue and not in
 * threads.
 */
void proxy_serve(const struct proxy_place *p)
{
	pthread_attr_t attr;
	pthread_t thread;

	place = p;
	sem_init(&slots, 0, PROXY_CONNECTIONS_MAX);
	pthread_attr_init(&attr);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	for (;;) {
		while (sem_wait(&slots) < 0)
			;

		int fd = accept4(p->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

		if (fd < 0 && errno != EINTR && errno != ECONNABORTED)
			_exit(1);
		if (fd < 0 ||
		    pthread_create(&thread, &attr, on_connection, (void *)(intptr_t)fd) != 0) {
			sys_close(&fd);
			sem_post(&slots);
		}
	}
}
