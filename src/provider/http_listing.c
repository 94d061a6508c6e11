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
/* Pages of all lists of a provider; one that has more is cut there. */
#define LISTS_MAX 16

struct listing {
	struct list node;
	struct http_provider *p;
	struct provider_listing *asker;
	struct http_client_call *call;
	struct secret *lent;
	struct cloud_pass pass; /* credentials of a cloud; zeroed: none */
	struct key_client client;
	struct str base;   /* of its client when it began, who may have left since */
	bool sends_key;    /* a key in a header */
	struct str paths;  /* that are still to be asked */
	struct str path;   /* that is being asked, without the mark of a page */
	struct str page;   /* the next page of it; absent: there is none */
	struct arena *mem; /* of the answers */
	struct json lists[LISTS_MAX];
	size_t list_count;
	struct loop_timer later;
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
	loop_timer_stop(&x->later);
	keys_secret_free(x->lent);
	cloud_done(&x->pass);
	buf_done(&x->body);
	arena_free(x->mem);
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

/* The account was accepted and may only not list models; whether it may use one is not said. */
static bool is_only_forbidden(const struct listing *x)
{
	return x->asker->is_test && x->p->cloud && x->status == 403 &&
	       str_find(buf_str(&x->body), STR("is not authorized to perform")) >= 0;
}

static enum err read_answer(struct listing *x, const struct http_client_end *end, struct error *e)
{
	if (end->result != HTTP_CLIENT_OK)
		return fail(e, ERR_IO, "%.*s", STR_ARG(end->message));
	if (is_only_forbidden(x)) {
		x->paths = STR_NONE;
		return OK;
	}
	if (x->status == 401 || x->status == 403)
		return fail(e, ERR_INVALID, "the key was refused (status %d)", x->status);
	if (x->status != 200)
		return fail(e, ERR_IO, "the answer has status %d", x->status);
	if (has_check(x))
		return OK;
	if (json_read(x->mem, buf_str(&x->body), &x->lists[x->list_count], NULL) != OK)
		return fail(e, ERR_INVALID, "the answer is no list of models");
	x->list_count++;
	return OK;
}

/* "https://NAME:PASSWORD@host/": the file would hold it. */
static bool has_password(struct str base)
{
	ptrdiff_t at = str_find(base, STR("://"));
	struct str host = str_skip(base, at < 0 ? 0 : (size_t)at + 3);

	return str_find_char(str_cut(&host, '/'), '@') >= 0;
}

/* The list of an address that one client lent says nothing about that of the others. */
static bool is_everyones(const struct listing *x)
{
	return str_eq(x->base, x->p->o.base_url);
}

static void listing_finish(struct listing *x, enum err err, const struct error *e)
{
	struct provider_listing *asker = x->asker;

	asker->failed = err != OK;
	if (x->p->o.port)
		x->p->is_up = !asker->failed;
	x->p->is_listed |= !asker->failed && x->list_count;
	if (asker->failed)
		snprintf(asker->message, sizeof asker->message, "%.200s", e->message);
	else if (x->list_count && !has_password(x->p->o.base_url))
		keep(x->p);
	listing_free(x);
	asker->done(asker);
}

static void send_listing(struct listing *x);

/*
 * Where an answer says that its list continues.  Bedrock and Gemini give a mark for the next page;
 * Anthropic says that there is more, and the last name is the mark.
 */
static const struct page_mark {
	const char *more, *mark, *argument;
} page_marks[] = {
	{ "nextToken", "nextToken", "nextToken" },
	{ "nextPageToken", "nextPageToken", "pageToken" },
	{ "has_more", "last_id", "after_id" },
};

/* All but letters, digits and "-._~" as %XX: a signature counts the bytes that are sent. */
static void add_encoded(struct buf *out, struct str value)
{
	for (size_t i = 0; i < value.len; i++) {
		unsigned char c = (unsigned char)value.ptr[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		    strchr("-._~", c))
			buf_add_char(out, (char)c);
		else
			buf_printf(out, "%%%02X", c);
	}
}

/* The path of the next page of the list that was just read; absent: that was the last one. */
static struct str page_after(struct listing *x)
{
	struct json answer = x->list_count ? x->lists[x->list_count - 1] : (struct json){ 0 };
	CLEANUP(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < COUNT_OF(page_marks) && x->list_count < LISTS_MAX; i++) {
		const struct page_mark *m = &page_marks[i];
		struct json more = json_get(answer, str_from(m->more));
		struct str mark = json_str(json_get(answer, str_from(m->mark)));

		if (!str_is(mark) || (json_type(more) == JSON_BOOL && !json_bool(more, false)))
			continue;
		buf_printf(&out, "%.*s%c%s=", STR_ARG(x->path),
		           str_find_char(x->path, '?') >= 0 ? '&' : '?', m->argument);
		add_encoded(&out, mark);
		return arena_keep(x->mem, buf_str(&out));
	}
	return STR_NONE;
}

static void on_end(void *owner, const struct http_client_end *end)
{
	struct listing *x = owner;
	struct error e = { 0 };
	enum err err = read_answer(x, end, &e);

	x->call = NULL;
	x->page = err || has_check(x) ? STR_NONE : page_after(x);
	if (!err && (x->paths.len || str_is(x->page)) && x->list_count < LISTS_MAX) {
		send_listing(x);
		return;
	}
	if (!is_everyones(x))
		x->list_count = 0;
	if (!err && x->list_count)
		err = model_list_take(&x->p->models, x->lists, x->list_count, &e);
	listing_finish(x, err, &e);
}

static const struct http_client_sink sink = { on_head, on_body, on_end };

/* An address that was changed serves lists too. */
static struct str base_of(const struct listing *x, struct arena *mem)
{
	const struct http_provider *p = x->p;
	bool is_usual = p->o.list_url.len && str_find_char(x->base, '{') >= 0;
	struct str base = is_usual ? p->o.list_url : x->base;

	return x->pass.cloud ? cloud_base(&x->pass, mem, base) : base;
}

static void send_listing(struct listing *x)
{
	struct http_provider *p = x->p;
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	bool has_account = x->pass.cloud && !x->sends_key;
	struct buf credential = http_provider_credential(p, has_account ? NULL
	                                                    : x->lent   ? x->lent
	                                                                : p->key.key);
	struct buf secret = { 0 };
	struct http_client_header headers[HTTP_PROVIDER_HEADERS_MAX];
	int64_t ms = p->o.port ? LIMIT_LOCAL_LIST_MS : LIMIT_MODEL_LIST_MS;
	struct str path = str_is(x->page) ? x->page : (x->path = str_cut(&x->paths, ' '));
	struct http_client_request r = {
		.url = http_provider_url(mem, base_of(x, mem), path),
		.headers = headers,
		.header_count = http_provider_headers(p, p->o.dialect, STR("application/json"),
		                                      buf_str(&credential), headers),
		.connect_ms = MIN(p->o.connect_ms, ms),
		.total_ms = ms,
		.response_max = LIMIT_MODEL_LIST_BYTES,
	};

	buf_clear(&x->body);
	if (x->pass.cloud)
		r.header_count = http_provider_prove(&x->pass, STR("GET"), r.url, STR(""), &secret,
		                                     headers, r.header_count);
	x->call = http_client_send(p->o.http_client, &r, &sink, x);
	http_provider_wipe(&credential);
	http_provider_wipe(&secret);
}

/* From the loop: `done` never comes from inside http_listing_start(). */
static void on_later(struct loop_timer *t)
{
	struct listing *x = OWNER_OF(t, struct listing, later);
	struct error e = { 0 };
	enum err err = OK;

	struct str refusal = http_provider_refusal(x->p, x->mem, x->base);

	if (refusal.len)
		err = fail(&e, ERR_INVALID, "%.*s", STR_ARG(refusal));
	else if (x->pass.has_failed)
		err = fail(&e, ERR_INVALID, "%.*s", STR_ARG(x->pass.message));
	if (!err && x->paths.len)
		send_listing(x);
	else
		listing_finish(x, err, &e); /* credentials that were accepted, and no list */
}

static void on_pass(struct cloud_pass *pass)
{
	struct listing *x = OWNER_OF(pass, struct listing, pass);

	loop_timer_start(x->p->o.loop, &x->later, 0, on_later);
}

static void listing_begin(struct listing *x)
{
	struct http_provider *p = x->p;
	bool has_lent = key_ring_has(p->o.ring, x->client, p->o.name);

	x->sends_key = x->lent || (p->key.key && !has_lent);
	x->pass.ready = on_pass;
	if (http_provider_refusal(p, x->mem, x->base).len)
		on_pass(&x->pass);
	else if (!p->cloud)
		send_listing(x);
	else if (cloud_get(p->cloud, x->client, x->sends_key, &x->pass))
		on_pass(&x->pass);
}

/*
 * The account of a cloud may be there for other purposes: it is used only where the settings or the
 * caller name the provider.
 */
static bool may_ask(const struct http_provider *p, const struct provider_listing *l)
{
	struct key_client client = { .connection = l->connection };

	if (p->key.key || p->o.needs_no_key || key_ring_key(p->o.ring, client, p->o.name))
		return true;
	return (p->has_account || key_ring_has(p->o.ring, client, p->o.name)) &&
	       (l->is_named || !p->o.is_implicit);
}

bool http_listing_start(struct provider *port, struct provider_listing *l)
{
	struct http_provider *p = OWNER_OF(port, struct http_provider, port);
	struct key_client client = { .connection = l->connection };
	const struct secret *lent = key_ring_key(p->o.ring, client, p->o.name);
	struct listing *x;

	if (p->o.port && p->o.is_implicit && !is_served(p->o.port)) {
		p->is_up = false;
		return false;
	}
	if (!may_ask(p, l) || (l->is_for_missing && p->is_listed && !p->o.needs_no_key) ||
	    (!l->is_test && (!p->o.list_path.len || !p->o.is_open)))
		return false;
	l->failed = false;
	x = memory_zeroed(1, sizeof *x);
	x->p = p;
	x->asker = l;
	x->client = client;
	x->mem = arena_new_small();
	x->base = arena_keep(x->mem, http_provider_base(p, x->mem, client));
	x->paths = has_check(x) ? p->o.check_path : p->o.list_path;
	x->lent = lent ? keys_secret_new(keys_secret_for_header(lent)) : NULL;
	list_add(&p->listings, &x->node);
	listing_begin(x);
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
