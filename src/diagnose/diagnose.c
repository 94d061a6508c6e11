/*
 * Requests and answers, one line of JSON each, over any number of language servers.
 *
 * A check ends when every server has published its view of every file and then been silent for a
 * moment (most publish syntax first and the rest soon after), or when the time of the request is
 * over.
 */
#include "diagnose/diagnose.h"

#include "base/jw.h"
#include "base/os/sys.h"
#include "base/utf8.h"
#include "diagnose/diagnose_server.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SERVERS_MAX 16
#define FILES_MAX 32
#define FILE_BYTES_MAX 1048576
#define LINE_MAX_BYTES 262144
#define FOUND_MAX 40    /* diagnostics of one answer */
#define MESSAGE_MAX 400 /* bytes of one message */
#define MISSES_MAX 2
#define BRIEF_MS 500
#define QUIET_MS 300 /* silence after the last publication */

struct diagnoser {
	struct arena *mem;
	struct diagnose_server *servers;
	struct buf input;
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* ---- lines ---- */

/* The next line without its end; absent: more bytes are needed. */
static struct str take_line(struct diagnoser *g, struct arena *mem)
{
	ptrdiff_t at = str_find_char(buf_str(&g->input), '\n');
	struct str line;

	if (at < 0)
		return STR_NONE;
	line = arena_keep(mem, str_head(buf_str(&g->input), (size_t)at));
	buf_drop(&g->input, (size_t)at + 1);
	return line;
}

/* False: the input has ended. */
static bool read_input(struct diagnoser *g)
{
	char part[8192];
	ssize_t n;

	do
		n = read(0, part, sizeof part);
	while (n < 0 && errno == EINTR);
	if (n <= 0)
		return false;
	buf_add(&g->input, part, (size_t)n);
	return !g->input.overflowed;
}

static void write_line(struct buf *text)
{
	struct str rest;

	buf_add_char(text, '\n');
	for (rest = buf_str(text); rest.len;) {
		ssize_t n = write(1, rest.ptr, rest.len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		rest = str_skip(rest, (size_t)n);
	}
}

/* ---- files ---- */

/* Absent: it is gone, no plain file, or too large. */
static struct str read_file(struct arena *mem, struct str path)
{
	FD_SCOPE fd = open(path.ptr, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	size_t len = 0;
	char *text;

	if (fd < 0 || fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_BYTES_MAX)
		return STR_NONE;
	text = arena_alloc(mem, (size_t)st.st_size + 1);
	while (len < (size_t)st.st_size) {
		ssize_t n = read(fd, text + len, (size_t)st.st_size - len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	text[len] = 0;
	return str_of(text, len);
}

static void check_files(struct diagnoser *g, struct json files, struct arena *mem)
{
	struct json_iter it = json_iter(files);
	size_t count = 0;
	struct json v;
	struct str key;

	while (count++ < FILES_MAX && json_next(&it, &key, &v)) {
		struct str path = json_str(v);
		bool is_taken = false;

		for (struct diagnose_server *s = g->servers; s && !is_taken && str_is(path);
		     s = s->next) {
			struct str text;

			/* A server that is gone leaves its files to the next one. */
			if (s->state == DIAGNOSE_GONE || !diagnose_server_takes(s, path))
				continue;
			text = read_file(mem, arena_keep(mem, path));
			if (str_is(text) && utf8_is_valid(text))
				diagnose_server_check(s, path, text);
			is_taken = s->state != DIAGNOSE_GONE;
		}
	}
}

/* ---- waiting ---- */

static bool is_settled(const struct diagnoser *g, int64_t now)
{
	for (const struct diagnose_server *s = g->servers; s; s = s->next)
		if (!diagnose_server_is_done(s) || now - s->published_at < QUIET_MS)
			return false;
	return true;
}

/* One round over input and servers.  False: the input has ended. */
static bool turn_once(struct diagnoser *g, int64_t wait_ms)
{
	struct pollfd fds[1 + 2 * SERVERS_MAX] = { { .fd = 0, .events = POLLIN } };
	nfds_t n = 1;

	for (struct diagnose_server *s = g->servers; s; s = s->next) {
		fds[n++] = (struct pollfd){ .fd = s->out, .events = POLLIN };
		fds[n++] = (struct pollfd){ .fd = s->to.len ? s->in : -1, .events = POLLOUT };
	}
	if (poll(fds, n, wait_ms < 0 ? -1 : (int)MIN(wait_ms, INT_MAX)) < 0 && errno != EINTR)
		return false;
	n = 1;
	for (struct diagnose_server *s = g->servers; s; s = s->next, n += 2) {
		if (fds[n].revents)
			diagnose_server_read(s, now_ms());
		if (fds[n + 1].revents)
			diagnose_server_write(s);
	}
	return !fds[0].revents || read_input(g);
}

/* A server that was silent twice (it may be loading a large project) is waited for only briefly. */
static int64_t patience(const struct diagnoser *g, int64_t wait_ms)
{
	for (const struct diagnose_server *s = g->servers; s; s = s->next)
		if (!diagnose_server_is_done(s) && s->misses < MISSES_MAX)
			return wait_ms;
	return MIN(wait_ms, BRIEF_MS);
}

static bool wait_for_servers(struct diagnoser *g, int64_t wait_ms)
{
	int64_t end = now_ms() + patience(g, wait_ms);

	for (int64_t now = now_ms(); now < end && !is_settled(g, now); now = now_ms())
		if (!turn_once(g, MIN(end - now, QUIET_MS / 4)))
			return false;
	for (struct diagnose_server *s = g->servers; s; s = s->next)
		s->misses = diagnose_server_is_done(s) ? 0 : s->misses + 1;
	return true;
}

/* ---- the answer ---- */

static bool was_named(struct json files, struct str path)
{
	struct json_iter it = json_iter(files);
	struct json v;
	struct str key;

	while (json_next(&it, &key, &v))
		if (str_is(json_str(v)) && str_eq(json_str(v), path))
			return true;
	return false;
}

static void write_found(struct json_writer *w, const struct diagnose_server *s, struct str path,
                        struct json found)
{
	struct json start = JSON_GET(JSON_GET(found, "range"), "start");
	struct str message = json_str(JSON_GET(found, "message"));

	jw_obj(w);
	JW_KSTR(w, "path", path);
	JW_KINT(w, "line", json_int(JSON_GET(start, "line"), 0) + 1);
	JW_KINT(w, "column", json_int(JSON_GET(start, "character"), 0) + 1);
	JW_KSTR(w, "severity",
	        json_int(JSON_GET(found, "severity"), 1) == 1 ? STR("error") : STR("warning"));
	JW_KSTR(w, "message", utf8_head(str_is(message) ? message : STR(""), MESSAGE_MAX));
	JW_KSTR(w, "server", s->name);
	jw_obj_end(w);
}

/* Errors before warnings; hints and information are left out. */
static size_t write_all_found(struct json_writer *w, const struct diagnoser *g, struct json files,
                              int64_t severity, size_t *count)
{
	size_t left = 0;

	for (const struct diagnose_server *s = g->servers; s; s = s->next)
		for (const struct diagnose_document *d = s->documents; d; d = d->next) {
			struct json_iter it = json_iter(d->found);
			struct json v;
			struct str key;

			/* what it said of an older content may be mended already */
			if (!d->is_published || !was_named(files, d->path))
				continue;
			while (json_next(&it, &key, &v)) {
				if (json_int(JSON_GET(v, "severity"), 1) != severity)
					continue;
				if (*count < FOUND_MAX)
					write_found(w, s, d->path, v);
				left += *count >= FOUND_MAX;
				++*count;
			}
		}
	return left;
}

static void write_answer(const struct diagnoser *g, struct json request)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json files = JSON_GET(request, "files");
	size_t count = 0, left = 0;
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KINT(&w, "id", json_int(JSON_GET(request, "id"), 0));
	JW_KEY(&w, "diagnostics");
	jw_arr(&w);
	for (int64_t severity = 1; severity <= 2; severity++)
		left += write_all_found(&w, g, files, severity, &count);
	jw_arr_end(&w);
	JW_KINT(&w, "left", (int64_t)left);
	JW_KEY(&w, "waiting");
	jw_arr(&w);
	for (const struct diagnose_server *s = g->servers; s; s = s->next)
		if (!diagnose_server_is_done(s))
			jw_str(&w, s->name);
	jw_arr_end(&w);
	jw_obj_end(&w);
	write_line(&text);
}

/* ---- the whole ---- */

static void add_servers(struct diagnoser *g, struct json first)
{
	struct json_iter it = json_iter(JSON_GET(first, "servers"));
	struct diagnose_server **last = &g->servers;
	struct str cwd = json_str(JSON_GET(first, "cwd")), key;
	size_t count = 0;
	struct json row;

	if (!str_is(cwd))
		return;
	cwd = arena_keep(g->mem, cwd);
	while (count++ < SERVERS_MAX && json_next(&it, &key, &row)) {
		*last = diagnose_server_new(g->mem, cwd, row);
		if (*last)
			last = &(*last)->next;
	}
}

static bool serve_request(struct diagnoser *g, struct str line)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json request;

	if (json_read(mem, line, &request, NULL) != OK)
		return false;
	for (struct diagnose_server *s = g->servers; s; s = s->next)
		diagnose_server_begin(s);
	check_files(g, JSON_GET(request, "files"), mem);
	if (!wait_for_servers(g, json_int(JSON_GET(request, "waitMs"), 0)))
		return false;
	write_answer(g, request);
	return true;
}

int diagnose_serve(void)
{
	struct diagnoser g = { .mem = arena_new(), .input = { .max = LINE_MAX_BYTES } };
	bool has_first = false, goes_on = true;
	struct json first;

	signal(SIGPIPE, SIG_IGN);
	while (goes_on) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct str line = take_line(&g, mem);

		if (!str_is(line)) {
			goes_on = turn_once(&g, -1);
		} else if (has_first) {
			goes_on = serve_request(&g, line);
		} else {
			has_first = true;
			goes_on = json_read(g.mem, line, &first, NULL) == OK;
			if (goes_on)
				add_servers(&g, first);
		}
	}
	for (struct diagnose_server *s = g.servers; s; s = s->next)
		diagnose_server_end(s);
	buf_done(&g.input);
	arena_free(g.mem);
	return 0;
}
