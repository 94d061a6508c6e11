/* Slow readers, and channels. */
#include "crash_run_int.h"

#include "engine/engine_state.h"

#include <stdio.h>

static bool reader_event(void *owner, const struct control_event *ev)
{
	struct crash_run_reader *r = owner;
	struct crash_run *t = r->crash_run;

	if (sim_is_dead(t->sim))
		return true;
	if (r->is_full)
		crash_run_fail(t, "a reader that is full was given %.*s %llu", STR_ARG(ev->session),
		               (unsigned long long)ev->seq);
	if (!str_eq(ev->session, r->seen->id) || ev->seq != r->next)
		crash_run_fail(t, "a reader of %.*s wanted %llu and got %.*s %llu",
		               STR_ARG(r->seen->id), (unsigned long long)r->next,
		               STR_ARG(ev->session), (unsigned long long)ev->seq);
	r->next = ev->seq + 1;
	seen_event(t, ev->session, ev->seq, bytes_str(ev->body));
	r->is_full = rng_percent(&t->rng, 10);
	return !r->is_full;
}

static void reader_gap(void *owner, uint64_t gap_from, uint64_t gap_to, struct str mode,
                       struct str snapshot)
{
	struct crash_run_reader *r = owner;

	if (sim_is_dead(r->crash_run->sim))
		return;
	/* One gap, from what it has to a floor that an event named. */
	if (gap_from + 1 != r->next || gap_to <= gap_from || gap_to > r->seen->floor)
		crash_run_fail(r->crash_run, "a reader of %.*s before %llu got a gap, %llu to %llu",
		               STR_ARG(r->seen->id), (unsigned long long)r->next,
		               (unsigned long long)gap_from, (unsigned long long)gap_to);
	r->next = gap_to + 1;
}

static void reader_end(void *owner, enum stream_end why)
{
	((struct crash_run_reader *)owner)->sub = NULL;
}

static const struct control_sink reader_sink = { .event = reader_event,
	                                         .gap = reader_gap,
	                                         .end = reader_end };

void crash_run_read(struct crash_run *t, struct seen *s, uint64_t after)
{
	struct crash_run_reader *r = &t->readers[rng_below(&t->rng, CRASH_RUN_READERS)];
	struct control *c;

	if (!crash_run_lives(t))
		return;
	c = engine_control(sim_engine(t->sim));
	if (r->sub)
		c->ops->unsubscribe(c, r->sub);
	*r = (struct crash_run_reader){ .crash_run = t, .seen = s, .next = after + 1 };
	r->sub = c->ops->subscribe(c, &(struct control_stream){ .session = s->id,
	                                                        .after = after,
	                                                        .follow = true,
	                                                        .sink = &reader_sink,
	                                                        .owner = r });
}

void crash_run_resume_readers(struct crash_run *t)
{
	for (size_t i = 0; i < CRASH_RUN_READERS && crash_run_lives(t); i++) {
		struct crash_run_reader *r = &t->readers[i];
		struct control *c = engine_control(sim_engine(t->sim));

		if (!r->sub || !r->is_full)
			continue;
		r->is_full = false;
		c->ops->resume(c, r->sub);
	}
}

static bool any_is_full(const struct crash_run *t)
{
	for (size_t i = 0; i < CRASH_RUN_READERS; i++)
		if (t->readers[i].sub && t->readers[i].is_full)
			return true;
	return false;
}

void readers_check(struct crash_run *t)
{
	for (int i = 0; i < 2000 && crash_run_lives(t) && any_is_full(t); i++) {
		crash_run_resume_readers(t);
		crash_run_settle(t);
	}
	for (size_t i = 0; i < CRASH_RUN_READERS && crash_run_lives(t); i++)
		if (t->readers[i].sub && !t->readers[i].is_full &&
		    t->readers[i].next != invariant_count(t->readers[i].seen->log) + 1)
			crash_run_fail(t, "a reader of %.*s has only what is before %llu of %zu",
			               STR_ARG(t->readers[i].seen->id),
			               (unsigned long long)t->readers[i].next,
			               invariant_count(t->readers[i].seen->log));
}

void readers_drop(struct crash_run *t)
{
	for (size_t i = 0; i < CRASH_RUN_READERS && t->sim; i++) {
		struct control *c = engine_control(sim_engine(t->sim));

		if (t->readers[i].sub)
			c->ops->unsubscribe(c, t->readers[i].sub);
	}
}

/* ---- channels ---- */

void crash_run_channel(struct crash_run *t, unsigned n, bool connects, bool speaks)
{
	static const struct str capabilities[] = { STR("events"), STR("permissions") };
	struct crash_run_channel *ch = &t->channels[n % CRASH_RUN_CHANNELS];
	struct control *c;

	if (!crash_run_lives(t))
		return;
	c = engine_control(sim_engine(t->sim));
	if (connects && !ch->face) {
		ch->face = c->ops->enrol(
			c, &(struct control_enrol){ .caller = { .principal = STR("owner"),
		                                                .via = STR("sim"),
		                                                .scopes = SCOPES_ALL },
		                                    .transport = TRANSPORT_WEBSOCKET,
		                                    .role = PEER_ROLE_CLIENT,
		                                    .capabilities = capabilities,
		                                    .capability_count = 2,
		                                    .native_protocol = STR("sim"),
		                                    .channel_id = ch->id,
		                                    .resume_token = ch->token });
		if (!ch->face)
			crash_run_fail(t, "channel %.*s cannot be enrolled again", STR_ARG(ch->id));
		else if (!str_is(ch->id))
			ch->id = arena_keep(t->mem, ch->face->id);
		if (ch->face)
			ch->token = arena_keep(t->mem, ch->face->resume_token);
	} else if (!connects && ch->face) {
		c->ops->leave(c, ch->face, DISCONNECT_CAUSE_CLOSED);
		ch->face = NULL;
	}
	if (t->o.is_loud)
		fprintf(stderr, "- channel %.*s %s\n", STR_ARG(ch->id),
		        ch->face ? "is there" : "is gone");
	sim_speak_as(t->sim, speaks && ch->face ? ch->id : STR_NONE);
}
