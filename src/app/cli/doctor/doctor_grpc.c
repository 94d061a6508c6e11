/*
 * doctor's check of thole-grpc: does something that speaks HTTP/2 listen at a2a.grpc_url?  The card
 * names this address to other agents, and the daemon itself never dials it.
 */
#include "app/cli/doctor/doctor.h"

#include "app/cli/connection.h"
#include "app/cli/params.h"
#include "app/cli/print/out.h"

#include <errno.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define WAIT_MS 5000
#define FRAME_HEAD 9
#define FRAME_SETTINGS 4
#define TLS_ALERT 0x15

enum answer { ANSWER_NONE, ANSWER_HTTP2, ANSWER_TLS, ANSWER_OTHER };

/* "agent.example:443" and "[::1]:7434". */
static void split_address(struct arena *mem, struct str address, const char **ret_host,
                          const char **ret_port)
{
	struct str rest = address, host;

	if (str_starts(rest, STR("["))) {
		rest = str_skip(rest, 1);
		host = str_cut(&rest, ']');
		rest = str_skip(rest, rest.len > 0);
	} else {
		host = str_cut(&rest, ':');
	}
	*ret_host = arena_keep(mem, host).ptr;
	*ret_port = str_is(rest) && rest.len ? arena_keep(mem, rest).ptr : "443";
}

/* -1: the connection is not accepted. */
static int connect_to(const struct addrinfo *a)
{
	int fd = socket(a->ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), why = -1;
	struct pollfd wait = { .fd = fd, .events = POLLOUT };
	socklen_t size = sizeof why;

	if (fd < 0)
		return -1;
	if ((connect(fd, a->ai_addr, a->ai_addrlen) == 0 || errno == EINPROGRESS) &&
	    poll(&wait, 1, WAIT_MS) == 1 &&
	    getsockopt(fd, SOL_SOCKET, SO_ERROR, &why, &size) == 0 && why == 0)
		return fd;
	close(fd);
	return -1;
}

/* The beginning of a connection of HTTP/2 (RFC 9113, 3.4); the other side begins with SETTINGS. */
static enum answer ask(int fd)
{
	static const char hello[] = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0";
	struct pollfd wait = { .fd = fd, .events = POLLIN };
	unsigned char head[FRAME_HEAD];
	size_t got = 0;
	ssize_t n = 1;

	if (send(fd, hello, sizeof hello - 1, MSG_NOSIGNAL) != (ssize_t)sizeof hello - 1)
		return ANSWER_OTHER;
	while (got < sizeof head && n > 0 && poll(&wait, 1, WAIT_MS) == 1) {
		n = recv(fd, head + got, sizeof head - got, 0);
		got += n > 0 ? (size_t)n : 0;
	}
	if (got && head[0] == TLS_ALERT)
		return ANSWER_TLS;
	return got == sizeof head && head[3] == FRAME_SETTINGS ? ANSWER_HTTP2 : ANSWER_OTHER;
}

static enum answer ask_address(struct doctor *d, struct str address)
{
	struct addrinfo hints = { .ai_socktype = SOCK_STREAM }, *found;
	enum answer answer = ANSWER_NONE;
	const char *host, *port;

	split_address(d->c->mem, address, &host, &port);
	if (getaddrinfo(host, port, &hints, &found) != 0)
		return ANSWER_NONE;
	for (const struct addrinfo *a = found; a && answer == ANSWER_NONE; a = a->ai_next) {
		int fd = connect_to(a);

		if (fd < 0)
			continue;
		answer = ask(fd);
		close(fd);
	}
	freeaddrinfo(found);
	return answer;
}

static void tell(struct doctor *d, struct str address, enum answer answer)
{
	const char *at = out_safe(d->c->mem, address);

	switch (answer) {
	case ANSWER_HTTP2:
		doctor_tell(d, HEALTH_OK, "a2a.grpc", doctor_text(d, "%s speaks HTTP/2", at), NULL);
		return;
	case ANSWER_TLS:
		doctor_tell(d, HEALTH_OK, "a2a.grpc",
		            doctor_text(d, "%s wants TLS; what is behind it was not looked at", at),
		            NULL);
		return;
	case ANSWER_OTHER:
		doctor_tell(d, HEALTH_BAD, "a2a.grpc", doctor_text(d, "%s is no gRPC server", at),
		            "Another program uses the port; docs/how-to/grpc.md.");
		return;
	default:
		doctor_tell(d, HEALTH_BAD, "a2a.grpc", doctor_text(d, "cannot connect to %s", at),
		            "Start thole-grpc, or correct a2a.grpc_url; docs/how-to/grpc.md.");
	}
}

void doctor_grpc(struct doctor *d)
{
	struct json_iter it;
	struct params p;
	struct json reply, row;
	struct str key;

	params_begin(&p);
	if (connection_try(d->c, "get_capabilities", &p, false, &reply) != THOLE_OK)
		return;
	it = json_iter(JSON_GET(reply, "endpoints"));
	while (json_next(&it, &key, &row)) {
		struct str address = json_str(JSON_GET(row, "url"));

		if (!str_eq(json_str(JSON_GET(row, "binding")), STR("GRPC")))
			continue;
		if (d->c->opts.online)
			tell(d, address, ask_address(d, address));
		else
			doctor_tell(d, HEALTH_OK, "a2a.grpc",
			            doctor_text(d, "the card names %s; --online tries it",
			                        out_safe(d->c->mem, address)),
			            NULL);
	}
}
