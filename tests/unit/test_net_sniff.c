/* One Unix socket, two protocols: the first byte decides. */
#include "base/memory.h"
#include "test_net_client.h"

#include "net/http/http_server.h"
#include "net/jsonrpc.h"
#include "net/listener.h"

#include <sys/stat.h>

struct site {
	struct loop *l;
	struct http_server *srv;
	int64_t uid; /* of the last request */
	int rpc_closed;
};

/* ---- JSON-RPC lines on a stream ---- */

struct rpc {
	struct site *site;
	struct stream *s;
	struct jsonrpc *j;
};

static void on_message(void *user, const struct jsonrpc_message *m)
{
	struct rpc *r = user;
	struct stream_cred cred = { 0 };

	CHECK(stream_peer_cred(r->s, &cred));
	r->site->uid = cred.uid;
	if (m->call)
		jsonrpc_reply(m->call, STR("\"pong\""));
}

static void on_send(void *user, struct str text)
{
	struct rpc *r = user;

	stream_write(r->s, text);
	stream_write(r->s, STR("\n"));
}

static const struct jsonrpc_ops rpc_ops = { .on_message = on_message, .send = on_send };

static void rpc_read(struct stream *s, struct str bytes)
{
	struct rpc *r = stream_user(s);

	if (!jsonrpc_feed(r->j, bytes))
		stream_finish(s, 1000, 1000);
}

static void rpc_eof(struct stream *s)
{
	struct rpc *r = stream_user(s);

	jsonrpc_feed_end(r->j);
	stream_finish(s, 1000, 1000);
}

static void rpc_gone(struct stream *s)
{
	stream_close(s);
}

static void rpc_closed(struct stream *s)
{
	struct rpc *r = stream_user(s);

	r->site->rpc_closed++;
	jsonrpc_free(r->j);
	free(r);
}

static const struct stream_ops rpc_stream_ops = {
	.on_read = rpc_read, .on_eof = rpc_eof, .on_gone = rpc_gone, .on_closed = rpc_closed
};

/* ---- HTTP ---- */

static void on_request(void *user, struct http_request *req)
{
	struct site *site = user;
	struct stream_cred cred = { 0 };

	CHECK(stream_peer_cred(http_reply_stream_of(req), &cred));
	site->uid = cred.uid;
	http_reply(req, 200, NULL, 0, STR("over http"));
}

static const struct http_handler handler = { .on_request = on_request };

/* ---- the choice ---- */

static void choose(void *arg, struct stream *s, char first)
{
	struct site *site = arg;

	if (first != '{') {
		http_server_take(site->srv, s);
		return;
	}

	struct rpc *r = memory_zeroed(1, sizeof *r);
	struct jsonrpc_options opt = { .line_max = 1000 };

	*r = (struct rpc){ .site = site, .s = s, .j = jsonrpc_new(&opt, &rpc_ops, r) };
	stream_own(s, &rpc_stream_ops, r);
}

static void on_accept(void *arg, struct stream *s)
{
	stream_sniff(s, PATIENCE_MS, choose, arg);
}

TEST(one_unix_socket_speaks_http_and_json_rpc)
{
	struct site site = { .l = loop_new() };
	char dir[] = "/tmp/thole_net_XXXXXX", path[64], junk[2000];
	struct listener *li;
	struct error e;

	CHECK(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/s", dir);
	site.srv = http_server_new(site.l, NULL, &handler, &site);
	CHECK_OK(listener_unix(site.l, str_from(path), on_accept, &site, &li, &e), &e);

	struct client rpc = client_unix(path), http = client_unix(path), bad = client_unix(path);

	site.uid = -1;
	SEND(site.l, &http, "GET / HTTP/1.1\r\nHost: thole\r\n\r\n");
	UNTIL(site.l, client_has(&http, STR("over http")));
	CHECK_INT(site.uid, getuid());

	site.uid = -1;
	SEND(site.l, &rpc, "{");
	turn(site.l);
	SEND(site.l, &rpc,
	     "\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n"
	     "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}");
	UNTIL(site.l,
	      client_has(&rpc, STR("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"pong\"}\n")));
	CHECK_INT(site.uid, getuid());
	shutdown(rpc.fd, SHUT_WR); /* the last line has no line break, and counts */
	UNTIL(site.l, client_ended(&rpc));
	CHECK(client_has(&rpc, STR("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":\"pong\"}\n")));

	memset(junk, ' ', sizeof junk);
	junk[0] = '{';
	client_send(site.l, &bad, str_of(junk, sizeof junk));
	UNTIL(site.l, client_has(&bad, STR("-32600")));
	client_done(&bad);
	UNTIL(site.l, site.rpc_closed == 2);
	client_done(&rpc);
	client_done(&http);
	http_server_free(site.srv);
	loop_free(site.l);
	rmdir(dir);
}

TEST_MAIN()
