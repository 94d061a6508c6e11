/*
 * The cost of one stream, plain and over TLS: the provider and the HTTP client
 * thread in this process, nothing else of the runtime.
 */
#include "base/util.h"
#include "bench_fixture.h"
#include "model_server.h"
#include "net/loop.h"
#include "provider/http_provider.h"

#include <fcntl.h>
#include <malloc.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define STREAMS 200
#define EVENTS 100
#define PER_S 50

extern char **environ;

static int pieces, ends;

static void on_piece(void *owner, enum model_piece kind, struct str words)
{
	(void)owner;
	(void)kind;
	(void)words;
	pieces++;
}

static void on_end(void *owner, const struct model_end *end)
{
	(void)owner;
	if (end->failed)
		die("a stream failed: %.*s", STR_ARG(end->message));
	ends++;
}

static const struct model_sink sink = { on_piece, on_end };

static void begin(struct provider *p, int count)
{
	static const struct message hello = { .role = ROLE_USER, .text = STR("hello") };
	struct model_request req = { .request_id = STR("mreq_1"),
		                     .model = STR("sim-1"),
		                     .messages = &hello,
		                     .message_count = 1 };

	for (int i = 0; i < count; i++)
		p->ops->start(p, &req, &sink, NULL);
}

static double private_kib(void)
{
	malloc_trim(0);
	return memory_of(getpid()).private_kib;
}

static void until(struct loop *loop, const int *counter, int wanted)
{
	int64_t end = now_ns() + 60 * 1000000000LL;

	while (*counter < wanted) {
		if (now_ns() > end)
			die("the streams do not get on: %d of %d", *counter, wanted);
		loop_run_once(loop, 50);
	}
}

/* KiB a stream, with `events` behind each; the first two requests are not counted. */
static double weigh(const char *url, const char *ca_file, int events)
{
	static const struct model_info models[] = { { .model = STR("sim-1"),
		                                      .max_output_tokens = 1024 } };
	struct loop *loop = loop_new();
	struct http_client *http_client = http_client_new(
		&(struct http_client_options){ .loop = loop, .ca_file = str_from(ca_file) });
	struct http_provider_options o = { .loop = loop,
		                           .http_client = http_client,
		                           .name = STR("sim"),
		                           .base_url = str_from(url),
		                           .key_variable = STR("BENCH_KEY"),
		                           .models = models,
		                           .model_count = 1 };
	struct provider *p;
	struct error e;
	double before, after;

	if (http_provider_open(&o, &p, &e) != OK)
		die("no provider: %s", e.message);
	pieces = ends = 0;
	begin(p, 2);
	until(loop, &pieces, 2);
	before = private_kib();
	begin(p, STREAMS);
	until(loop, &pieces, (STREAMS + 2) * events);
	after = private_kib();
	p->ops->close(p);
	http_client_free(http_client);
	loop_free(loop);
	return (after - before) / STREAMS;
}

static void weigh_plain(void)
{
	/* The end of the streams is far away when the last event that counts has come. */
	struct model_plan plan = { .streams = STREAMS, .events = 10 * EVENTS, .per_s = PER_S };
	struct model_server server;
	double each;

	model_server_start(&server, &plan);
	each = weigh(text("http://127.0.0.1:%d/v1", server.port), "", EVENTS);
	model_server_stop(&server);
	ROW(.name = "one plain stream", .measured = text("%.1f KiB", each), .target = "<= 24 KiB",
	    .reached = each <= 24,
	    .note = text("%d at once, about %d events behind each, private memory", STREAMS,
	                 EVENTS));
}

/* ---- TLS: the simulator of tests/provider ---- */

static int simulator_port(int fd)
{
	char line[64] = "";
	size_t len = 0;
	ssize_t got;

	while (!strchr(line, '\n') && len < sizeof line - 1 &&
	       (got = read(fd, line + len, sizeof line - 1 - len)) > 0)
		line[len += (size_t)got] = 0;
	return str_starts(str_from(line), STR("port ")) ? atoi(line + 5) : 0;
}

static void weigh_tls(void)
{
	const char *cert = bench_fixture_path("cert.pem"), *key = bench_fixture_path("key.pem");
	char *args[] = { "python3", SIMULATOR, "--cert", (char *)cert, "--key", (char *)key, NULL };
	int in[2], out[2], port;
	posix_spawn_file_actions_t files;
	double each;
	pid_t pid;

	if (system(text("openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost "
	                "-addext subjectAltName=IP:127.0.0.1 -keyout %s -out %s >/dev/null 2>&1",
	                key, cert)) != 0) {
		fprintf(stderr, "there is no openssl: TLS streams are not weighed\n");
		return;
	}
	if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC))
		die("no pipe");
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, in[0], 0);
	posix_spawn_file_actions_adddup2(&files, out[1], 1);
	if (posix_spawnp(&pid, args[0], &files, NULL, args, environ) != 0)
		die("python3 does not start");
	posix_spawn_file_actions_destroy(&files);
	close(in[0]);
	close(out[1]);
	port = simulator_port(out[0]);
	if (!port)
		die("the simulator does not start");
	each = weigh(text("https://127.0.0.1:%d/stall/v1", port), cert, 1);
	close(in[1]);
	close(out[0]);
	kill(pid, SIGTERM);
	waitpid(pid, NULL, 0);
	ROW(.name = "one TLS stream", .measured = text("%.1f KiB", each), .target = "<= 90 KiB",
	    .reached = each <= 90, .note = text("%d at once, the first words have come", STREAMS));
}

int main(int argc, char **argv)
{
	bench_fixture_begin(argc, argv);
	setenv("BENCH_KEY", "none", 1);
	weigh_plain();
	weigh_tls();
	return 0;
}
