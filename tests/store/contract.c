/* Kinds of stores, and requests carried to their reply. */
#include "contract.h"

#include "base/os/clock.h"
#include "store/postgres/postgres.h"
#include "store/sqlite/sqlite.h"

#include <ftw.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* ---- kinds ---- */

static void wake(void *arg)
{
	sem_post(arg);
}

static enum err open_sqlite(struct contract *c, struct store **ret, struct error *e)
{
	struct store_sqlite_options o = {
		.dir = c->dir,
		.threads = c->kind->has_threads,
		.wake = wake,
		.wake_arg = &c->woken,
	};

	return sqlite_open(&o, ret, e);
}

static enum err open_model(struct contract *c, struct store **ret, struct error *e)
{
	(void)e;
	if (!c->disk)
		c->disk = model_disk_new();
	*ret = model_store_open(c->disk, wake, &c->woken);
	return OK;
}

static int64_t model_now(void *owner)
{
	(void)owner;
	return clock_mono_ms();
}

static int64_t model_mono(struct clock *c)
{
	(void)c;
	return clock_mono_ms();
}

static int64_t model_wall(struct clock *c)
{
	(void)c;
	return clock_wall_ms();
}

static enum err open_model_node(struct contract *c, struct store **ret, struct error *e)
{
	static const struct clock_ops ops = { .mono_ms = model_mono, .wall_ms = model_wall };
	static struct clock clock = { .ops = &ops };
	const struct model_node_options o = {
		.name = str_from(c->name ? c->name : "local"),
		.address = c->address ? str_from(c->address) : STR_NONE,
		.rev = c->rev,
		.clock = &clock,
		.now_ms = model_now,
	};

	(void)e;
	if (!c->disk)
		c->disk = model_disk_new();
	*ret = model_store_open_node(c->disk, &o, wake, &c->woken);
	return OK;
}

static void kill_model(struct contract *c)
{
	model_store_kill(c->store);
	c->store->ops->close(c->store);
	c->store = NULL;
}

/* Each place is a schema of its own in the database that with_postgres.py has started. */
static enum err open_postgres(struct contract *c, struct store **ret, struct error *e)
{
	const char *url = getenv("THOLE_TEST_POSTGRES");
	struct store_postgres_options o = {
		.url = url,
		.schema = c->schema,
		.name = c->name,
		.address = c->address,
		.version = c->version ? c->version : "1.2.3",
		.rev = c->rev,
		.heartbeat_ms = CONTRACT_BEAT_MS,
		.lease_ms = CONTRACT_LEASE_MS,
		.is_pooled = c->kind->is_pooled,
		.wake = wake,
		.wake_arg = &c->woken,
	};
	static unsigned places;

	if (!url) {
		fprintf(stderr, "run it by tests/store/with_postgres.py\n");
		exit(2);
	}
	if (!c->schema[0])
		snprintf(c->schema, sizeof c->schema, "contract_%d_%u", (int)getpid(), places++);
	return postgres_open(&o, ret, e);
}

/* To both sides the network fails.  What the server has read it may carry out. */
static void cut_postgres(struct contract *c)
{
	(void)c;
	for (int fd = 3; fd < 256; fd++) {
		struct sockaddr_un peer = { 0 };
		socklen_t len = sizeof peer;

		if (getpeername(fd, (struct sockaddr *)&peer, &len) == 0 &&
		    peer.sun_family == AF_UNIX && strstr(peer.sun_path, ".s.PGSQL."))
			shutdown(fd, SHUT_RDWR);
	}
}

static void kill_postgres(struct contract *c)
{
	postgres_kill(c->store);
	c->store = NULL;
}

static void hint_postgres(struct contract *c)
{
	postgres_ask_on_hints(c->store, true);
}

static void pause_postgres(struct contract *c, bool is_paused)
{
	postgres_pause_heartbeats(c->store, is_paused);
}

static const struct store_kind kinds[] = {
	{ .name = "sqlite", .open = open_sqlite },
	{ .name = "sqlite-threads", .has_threads = true, .open = open_sqlite },
	{ .name = "postgres",
	  .has_threads = true,
	  .open = open_postgres,
	  .cut = cut_postgres,
	  .kill = kill_postgres,
	  .pause = pause_postgres,
	  .hints_only = hint_postgres },
	{ .name = "postgres-pooled",
	  .has_threads = true,
	  .is_pooled = true,
	  .open = open_postgres,
	  .cut = cut_postgres,
	  .kill = kill_postgres,
	  .pause = pause_postgres,
	  .hints_only = hint_postgres },
	{ .name = "model", .open = open_model },
	{ .name = "model-nodes", .open = open_model_node, .kill = kill_model },
};

const struct store_kind *contract_kind(const char *name)
{
	for (size_t i = 0; i < COUNT_OF(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return &kinds[i];
	fprintf(stderr, "THOLE_STORE=%s: there is no such kind of store\n", name);
	exit(2);
}

/* ---- a place ---- */

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	(void)st;
	(void)flag;
	(void)ftw;
	return remove(path);
}

void contract_init(struct contract *c, const struct store_kind *kind)
{
	contract_init_node(c, kind, NULL, NULL);
}

void contract_init_node(struct contract *c, const struct store_kind *kind, const char *name,
                        const char *address)
{
	*c = (struct contract){
		.kind = kind, .mem = arena_new(), .name = name, .address = address
	};
	/* In memory when there is such a place: thousands of fsyncs prove nothing here. */
	snprintf(c->dir, sizeof c->dir, "%s/thole-contract-XXXXXX",
	         access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
	CHECK(mkdtemp(c->dir));
	sem_init(&c->woken, 0, 0);
	contract_open(c);
}

void contract_start(struct contract *c)
{
	const char *name = getenv("THOLE_STORE");

	contract_init(c, contract_kind(name ? name : "sqlite"));
}

void contract_join(struct contract *c, const struct contract *first, const char *name,
                   const char *address)
{
	*c = (struct contract){ .kind = first->kind,
		                .mem = arena_new(),
		                .disk = first->disk,
		                .first = first,
		                .name = name,
		                .address = address };
	memcpy(c->dir, first->dir, sizeof c->dir);
	memcpy(c->schema, first->schema, sizeof c->schema);
	sem_init(&c->woken, 0, 0);
}

enum err contract_try_open(struct contract *c, struct error *e)
{
	return c->kind->open(c, &c->store, e);
}

void contract_open(struct contract *c)
{
	struct error e;

	CHECK_OK(contract_try_open(c, &e), &e);
}

void contract_close(struct contract *c)
{
	if (c->store)
		c->store->ops->close(c->store);
	c->store = NULL;
}

void contract_reopen(struct contract *c)
{
	contract_close(c);
	contract_open(c);
}

void contract_done(struct contract *c)
{
	contract_close(c);
	arena_free(c->mem);
	sem_destroy(&c->woken);
	if (c->first)
		return;
	model_disk_free(c->disk);
	nftw(c->dir, drop, 8, FTW_DEPTH | FTW_PHYS);
}

void contract_cut(struct contract *c)
{
	if (c->kind->cut)
		c->kind->cut(c);
}

void contract_wait(struct contract *c, size_t replies)
{
	size_t want = c->answered + replies;

	while (c->answered < want) {
		if (c->kind->has_threads)
			while (sem_wait(&c->woken) != 0)
				;
		c->store->ops->poll(c->store);
	}
}

/* ---- slices ---- */

struct slice *contract_slice_of(struct contract *c, struct writer *w, const struct str *bodies,
                                size_t count)
{
	struct slice *sl = ARENA_NEW(c->mem, struct slice);

	*sl = (struct slice){ .session = w->id, .prev_seq = w->seq, .prev_hash = w->hash };
	sl->events = ARENA_ARRAY(c->mem, struct store_event, count + 1);
	sl->event_count = count;
	for (size_t i = 0; i < count; i++) {
		w->hash = sha256_link(&w->hash, bodies[i]);
		sl->events[i] = (struct store_event){
			.seq = ++w->seq,
			.type = (uint32_t)(w->seq % 7),
			.hash = w->hash,
			.body = bytes_new(bodies[i]),
		};
	}
	return sl;
}

struct slice *contract_slice(struct contract *c, struct writer *w, size_t events, size_t size)
{
	struct str *bodies = ARENA_ARRAY(c->mem, struct str, events + 1);

	for (size_t i = 0; i < events; i++) {
		struct str head =
			arena_printf(c->mem, "%.*s %zu ", STR_ARG(w->id), (size_t)w->seq + i + 1);
		size_t len = MAX(size, head.len);
		char *text = arena_alloc(c->mem, len + 1);

		memset(text, 'a' + (int)((w->seq + i) % 26), len);
		memcpy(text, head.ptr, head.len);
		bodies[i] = str_of(text, len);
	}
	return contract_slice_of(c, w, bodies, events);
}

static void count_batch(struct batch *b)
{
	((struct contract *)b->owner)->answered++;
}

struct batch *contract_batch(struct contract *c, struct slice *first)
{
	struct batch *b = ARENA_NEW(c->mem, struct batch);

	*b = (struct batch){ .first = first, .done = count_batch, .owner = c };
	return b;
}

void contract_batch_done(struct batch *b)
{
	for (struct slice *sl = b->first; sl; sl = sl->next)
		for (size_t i = 0; i < sl->event_count; i++)
			bytes_unref(sl->events[i].body);
}

void contract_submit(struct contract *c, struct batch *b)
{
	c->store->ops->submit(c->store, b);
}

enum slice_state contract_commit(struct contract *c, struct slice *sl)
{
	struct batch *b = contract_batch(c, sl);

	contract_submit(c, b);
	contract_wait(c, 1);
	contract_batch_done(b);
	return sl->state;
}

void contract_append(struct contract *c, struct writer *w, size_t events)
{
	CHECK_INT(contract_commit(c, contract_slice(c, w, events, 20)), SLICE_COMMITTED);
}

/* ---- reads and maintenance ---- */

static void count_read(struct store_read *r)
{
	((struct contract *)r->owner)->answered++;
}

void contract_read(struct contract *c, struct store_read *r)
{
	r->done = count_read;
	r->owner = c;
	c->store->ops->read(c->store, r);
	contract_wait(c, 1);
}

static void count_step(struct store_maintenance *u)
{
	((struct contract *)u->owner)->answered++;
}

void contract_step(struct contract *c, struct store_maintenance *u)
{
	u->done = count_step;
	u->owner = c;
	c->store->ops->maintenance(c->store, u);
	contract_wait(c, 1);
}

uint64_t contract_maintain(struct contract *c, struct store_maintenance *u)
{
	uint64_t sum = 0;

	do {
		contract_step(c, u);
		sum += u->count;
	} while (u->result == ERR_BUSY || (u->result == OK && u->more));
	return sum;
}

struct store_stats contract_stats(struct contract *c)
{
	struct store_stats st;

	c->store->ops->stats(c->store, &st);
	return st;
}
