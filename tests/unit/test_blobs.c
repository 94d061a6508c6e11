/*
 * Large outputs as files, through their port.  With THOLE_TEST_POSTGRES they are in a database too, with
 * THOLE_TEST_BUCKET, the address of a bucket `outputs`, in that one (tests/objects/with_bucket.py and
 * swift_test.py), whose keys AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are.
 */
#include "lib/t.h"

#include "store/blob_digest.h"
#include "store/blobs.h"
#include "store/postgres/outputs/pg_outputs.h"
#include "store/postgres/postgres.h"

#include <fcntl.h>
#include <ftw.h>
#include <semaphore.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

struct fixture {
	char dir[64], schema[40]; /* schema: of outputs that are in a database too */
	struct arena *mem;
	struct blobs *blobs;
	bool threads;
	sem_t woken;
	int answered;
	struct blob_sealed sealed; /* the last; head and tail copied into mem */
};

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

static void wake(void *arg)
{
	sem_post(arg);
}

#define COPY_MAX (10u << 20)

static enum err bucket_keys(void *arg, struct bucket_keys *ret, struct error *e)
{
	(void)e;
	*ret = *(const struct bucket_keys *)arg;
	return OK;
}

static bool has_bucket(void)
{
	return getenv("THOLE_TEST_BUCKET") != NULL;
}

static void take_variable(char *into, size_t size, const char *name)
{
	const char *value = getenv(name);

	snprintf(into, size, "%s", value ? value : "");
}

static struct bucket_options bucket_of(struct fixture *g)
{
	static struct bucket_keys keys;

	take_variable(keys.access_key, sizeof keys.access_key, "AWS_ACCESS_KEY_ID");
	take_variable(keys.secret_key, sizeof keys.secret_key, "AWS_SECRET_ACCESS_KEY");
	return (struct bucket_options){
		.settings = { .bucket = STR("outputs"),
		              .prefix = str_from(g->schema),
		              .endpoint = str_from(has_bucket() ? getenv("THOLE_TEST_BUCKET") : ""),
		              .region = STR("eu-test-1"),
		              .is_path_style = true },
		.keys = bucket_keys,
		.keys_arg = &keys,
		.copy_max = COPY_MAX,
	};
}

static void fixture_open(struct fixture *g)
{
	struct blobs_options o = {
		.dir = g->dir, .threads = g->threads, .wake = wake, .wake_arg = &g->woken
	};
	struct error e;

	CHECK_OK(blobs_open(&o, &g->blobs, &e), &e);
	if (g->schema[0]) {
		struct bucket_options bucket = bucket_of(g);
		struct pg_outputs_options po = { .url = getenv("THOLE_TEST_POSTGRES"),
			                         .bucket = has_bucket() ? &bucket : NULL,
			                         .schema = g->schema,
			                         .wake = wake,
			                         .wake_arg = &g->woken,
			                         .flush_ms = 20 };

		CHECK_OK(pg_outputs_open(&po, g->blobs, &g->blobs, &e), &e);
	}
}

/* The tables come with a store. */
static void make_tables(struct fixture *g)
{
	static unsigned places;
	struct store_postgres_options o = { .url = getenv("THOLE_TEST_POSTGRES"),
		                            .schema = g->schema };
	struct store *store;
	struct error e;

	snprintf(g->schema, sizeof g->schema, "outputs_%d_%u", (int)getpid(), places++);
	CHECK_OK(postgres_open(&o, &store, &e), &e);
	store->ops->close(store);
}

static void fixture_start(struct fixture *g, bool threads)
{
	*g = (struct fixture){ .threads = threads };
	/* In memory when there is such a place: thousands of fsyncs prove nothing here. */
	snprintf(g->dir, sizeof g->dir, "%s/thole-blobs-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	CHECK(mkdtemp(g->dir));
	g->mem = arena_new();
	sem_init(&g->woken, 0, 0);
	if (getenv("THOLE_TEST_POSTGRES"))
		make_tables(g);
	fixture_open(g);
}

/* Another machine with the same database. */
static void fixture_beside(struct fixture *g, const struct fixture *first)
{
	*g = (struct fixture){ .threads = true };
	memcpy(g->schema, first->schema, sizeof g->schema);
	snprintf(g->dir, sizeof g->dir, "%s/thole-blobs-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	CHECK(mkdtemp(g->dir));
	g->mem = arena_new();
	sem_init(&g->woken, 0, 0);
	fixture_open(g);
}

static void fixture_close(struct fixture *g)
{
	g->blobs->ops->close(g->blobs);
}

static void fixture_done(struct fixture *g)
{
	fixture_close(g);
	arena_free(g->mem);
	sem_destroy(&g->woken);
	nftw(g->dir, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static void poll_for(struct fixture *g, int answers)
{
	int want = g->answered + answers;

	while (g->answered < want) {
		if (g->threads)
			while (sem_wait(&g->woken) != 0)
				;
		g->blobs->ops->poll(g->blobs);
	}
}

static void on_sealed(void *owner, const struct blob_sealed *s)
{
	struct fixture *g = owner;

	g->answered++;
	g->sealed = *s;
	g->sealed.head = arena_keep(g->mem, s->head);
	g->sealed.tail = arena_keep(g->mem, s->tail);
}

static void on_read(struct blob_read *r)
{
	((struct fixture *)r->owner)->answered++;
}

static struct blob_read ask(struct fixture *g, struct str ref, uint64_t offset, uint32_t max)
{
	struct blob_read r = {
		.ref = ref, .offset = offset, .max = max, .done = on_read, .owner = g
	};

	/* The port keeps the pointer until it answers: it must not move meanwhile. */
	g->blobs->ops->read(g->blobs, &r);
	poll_for(g, 1);
	return r;
}

/* Writes data in pieces whose sizes have no pattern, and seals. */
static void keep(struct fixture *g, struct str ref, struct str data)
{
	struct blob_writer *w = g->blobs->ops->open(g->blobs, ref);
	size_t piece = 1;

	for (struct str left = data; left.len; piece = piece * 7 % 8191 + 1) {
		g->blobs->ops->write(g->blobs, w, str_head(left, piece));
		left = str_skip(left, MIN(piece, left.len));
	}
	g->blobs->ops->seal(g->blobs, w, on_sealed, g);
	poll_for(g, 1);
}

static struct str some_text(struct fixture *g, size_t len)
{
	char *text = arena_alloc(g->mem, len + 1);

	for (size_t i = 0; i < len; i++)
		text[i] = (char)('!' + i * i % 89);
	return str_of(text, len);
}

/* Reads everything in ranges of an odd size. */
static void check_content(struct fixture *g, struct str ref, struct str want)
{
	uint64_t at = 0;

	for (;;) {
		struct blob_read r = ask(g, ref, at, 99991);

		CHECK_OK(r.result, &r.error);
		CHECK(r.sealed);
		CHECK_INT(r.size, want.len);
		CHECK_INT(r.len, MIN(99991, want.len - at));
		CHECK(memcmp(r.data, want.ptr + at, r.len) == 0);
		at += r.len;

		bool is_end = r.len == 0;

		port_blob_read_done(&r);
		if (is_end)
			break;
	}
	CHECK_INT(at, want.len);
}

static int counted;
static int count_file(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)ftw;
	counted += flag == FTW_F || flag == FTW_SL || flag == FTW_SLN;
	return 0;
}

static int files_in(struct fixture *g, const char *name)
{
	counted = 0;
	nftw(arena_printf(g->mem, "%s/blobs/%s", g->dir, name).ptr, count_file, 8, FTW_PHYS);
	return counted;
}

TEST(outputs_of_any_size_come_back_whole)
{
	static const size_t sizes[] = { 0, 1, 100u << 10, 5u << 20 };

	for (int threads = 0; threads < 2; threads++) {
		struct fixture g;

		fixture_start(&g, threads);
		for (size_t i = 0; i < COUNT_OF(sizes); i++) {
			struct str data = some_text(&g, sizes[i]);
			struct str ref = arena_printf(g.mem, "out_%zu", i);
			struct sha256 hash = sha256_of(data);

			keep(&g, ref, data);
			CHECK_OK(g.sealed.result, &g.sealed.error);
			CHECK_INT(g.sealed.size, sizes[i]);
			CHECK(sha256_eq(&g.sealed.hash, &hash));
			CHECK(g.sealed.is_text);
			CHECK_SAME(g.sealed.head, str_head(data, BLOB_PREVIEW));
			CHECK_SAME(g.sealed.tail,
			           str_skip(data, data.len - MIN(data.len, BLOB_PREVIEW)));
			check_content(&g, ref, data);
		}
		CHECK_INT(files_in(&g, "open"), 0);
		fixture_close(&g);
		fixture_open(&g);
		check_content(&g, STR("out_2"), some_text(&g, sizes[2]));
		fixture_done(&g);
	}
}

TEST(a_growing_output_is_read_by_range)
{
	struct fixture g;

	fixture_start(&g, true);

	struct blob_writer *w = g.blobs->ops->open(g.blobs, STR("out_1"));
	struct blob_read r = ask(&g, STR("out_1"), 0, 100);

	CHECK_OK(r.result, &r.error);
	CHECK_INT(r.len, 0);
	CHECK(!r.sealed);
	port_blob_read_done(&r);

	g.blobs->ops->write(g.blobs, w, STR("hello "));
	g.blobs->ops->write(g.blobs, w, STR("world"));
	r = ask(&g, STR("out_1"), 3, 5);
	CHECK_INT(g.blobs->ops->pending(g.blobs, w), 0);
	CHECK_STR(str_of(r.data, r.len), "lo wo");
	CHECK_INT(r.size, 11);
	CHECK(!r.sealed);
	port_blob_read_done(&r);

	r = ask(&g, STR("out_1"), 12, 5); /* behind what is there */
	CHECK_OK(r.result, &r.error);
	CHECK_INT(r.len, 0);
	port_blob_read_done(&r);

	g.blobs->ops->write(g.blobs, w, STR("!"));
	g.blobs->ops->seal(g.blobs, w, on_sealed, &g);
	poll_for(&g, 1);
	r = ask(&g, STR("out_1"), 6, 100);
	CHECK_STR(str_of(r.data, r.len), "world!");
	CHECK(r.sealed);
	port_blob_read_done(&r);
	fixture_done(&g);
}

static void check_descriptor(struct fixture *g, const char *want)
{
	int fd = blobs_descriptor(g->blobs, STR("out_1"));
	char text[16] = "";

	CHECK(fd >= 0);
	CHECK_INT(read(fd, text, sizeof text - 1), strlen(want));
	CHECK(!strcmp(text, want));
	close(fd);
}

TEST(another_thread_reads_an_output_that_grows_and_one_that_is_sealed)
{
	struct fixture g = { .threads = false };
	struct blob_writer *w;

	snprintf(g.dir, sizeof g.dir, "/tmp/thole-blobs-XXXXXX");
	CHECK(mkdtemp(g.dir));
	g.mem = arena_new();
	sem_init(&g.woken, 0, 0);
	fixture_open(&g); /* files alone */
	CHECK_INT(blobs_descriptor(g.blobs, STR("out_1")), -1);
	CHECK_INT(blobs_descriptor(g.blobs, STR("../x")), -1);
	w = g.blobs->ops->open(g.blobs, STR("out_1"));
	g.blobs->ops->write(g.blobs, w, STR("grows"));
	check_descriptor(&g, "grows");
	g.blobs->ops->seal(g.blobs, w, on_sealed, &g);
	poll_for(&g, 1);
	check_descriptor(&g, "grows");
	fixture_done(&g);
}

TEST(a_read_is_at_most_a_mebibyte)
{
	struct fixture g;

	fixture_start(&g, false);
	keep(&g, STR("out_1"), some_text(&g, 3000000));

	struct blob_read r = ask(&g, STR("out_1"), 5, UINT32_MAX);

	CHECK_INT(r.len, 1 << 20);
	port_blob_read_done(&r);
	fixture_done(&g);
}

TEST(the_same_content_is_kept_once)
{
	struct fixture g;

	fixture_start(&g, false);
	keep(&g, STR("out_1"), STR("the same"));
	keep(&g, STR("out_2"), STR("the same"));
	keep(&g, STR("out_3"), STR("another"));
	CHECK_OK(g.sealed.result, &g.sealed.error);
	CHECK_INT(files_in(&g, "sha256"), 2);
	CHECK_INT(files_in(&g, "ref"), 3);
	CHECK_INT(files_in(&g, "open"), 0);
	check_content(&g, STR("out_1"), STR("the same"));
	check_content(&g, STR("out_2"), STR("the same"));
	fixture_done(&g);
}

TEST(a_ref_cannot_leave_its_directory)
{
	static const char *const bad[] = { "../x", "a/b", "", ".", "..", "/etc/passwd", "out_\n" };
	struct fixture g;
	char longest[257];

	fixture_start(&g, false);
	memset(longest, 'a', sizeof longest);
	for (size_t i = 0; i <= COUNT_OF(bad); i++) {
		struct str ref = i < COUNT_OF(bad) ? str_from(bad[i]) : str_of(longest, 256);

		keep(&g, ref, STR("x"));
		CHECK_INT(g.sealed.result, ERR_INVALID);

		struct blob_read r = ask(&g, ref, 0, 10);

		CHECK_INT(r.result, ERR_NOT_FOUND);
		port_blob_read_done(&r);
		g.blobs->ops->recover_seal(g.blobs, ref, on_sealed, &g);
		poll_for(&g, 1);
		CHECK_INT(g.sealed.result, ERR_INVALID);
	}
	keep(&g, str_of(longest, 255), STR("x"));
	CHECK_OK(g.sealed.result, &g.sealed.error);
	keep(&g, STR("out_.."), STR("x"));
	CHECK_OK(g.sealed.result, &g.sealed.error);
	fixture_done(&g);
}

TEST(a_ref_is_used_once)
{
	struct fixture g;

	fixture_start(&g, true);
	keep(&g, STR("out_1"), STR("first"));
	keep(&g, STR("out_1"), STR("second"));
	CHECK_INT(g.sealed.result, ERR_INVALID);
	check_content(&g, STR("out_1"), STR("first"));

	struct blob_writer *a = g.blobs->ops->open(g.blobs, STR("out_2"));
	struct blob_writer *b = g.blobs->ops->open(g.blobs, STR("out_2"));

	g.blobs->ops->write(g.blobs, a, STR("a"));
	g.blobs->ops->write(g.blobs, b, STR("b"));
	g.blobs->ops->seal(g.blobs, b, on_sealed, &g);
	poll_for(&g, 1);
	CHECK_INT(g.sealed.result, ERR_INVALID);
	g.blobs->ops->seal(g.blobs, a, on_sealed, &g);
	poll_for(&g, 1);
	CHECK_OK(g.sealed.result, &g.sealed.error);
	check_content(&g, STR("out_2"), STR("a"));
	fixture_done(&g);
}

TEST(what_a_crash_left_unsealed_is_readable_and_can_be_sealed)
{
	struct fixture g;
	struct str data;
	struct sha256 hash;

	fixture_start(&g, true);
	data = some_text(&g, 300000);
	hash = sha256_of(data);

	struct blob_writer *w = g.blobs->ops->open(g.blobs, STR("out_1"));

	g.blobs->ops->write(g.blobs, w, data);
	g.blobs->ops->seal(g.blobs, w, NULL, NULL); /* abandoned, as by a crash */
	fixture_close(&g);
	fixture_open(&g);

	struct blob_read r = ask(&g, STR("out_1"), 299990, 100);

	CHECK_OK(r.result, &r.error);
	CHECK_SAME(str_of(r.data, r.len), str_skip(data, 299990));
	CHECK(!r.sealed);
	port_blob_read_done(&r);
	for (int again = 0; again < 2; again++) {
		g.blobs->ops->recover_seal(g.blobs, STR("out_1"), on_sealed, &g);
		poll_for(&g, 1);
		CHECK_OK(g.sealed.result, &g.sealed.error);
		CHECK_INT(g.sealed.size, data.len);
		CHECK(sha256_eq(&g.sealed.hash, &hash));
		CHECK(g.sealed.is_text);
		CHECK_SAME(g.sealed.tail, str_skip(data, data.len - MIN(data.len, BLOB_PREVIEW)));
		check_content(&g, STR("out_1"), data);
	}
	CHECK_INT(files_in(&g, "open"), 0);
	g.blobs->ops->recover_seal(g.blobs, STR("out_9"), on_sealed, &g);
	poll_for(&g, 1);
	CHECK_INT(g.sealed.result, ERR_NOT_FOUND);
	fixture_done(&g);
}

/* The last step of sealing is to drop the name under open/: put it back. */
TEST(sealing_that_a_crash_interrupted_is_done_again)
{
	struct fixture g;

	fixture_start(&g, false);
	keep(&g, STR("out_1"), STR("content"));

	struct str left = arena_printf(g.mem, "%s/blobs/open/out_1", g.dir);
	int fd = open(left.ptr, O_CREAT | O_WRONLY, 0600);

	CHECK(write(fd, "content", 7) == 7);
	close(fd);
	g.blobs->ops->recover_seal(g.blobs, STR("out_1"), on_sealed, &g);
	poll_for(&g, 1);
	CHECK_OK(g.sealed.result, &g.sealed.error);
	CHECK_INT(files_in(&g, "open"), 0);
	check_content(&g, STR("out_1"), STR("content"));
	fixture_done(&g);
}

static void extend(struct fixture *g, uint64_t offset, const char *text, bool is_last)
{
	g->blobs->ops->extend(g->blobs, STR("out_1"), offset, str_from(text), is_last);
}

static void check_open(struct fixture *g, struct str want)
{
	struct blob_read r = ask(g, STR("out_1"), 0, 100);

	CHECK_OK(r.result, &r.error);
	CHECK(!r.sealed);
	CHECK_SAME(str_of(r.data, r.len), want);
	port_blob_read_done(&r);
}

TEST(an_output_is_made_of_a_raw_one_and_made_again)
{
	struct fixture g;

	fixture_start(&g, true);
	extend(&g, 0, "", false);
	check_open(&g, STR(""));
	extend(&g, 0, "one two ", false);
	extend(&g, 8, "three four", false);
	check_open(&g, STR("one two three four"));
	/* Another run starts again, and has less to write. */
	extend(&g, 0, "one 2 ", false);
	extend(&g, 6, "three", true);
	check_open(&g, STR("one 2 three"));
	extend(&g, 12, "behind a gap", true);
	check_open(&g, STR("one 2 three"));
	g.blobs->ops->recover_seal(g.blobs, STR("out_1"), on_sealed, &g);
	poll_for(&g, 1);
	CHECK_OK(g.sealed.result, &g.sealed.error);
	extend(&g, 0, "x", true);
	check_content(&g, STR("out_1"), STR("one 2 three"));
	g.blobs->ops->extend(g.blobs, STR("../x"), 0, STR("x"), true);
	CHECK_INT(files_in(&g, "open"), 0);
	fixture_done(&g);
}

/* Sealing that was interrupted: the file under open/ is the content already. */
TEST(content_is_not_written_to)
{
	struct fixture g;

	fixture_start(&g, false);
	keep(&g, STR("out_2"), STR("content"));

	struct str hex = sha256_hex(g.mem, &g.sealed.hash);
	struct str from =
		arena_printf(g.mem, "%s/blobs/sha256/%.2s/%s", g.dir, hex.ptr, hex.ptr + 2);
	struct str to = arena_printf(g.mem, "%s/blobs/open/out_1", g.dir);

	CHECK(link(from.ptr, to.ptr) == 0);
	extend(&g, 0, "X", false);
	extend(&g, 1, "", true);
	check_open(&g, STR("content"));
	check_content(&g, STR("out_2"), STR("content"));
	fixture_done(&g);
}

static void put_raw(struct fixture *g, struct str ref, const char *text)
{
	int fd = open(g->blobs->ops->raw(g->blobs, g->mem, ref).ptr, O_CREAT | O_WRONLY, 0600);

	CHECK(write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

TEST(raw_files_are_seen_by_a_raw_read_only)
{
	static const struct str kept[] = { STR("out_2") };
	struct fixture g;

	fixture_start(&g, true);
	for (int i = 0; i < 3; i++)
		put_raw(&g, arena_printf(g.mem, "out_%d", i), "raw");

	struct blob_read r = ask(&g, STR("out_1"), 0, 10);

	CHECK_INT(r.result, ERR_NOT_FOUND);
	port_blob_read_done(&r);
	r = (struct blob_read){ .ref = STR("out_1"),
		                .is_raw = true,
		                .offset = 1,
		                .max = 10,
		                .done = on_read,
		                .owner = &g };
	g.blobs->ops->read(g.blobs, &r);
	poll_for(&g, 1);
	CHECK_OK(r.result, &r.error);
	CHECK_SAME(str_of(r.data, r.len), STR("aw"));
	CHECK(!r.sealed && r.size == 3);
	port_blob_read_done(&r);
	g.blobs->ops->drop_raw(g.blobs, STR("out_1"));
	g.blobs->ops->sweep_raw(g.blobs, kept, 1);
	fixture_close(&g);
	CHECK_INT(files_in(&g, "raw"), 1);
	fixture_open(&g);
	fixture_done(&g);
}

TEST(an_output_whose_content_expired_is_not_found)
{
	struct fixture g;

	fixture_start(&g, false);
	keep(&g, STR("out_1"), STR("gone"));

	struct str hex = sha256_hex(g.mem, &g.sealed.hash);
	struct str path =
		arena_printf(g.mem, "%s/blobs/sha256/%.2s/%s", g.dir, hex.ptr, hex.ptr + 2);

	CHECK(unlink(path.ptr) == 0);

	struct blob_read r = ask(&g, STR("out_1"), 0, 10);

	/* The database has it still. */
	CHECK_INT(r.result, g.schema[0] ? OK : ERR_NOT_FOUND);
	port_blob_read_done(&r);
	fixture_done(&g);
}

static bool is_text(struct fixture *g, struct str ref, struct str data)
{
	keep(g, ref, data);
	CHECK_OK(g->sealed.result, &g->sealed.error);
	return g->sealed.is_text;
}

TEST(text_is_told_from_bytes_even_when_characters_are_split)
{
	struct fixture g;

	fixture_start(&g, false);
	CHECK(is_text(&g, STR("out_1"), STR("a\xe2\x82\xac\xf0\x9f\x98\x80\xc3\xa9")));
	CHECK(!is_text(&g, STR("out_2"), STR("a\xe2\x82")));
	CHECK(!is_text(&g, STR("out_3"), STR("a\xe2\x82z")));
	CHECK(!is_text(&g, STR("out_4"), STR("a\0b")));
	CHECK(!is_text(&g, STR("out_5"), STR("\xff")));
	CHECK(!is_text(&g, STR("out_6"), STR("\xed\xa0\x80"))); /* a surrogate */
	fixture_done(&g);
}

TEST(previews_end_at_whole_characters)
{
	struct fixture g;
	char *text;

	fixture_start(&g, false);
	text = arena_alloc(g.mem, 60002);
	for (size_t i = 0; i < 60002; i++)
		text[i] = i < 60000 ? "\xe2\x82\xac"[i % 3] : 'x';
	keep(&g, STR("out_1"), str_of(text, 60002));
	CHECK(g.sealed.is_text);
	CHECK_SAME(g.sealed.head, str_of(text, BLOB_PREVIEW - BLOB_PREVIEW % 3));
	/* The last two bytes are separate characters. */
	CHECK_SAME(g.sealed.tail,
	           str_skip(str_of(text, 60002), 60002 - 2 - (BLOB_PREVIEW - 2) / 3 * 3));
	fixture_done(&g);
}

TEST(close_answers_what_was_handed_over)
{
	struct fixture g;

	fixture_start(&g, true);

	struct blob_writer *w = g.blobs->ops->open(g.blobs, STR("out_1"));

	g.blobs->ops->write(g.blobs, w, some_text(&g, 100000));
	g.blobs->ops->seal(g.blobs, w, on_sealed, &g);
	fixture_close(&g);
	CHECK_INT(g.answered, 1);
	CHECK_OK(g.sealed.result, &g.sealed.error);
	fixture_open(&g);
	check_content(&g, STR("out_1"), some_text(&g, 100000));
	fixture_done(&g);
}

/* ---- outputs in a database ---- */

/* Two machines; without a database the test is skipped. */
static void fixture_start_shared(struct fixture *a, struct fixture *b)
{
	if (!getenv("THOLE_TEST_POSTGRES"))
		skip();
	fixture_start(a, true);
	fixture_beside(b, a);
}

/*
 * Two machines that look at what grows.  In a bucket it is not seen before it is sealed: tests/objects
 * has one that can be looked into.
 */
static void fixture_start_looking(struct fixture *a, struct fixture *b)
{
	if (has_bucket())
		skip();
	fixture_start_shared(a, b);
}

/* A dead machine does not poll; `a` still does, until `b` sees so many bytes. */
static void wait_until_copied(struct fixture *a, struct fixture *b, struct str ref, uint64_t size)
{
	bool is_there = false;

	while (!is_there) {
		a->blobs->ops->poll(a->blobs);

		struct blob_read r = ask(b, ref, 0, 1);

		is_there = r.result == OK && r.size == size;
		CHECK(!r.sealed);
		port_blob_read_done(&r);
		usleep(2000);
	}
}

TEST(another_machine_reads_what_was_sealed)
{
	static const size_t sizes[] = { 0, 1, 262143, 262144, 262145, 5u << 20 };
	struct fixture a, b;

	fixture_start_shared(&a, &b);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct str data = some_text(&a, sizes[i]);
		struct str ref = arena_printf(a.mem, "out_%zu", i);

		keep(&a, ref, data);
		CHECK_OK(a.sealed.result, &a.sealed.error);
		check_content(&b, ref, data);
		b.blobs->ops->recover_seal(b.blobs, ref, on_sealed, &b);
		poll_for(&b, 1);
		CHECK_OK(b.sealed.result, &b.sealed.error);
		CHECK(sha256_eq(&b.sealed.hash, &a.sealed.hash));
		CHECK_INT(b.sealed.size, sizes[i]);
		CHECK_SAME(b.sealed.head, a.sealed.head);
		CHECK_SAME(b.sealed.tail, a.sealed.tail);
	}
	/* The ref is taken, also for a machine that has no file of it. */
	keep(&b, STR("out_1"), STR("another"));
	CHECK_INT(b.sealed.result, ERR_INVALID);
	check_content(&a, STR("out_1"), some_text(&a, 1));
	a.blobs->ops->remove(a.blobs, STR("out_5"));
	for (;;) {
		struct blob_read r = ask(&b, STR("out_5"), 0, 10);
		enum err result = r.result;

		port_blob_read_done(&r);
		if (result == ERR_NOT_FOUND)
			break;
	}
	fixture_done(&b);
	fixture_done(&a);
}

TEST(another_machine_seals_what_a_dead_one_left)
{
	struct fixture a, b;
	struct blob_writer *w;
	struct blob_read r;
	struct str data;

	fixture_start_looking(&a, &b);
	data = some_text(&a, 700000);
	w = a.blobs->ops->open(a.blobs, STR("out_1"));
	a.blobs->ops->write(a.blobs, w, str_head(data, 600000));
	wait_until_copied(&a, &b, STR("out_1"), 600000);
	r = ask(&b, STR("out_1"), 0, 1 << 20);
	CHECK_SAME(str_of(r.data, r.len), str_head(data, 600000));
	port_blob_read_done(&r);
	/* The rest is in its file only. */
	a.blobs->ops->write(a.blobs, w, str_skip(data, 600000));
	b.blobs->ops->recover_seal(b.blobs, STR("out_1"), on_sealed, &b);
	poll_for(&b, 1);
	CHECK_OK(b.sealed.result, &b.sealed.error);
	CHECK_INT(b.sealed.size, 600000);
	/* It lives after all, and seals: its content is another one. */
	a.blobs->ops->seal(a.blobs, w, on_sealed, &a);
	poll_for(&a, 1);
	CHECK_INT(a.sealed.result, ERR_INVALID);
	check_content(&b, STR("out_1"), str_head(data, 600000));
	fixture_done(&b);
	fixture_done(&a);
}

TEST(a_machine_that_comes_back_reads_what_the_other_sealed)
{
	struct fixture a, b;
	struct blob_writer *w;
	struct str data;

	fixture_start_looking(&a, &b);
	data = some_text(&a, 700000);
	w = a.blobs->ops->open(a.blobs, STR("out_1"));
	a.blobs->ops->write(a.blobs, w, str_head(data, 600000));
	wait_until_copied(&a, &b, STR("out_1"), 600000);
	/* As by a crash; the rest is in its file only. */
	a.blobs->ops->write(a.blobs, w, str_skip(data, 600000));
	a.blobs->ops->seal(a.blobs, w, NULL, NULL);
	fixture_close(&a);
	b.blobs->ops->recover_seal(b.blobs, STR("out_1"), on_sealed, &b);
	poll_for(&b, 1);
	CHECK_OK(b.sealed.result, &b.sealed.error);
	CHECK_INT(b.sealed.size, 600000);
	fixture_open(&a);
	check_content(&a, STR("out_1"), str_head(data, 600000));
	a.blobs->ops->recover_seal(a.blobs, STR("out_1"), on_sealed, &a);
	poll_for(&a, 1);
	CHECK_OK(a.sealed.result, &a.sealed.error);
	CHECK(sha256_eq(&a.sealed.hash, &b.sealed.hash));
	check_content(&a, STR("out_1"), str_head(data, 600000));
	fixture_done(&b);
	fixture_done(&a);
}

/* Larger than a part; the second one is also larger than what one request copies. */
TEST(outputs_in_parts_come_back_whole)
{
	static const size_t sizes[] = { 8u << 20, (9u << 20) + 1, 17u << 20 };
	struct fixture a, b;

	fixture_start_shared(&a, &b);
	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		struct str data = some_text(&a, sizes[i]);
		struct str ref = arena_printf(a.mem, "out_%zu", i);

		keep(&a, ref, data);
		CHECK_OK(a.sealed.result, &a.sealed.error);
		check_content(&b, ref, data);
		b.blobs->ops->recover_seal(b.blobs, ref, on_sealed, &b);
		poll_for(&b, 1);
		CHECK_OK(b.sealed.result, &b.sealed.error);
		CHECK(sha256_eq(&b.sealed.hash, &a.sealed.hash));
	}
	fixture_done(&b);
	fixture_done(&a);
}

/* Every connection to the server is cut. */
static void cut(void)
{
	for (int fd = 3; fd < 256; fd++) {
		struct sockaddr_un peer = { 0 };
		socklen_t len = sizeof peer;

		if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
		    peer.sun_family == AF_UNIX && strstr(peer.sun_path, ".s.PGSQL."))
			shutdown(fd, SHUT_RDWR);
	}
}

TEST(a_thousand_outputs_are_sealed_while_the_connection_breaks)
{
	enum { MOST = 1000, IN_BUCKET = 200 };
	const int count = has_bucket() ? IN_BUCKET : MOST;
	struct fixture a, b;
	struct str data;

	fixture_start_shared(&a, &b);
	data = some_text(&a, 3000);
	for (int i = 0; i < count; i++) {
		struct blob_writer *w =
			a.blobs->ops->open(a.blobs, arena_printf(a.mem, "out_%d", i));

		a.blobs->ops->write(a.blobs, w, str_head(data, (size_t)i * 3));
		a.blobs->ops->seal(a.blobs, w, on_sealed, &a);
		if (i % 100 == 50) {
			a.blobs->ops->poll(a.blobs);
			cut();
		}
	}
	poll_for(&a, count - a.answered);
	CHECK_OK(a.sealed.result, &a.sealed.error);
	for (int i = 0; i < count; i += 37)
		check_content(&b, arena_printf(a.mem, "out_%d", i), str_head(data, (size_t)i * 3));
	for (int i = 0; i < count; i++)
		a.blobs->ops->remove(a.blobs, arena_printf(a.mem, "out_%d", i));
	fixture_close(&a);
	for (int i = 0; i < count; i += 37) {
		struct blob_read r = ask(&b, arena_printf(a.mem, "out_%d", i), 0, 10);

		CHECK_INT(r.result, ERR_NOT_FOUND);
		port_blob_read_done(&r);
	}
	fixture_open(&a);
	fixture_done(&b);
	fixture_done(&a);
}

TEST_MAIN()
