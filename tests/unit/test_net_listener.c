#include "test_net_client.h"

#include "net/listener.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <time.h>

struct door {
	struct stream *s[64];
	int count;
	int closed;
};

static void on_read(struct stream *s, struct str bytes)
{
	stream_write(s, bytes);
}

static void on_gone(struct stream *s)
{
	stream_close(s);
}

static void on_closed(struct stream *s)
{
	((struct door *)stream_user(s))->closed++;
}

static const struct stream_ops ops = { .on_read = on_read,
	                               .on_gone = on_gone,
	                               .on_closed = on_closed };

static void on_accept(void *arg, struct stream *s)
{
	struct door *d = arg;

	d->s[d->count++ % 64] = s;
	stream_own(s, &ops, d);
	stream_resume(s);
}

TEST(a_tcp_listener_takes_a_free_port_and_tells_it)
{
	struct loop *l = loop_new();
	struct listener *li;
	struct door d = { 0 };
	struct error e;
	char peer[STREAM_PEER_MAX], want[STREAM_PEER_MAX];
	struct sockaddr_in a;
	socklen_t len = sizeof a;
	struct stream_cred cred;

	CHECK_OK(listener_tcp(l, STR("127.0.0.1:0"), on_accept, &d, &li, &e), &e);
	CHECK(listener_port(li) > 0);
	snprintf(want, sizeof want, "127.0.0.1:%d", listener_port(li));
	CHECK_SAME(listener_address(li), str_from(want));

	struct client c = client_tcp(listener_port(li));

	SEND(l, &c, "echo");
	UNTIL(l, client_has(&c, STR("echo")));
	getsockname(c.fd, (struct sockaddr *)&a, &len);
	snprintf(want, sizeof want, "127.0.0.1:%d", ntohs(a.sin_port));
	stream_peer_text(d.s[0], peer);
	CHECK_SAME(str_from(peer), str_from(want));
	CHECK(!stream_is_unix(d.s[0]) && !stream_peer_cred(d.s[0], &cred));

	/* a second one on the same port fails */
	struct listener *other = NULL;

	snprintf(want, sizeof want, "localhost:%d", listener_port(li));
	CHECK(listener_tcp(l, str_from(want), on_accept, &d, &other, &e) == ERR_BUSY);
	CHECK(!other);

	listener_close(li);
	SEND(l, &c, " lives on");
	UNTIL(l, client_has(&c, STR("echo lives on")));
	client_done(&c);
	UNTIL(l, d.closed == 1);
	loop_free(l);
}

TEST(version_six_works_where_the_machine_has_it)
{
	struct loop *l = loop_new();
	struct listener *li;
	struct door d = { 0 };
	struct error e;

	if (listener_tcp(l, STR("[::1]:0"), on_accept, &d, &li, &e) == OK)
		CHECK(str_starts(listener_address(li), STR("[::1]:")));
	loop_free(l);
}

TEST(what_is_no_address_is_refused)
{
	static const char *const bad[] = { "",
		                           "127.0.0.1",
		                           "127.0.0.1:",
		                           "127.0.0.1:70000",
		                           ":80",
		                           "example.com:80",
		                           "::1:80",
		                           "[::1]",
		                           "[127.0.0.1]:1",
		                           "1.2.3:80",
		                           "127.0.0.1:8o" };
	struct loop *l = loop_new();
	struct listener *li = NULL;
	struct error e;

	for (size_t i = 0; i < COUNT_OF(bad); i++)
		CHECK(listener_tcp(l, str_from(bad[i]), on_accept, NULL, &li, &e) == ERR_INVALID);
	CHECK(!li);
	loop_free(l);
}

/* ---- Unix ---- */

static char dir[64];

static const char *in_dir(const char *name)
{
	static char path[256];

	snprintf(path, sizeof path, "%s/%s", dir, name);
	return path;
}

static void make_dir(void)
{
	strcpy(dir, "/tmp/thole_net_XXXXXX");
	CHECK(mkdtemp(dir));
}

TEST(a_unix_socket_is_private_knows_its_peer_and_cleans_up)
{
	struct loop *l = loop_new();
	struct listener *li;
	struct door d = { 0 };
	struct error e;
	struct stat st;
	struct stream_cred cred;
	char peer[STREAM_PEER_MAX];
	mode_t mask = umask(0); /* the worst case */

	make_dir();
	CHECK_OK(listener_unix(l, str_from(in_dir("s")), on_accept, &d, &li, &e), &e);
	umask(mask);
	CHECK(stat(in_dir("s"), &st) == 0 && S_ISSOCK(st.st_mode));
	CHECK_INT(st.st_mode & 0777, 0600);
	CHECK_SAME(listener_address(li), str_from(in_dir("s")));
	CHECK_INT(listener_port(li), 0);

	struct client c = client_unix(in_dir("s"));

	SEND(l, &c, "x");
	UNTIL(l, client_has(&c, STR("x")));
	CHECK(stream_is_unix(d.s[0]) && stream_peer_cred(d.s[0], &cred));
	CHECK_INT(cred.uid, getuid());
	CHECK_INT(cred.gid, getgid());
	CHECK_INT(cred.pid, getpid());
	stream_peer_text(d.s[0], peer);
	CHECK_STR(str_from(peer), "unix");

	struct listener *other = NULL;

	CHECK(listener_unix(l, str_from(in_dir("s")), on_accept, &d, &other, &e) == ERR_BUSY);
	CHECK(!other && stat(in_dir("s"), &st) == 0);
	listener_close(li);
	CHECK(stat(in_dir("s"), &st) < 0);
	client_done(&c);
	loop_free(l);
	rmdir(dir);
}

TEST(a_stale_socket_is_replaced_and_any_other_file_left_alone)
{
	struct loop *l = loop_new();
	struct listener *li = NULL;
	struct door d = { 0 };
	struct error e;
	struct sockaddr_un a = { .sun_family = AF_UNIX };
	struct stat st;
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	make_dir();
	strcpy(a.sun_path, in_dir("s"));
	CHECK(bind(fd, (struct sockaddr *)&a, sizeof a) == 0 && listen(fd, 1) == 0);
	close(fd); /* no listener, but the file stays */
	CHECK(stat(in_dir("s"), &st) == 0);
	CHECK_OK(listener_unix(l, str_from(in_dir("s")), on_accept, &d, &li, &e), &e);

	struct client c = client_unix(in_dir("s"));

	UNTIL(l, d.count == 1);
	client_done(&c);

	/* another listener takes the name: closing must not remove it */
	CHECK(unlink(in_dir("s")) == 0);
	fd = open(in_dir("s"), O_CREAT | O_WRONLY, 0600);
	close(fd);
	listener_close(li);
	CHECK(stat(in_dir("s"), &st) == 0);

	li = NULL;
	CHECK(listener_unix(l, str_from(in_dir("s")), on_accept, &d, &li, &e) == ERR_INVALID);
	CHECK(stat(in_dir("s"), &st) == 0 && S_ISREG(st.st_mode));
	unlink(in_dir("s"));
	CHECK(listener_unix(l, str_from(in_dir("no/such/dir")), on_accept, &d, &li, &e) == ERR_IO);
	CHECK(listener_unix(l, STR(""), on_accept, &d, &li, &e) == ERR_INVALID);
	CHECK(!li);
	loop_free(l);
	rmdir(dir);
}

TEST(a_path_too_long_for_the_kernel_works_all_the_same)
{
	struct loop *l = loop_new();
	struct listener *li;
	struct door d = { 0 };
	struct error e;
	struct stream *s;
	struct str path;
	char deep[120], full[512];
	struct stat st;

	make_dir();
	memset(deep, 'd', sizeof deep);
	deep[sizeof deep - 1] = '\0';
	CHECK(mkdir(in_dir(deep), 0700) == 0);
	snprintf(full, sizeof full, "%s/sock", in_dir(deep));
	path = str_from(full);
	CHECK(stream_open_unix(l, path, &s, &e) == ERR_NOT_FOUND);
	CHECK_OK(listener_unix(l, path, on_accept, &d, &li, &e), &e);
	CHECK(stat(full, &st) == 0 && (st.st_mode & 0777) == 0600);
	CHECK_OK(stream_open_unix(l, path, &s, &e), &e);
	UNTIL(l, d.count == 1);
	stream_close(s);
	loop_free(l);
	CHECK(stat(full, &st) < 0);
	rmdir(in_dir(deep));
	rmdir(dir);
}

static int64_t cpu_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

TEST(running_out_of_descriptors_neither_spins_nor_hangs)
{
	struct loop *l = loop_new();
	struct listener *li;
	struct door d = { 0 };
	struct error e;
	struct rlimit was, few;
	struct client c[8];
	int filler[1024], fillers = 0, turns = 0;

	CHECK_OK(listener_tcp(l, STR("127.0.0.1:0"), on_accept, &d, &li, &e), &e);
	for (int i = 0; i < 8; i++)
		c[i] = client_tcp(listener_port(li));
	getrlimit(RLIMIT_NOFILE, &was);
	few = was;
	few.rlim_cur = 512;
	setrlimit(RLIMIT_NOFILE, &few);
	while (fillers < 1024 && (filler[fillers] = open("/dev/null", O_RDONLY)) >= 0)
		fillers++;
	CHECK(errno == EMFILE);
	close(filler[--fillers]); /* room for one */

	/* Those without a place are let go, and then the loop is quiet. */
	int64_t end = clock_mono_ms() + 100, cpu = cpu_ms();

	while (clock_mono_ms() < end) {
		loop_run_once(l, 20);
		turns++;
	}
	CHECK(turns < 50 && cpu_ms() - cpu < 80);

	int open = 0;

	for (int i = 0; i < 8; i++)
		open += !client_ended(&c[i]);
	CHECK_INT(d.count, open);
	CHECK(open < 8);
	while (fillers)
		close(filler[--fillers]);
	setrlimit(RLIMIT_NOFILE, &was);

	/* and it continues as before */
	struct client last = client_tcp(listener_port(li));

	SEND(l, &last, "hello");
	UNTIL(l, client_has(&last, STR("hello")));
	client_done(&last);
	for (int i = 0; i < 8; i++)
		client_done(&c[i]);
	loop_free(l);
}

TEST_MAIN()
