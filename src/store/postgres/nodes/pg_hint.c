/*
 * Hints: a node that has committed events says so by NOTIFY, and the others ask at once instead
 * of at their next turn.  A hint may be missing, doubled or late; what is asked is the truth, and
 * it is asked without hints too.
 *
 * The writer's thread only notes that there is something to say.  The thread of claims says it, on
 * its connection, outside of any append, and only while other nodes live.
 */
#include "store/postgres/pg_store.h"

#include "base/os/clock.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Between two hints. */
#define HINT_MS 10
/* The text of a hint whose sender waits until the others have looked. */
#define URGENT "now"

void pg_hint_committed(struct pg_store *s)
{
	uint64_t one = 1;

	if (atomic_load(&s->nodes.others) && !atomic_exchange(&s->nodes.has_news, true))
		(void)!write(s->nodes.claims_wake, &one, sizeof one);
}

void pg_hint_urgently(struct pg_store *s)
{
	atomic_store(&s->nodes.is_urgent, true);
	pg_hint_committed(s);
}

enum err pg_hint_listen(struct pg_store *s, struct error *e)
{
	char sql[96];

	if (s->nodes.has_no_hints)
		return OK;
	snprintf(sql, sizeof sql, "LISTEN \"thole_%s\"", s->connect.schema);
	return pg_conn_run(&s->nodes.claims, sql, e);
}

enum err pg_hint_send(struct pg_store *s, struct pg_follow *f, struct error *e)
{
	static const struct pg_sql q = { "notify",
		                         "SELECT pg_notify('thole_' || $1::text, $2::text)" };
	struct pg_args args = { 0 };

	if (clock_mono_ms() < f->hinted_at_ms + HINT_MS ||
	    !atomic_exchange(&s->nodes.has_news, false))
		return OK;
	f->hinted_at_ms = clock_mono_ms();
	pg_args_str(&args, str_from(s->connect.schema));
	pg_args_str(&args, atomic_exchange(&s->nodes.is_urgent, false) ? STR(URGENT) : STR(""));
	return pg_conn_tell(&s->nodes.claims, &q, &args, e);
}

int pg_hint_wait(struct pg_store *s, const struct pg_follow *f)
{
	return atomic_load(&s->nodes.has_news)
	               ? (int)MAX(0, f->hinted_at_ms + HINT_MS - clock_mono_ms())
	               : INT_MAX;
}

void pg_hint_take(struct pg_store *s, struct pg_follow *f)
{
	struct pg_conn *c = &s->nodes.claims;
	struct pg_lib_notify *n;

	if (c->is_lost || !c->pg)
		return;
	if (!c->lib->PQconsumeInput(c->pg)) {
		c->is_lost = true;
		return;
	}
	while ((n = c->lib->PQnotifies(c->pg))) {
		bool is_foreign = n->pid != c->backend.pid;

		f->is_hinted |= is_foreign;
		f->is_urgent |= is_foreign && strcmp(n->payload, URGENT) == 0;
		c->lib->PQfreemem(n);
	}
}
