/* The C API, in one process: calls, lanes, streams, and a loop of the caller's own. */
#include "thole/thole.h"

#include "lib/t.h"

#include <ftw.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

struct place {
	char dir[64];
	struct thole *t;
};

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

static void begin(struct place *p, bool own_loop)
{
	struct thole_error e = { 0 };

	snprintf(p->dir, sizeof p->dir, "/tmp/thole-api-XXXXXX");
	CHECK(mkdtemp(p->dir));
	p->t = thole_open(&(struct thole_options){ .data_dir = p->dir, .own_loop = own_loop }, &e);
	CHECK(p->t);
}

static void end(struct place *p)
{
	thole_close(p->t);
	nftw(p->dir, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static bool has(const char *text, const char *part)
{
	return text && strstr(text, part);
}

TEST(a_call_answers_or_is_refused)
{
	struct place p;
	char *reply;

	begin(&p, false);
	CHECK_INT(thole_call(p.t, "create_session", "{\"sessionId\":\"s-1\",\n\"title\":\"one\"}",
	                     &reply),
	          THOLE_OK);
	CHECK(has(reply, "\"s-1\""));
	thole_free(reply);
	CHECK_INT(thole_call(p.t, "get_session", "{\"sessionId\":\"s-2\"}", &reply), THOLE_REFUSED);
	CHECK(has(reply, "session_not_found"));
	thole_free(reply);
	CHECK_INT(thole_call(p.t, "no_such_command", NULL, &reply), THOLE_REFUSED);
	CHECK(has(reply, "unknown_command"));
	thole_free(reply);
	end(&p);
}

static void create(struct thole *t, const char *params)
{
	char *reply;

	CHECK_INT(thole_call(t, "create_session", params, &reply), THOLE_OK);
	thole_free(reply);
}

/* An embedding program backs up its own runtime, which keeps its locks and works on. */
TEST(a_runtime_is_backed_up_from_its_own_process)
{
	struct place p, copy = { .dir = "/tmp/thole-api-XXXXXX" },
			back = { .dir = "/tmp/thole-api-XXXXXX" };
	struct thole_error e = { 0 };
	char *reply;

	begin(&p, false);
	CHECK(mkdtemp(copy.dir) && mkdtemp(back.dir));
	create(p.t, "{\"sessionId\":\"s-1\"}");
	CHECK_INT(thole_backup(p.dir, copy.dir, 0, &e), THOLE_OK);
	create(p.t, "{\"sessionId\":\"s-2\"}");
	CHECK(!thole_open(&(struct thole_options){ .data_dir = p.dir }, &e));
	CHECK_INT(e.code, THOLE_BUSY);
	CHECK_INT(thole_backup(p.dir, copy.dir, 0, &e), THOLE_IO); /* it is not empty */
	CHECK_INT(thole_restore(p.dir, back.dir, &e), THOLE_CONFIG);
	CHECK(has(e.message, "backup.json"));
	CHECK_INT(thole_restore(copy.dir, back.dir, &e), THOLE_OK);
	back.t = thole_open(&(struct thole_options){ .data_dir = back.dir }, &e);
	CHECK(back.t);
	CHECK_INT(thole_call(back.t, "get_session", "{\"sessionId\":\"s-1\"}", &reply), THOLE_OK);
	thole_free(reply);
	CHECK_INT(thole_call(back.t, "get_session", "{\"sessionId\":\"s-2\"}", &reply),
	          THOLE_REFUSED);
	thole_free(reply);
	copy.t = NULL;
	end(&copy);
	end(&back);
	end(&p);
}

/* What needs a server is tested with one, in tests/postgres/pg_backup_test.py. */
TEST(a_backup_of_a_database_has_errors_without_secrets_and_restore_leaves_it_to_postgresql)
{
	struct thole_options o = { .overrides = "{\"store.url\":\"postgre://u:s3cret@h/d\"}" };
	struct place into = { .dir = "/tmp/thole-api-XXXXXX" };
	struct thole_store_copy copy;
	struct thole_error e = { 0 };
	char path[96], *ret = NULL;
	FILE *f;

	CHECK(mkdtemp(into.dir));
	copy = (struct thole_store_copy){ .into = into.dir };
	CHECK_INT(thole_store_backup(&o, &copy, &ret, &e), THOLE_INVALID);
	CHECK(!ret && !has(e.message, "s3cret"));
	CHECK_INT(thole_store_compare(&o, into.dir, NULL, &ret, &e), THOLE_INVALID);
	CHECK(!ret && has(e.message, "backup_unreadable: "));
	o.overrides = "{\"store.urls\":1}";
	CHECK_INT(thole_store_backup(&o, &copy, &ret, &e), THOLE_CONFIG);
	CHECK_INT(thole_store_compare(&o, into.dir, NULL, &ret, NULL), THOLE_CONFIG);
	snprintf(path, sizeof path, "%s/backup.json", into.dir);
	f = fopen(path, "we");
	CHECK(f && fputs("{\"format\":2,\"store\":\"postgresql\"}", f) >= 0 && fclose(f) == 0);
	CHECK_INT(thole_restore(into.dir, into.dir, &e), THOLE_CONFIG);
	CHECK(has(e.message, "backup_database: "));
	end(&into);
}

/* Every call is answered once, whatever the order. */
static void drain(struct thole_lane *l, size_t count, unsigned char *answered)
{
	unsigned long long id;
	char *reply;

	for (size_t i = 0; i < count; i++) {
		int code = thole_lane_next(l, 20000, &id, &reply);

		CHECK(code == THOLE_OK || code == THOLE_REFUSED);
		CHECK(id >= 1 && id <= count);
		CHECK_INT(answered[id]++, 0);
		CHECK(code == (id % 10 ? THOLE_OK : THOLE_REFUSED));
		thole_free(reply);
	}
	CHECK_INT(thole_lane_next(l, 0, &id, &reply), THOLE_ENDED);
}

static void send_many(struct thole_lane *l, size_t count)
{
	for (size_t i = 1; i <= count; i++) {
		char params[200];

		snprintf(params, sizeof params,
		         "{\"sessionId\":\"s-%zu\",\"title\":\"number %zu\"%s}", i, i,
		         i % 10 ? "" : ",\"nonsense\":1");
		CHECK_INT(thole_lane_send(l, "create_session", params), i);
	}
}

TEST(a_lane_carries_many_calls_at_once)
{
	enum { COUNT = 500 };
	unsigned char answered[COUNT + 1] = { 0 };
	struct place p;
	struct thole_lane *l;

	begin(&p, false);
	l = thole_lane_open(p.t);
	CHECK(l);
	CHECK(thole_lane_fd(l) >= 0);
	send_many(l, COUNT);
	drain(l, COUNT, answered);
	thole_lane_close(l);
	end(&p);
}

TEST(a_lane_without_a_reader_does_not_stop_the_others)
{
	struct place p;
	struct thole_lane *l;
	char *reply;

	begin(&p, false);
	l = thole_lane_open(p.t);
	send_many(l, 2000);
	CHECK_INT(thole_call(p.t, "list_sessions", NULL, &reply), THOLE_OK);
	thole_free(reply);
	thole_lane_close(l); /* with most of it unanswered */
	CHECK_INT(thole_call(p.t, "list_sessions", NULL, &reply), THOLE_OK);
	thole_free(reply);
	end(&p);
}

TEST(a_lane_without_calls_has_ended_and_begins_again_with_the_next)
{
	struct place p;
	struct thole_lane *l;
	unsigned long long id;
	char *reply;

	begin(&p, false);
	l = thole_lane_open(p.t);
	CHECK_INT(thole_lane_next(l, 0, &id, &reply), THOLE_ENDED);
	CHECK_INT(thole_call(p.t, "create_session", "{\"sessionId\":\"s-1\"}", &reply), THOLE_OK);
	thole_free(reply);
	thole_lane_send(l, "get_session", "{\"sessionId\":\"s-1\"}");
	CHECK_INT(thole_lane_next(l, 20000, &id, &reply), THOLE_OK);
	CHECK_INT(id, 1);
	thole_free(reply);
	thole_lane_close(l);
	thole_lane_close(NULL);
	end(&p);
}

/* The caller turns the wheel; the answer and the events come all the same. */
TEST(everything_works_in_a_loop_of_the_callers_own)
{
	struct place p;
	struct thole_lane *l;
	struct thole_stream *s;
	unsigned long long id;
	char *reply, *event;
	size_t len;
	int code = THOLE_TIMEOUT;
	bool is_completed = false;

	begin(&p, true);
	l = thole_lane_open(p.t);
	thole_lane_send(l, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"hello\"}");
	for (int i = 0; i < 2000 && code == THOLE_TIMEOUT; i++) {
		struct pollfd fds[] = { { .fd = thole_fd(p.t), .events = POLLIN } };
		int wait = thole_timeout_ms(p.t);

		code = thole_lane_next(l, 0, &id, &reply);
		if (code == THOLE_TIMEOUT)
			poll(fds, 1, wait < 0 || wait > 50 ? 50 : wait);
		thole_step(p.t);
	}
	CHECK_INT(code, THOLE_OK);
	thole_free(reply);
	s = thole_subscribe(p.t, "{\"sessionId\":\"s-1\",\"follow\":true}", NULL);
	CHECK(s);
	while (!is_completed && thole_next(s, 20000, &event, &len) == THOLE_OK) {
		CHECK_INT(strlen(event), len);
		is_completed = has(event, "\"turn.completed\"");
		thole_free(event);
	}
	CHECK(is_completed);
	thole_unsubscribe(s);
	thole_lane_close(l);
	end(&p);
}

TEST(what_cannot_be_opened_says_why)
{
	struct thole_error e = { 0 };
	struct place p;

	CHECK(!thole_open(&(struct thole_options){ .data_dir = "" }, &e));
	CHECK_INT(e.code, THOLE_INVALID);
	CHECK(!thole_connect("/nowhere/at/all", &e));
	CHECK_INT(e.code, THOLE_CLOSED);
	begin(&p, false);
	CHECK(!thole_open(&(struct thole_options){ .data_dir = p.dir }, &e)); /* one at a time */
	CHECK_INT(e.code, THOLE_BUSY);
	end(&p);
}

TEST_MAIN()
