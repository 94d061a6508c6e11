/*
 * The port's calls about nodes, on the owner's thread: requests to the thread of claims, and
 * what threads report, handed to the owner by store_poll().
 */
#include "store/postgres/nodes/pg_clock.h"
#include "store/postgres/pg_store.h"

#include "base/gen/limits.h"
#include "base/memory.h"
#include "base/os/clock.h"

#include <sys/eventfd.h>
#include <unistd.h>

#define NAME_MAX_LEN 40

struct pg_followed {
	size_t count;
	struct str id;
	char text[];
};

static struct pg_store *self(struct store *base)
{
	return OWNER_OF(base, struct pg_store, base);
}

static void wake_thread(void *arg)
{
	uint64_t one = 1;

	(void)!write(*(int *)arg, &one, sizeof one);
}

/* ---- requests ---- */

void pg_nodes_job_done(struct pg_node_job *job)
{
	memory_free(job->release);
	if (job->report)
		arena_free(job->report->mem);
	*job = (struct pg_node_job){ 0 };
}

void pg_nodes_refuse(struct pg_node_job *job, const struct error *why)
{
	if (job->claim) {
		job->claim->result = why->code;
		job->claim->error = *why;
	} else if (job->list) {
		job->list->result = why->code;
		job->list->error = *why;
	}
}

static void post(struct pg_store *s, struct pg_node_job what)
{
	struct pg_job *job = memory_zeroed(1, sizeof *job);
	struct error e;

	job->kind = PG_JOB_NODES;
	list_init(&job->waiting);
	job->nodes = what;
	if (!s->is_closing) {
		mailbox_post(&s->nodes.to_claims, &job->mail);
		return;
	}
	fail(&e, ERR_CLOSED, "the store is being closed");
	pg_nodes_refuse(&job->nodes, &e);
	mailbox_post(&s->answered, &job->mail);
}

static void port_claim(struct store *base, struct store_claim *c)
{
	c->result = OK;
	c->error = (struct error){ 0 };
	c->is_orphan = false;
	c->node = (struct store_node){ 0 };
	c->mem = NULL;
	post(self(base), (struct pg_node_job){ .claim = c });
}

static void port_release(struct store *base, struct str session)
{
	post(self(base),
	     (struct pg_node_job){ .release = memory_strndup(session.ptr, session.len) });
}

static void port_list(struct store *base, struct store_nodes_read *r)
{
	r->result = OK;
	r->error = (struct error){ 0 };
	r->mem = NULL;
	r->nodes = NULL;
	r->count = 0;
	post(self(base), (struct pg_node_job){ .list = r });
}

static void port_allot(struct store *base, struct store_allotment *a)
{
	struct pg_store *s = self(base);
	struct pg_job *job = memory_zeroed(1, sizeof *job);

	a->result = OK;
	a->error = (struct error){ 0 };
	job->kind = PG_JOB_ALLOT;
	list_init(&job->waiting);
	job->allotment = a;
	if (!s->is_closing) {
		mailbox_post(&s->to_keeper, &job->mail);
		return;
	}
	a->result = fail(&a->error, ERR_UNAVAILABLE, "the store is being closed");
	mailbox_post(&s->answered, &job->mail);
}

/* ---- following ---- */

static void note_followed(struct pg_store *s)
{
	atomic_store(&s->nodes.follow_count, s->nodes.followed.count);
	wake_thread(&s->nodes.claims_wake);
}

static void port_follow(struct store *base, struct str session)
{
	struct pg_store *s = self(base);
	struct pg_followed *f = map_get(&s->nodes.followed, session);

	if (!f) {
		f = memory_zeroed(1, sizeof *f + session.len + 1);
		memcpy(f->text, session.ptr, session.len);
		f->id = str_of(f->text, session.len);
		map_put(&s->nodes.followed, f->id, f);
		note_followed(s);
	}
	f->count++;
}

static void port_unfollow(struct store *base, struct str session)
{
	struct pg_store *s = self(base);
	struct pg_followed *f = map_get(&s->nodes.followed, session);

	if (!f || --f->count)
		return;
	map_remove(&s->nodes.followed, f->id);
	memory_free(f);
	atomic_store(&s->nodes.follow_count, s->nodes.followed.count);
}

static void port_follow_all(struct store *base, bool is_on)
{
	struct pg_store *s = self(base);

	atomic_store(&s->nodes.follows_all, is_on);
	if (is_on)
		wake_thread(&s->nodes.claims_wake);
}

/* ---- how far all nodes have come ---- */

static void port_tell_seen(struct store *base, uint64_t seq)
{
	struct pg_store *s = self(base);

	if (seq <= atomic_load(&s->nodes.seen))
		return;
	atomic_store(&s->nodes.seen, seq);
	wake_thread(&s->nodes.members_wake);
}

static void port_await_seen(struct store *base, uint64_t seq)
{
	struct pg_store *s = self(base);

	if (seq > atomic_load(&s->nodes.awaited))
		atomic_store(&s->nodes.awaited, seq);
	pg_hint_urgently(s);
	wake_thread(&s->nodes.members_wake);
}

static void port_leave(struct store *base)
{
	struct pg_store *s = self(base);

	atomic_store(&s->nodes.is_leaving, true);
	wake_thread(&s->nodes.members_wake);
}

/* ---- reports ---- */

struct pg_report *pg_nodes_report(size_t rows)
{
	struct arena *mem = arena_new();
	struct pg_report *r = ARENA_NEW(mem, struct pg_report);

	r->mem = mem;
	r->moved = ARENA_ARRAY(mem, struct pg_moved, rows + 1);
	r->orphans = ARENA_ARRAY(mem, struct str, rows + 1);
	r->wanted = ARENA_ARRAY(mem, struct pg_wanted, rows + 1);
	return r;
}

void pg_nodes_send(struct pg_store *s, struct pg_report *r)
{
	struct pg_job *job;

	if (!r->moved_count && !r->position && !r->orphan_count && !r->wanted_count &&
	    !r->all_seen && !r->has_ended) {
		arena_free(r->mem);
		return;
	}
	job = memory_zeroed(1, sizeof *job);
	job->kind = PG_JOB_NODES;
	list_init(&job->waiting);
	job->nodes.report = r;
	mailbox_post(&s->answered, &job->mail);
}

/* A callback may follow and unfollow. */
static void deliver_report(struct pg_store *s, const struct pg_report *r)
{
	const struct store_watch *w = &s->nodes.watch;

	for (size_t i = 0; w->moved && i < r->moved_count; i++)
		if (atomic_load(&s->nodes.follows_all) ||
		    map_get(&s->nodes.followed, r->moved[i].id))
			w->moved(w->owner, r->moved[i].id, r->moved[i].seq);
	if (w->position && r->position)
		w->position(w->owner, r->position);
	if (w->orphaned && r->orphan_count)
		w->orphaned(w->owner, r->orphans, r->orphan_count);
	for (size_t i = 0; w->wanted && i < r->wanted_count; i++)
		w->wanted(w->owner, r->wanted[i].account, r->wanted[i].amount,
		          r->wanted[i].is_first);
	if (w->all_seen && r->all_seen)
		w->all_seen(w->owner, r->all_seen);
	if (w->ended && r->has_ended)
		w->ended(w->owner);
}

void pg_nodes_deliver(struct pg_store *s, struct pg_node_job *job)
{
	struct pg_node_job own = *job;

	if (own.report)
		deliver_report(s, own.report);
	else if (own.claim)
		own.claim->done(own.claim);
	else if (own.list)
		own.list->done(own.list);
	pg_nodes_job_done(&own);
}

/* ---- this node ---- */

static void port_watch(struct store *base, const struct store_watch *w)
{
	self(base)->nodes.watch = *w;
}

void pg_nodes_lease(struct pg_store *s, int64_t sent_ms, int64_t sent_boot_ms)
{
	atomic_store(&s->nodes.lease_boot_ms, sent_boot_ms + s->nodes.lease_ms);
	atomic_store(&s->nodes.lease_until_ms, sent_ms + s->nodes.lease_ms);
}

/* The monotonic clock stands still while the machine sleeps, and other nodes do not. */
static int64_t port_lease_until(struct store *base)
{
	struct pg_store *s = self(base);

	if (atomic_load(&s->is_dead) || clock_boot_ms() >= atomic_load(&s->nodes.lease_boot_ms))
		return 0;
	return atomic_load(&s->nodes.lease_until_ms);
}

void pg_nodes_clock(struct pg_store *s, int64_t sent_boot_ms, int64_t server_ms, bool is_first)
{
	const struct pg_clock_answer a = { sent_boot_ms, clock_boot_ms(), server_ms };

	atomic_store(&s->nodes.clock_ahead_ms,
	             is_first ? pg_clock_first(&a)
	                      : pg_clock_next(atomic_load(&s->nodes.clock_ahead_ms), &a));
}

int64_t pg_nodes_clock_off(struct pg_store *s)
{
	return clock_wall_ms() - clock_boot_ms() - atomic_load(&s->nodes.clock_ahead_ms);
}

static void port_clock(struct store *base, struct store_clock *ret)
{
	struct pg_store *s = self(base);

	*ret = (struct store_clock){ .ahead_ms = atomic_load(&s->nodes.clock_ahead_ms),
		                     .off_ms = pg_nodes_clock_off(s) };
}

static void port_versions(struct store *base, struct store_versions *ret)
{
	struct pg_store *s = self(base);

	*ret = (struct store_versions){ .others = atomic_load(&s->nodes.others),
		                        .common_rev = atomic_load(&s->nodes.common_rev),
		                        .is_mixed = atomic_load(&s->nodes.is_mixed) };
}

static const struct store_node *port_self(struct store *base)
{
	return &self(base)->nodes.self;
}

const struct store_nodes_ops pg_nodes_ops = {
	.watch = port_watch,
	.claim = port_claim,
	.release = port_release,
	.list = port_list,
	.follow = port_follow,
	.unfollow = port_unfollow,
	.follow_all = port_follow_all,
	.allot = port_allot,
	.tell_seen = port_tell_seen,
	.await_seen = port_await_seen,
	.leave = port_leave,
	.lease_until = port_lease_until,
	.clock = port_clock,
	.versions = port_versions,
	.self = port_self,
};

/* ---- beginning and end ---- */

/* It becomes a part of the id of a session. */
static bool is_name(struct str name)
{
	if (name.len > NAME_MAX_LEN)
		return false;
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '-' || c == '_'))
			return false;
	}
	return true;
}

static int64_t or_default(int64_t given, int64_t otherwise)
{
	return given ? given : otherwise;
}

static int64_t heartbeat_of(const struct store_postgres_options *o)
{
	return or_default(o->heartbeat_ms, 250);
}

static int64_t lease_of(const struct store_postgres_options *o)
{
	return or_default(o->lease_ms, 1000);
}

enum err pg_nodes_check(const struct store_postgres_options *o, struct error *e)
{
	if (o->name && !is_name(str_from(o->name)))
		return fail(e, ERR_INVALID,
		            "store_node: node.name has at most %d letters, digits, - and _",
		            NAME_MAX_LEN);
	if (lease_of(o) < 3 * heartbeat_of(o))
		return fail(e, ERR_INVALID,
		            "store_node: node.lease_ms is at least three times node.heartbeat_ms");
	return OK;
}

void pg_nodes_init(struct pg_store *s, const struct store_postgres_options *o)
{
	struct pg_nodes *n = &s->nodes;

	n->members_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	n->claims_wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	mailbox_init(&n->to_claims, wake_thread, &n->claims_wake);
	n->heartbeat_ms = heartbeat_of(o);
	n->lease_ms = lease_of(o);
	n->call_ms = LIMIT_COMMIT_REFUSE_MS;
	n->has_no_hints = o->has_no_hints;
	n->self = (struct store_node){
		.name = arena_keep(s->mem,
		                   o->name && o->name[0] ? str_from(o->name) : STR("local")),
		.address = o->address && o->address[0] ? arena_keep(s->mem, str_from(o->address))
		                                       : STR_NONE,
		.version = arena_keep(s->mem, str_from(o->version ? o->version : "")),
		.rev = o->rev,
		.place =
			o->place && o->place[0] ? arena_keep(s->mem, str_from(o->place)) : STR_NONE,
		.state = STORE_NODE_LIVES,
		.is_self = true,
	};
}

void pg_nodes_done(struct pg_store *s)
{
	struct pg_nodes *n = &s->nodes;
	struct map_slot *slot;

	for (size_t i = 0; map_next(&n->followed, &i, &slot);)
		memory_free(slot->value);
	map_done(&n->followed);
	pg_conn_close(&n->members);
	pg_conn_close(&n->claims);
	mailbox_done(&n->to_claims);
	if (n->members_wake >= 0)
		close(n->members_wake);
	if (n->claims_wake >= 0)
		close(n->claims_wake);
}
