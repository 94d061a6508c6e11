/*
 * thole-grpc: A2A over gRPC in front of a runtime, or in front of an agent.
 *
 *	thole-grpc [--listen ADDRESS] [--to URL]                  callers speak gRPC
 *	thole-grpc [--listen ADDRESS] --agent https://HOST:PORT [--card URL]   the agent does
 *
 * It keeps nothing.  SIGTERM lets calls of gRPC callers end; a second one does not wait.
 */
#include "base/arena.h"
#include "grpc/grpc_edge.h"
#include "grpc/grpc_server.h"
#include "grpc/grpc_tls.h"
#include "sandbox/net_host.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#ifndef THOLE_VERSION
#define THOLE_VERSION "unknown"
#endif

#define EXIT_USAGE 2
#define DEFAULT_LISTEN "127.0.0.1:7434"
#define DEFAULT_AGENT_LISTEN "127.0.0.1:7435"
#define DEFAULT_TO "http://127.0.0.1:7433"
#define INTERFACE_PATH "/a2a/v1"

static const char usage[] =
	"usage: thole-grpc [OPTION …]\n"
	"\n"
	"Serves A2A over gRPC and forwards each call to the port of a Thole daemon.\n"
	"With --agent, the other way: serves A2A over HTTP+JSON and calls an agent\n"
	"that speaks gRPC only.\n"
	"\n"
	"  --listen ADDRESS   where callers connect (" DEFAULT_LISTEN "; with\n"
	"                     --agent " DEFAULT_AGENT_LISTEN ")\n"
	"  --to URL           the daemon's port (" DEFAULT_TO "); with a path, the\n"
	"                     address of its HTTP+JSON interface\n"
	"  --agent ADDRESS    the agent: https://HOST:PORT, or HOST:PORT without TLS\n"
	"  --agent-ca FILE    certificates (PEM) to trust instead of the system's\n"
	"  --card URL         its card; without it the agent is asked over gRPC\n"
	"  --allow-remote     accept a --listen address that other machines reach\n"
	"  --version\n"
	"  --help\n"
	"\n"
	"Calls of callers are not encrypted: a proxy in front of it does that.\n"
	"docs/how-to/grpc.md describes it.\n";

struct program {
	const char *listen, *to, *agent, *agent_ca, *card;
	bool allow_remote;
	struct arena *mem;
	struct loop *loop;
	struct grpc_server *server;
	struct grpc_edge *edge;
	bool is_stopping;
};

/* Credentials of callers are in the memory of this process: it is not dumped. */
static void harden(void)
{
	const struct rlimit none = { 0, 0 };
	struct rlimit files;

	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
	setrlimit(RLIMIT_CORE, &none);
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		setrlimit(RLIMIT_NOFILE, &files);
	}
}

static int refuse(const char *message)
{
	fprintf(stderr, "thole-grpc: %s\n", message);
	return EXIT_USAGE;
}

/* -1: continue; otherwise the exit code. */
static int read_options(struct program *p, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
			fputs(usage, stdout);
			return 0;
		}
		if (!strcmp(argv[i], "--version")) {
			puts("thole-grpc " THOLE_VERSION);
			return 0;
		}
		if (!strcmp(argv[i], "--allow-remote"))
			p->allow_remote = true;
		else if (!strcmp(argv[i], "--listen") && i + 1 < argc)
			p->listen = argv[++i];
		else if (!strcmp(argv[i], "--to") && i + 1 < argc)
			p->to = argv[++i];
		else if (!strcmp(argv[i], "--agent") && i + 1 < argc)
			p->agent = argv[++i];
		else if (!strcmp(argv[i], "--agent-ca") && i + 1 < argc)
			p->agent_ca = argv[++i];
		else if (!strcmp(argv[i], "--card") && i + 1 < argc)
			p->card = argv[++i];
		else {
			fprintf(stderr, "thole-grpc: unknown option %s\n%s", argv[i], usage);
			return EXIT_USAGE;
		}
	}
	return -1;
}

/*
 * Through the Unix socket of a daemon every caller would be its owner, because the kernel names the
 * connecting process.
 */
static bool is_unix(struct str to)
{
	return to.len && (to.ptr[0] == '/' || to.ptr[0] == '.' || str_starts(to, STR("unix")) ||
	                  str_starts(to, STR("http+unix")));
}

/* NULL: *ret is the address of the interface. */
static const char *read_target(struct program *p, struct str *ret)
{
	struct str to = str_from(p->to), path;
	struct net_host host;
	uint16_t port;

	if (is_unix(to))
		return "--to must be the daemon's port (http://HOST:PORT). Through its Unix socket "
		       "every "
		       "caller would have the rights of its owner.";
	if (!net_host_of_url(to, &host, &port) || str_find_char(to, '?') >= 0 ||
	    str_find_char(to, '#') >= 0)
		return "--to must be an address such as " DEFAULT_TO;
	while (to.len && to.ptr[to.len - 1] == '/')
		to.len--;
	path = str_skip(to, (size_t)str_find(to, STR("//")) + 2);
	*ret = str_find_char(path, '/') >= 0
	               ? to
	               : arena_printf(p->mem, "%.*s" INTERFACE_PATH, STR_ARG(to));
	return NULL;
}

static bool is_loopback(struct str address)
{
	return str_starts(address, STR("127.")) || str_starts(address, STR("[::1]:")) ||
	       str_starts(address, STR("localhost:"));
}

static void on_done(void *arg)
{
	loop_stop(((struct program *)arg)->loop);
}

static void on_signal(void *arg, int signum)
{
	struct program *p = arg;

	if (p->is_stopping || !p->server)
		loop_stop(p->loop);
	else
		grpc_server_drain(p->server);
	p->is_stopping = true;
}

static int run_loop(struct program *p, struct str address, struct str to)
{
	printf("listening on %.*s, forwarding to %.*s\n", STR_ARG(address), STR_ARG(to));
	fflush(stdout);
	loop_signal(p->loop, SIGTERM, on_signal, p);
	loop_signal(p->loop, SIGINT, on_signal, p);
	loop_run(p->loop);
	return EXIT_SUCCESS;
}

/* NULL: it was read.  The scheme decides; a name alone is a plain connection. */
static const char *read_agent(struct program *p, struct grpc_edge_options *o, struct error *e)
{
	struct str agent = str_from(p->agent);
	bool is_tls = str_starts(agent, STR("https://"));

	if (is_tls)
		agent = str_skip(agent, strlen("https://"));
	if (str_ends(agent, STR("/")))
		agent.len--;
	if (!net_host_read_with_port(agent, is_tls ? 443 : 0, &o->agent, &o->port))
		return "--agent must be https://HOST:PORT or HOST:PORT";
	if (p->agent_ca && !is_tls)
		return "--agent-ca needs https://";
	return is_tls && grpc_tls_context_new(p->agent_ca, &o->tls, e) != OK ? e->message : NULL;
}

static int serve_agent(struct program *p)
{
	struct grpc_edge_options o = { .loop = p->loop,
		                       .listen = str_from(p->listen),
		                       .card = str_from(p->card) };
	struct error e;
	const char *why = read_agent(p, &o, &e);
	int code;

	if (why)
		return refuse(why);
	if (grpc_edge_new(&o, &p->edge, &e) != OK) {
		fprintf(stderr, "thole-grpc: %s\n", e.message);
		grpc_tls_context_free(o.tls);
		return EXIT_FAILURE;
	}
	code = run_loop(p, grpc_edge_address(p->edge), str_from(p->agent));
	grpc_edge_free(p->edge);
	grpc_tls_context_free(o.tls);
	return code;
}

static int serve(struct program *p, struct str to)
{
	int code;
	struct grpc_server_options o = { .loop = p->loop, .listen = str_from(p->listen), .to = to };
	struct error e;

	if (grpc_server_new(&o, on_done, p, &p->server, &e) != OK) {
		fprintf(stderr, "thole-grpc: %s\n", e.message);
		return EXIT_FAILURE;
	}
	code = run_loop(p, grpc_server_address(p->server), to);
	grpc_server_free(p->server);
	return code;
}

static int run(struct program *p)
{
	const char *why;
	struct str to;

	if ((p->card || p->agent_ca) && !p->agent)
		return refuse("--card and --agent-ca belong to --agent");
	if (p->agent && p->to)
		return refuse("--to and --agent exclude each other");
	if (!p->to)
		p->to = DEFAULT_TO;
	if (!p->listen)
		p->listen = p->agent ? DEFAULT_AGENT_LISTEN : DEFAULT_LISTEN;
	if ((why = read_target(p, &to)) != NULL)
		return refuse(why);
	if (!is_loopback(str_from(p->listen)) && !p->allow_remote)
		return refuse("calls are not encrypted: listen on this machine only and put a "
		              "proxy with TLS "
		              "in front of it, or add --allow-remote");
	p->loop = loop_new();
	if (!p->loop)
		return refuse("no event loop");
	int code = p->agent ? serve_agent(p) : serve(p, to);

	loop_free(p->loop);
	return code;
}

int main(int argc, char **argv)
{
	struct program p = { 0 };
	int code = read_options(&p, argc, argv);

	if (code >= 0)
		return code;
	harden();
	p.mem = arena_new_small();
	code = run(&p);
	arena_free(p.mem);
	return code;
}
