#include "test_net_client.h"

#include "net/stream.h"

#include <malloc.h>
#include <sys/stat.h>

/* An owner that writes down what happens to it. */
struct owner {
	struct stream *s;
	struct buf in;
	int eofs, gones, drains, closes;
	bool echoes;
	bool closes_on_read;
	size_t write_on_drain;
};

static char junk[1 << 20];

static void on_read(struct stream *s, struct str bytes)
{
	struct owner *o = stream_user(s);

	buf_add_str(&o->in, bytes);
	if (o->echoes)
		stream_write(s, bytes);
	if (o->closes_on_read)
		stream_close(s);
}

static void on_eof(struct stream *s)
{
	((struct owner *)stream_user(s))->eofs++;
}

static void on_gone(struct stream *s)
{
	((struct owner *)stream_user(s))->gones++;
}

static void on_drain(struct stream *s)
{
	struct owner *o = stream_user(s);

	o->drains++;
	if (o->write_on_drain)
		stream_write(s, str_of(junk, o->write_on_drain));
}

static void on_closed(struct stream *s)
{
	struct owner *o = stream_user(s);

	o->closes++;
	o->s = NULL;
}

static const struct stream_ops ops = { .on_read = on_read,
	                               .on_eof = on_eof,
	                               .on_gone = on_gone,
	                               .on_drain = on_drain,
	                               .on_closed = on_closed };

/* A stream of ours and the client at its other end. */
static struct client open_one(struct loop *l, struct owner *o)
{
	int fds[2];
	struct error e;

	CHECK(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds) == 0);
	CHECK_OK(stream_open_fd(l, fds[0], &o->s, &e), &e);
	stream_own(o->s, &ops, o);
	return client_of(fds[1]);
}

static struct client open_tcp(struct loop *l, struct owner *o)
{
	struct sockaddr_in a = { .sin_family = AF_INET };
	socklen_t len = sizeof a;
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct error e;

	a.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	CHECK(bind(listening, (struct sockaddr *)&a, sizeof a) == 0 && listen(listening, 1) == 0);
	getsockname(listening, (struct sockaddr *)&a, &len);

	struct client c = client_tcp(ntohs(a.sin_port));

	CHECK_OK(stream_open_fd(l, accept(listening, NULL, NULL), &o->s, &e), &e);
	close(listening);
	stream_own(o->s, &ops, o);
	return c;
}

static void all_done(struct loop *l, struct owner *o, struct client *c)
{
	if (o->s)
		stream_close(o->s);
	loop_free(l);
	CHECK_INT(o->closes, 1);
	buf_done(&o->in);
	client_done(c);
}

TEST(bytes_go_both_ways)
{
	struct loop *l = loop_new();
	struct owner o = { .echoes = true };
	struct client c = open_one(l, &o);

	SEND(l, &c, "before it reads");
	turn(l);
	CHECK_INT(o.in.len, 0); /* born with reading stopped */
	stream_resume(o.s);
	UNTIL(l, client_has(&c, STR("before it reads")));
	SEND(l, &c, " and after");
	UNTIL(l, client_has(&c, STR("before it reads and after")));
	CHECK_INT(stream_write_pending(o.s), 0);
	all_done(l, &o, &c);
}

TEST(reading_can_be_paused)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_tcp(l, &o);

	stream_resume(o.s);
	SEND(l, &c, "a");
	UNTIL(l, o.in.len == 1);
	stream_pause(o.s);
	SEND(l, &c, "b");
	turn(l);
	turn(l);
	CHECK_INT(o.in.len, 1);
	stream_resume(o.s);
	UNTIL(l, o.in.len == 2);
	all_done(l, &o, &c);
}

TEST(writes_of_one_turn_leave_together_in_order)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_one(l, &o);
	struct bytes *b = bytes_new(STR("<shared>"));
	char part[64];

	for (int i = 0; i < 100; i++) {
		snprintf(part, sizeof part, "%d,", i);
		stream_write(o.s, str_from(part));
		stream_write_bytes(o.s, b);
	}
	CHECK_INT(stream_write_pending(o.s), 290 + 800);
	client_read(&c);
	CHECK_INT(c.in.len, 0); /* nothing before the end of the turn */
	turn(l);
	client_read(&c);
	CHECK_INT(c.in.len, 1090);
	CHECK_HAS(buf_str(&c.in), "<shared>41,<shared>42,<shared>");
	CHECK_INT(atomic_load(&b->refs), 1); /* all given back */
	bytes_unref(b);
	all_done(l, &o, &c);
}

TEST(a_flush_writes_at_once)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_one(l, &o);

	stream_write(o.s, STR("now"));
	stream_write_flush(o.s);
	CHECK(client_has(&c, STR("now")));
	all_done(l, &o, &c);
}

/* Bytes that show their offset. */
static void fill_junk(void)
{
	for (size_t i = 0; i < sizeof junk; i++)
		junk[i] = (char)('a' + (i * 7 + i / 251) % 26);
}

TEST(a_slow_reader_gets_everything_in_order_and_the_writer_is_told_when_to_go_on)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_tcp(l, &o);
	struct bytes *b;
	size_t total = 0;

	fill_junk();
	b = bytes_new(str_of(junk, sizeof junk));
	stream_low_water(o.s, 1000);
	for (int i = 0; i < 16; i++) {
		stream_write_bytes(o.s, b);
		stream_write(o.s, STR("|"));
	}
	total = stream_write_pending(o.s);
	turn(l);
	turn(l);
	CHECK(stream_write_pending(o.s) > 0 && stream_write_pending(o.s) < total);
	CHECK_INT(o.drains, 0);
	UNTIL(l, (client_read(&c), c.in.len == total));
	turn(l);
	CHECK_INT(o.drains, 1);
	CHECK_INT(stream_write_pending(o.s), 0);
	for (int i = 0; i < 16; i++) {
		CHECK(memcmp(c.in.ptr + i * (sizeof junk + 1), junk, sizeof junk) == 0);
		CHECK(c.in.ptr[i * (sizeof junk + 1) + sizeof junk] == '|');
	}
	CHECK_INT(atomic_load(&b->refs), 1);
	bytes_unref(b);
	all_done(l, &o, &c);
}

TEST(a_reader_that_never_reads_holds_the_writer_at_its_mark)
{
	struct loop *l = loop_new();
	struct owner o = { .write_on_drain = 65536 };
	struct client c = open_one(l, &o);
	size_t before;

	stream_write(o.s, str_of(junk, 65536));
	for (int i = 0; i < 200; i++)
		turn(l);
	before = stream_write_pending(o.s);
	CHECK(o.drains > 0 && before > 0 && before <= STREAM_LOW_WATER + 65536);
	for (int i = 0; i < 50; i++)
		turn(l);
	CHECK_INT(stream_write_pending(o.s), before); /* nothing moves, and nothing grows */

	int drains = o.drains;

	UNTIL(l, (client_read(&c), o.drains > drains + 10)); /* it reads: things move again */
	o.write_on_drain = 0;
	all_done(l, &o, &c);
}

TEST(closing_drops_what_is_pending_and_is_told_once)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_one(l, &o);
	struct bytes *b = bytes_new(str_of(junk, sizeof junk));

	for (int i = 0; i < 8; i++)
		stream_write_bytes(o.s, b);
	turn(l); /* a part is with libuv now */
	CHECK(stream_write_pending(o.s) > 0);
	stream_close(o.s);
	stream_close(o.s);
	CHECK_INT(o.closes, 0); /* not from inside the call */
	stream_write(o.s, STR("too late"));
	CHECK_INT(stream_write_pending(o.s), 0);
	UNTIL(l, o.closes == 1);
	CHECK_INT(atomic_load(&b->refs), 1);
	CHECK_INT(o.gones, 0);
	bytes_unref(b);
	all_done(l, &o, &c);
}

TEST(a_stream_may_be_closed_from_on_read)
{
	struct loop *l = loop_new();
	struct owner o = { .closes_on_read = true };
	struct client c = open_one(l, &o);

	stream_resume(o.s);
	SEND(l, &c, "x");
	UNTIL(l, o.closes == 1);
	CHECK(client_ended(&c));
	all_done(l, &o, &c);
}

TEST(end_and_loss_of_the_peer_are_told_apart)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_tcp(l, &o);

	stream_resume(o.s);
	SEND(l, &c, "last");
	shutdown(c.fd, SHUT_WR);
	UNTIL(l, o.eofs == 1);
	CHECK_INT(o.gones, 0);
	stream_write(o.s, STR("still heard"));
	UNTIL(l, client_has(&c, STR("still heard")));
	all_done(l, &o, &c);

	struct linger hard = { .l_onoff = 1 };
	struct owner p = { 0 };

	l = loop_new();
	c = open_tcp(l, &p);
	stream_resume(p.s);
	setsockopt(c.fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
	close(c.fd);
	c.fd = -1;
	UNTIL(l, p.gones == 1);
	CHECK_INT(p.eofs, 0);
	all_done(l, &p, &c);
}

TEST(a_peer_that_vanishes_is_noticed_by_writing_too)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_one(l, &o);

	close(c.fd);
	c.fd = -1;
	stream_write(o.s, STR("hello?"));
	CHECK_INT(o.gones, 0);
	turn(l);
	UNTIL(l, o.gones == 1);
	stream_write(o.s, STR("hello??"));
	CHECK_INT(stream_write_pending(o.s), 0);
	turn(l);
	CHECK_INT(o.gones, 1);
	all_done(l, &o, &c);
}

TEST(a_peer_that_vanishes_with_much_pending_is_noticed)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_one(l, &o);

	for (int i = 0; i < 8; i++)
		stream_write(o.s, str_of(junk, sizeof junk));
	turn(l);
	turn(l);
	close(c.fd);
	c.fd = -1;
	UNTIL(l, o.gones == 1);
	CHECK_INT(stream_write_pending(o.s), 0);
	all_done(l, &o, &c);
}

TEST(finishing_writes_everything_and_waits_for_the_peer_to_end)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_tcp(l, &o);

	stream_resume(o.s);
	for (int i = 0; i < 8; i++)
		stream_write(o.s, str_of(junk, sizeof junk));
	stream_finish(o.s, PATIENCE_MS, PATIENCE_MS);
	CHECK(stream_is_closing(o.s));
	stream_write(o.s, STR("too late"));
	/* The peer keeps sending; a plain close would reset the connection and lose our bytes. */
	SEND(l, &c, "but, but");
	UNTIL(l, client_ended(&c));
	CHECK_INT(c.in.len, 8 * sizeof junk);
	CHECK(!c.is_reset);
	SEND(l, &c, "but");
	turn(l);
	CHECK_INT(o.closes, 0);
	CHECK_INT(o.in.len, 0);
	shutdown(c.fd, SHUT_WR);
	UNTIL(l, o.closes == 1);
	CHECK_INT(o.eofs + o.gones, 0);
	all_done(l, &o, &c);
}

TEST(finishing_gives_up_on_a_peer_that_stays_or_does_not_read)
{
	struct loop *l = loop_new();
	struct owner o = { 0 }, p = { 0 };
	struct client c = open_tcp(l, &o), d = open_tcp(l, &p);

	stream_finish(o.s, PATIENCE_MS, 5);
	for (int i = 0; i < 16; i++)
		stream_write(p.s, str_of(junk, sizeof junk));
	stream_finish(p.s, 5, PATIENCE_MS);
	UNTIL(l, o.closes == 1 && p.closes == 1);
	client_done(&d);
	buf_done(&p.in);
	all_done(l, &o, &c);
}

/* ---- handing on ---- */

static char chosen;

static void choose(void *arg, struct stream *s, char first)
{
	chosen = first;
	if (first == '!')
		stream_close(s);
	else
		stream_own(s, &ops, arg);
}

TEST(the_first_byte_decides_and_is_not_lost)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_one(l, &o);

	stream_sniff(o.s, PATIENCE_MS, choose, &o);
	SEND(l, &c, "{\"a\"");
	UNTIL(l, o.in.len == 4);
	CHECK(chosen == '{');
	SEND(l, &c, ":1}");
	UNTIL(l, o.in.len == 7);
	CHECK_STR(buf_str(&o.in), "{\"a\":1}");
	all_done(l, &o, &c);
}

TEST(a_sniffed_stream_that_is_refused_silent_or_ends_is_closed)
{
	struct loop *l = loop_new();
	struct owner o = { 0 }, p = { 0 }, q = { 0 };
	struct client c = open_one(l, &o), d = open_one(l, &p), e = open_one(l, &q);

	chosen = 0;
	stream_sniff(o.s, PATIENCE_MS, choose, &o);
	stream_sniff(p.s, 3, choose, &p);
	stream_sniff(q.s, PATIENCE_MS, choose, &q);
	SEND(l, &c, "!");
	shutdown(e.fd, SHUT_WR);
	UNTIL(l, client_ended(&c) && client_ended(&d) && client_ended(&e));
	CHECK(chosen == '!');
	loop_free(l);
	client_done(&c);
	client_done(&d);
	client_done(&e);
}

TEST(a_loop_that_is_freed_closes_its_streams)
{
	struct loop *l = loop_new();
	struct owner o = { 0 };
	struct client c = open_one(l, &o);

	stream_write(o.s, str_of(junk, sizeof junk));
	stream_resume(o.s);
	loop_free(l);
	CHECK_INT(o.closes, 1);
	client_done(&c);
}

/* ---- pairs ---- */

TEST(two_pipes_are_one_stream)
{
	struct loop *l = loop_new();
	struct owner o = { .echoes = true };
	int in[2], out[2];
	struct error e;
	char got[64] = "";

	CHECK(pipe(in) == 0 && pipe(out) == 0);
	CHECK_OK(stream_open_pair(l, in[0], out[1], &o.s, &e), &e);
	stream_own(o.s, &ops, &o);
	stream_resume(o.s);
	CHECK(write(in[1], "{}\n", 3) == 3);
	UNTIL(l, o.in.len == 3);
	turn(l);
	CHECK_INT(read(out[0], got, sizeof got), 3);
	close(in[1]);
	UNTIL(l, o.eofs == 1);

	char peer[STREAM_PEER_MAX];
	struct stream_cred cred;

	stream_peer_text(o.s, peer);
	CHECK_STR(str_from(peer), "stdio");
	CHECK(!stream_peer_cred(o.s, &cred));
	stream_write(o.s, STR("bye"));
	stream_finish(o.s, PATIENCE_MS, PATIENCE_MS);
	UNTIL(l, o.closes == 1);
	CHECK_INT(read(out[0], got, sizeof got), 3);
	CHECK_INT(read(out[0], got, sizeof got), 0);
	close(out[0]);
	loop_free(l);
	buf_done(&o.in);
}

TEST(plain_files_and_dev_null_can_be_the_ends_of_a_stream)
{
	struct loop *l = loop_new();
	struct owner o = { .echoes = true }, p = { 0 };
	char from[] = "/tmp/thole_net_XXXXXX", to[] = "/tmp/thole_net_XXXXXX";
	int in = mkstemp(from), out = mkstemp(to), check = open(to, O_RDONLY);
	struct error e;
	struct stat st;

	CHECK(in >= 0 && out >= 0 && check >= 0);
	for (int i = 0; i < 3; i++)
		CHECK(write(in, junk, 100000) == 100000);
	lseek(in, 0, SEEK_SET);
	CHECK_OK(stream_open_pair(l, in, out, &o.s, &e), &e);
	stream_own(o.s, &ops, &o);
	stream_resume(o.s);
	UNTIL(l, o.eofs == 1);
	CHECK_INT(o.in.len, 300000);
	stream_finish(o.s, PATIENCE_MS, PATIENCE_MS);
	UNTIL(l, o.closes == 1);
	CHECK(fstat(check, &st) == 0);
	CHECK_INT(st.st_size, 300000);

	CHECK_OK(stream_open_pair(l, open("/dev/null", O_RDONLY), open("/dev/null", O_WRONLY), &p.s,
	                          &e),
	         &e);
	stream_own(p.s, &ops, &p);
	stream_resume(p.s);
	stream_write(p.s, STR("into the void"));
	UNTIL(l, p.eofs == 1);
	CHECK_INT(stream_write_pending(p.s), 0);
	loop_free(l);
	CHECK_INT(p.closes, 1);
	buf_done(&o.in);
	close(check);
	unlink(from);
	unlink(to);
}

TEST(descriptors_that_are_no_connection_are_refused)
{
	struct loop *l = loop_new();
	struct stream *s = NULL;
	struct error e;

	CHECK(stream_open_fd(l, open("/dev/null", O_RDWR), &s, &e) == ERR_UNSUPPORTED);
	CHECK(stream_open_pair(l, 990, 991, &s, &e) != OK);
	CHECK(!s);
	loop_free(l);
}

/* ---- cost ---- */

TEST(an_idle_stream_owns_no_buffer)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	skip();
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
	skip();
#endif
#endif
	enum { MANY = 200 };
	struct loop *l = loop_new();
	struct owner o[MANY];
	struct client c[MANY];
	size_t before;

	memset(o, 0, sizeof o);
	c[0] = open_one(l, &o[0]);
	before = mallinfo2().uordblks;
	for (int i = 1; i < MANY; i++) {
		c[i] = open_one(l, &o[i]);
		stream_resume(o[i].s);
		stream_write(o[i].s, STR("hello"));
	}
	turn(l);

	size_t each = (mallinfo2().uordblks - before) / (MANY - 1);

	print_message("             an idle stream takes %zu bytes\n", each);
	CHECK(each < 600);
	for (int i = 0; i < MANY; i++)
		client_done(&c[i]);
	loop_free(l);
}

TEST_MAIN()
