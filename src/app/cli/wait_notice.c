/*
 * A thread that prints what a pending command waits for, after SILENT_MS.  The
 * command's own connection is busy, so the thread opens another one to ask.
 */
#include "app/cli/wait_notice.h"

#include "app/cli/connection.h"
#include "app/cli/daemon.h"
#include "app/cli/print/out.h"

#include <thole/thole.h>

#include <time.h>

#define SILENT_MS 1500

/* The names of the starting servers, separated by commas. */
static struct str starting(struct arena *mem, struct json servers)
{
	struct json_iter it = json_iter(servers);
	struct buf out = { 0 };
	struct str key, names;
	struct json v;

	while (json_next(&it, &key, &v))
		if (str_eq(json_str(JSON_GET(v, "status")), STR("starting")))
			buf_printf(&out, "%s%s", out.len ? ", " : "",
			           out_safe(mem, json_str(JSON_GET(v, "name"))));
	names = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return names;
}

/* Uses a second connection, because the first is busy with the command. */
static struct str ask_servers(struct arena *mem, const char *socket)
{
	struct thole *t = socket ? thole_connect(socket, NULL) : NULL;
	struct str names = STR("");
	struct json reply;
	char *text = NULL;

	if (t && thole_call(t, "list_tool_servers", "{}", &text) == THOLE_OK && text &&
	    json_read_trusted(mem, str_from(text), &reply, NULL) == OK)
		names = starting(mem, JSON_GET(reply, "servers"));
	thole_free(text);
	thole_close(t);
	return names;
}

static void say(const struct wait_notice *p)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str names = ask_servers(mem, p->socket);

	if (names.len)
		fprintf(stderr,
		        "%s  waiting for tool servers to start: %.*s (20 s at most; thole mcp "
		        "ls)%s\n",
		        out_tone_on(p->color, TONE_DIM), STR_ARG(names), out_tone_off(p->color));
	else
		fprintf(stderr, "%s  waiting for an answer of the daemon%s\n",
		        out_tone_on(p->color, TONE_DIM), out_tone_off(p->color));
}

/*
 * Waits on a condition and not in a sleep, so that a command that ends early does not wait for
 * this thread.
 */
static bool is_answered_in_time(struct wait_notice *p)
{
	struct timespec until;
	bool is_over;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until.tv_sec += SILENT_MS / 1000;
	until.tv_nsec += SILENT_MS % 1000 * 1000000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_sec++;
		until.tv_nsec -= 1000000000;
	}
	pthread_mutex_lock(&p->lock);
	while (!p->is_over && pthread_cond_timedwait(&p->over, &p->lock, &until) == 0)
		;
	is_over = p->is_over;
	pthread_mutex_unlock(&p->lock);
	return is_over;
}

static void *wait_and_say(void *arg)
{
	struct wait_notice *p = arg;

	if (!is_answered_in_time(p))
		say(p);
	return NULL;
}

/* With memory of its own: the command's belongs to the thread that waits for the answer. */
static bool say_stopped(const struct wait_notice *p)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct cli own = *p->c;
	int pid;

	own.mem = mem;
	if (!daemon_is_stopped(&own, &pid))
		return false;
	fprintf(stderr,
	        "%s  waiting for the daemon (process %d), which is stopped by a signal; to "
	        "continue "
	        "it, run: kill -CONT %d%s\n",
	        out_tone_on(p->color, TONE_DIM), pid, pid, out_tone_off(p->color));
	return true;
}

static void *wait_for_stop(void *arg)
{
	struct wait_notice *p = arg;

	while (!is_answered_in_time(p) && !say_stopped(p))
		;
	return NULL;
}

/* ---- its life ---- */

static void notice_begin(struct wait_notice *p, const struct cli *c, void *(*wait)(void *arg))
{
	pthread_condattr_t attr;

	p->c = c;
	p->color = c->color_err;
	if (c->opts.quiet)
		return;
	pthread_mutex_init(&p->lock, NULL);
	pthread_condattr_init(&attr);
	/* The wall clock may jump. */
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&p->over, &attr);
	pthread_condattr_destroy(&attr);
	p->is_started = pthread_create(&p->thread, NULL, wait, p) == 0;
}

void wait_notice_begin(struct wait_notice *p, const struct cli *c, bool asks_servers)
{
	*p = (struct wait_notice){ .socket = asks_servers && !c->opts.here ? c->socket : NULL };
	notice_begin(p, c, wait_and_say);
}

void wait_notice_watch(struct wait_notice *p, const struct cli *c)
{
	*p = (struct wait_notice){ 0 };
	if (!c->opts.here && !c->is_remote)
		notice_begin(p, c, wait_for_stop);
}

void wait_notice_end(struct wait_notice *p)
{
	if (!p->is_started)
		return;
	pthread_mutex_lock(&p->lock);
	p->is_over = true;
	pthread_cond_signal(&p->over);
	pthread_mutex_unlock(&p->lock);
	pthread_join(p->thread, NULL);
	pthread_cond_destroy(&p->over);
	pthread_mutex_destroy(&p->lock);
}
