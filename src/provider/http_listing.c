/*
 * Asks a provider's server for its models, and keeps the answer in
 * DATA/models/NAME.json for the next run.
 *
 * A local server is asked only if a process of this user or of the system
 * listens on its port: another person's process would receive the conversation.
 */
#include "provider/http_provider_int.h"

#include "base/gen/limits.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define FIRST_USER 1000 /* uids below belong to the system */
#define PATH_SIZE 4096

struct listing {
	struct list node;
	struct http_provider *p;
	struct provider_listing *asker;
	struct http_client_call *call;
	struct secret *lent;
	struct buf body;
	int status;
};

/* ---- the file ---- */

static bool path_of(const struct http_provider *p, const char *suffix, char out[PATH_SIZE])
{
	return p->o.data_dir.len &&
	       snprintf(out, PATH_SIZE, "%.*s/models/%.*s.json%s", STR_ARG(p->o.data_dir),
	                STR_ARG(p->o.name), suffix) < PATH_SIZE;
}

/* A list that cannot be kept is asked for again; nothing else depends on the file. */
static void keep(const struct http_provider *p)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	char path[PATH_SIZE], fresh[PATH_SIZE], dir[PATH_SIZE];
	bool is_written;
	int fd;

	if (!path_of(p, "", path) || !path_of(p, ".new", fresh))
		return;
	snprintf(dir, sizeof dir, "%.*s/models", STR_ARG(p->o.data_dir));
	if (mkdir(dir, 0700) != 0 && errno != EEXIST)
		return;
	fd = open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return;
	model_list_write(&p->models, p->o.base_url, &text);
	is_written = write(fd, text.ptr, text.len) == (ssize_t)text.len;
	if (close(fd) != 0 || !is_written || rename(fresh, path) != 0)
		unlink(fresh);
}

void http_listing_recall(struct http_provider *p)
{
	CLEANUP(buf_done) struct buf text = { .max = LIMIT_MODEL_LIST_BYTES };
	char path[PATH_SIZE], part[65536];
	ssize_t got;
	int fd;

	/* A local server is known only while it runs. */
	if (p->o.port || !path_of(p, "", path))
		return;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (fd < 0)
		return;
	while ((got = read(fd, part, sizeof part)) > 0 && !text.overflowed)
		buf_add(&text, part, (size_t)got);
	close(fd);
	if (!text.overflowed)
		p->is_listed = model_list_read(&p->models, p->o.base_url, buf_str(&text));
}

/* ---- who listens ---- */

/* One line of /proc/net/tcp: "sl local:port remote state tx:rx tr:when retrnsmt uid ...". */
static bool is_listener(const char *line, int port, unsigned *ret_uid)
{
	unsigned local_port, state;

	return sscanf(line, " %*u: %*[0-9A-Fa-f]:%x %*[0-9A-Fa-f]:%*x %x %*x:%*x %*x:%*x %*x %u",
	              &local_port, &state, ret_uid) == 3 &&
	       (int)local_port == port && state == 10;
}

static bool is_ours(unsigned uid)
{
	return uid == geteuid() || uid < FIRST_USER;
}

/* Whether anything listens on this port, and nothing of another person. */
static bool is_served(int port)
{
	static const char *const tables[] = { "/proc/net/tcp", "/proc/net/tcp6" };
	bool is_found = false;
	char line[512];
	unsigned uid;

	for (size_t i = 0; i < COUNT_OF(tables); i++) {
		FILE *f = fopen(tables[i], "re");

		while (f && fgets(line, sizeof line, f)) {
			if (!is_listener(line, port, &uid))
				continue;
			if (!is_ours(uid)) {
				fclose(f);
				return false;
			}
			is_found = true;
		}
		if (f)
			fclose(f);
	}
	return is_found;
}

/* ---- the request ---- */

static void listing_free(struct listing *x)
{
	list_remove(&x->node);
	keys_secret_free(x->lent);
	buf_done(&x->body);
	memory_free(x);
}

static void on_head(void *owner, const struct http_client_head *head)
{
	((struct listing *)owner)->status = head->status;
}

static size_t on_body(void *owner, struct str bytes)
{
	buf_add_str(&((struct listing *)owner)->body, bytes);
	return bytes.len;
}

/* Its list is public, so another address tells whether the key is accepted. */
static bool has_check(const struct listing *x)
{
	return x->asker->is_test && x->p->o.check_path.len;
}

static enum err read_answer(struct listing *x, const struct http_client_end *end, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json doc;

	if (end->result != HTTP_CLIENT_OK)
		return fail(e, ERR_IO, "%.*s", STR_ARG(end->message));
	if (x->status == 401 || x->status == 403)
		return fail(e, ERR_INVALID, "the key was refused (status %d)", x->status);
	if (x->status != 200)
		return fail(e, ERR_IO, "the answer has status %d", x->status);
	if (has_check(x))
		return OK;
	if (json_read(mem, buf_str(&x->body), &doc, NULL) != OK)
		return fail(e, ERR_INVALID, "the answer is no list of models");
	return model_list_take(&x->p->models, doc, e);
}

static void on_end(void *owner, const struct http_client_end *end)
{
	struct listing *x = owner;
	struct provider_listing *asker = x->asker;
	struct error e = { 0 };

	asker->failed = read_answer(x, end, &e) != OK;
	if (x->p->o.port)
		x->p->is_up = !asker->failed;
	x->p->is_listed |= !asker->failed;
	if (asker->failed)
		snprintf(asker->message, sizeof asker->message, "%.200s", e.message);
	else
		keep(x->p);
	listing_free(x);
	asker->done(asker);
}

static const struct http_client_sink sink = { on_head, on_body, on_end };

static void send_listing(struct listing *x)
{
	struct http_provider *p = x->p;
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct buf credential = http_provider_credential(p, x->lent ? x->lent : p->key.key);
	struct http_client_header headers[HTTP_PROVIDER_HEADERS_MAX];
	int64_t ms = p->o.port ? LIMIT_LOCAL_LIST_MS : LIMIT_MODEL_LIST_MS;
	struct http_client_request r = {
		.url = http_provider_url(mem, p->o.base_url,
		                         has_check(x) ? p->o.check_path : p->o.list_path),
		.headers = headers,
		.header_count = http_provider_headers(p, STR("application/json"),
		                                      buf_str(&credential), headers),
		.connect_ms = MIN(p->o.connect_ms, ms),
		.total_ms = ms,
		.response_max = LIMIT_MODEL_LIST_BYTES,
	};

	x->call = http_client_send(p->o.http_client, &r, &sink, x);
	http_provider_wipe(&credential);
}

bool http_listing_start(struct provider *port, struct provider_listing *l)
{
	struct http_provider *p = OWNER_OF(port, struct http_provider, port);
	const struct secret *lent =
		p->o.ring ? key_ring_of_connection(p->o.ring, l->connection, p->o.name) : NULL;
	struct listing *x;

	if (p->o.port && p->o.is_implicit && !is_served(p->o.port)) {
		p->is_up = false;
		return false;
	}
	if ((!lent && !p->key.key && !p->o.needs_no_key) ||
	    (l->is_for_missing && p->is_listed && !p->o.needs_no_key))
		return false;
	l->failed = false;
	x = memory_zeroed(1, sizeof *x);
	x->p = p;
	x->asker = l;
	x->lent = lent ? keys_secret_new(keys_secret_for_header(lent)) : NULL;
	list_add(&p->listings, &x->node);
	send_listing(x);
	return true;
}

void http_listing_cancel_all(struct http_provider *p)
{
	while (!list_is_empty(&p->listings)) {
		struct listing *x = LIST_ITEM(p->listings.next, struct listing, node);

		if (x->call)
			http_client_cancel(x->call);
		listing_free(x);
	}
}
