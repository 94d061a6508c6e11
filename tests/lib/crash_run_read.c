/* Readers that do not keep up, and channels. */
#include "trial_int.h"

#include "engine/internal.h"

#include <stdio.h>

static bool reader_event(void *owner, const struct control_event *ev)
{
	struct trial_reader *r = owner;
	struct trial *t = r->trial;

	if (sim_is_dead(t->sim))
		return true;
	if (r->is_full)
		trial_fail(t, "a reader that is full was given %.*s %llu", STR_ARG(ev->session),
		           (unsigned long long)ev->seq);
	if (!str_eq(ev->session, r->seen->id) || ev->seq != r->next)
		trial_fail(t, "a reader of %.*s wanted %llu and got %.*s %llu",
		           STR_ARG(r->seen->id), (unsigned long long)r->next, STR_ARG(ev->session),
		           (unsigned long long)ev->seq);
	r->next = ev->seq + 1;
	seen_event(t, ev->session, ev->seq, bytes_str(ev->body));
	r->is_full = rng_percent(&t->rng, 10);
	return !r->is_full;
}

static void reader_gap(void *owner, uint64_t gap_from, uint64_t gap_to, struct str mode,
                       struct str snapshot)
{
	struct trial_reader *r = owner;

	if (sim_is_dead(r->trial->sim))
		return;
	/* One gap, from what it has to a floor that a fact named. */
	if (gap_from + 1 != r->next || gap_to <= gap_from || gap_to > r->seen->floor)
		trial_fail(r->trial, "a reader of %.*s before %llu was told of a gap, %llu to %llu",
		           STR_ARG(r->seen->id), (unsigned long long)r->next,
		           (unsigned long long)gap_from, (unsigned long long)gap_to);
	r->next = gap_to + 1;
}

static void reader_end(void *owner, enum stream_end why)
{
	((struct trial_reader *)owner)->sub = NULL;
}

static const struct control_sink reader_sink = { .event = reader_event,
	                                         .gap = reader_gap,
	                                         .end = reader_end };

void trial_read(struct trial *t, struct seen *s, uint64_t after)
{
	struct trial_reader *r = &t->readers[rng_below(&t->rng, TRIAL_READERS)];
	struct control *c;

	if (!trial_lives(t))
		return;
	c = engine_control(sim_engine(t->sim));
	if (r->sub)
		c->ops->unsubscribe(c, r->sub);
	*r = (struct trial_reader){ .trial = t, .seen = s, .next = after + 1 };
	r->sub = c->ops->subscribe(c, &(struct control_stream){ .session = s->id,
	                                                        .after = after,
	                                                        .follow = true,
	                                                        .sink = &reader_sink,
	                                                        .owner = r });
}

void trial_resume_readers(struct trial *t)
{
	for (size_t i = 0; i < TRIAL_READERS && trial_lives(t); i++) {
		struct trial_reader *r = &t->readers[i];
		struct control *c = engine_control(sim_engine(t->sim));

		if (!r->sub || !r->is_full)
			continue;
		r->is_full = false;
		c->ops->resume(c, r->sub);
	}
}

static bool any_is_full(const struct trial *t)
{
	for (size_t i = 0; i < TRIAL_READERS; i++)
		if (t->readers[i].sub && t->readers[i].is_full)
			return true;
	return false;
}

void readers_check(struct trial *t)
{
	for (int i = 0; i < 2000 && trial_lives(t) && any_is_full(t); i++) {
		trial_resume_readers(t);
		trial_settle(t);
	}
	for (size_t i = 0; i < TRIAL_READERS && trial_lives(t); i++)
		if (t->readers[i].sub && !t->readers[i].is_full &&
		    t->readers[i].next != law_count(t->readers[i].seen->log) + 1)
			trial_fail(t, "a reader of %.*s has only what is before %llu of %zu",
			           STR_ARG(t->readers[i].seen->id),
			           (unsigned long long)t->readers[i].next,
			           law_count(t->readers[i].seen->log));
}

void readers_drop(struct trial *t)
{
	for (size_t i = 0; i < TRIAL_READERS && t->sim; i++) {
		struct control *c = engine_control(sim_engine(t->sim));

		if (t->readers[i].sub)
			c->ops->unsubscribe(c, t->readers[i].sub);
	}
}

/* ---- channels ---- */

void trial_channel(struct trial *t, unsigned n, bool connects, bool speaks)
{
	static const struct str capabilities[] = { STR("events"), STR("permissions") };
	struct trial_channel *ch = &t->channels[n % TRIAL_CHANNELS];
	struct control *c;

	if (!trial_lives(t))
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
			trial_fail(t, "channel %.*s cannot be enrolled again", STR_ARG(ch->id));
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
