/*
 * acp: an agent for editors on stdin and stdout (Agent Client Protocol).
 *
 * stdout carries messages and nothing else.  The end of stdin is the end of the program, and of the
 * program alone: turns that run continue in the daemon.
 */
#include "app/acp/acp_link.h"
#include "app/cli/print/out.h"
#include "app/cli/verbs.h"
#include "base/gen/limits.h"
#include "base/os/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#define READ_BYTES 65536
#define PARAMS_SPARE 4096 /* for what a command has besides its input */

struct acp_program {
	struct acp_session *s;
	struct acp_link link;
	bool is_over; /* stdin or stdout is closed */
	int code;
};

/* Blocks while the editor does not read, so nothing gathers here. */
static void write_all(struct acp_program *a, struct str bytes)
{
	while (bytes.len && !a->is_over) {
		ssize_t put = write(STDOUT_FILENO, bytes.ptr, bytes.len);

		if (put > 0)
			bytes = str_skip(bytes, (size_t)put);
		else if (put < 0 && errno == EAGAIN)
			poll(&(struct pollfd){ .fd = STDOUT_FILENO, .events = POLLOUT }, 1, -1);
		else if (put < 0 && errno != EINTR)
			a->is_over = true;
	}
}

static void on_send(void *owner, struct str line)
{
	CLEANUP(buf_done) struct buf out = { 0 };

	buf_add_str(&out, line);
	buf_add_char(&out, '\n');
	write_all(owner, buf_str(&out));
}

static void on_call(void *owner, uint64_t tag, const char *command, struct str params)
{
	acp_link_call(&((struct acp_program *)owner)->link, tag, command, params);
}

static void on_follow(void *owner, struct str session_id, int64_t after)
{
	acp_link_follow(&((struct acp_program *)owner)->link, session_id, after);
}

static void on_unfollow(void *owner, struct str session_id)
{
	acp_link_unfollow(&((struct acp_program *)owner)->link, session_id);
}

static void read_input(struct acp_program *a, struct cli *c)
{
	char bytes[READ_BYTES];
	ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);

	if (got > 0) {
		acp_session_at(a->s, clock_wall_ms());
		if (acp_session_feed(a->s, str_of(bytes, (size_t)got)))
			return;
		out_error(c, "The editor sent a message of more than %d bytes.",
		          LIMIT_ACP_LINE_BYTES);
		a->code = CODE_FAILED;
		a->is_over = true;
	} else if (got == 0 || (errno != EINTR && errno != EAGAIN)) {
		a->is_over = true;
	}
}

static void run_loop(struct acp_program *a, struct cli *c)
{
	struct pollfd fds[LIMIT_ACP_SESSIONS + 2];

	while (!a->is_over) {
		size_t count = 1 + acp_link_poll(&a->link, fds + 1);

		fds[0] = (struct pollfd){ .fd = STDIN_FILENO, .events = POLLIN };
		if (poll(fds, count, acp_link_timeout_ms(&a->link)) < 0 && errno != EINTR)
			break;
		if (fds[0].revents)
			read_input(a, c);
		if (!a->is_over)
			acp_link_step(&a->link);
	}
}

static struct id_source new_ids(void)
{
	struct id_source ids;
	uint8_t entropy[16];

	if (getrandom(entropy, sizeof entropy, 0) != (ssize_t)sizeof entropy)
		abort();
	id_source_init(&ids, clock_wall_ms(), entropy);
	return ids;
}

/* The daemon is not needed before the first session: initialize is answered at once. */
int verb_acp(struct cli *c)
{
	static const struct acp_session_ops ops = {
		.send = on_send, .call = on_call, .follow = on_follow, .unfollow = on_unfollow
	};
	struct acp_program a = { 0 };
	struct acp_session_options o = {
		.version = str_from(thole_version()),
		.ids = new_ids(),
		.line_max = LIMIT_ACP_LINE_BYTES,
		.params_max = LIMIT_INPUT_BYTES - PARAMS_SPARE,
	};

	if (c->opts.setup)
		return verb_setup(c);
	signal(SIGPIPE, SIG_IGN);
	a.s = acp_session_new(&o, &ops, &a);
	acp_link_init(&a.link, c, a.s);
	run_loop(&a, c);
	acp_link_done(&a.link);
	acp_session_free(a.s);
	connection_close(c);
	return a.code;
}
