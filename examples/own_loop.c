/*
 * A program that has an event loop already: the runtime takes no thread for its own, but is
 * stepped whenever its descriptor is readable or its time has come.  Here it serves a Unix socket
 * until the program has been told to stop (a line, or the end, on standard input).
 *
 *	cc examples/own_loop.c $(pkg-config --cflags --libs thole) -o own_loop && ./own_loop ./data
 */
#include <thole/thole.h>

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct thole_options options = {
		.data_dir = argc > 1 ? argv[1] : "./own-loop-data",
		.socket = "", /* the one in the data directory: `thole --data DIR ps` finds it */
		.own_loop = 1,
	};
	struct thole_error err;
	struct thole *t = thole_open(&options, &err);

	if (!t) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	printf("thole %s\n", thole_version());
	fflush(stdout);
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = thole_fd(t), .events = POLLIN },      /* the runtime */
			{ .fd = thole_done_fd(t), .events = POLLIN }, /* it stopped by itself */
			{ .fd = STDIN_FILENO, .events = POLLIN }, /* the program's own business */
		};

		poll(fds, 3, thole_timeout_ms(t));
		if (fds[1].revents || fds[2].revents)
			break;
		thole_step(t);
	}
	thole_close(t); /* in order: what is under way becomes durable first */
	return 0;
}
