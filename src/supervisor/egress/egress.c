/*
 * Starts the proxy of a sandbox at its first connection, and turns the rows of
 * the proxy's tally into reports.
 */
#include "supervisor/egress/egress.h"

#include "base/jw.h"
#include "base/os/log.h"
#include "base/os/sys.h"

#include <stdio.h>

void egress_init(struct egress *r, struct event_loop *l, const struct sandbox_paths *allow,
                 void (*refused)(struct egress *r, const struct report *v))
{
	*r = (struct egress){ .loop = l,
		              .allow = allow,
		              .listening.fd = -1,
		              .news.fd = -1,
		              .proxy = { .pidfd = -1, .news_fd = -1 },
		              .refused = refused };
}

/* The proxy may be compromised, so its text is bounded and reduced to visible ASCII. */
static void copy_text(char *to, size_t size, const char *from, size_t from_size)
{
	size_t i = 0;

	for (; i + 1 < size && i < from_size && from[i]; i++)
		to[i] = from[i] >= ' ' && from[i] <= '~' ? from[i] : '?';
	to[i] = '\0';
}

/* The count is in shared memory and so is bounded here. */
static uint32_t row_count(const struct egress *r)
{
	return r->proxy.tally ? MIN(atomic_load(&r->proxy.tally->count), (uint32_t)PROXY_ROWS_MAX)
	                      : 0;
}

static struct report network_violation(uint32_t count)
{
	struct report v = { .kind = REPORT_VIOLATION,
		            .violation = { .kind = "network", .count = count } };

	return v;
}

/*
 * told[i] is the number of hits that were reported, kept outside the shared memory: the proxy
 * cannot make a denial look reported.
 */
static void report_row(struct egress *r, uint32_t i)
{
	const struct proxy_row *row = &r->proxy.tally->rows[i];
	uint32_t hits = atomic_load(&row->hits), fresh = hits - r->told[i];
	struct report v = network_violation(fresh);

	if (!row->is_refused || !fresh)
		return;
	r->told[i] = hits;
	copy_text(v.violation.host, sizeof v.violation.host, row->host, sizeof row->host);
	copy_text(v.violation.rule, sizeof v.violation.rule, row->rule, sizeof row->rule);
	copy_text(v.violation.address, sizeof v.violation.address, row->address,
	          sizeof row->address);
	v.violation.port = row->port;
	r->refused(r, &v);
}

/* Reports each host once at its first denial; counts follow at the end or on request. */
static void on_news(struct event_loop_watch *w)
{
	struct egress *r = OWNER_OF(w, struct egress, news);
	uint64_t ignored;

	if (read(w->fd, &ignored, sizeof ignored) < 0)
		return;
	for (uint32_t i = 0, count = row_count(r); i < count; i++)
		if (!r->told[i])
			report_row(r, i);
}

/* The first connection waits in the listener's queue until the proxy accepts it. */
static void on_client_waits(struct event_loop_watch *w)
{
	struct egress *r = OWNER_OF(w, struct egress, listening);
	struct error e;

	if (proxy_start(w->fd, r->allow, &r->proxy, &e) != OK) {
		log_line(LOG_WARN, "supervisor", "%s", e.message);
	} else {
		event_loop_watch(r->loop, &r->news, r->proxy.news_fd, on_news);
		r->proxy.news_fd = -1;
	}
	event_loop_unwatch(r->loop,
	                   w); /* the proxy has its own copy, unless it could not be started */
}

void egress_open(struct egress *r, int listener)
{
	event_loop_watch(r->loop, &r->listening, listener, on_client_waits);
}

void egress_report_denied(struct egress *r)
{
	for (uint32_t i = 0, count = row_count(r); i < count; i++)
		report_row(r, i);
}

/* The proxy is killed first: then the counts are final. */
void egress_end(struct egress *r)
{
	uint32_t more;

	event_loop_unwatch(r->loop, &r->listening);
	proxy_end(&r->proxy);
	event_loop_unwatch(r->loop, &r->news);
	egress_report_denied(r);
	more = r->proxy.tally ? atomic_exchange(&r->proxy.tally->refused_more, 0) : 0;
	if (more) {
		struct report v = network_violation(more);

		snprintf(v.violation.rule, sizeof v.violation.rule, "more_hosts");
		r->refused(r, &v);
	}
}

void egress_done(struct egress *r)
{
	event_loop_unwatch(r->loop, &r->listening);
	event_loop_unwatch(r->loop, &r->news);
	proxy_done(&r->proxy);
}

static void write_host(struct json_writer *w, const char *host, int port, uint32_t count)
{
	jw_obj(w);
	JW_KSTR(w, "host", str_from(host));
	if (port)
		JW_KINT(w, "port", port);
	JW_KINT(w, "count", count);
	jw_obj_end(w);
}

void egress_write(struct json_writer *w, const struct egress *r)
{
	uint32_t count = row_count(r), more;
	char host[HOST_TEXT_MAX];

	if (!count)
		return;
	JW_KEY(w, "hosts");
	jw_arr(w);
	for (uint32_t i = 0; i < count; i++) {
		const struct proxy_row *row = &r->proxy.tally->rows[i];

		copy_text(host, sizeof host, row->host, sizeof row->host);
		if (!row->is_refused)
			write_host(w, host, row->port, atomic_load(&row->hits));
	}
	more = atomic_load(&r->proxy.tally->reached_more);
	if (more)
		write_host(w, "*", 0, more);
	jw_arr_end(w);
}
