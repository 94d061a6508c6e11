/*
 * Decides a recorded group again.
 *
 * This follows engine/session/apply.c: the decision, what is delivered because of
 * it, the envelope, the fold, and steps until none follows.  While all events are
 * equal, folding the recorded ones is folding the new ones.
 */
#include "core/journal/journal_replay.h"

#include "base/jw.h"
#include "core/gen/inputs.h"
#include "core/notify/delivery.h"
#include "core/session/trace.h"
#include "core/tool/call_input.h"

struct str journal_replay_word(enum replay_verdict v)
{
	static const char *const words[REPLAY_VERDICTS] = {
		"same",   "differs", "version_differs", "not_recorded",
		"erased", "expired", "damaged",
	};

	return str_from(words[v]);
}

void journal_replay_init(struct journal_replay *r, struct state *w, replay_settings *settings,
                         struct str (*blob)(void *owner, struct arena *mem, struct str ref),
                         void *owner)
{
	*r = (struct journal_replay){ .w = w, .settings = settings, .owner = owner };
	r->reader.blob = blob;
	r->reader.owner = owner;
}

void journal_replay_done(struct journal_replay *r)
{
	journal_read_done(&r->reader);
	lease_done(&r->leases);
	state_free(r->w);
	r->w = NULL;
}

/* ---- one group ---- */

struct replay {
	struct journal_replay *of;
	struct arena *mem;
	const struct replay_group *group;
	struct event **recorded;
	struct journal_record record;
	struct call_input *inputs;
	size_t done;        /* events that were equal and are folded */
	struct str refused; /* why the command is refused now; absent: it is not */
	struct buf line;
	struct replay_result *ret;
};

static struct event *read_event(struct arena *mem, struct str body)
{
	struct event *ev = ARENA_NEW(mem, struct event);
	struct json doc;

	if (json_read_trusted(mem, body, &doc, NULL) != OK ||
	    rec_read(mem, doc, &event_desc, REC_OLDER, ev, NULL) != OK)
		return NULL;
	return ev;
}

static bool read_events(struct replay *p)
{
	p->recorded = ARENA_ARRAY(p->mem, struct event *, p->group->event_count + 1);
	for (size_t i = 0; i < p->group->event_count; i++)
		if (!(p->recorded[i] = read_event(p->mem, p->group->events[i])))
			return false;
	return p->group->event_count > 0;
}

/* Folds a copy: the state keeps parts of what it is given. */
static void fold_next(struct replay *p)
{
	const struct event *ev = p->recorded[p->done++];

	lease_on_event(&p->of->leases, p->of->w, ev);
	state_fold(p->of->w, rec_clone(p->mem, &event_desc, ev));
}

/* ---- words ---- */

static struct str first_rule(const struct rec_permission_decision *v)
{
	return v->rule_refs.count ? v->rule_refs.items[0] : STR_NONE;
}

/* "allow by rule user:3", "ask by mode"; otherwise the class and its status. */
static struct str words_of(struct arena *mem, const struct event *ev)
{
	const struct rec_permission_decision *v = ev ? ev->permission_decision : NULL;
	struct str word, rule;

	if (!ev)
		return STR("nothing");
	if (v && v->decision) {
		word = approval_decision_word(v->decision);
		rule = first_rule(v);
		if (str_is(rule))
			return arena_printf(mem, "%.*s by rule %.*s", STR_ARG(word), STR_ARG(rule));
		return arena_printf(mem, "%.*s by %.*s", STR_ARG(word),
		                    STR_ARG(decision_source_word(v->decision_source)));
	}
	word = event_type_word(ev->type);
	if (ev->type == EV_ROUTING_DECIDED) {
		const struct ev_routing_decided *route = ev->payload;

		return arena_printf(mem, "%.*s %.*s/%.*s", STR_ARG(word),
		                    STR_ARG(route->selected_provider),
		                    STR_ARG(route->selected_model));
	}
	rule = ev->status ? status_word(ev->status) : STR_NONE;
	return str_is(rule) ? arena_printf(mem, "%.*s (%.*s)", STR_ARG(word), STR_ARG(rule)) : word;
}

static struct str difference(struct replay *p, uint64_t seq, const struct event *was,
                             const struct event *is)
{
	struct str a = words_of(p->mem, was), b = words_of(p->mem, is), field = STR_NONE;

	if (!is && str_is(p->refused))
		b = arena_printf(p->mem, "refused (%.*s)", STR_ARG(p->refused));
	if (!str_eq(a, b))
		return arena_printf(p->mem, "at %llu: recorded %.*s, now %.*s",
		                    (unsigned long long)seq, STR_ARG(a), STR_ARG(b));
	(void)!rec_same(&event_desc, was, is, &field);
	return arena_printf(p->mem, "at %llu: %.*s has another %.*s", (unsigned long long)seq,
	                    STR_ARG(a), STR_ARG(field));
}

static void set_verdict(struct replay *p, enum replay_verdict v, struct str words)
{
	p->ret->verdict = v;
	p->ret->seq = p->group->first_seq + p->done;
	p->ret->words = words;
}

static bool differ(struct replay *p, const struct event *is, struct str line)
{
	size_t i = p->done;
	const struct event *was = i < p->group->event_count ? p->recorded[i] : NULL;
	bool same_version = p->of->reader.decide_version == DECIDE_VERSION;

	set_verdict(p,
	            p->of->has_erased && !p->of->is_what_if ? REPLAY_ERASED
	            : same_version                          ? REPLAY_DIFFERS
	                                                    : REPLAY_VERSION_DIFFERS,
	            difference(p, p->group->first_seq + i, was, is));
	if (was)
		p->ret->was = p->group->events[i];
	if (is)
		p->ret->is = arena_keep(p->mem, line);
	return false;
}

/* ---- deciding ---- */

static int64_t no_account(void *owner, struct str account)
{
	return 0;
}

static enum ledger_room no_room(void *owner, const struct ledger_question *q)
{
	return LEDGER_HAS_ROOM;
}

static struct ledger_view *ledger_of(struct replay *p, const struct journal_moment *m)
{
	struct ledger_view *l;

	if (!m->has_ledger)
		return NULL;
	l = ARENA_NEW(p->mem, struct ledger_view);
	l->day = (struct ledger_view_account){ ledger_view_day(p->mem, m->now), m->day_spent,
		                               m->day_reserved };
	l->tenant = (struct ledger_view_account){ ledger_view_tenant(p->mem,
		                                                     ledger_view_payer(p->of->w)),
		                                  m->tenant_spent, m->tenant_reserved };
	l->may_leave = true; /* the record says so */
	l->requests = m->requests;
	l->tasks = m->tasks;
	l->tenant_tasks = m->tenant_tasks;
	l->others_first = m->others_first;
	l->spent = no_account;
	l->room = no_room;
	return l;
}

static struct decision *decision_at(struct replay *p, size_t n)
{
	const struct journal_read_moment *m = &p->record.moments[n];
	struct decision *d = ARENA_NEW(p->mem, struct decision);
	struct ledger_view *l = ledger_of(p, &m->at);
	struct settings *s = p->of->settings(p->of->owner, p->mem, &m->refs, p->of->w);

	if (!s)
		return NULL;
	s->session = p->of->w;
	p->record.asks.step = (int)n;
	asks_wrap(&p->record.asks, s, l);
	d->mem = p->mem;
	d->w = p->of->w;
	d->settings = s;
	d->leases = &p->of->leases;
	d->ledger_view = l;
	d->context = p->record.context;
	d->inputs = p->inputs;
	d->lent = m->refs.lent;
	d->lent_count = m->refs.lent_count;
	d->session_id = p->recorded[0]->session_id;
	d->now = m->at.now;
	d->wall = m->at.now + m->at.ahead;
	d->clock_offset = p->record.clock_offset;
	d->ids = ARENA_NEW(p->mem, struct id_source);
	journal_ids(&p->of->reader.session, p->record.first + n,
	            MAX(d->now, p->of->w->s->updated_at), d->ids);
	return d;
}

/* Arguments that the group itself stored are known to its later decisions. */
static void keep_input(struct replay *p, const struct decision *d, const struct event *ev)
{
	struct str ref = call_input_ref(ev);

	for (size_t i = 0; str_is(ref) && i < d->blob_count; i++)
		if (str_eq(d->blobs[i].ref, ref) && str_is(d->blobs[i].data)) {
			struct call_input *in = ARENA_NEW(p->mem, struct call_input);

			*in = (struct call_input){ p->inputs, ref, d->blobs[i].data };
			p->inputs = in;
			return;
		}
}

static bool says_same(struct replay *p, const struct event *ev)
{
	const struct event *was = p->recorded[p->done];

	return p->of->is_what_if && was->type == ev->type &&
	       str_eq(words_of(p->mem, was), words_of(p->mem, ev));
}

/* As fill_envelope() of the engine. */
static bool compare_event(struct replay *p, struct decision *d, struct event *ev)
{
	struct json_writer w;

	ev->event_id = decision_new_id(d, "evt");
	ev->sequence = (int64_t)(p->group->first_seq + p->done);
	ev->timestamp = MAX(d->now, p->of->w->s->updated_at);
	ev->schema_version = SCHEMA_VERSION;
	ev->runtime_id = p->recorded[0]->runtime_id;
	ev->session_id = p->recorded[0]->session_id;
	decision_name_span(d->mem, ev);
	trace_mark(d, ev);
	buf_clear(&p->line);
	jw_init(&w, &p->line);
	rec_write(&w, &event_desc, ev);
	if (p->done == p->group->event_count ||
	    (!str_eq(buf_str(&p->line), p->group->events[p->done]) && !says_same(p, ev)))
		return differ(p, ev, buf_str(&p->line));
	keep_input(p, d, ev);
	fold_next(p);
	return true;
}

/* False: a difference was found. */
static bool compare(struct replay *p, struct decision *d)
{
	if (d->refusal) {
		d->count = 0;
		p->refused = d->detail;
	}
	delivery_follow(d);
	for (size_t i = 0; i < d->count; i++)
		if (!compare_event(p, d, d->events[i]))
			return false;
	return true;
}

static bool lacks_settings(struct replay *p)
{
	set_verdict(p, REPLAY_EXPIRED,
	            arena_printf(p->mem, "at %llu: the settings are gone",
	                         (unsigned long long)(p->group->first_seq + p->done)));
	return false;
}

static bool decide_first(struct replay *p)
{
	struct decision *d = decision_at(p, 0);
	const struct journal_record *r = &p->record;

	if (!d)
		return lacks_settings(p);
	d->call = r->has_call ? &r->call : NULL;
	d->recalled = r->recalled;
	d->recalled_count = r->recalled_count;
	d->point = r->point;
	d->item = r->item;
	d->item_count = r->item_count;
	d->foreign = r->foreign;
	for (size_t i = 0; i < r->call_count; i++)
		if (r->calls[i].input == INPUT_COMMAND)
			decide_command(d, r->call.command, r->calls[i].args);
		else
			input_decide(d, (enum input)r->calls[i].input, r->calls[i].args);
	return compare(p, d);
}

static bool decide_steps(struct replay *p)
{
	for (size_t n = 1; n < p->record.moment_count; n++) {
		struct decision *d = decision_at(p, n);

		if (!d)
			return lacks_settings(p);
		d->step = (int)n - 1;
		step_next(d);
		if (!compare(p, d))
			return false;
	}
	return p->done == p->group->event_count || differ(p, NULL, STR_NONE);
}

/* ---- the record ---- */

static bool read_inputs(struct replay *p)
{
	const struct journal_reader *r = &p->of->reader;

	for (struct call_input *i = p->record.inputs; i; i = i->next) {
		if (!str_is(i->text))
			continue;
		i->text = r->blob ? r->blob(r->owner, p->mem, i->ref) : STR_NONE;
		if (!str_is(i->text))
			return false;
	}
	p->inputs = p->record.inputs;
	return true;
}

static void take_leases(struct replay *p)
{
	bool is_time = p->record.calls[0].input == INPUT_STEP_TIME;

	if (is_time)
		p->of->leases.count = 0;
	for (size_t i = 0; i < p->record.lease_count; i++)
		lease_set(&p->of->leases, str_from(p->record.leases[i].run_id),
		          p->record.leases[i].until);
}

static bool refuse(struct replay *p, enum replay_verdict v, const char *why)
{
	set_verdict(
		p, v,
		arena_printf(p->mem, "at %llu: %s", (unsigned long long)p->group->first_seq, why));
	return false;
}

static bool read_record(struct replay *p)
{
	struct journal_reader *r = &p->of->reader;
	const struct replay_group *g = p->group;

	if (str_is(g->key) && journal_read_key(r, g->key) != JOURNAL_READ)
		/* A record refers to texts of its events, which an erased or redacted one has no more. */
		return p->group->has_erased ? refuse(p, REPLAY_ERASED,
		                                     "an event that it refers to has another text")
		                            : refuse(p, REPLAY_DAMAGED, "the record is damaged");
	if (!g->has_record)
		return refuse(p, REPLAY_NOT_RECORDED, "there is no record");
	if (!str_is(g->body)) { /* and maybe its key */
		r->has_key = false;
		return refuse(p, REPLAY_DAMAGED, "the record is damaged");
	}
	if (!g->body.len)
		return refuse(p, REPLAY_ERASED, "the record is erased");
	switch (journal_read_body(r, p->mem, g->body, g->events, g->event_count,
	                          p->recorded[0]->timestamp, &p->record)) {
	case JOURNAL_READ:
		take_leases(p);
		return read_inputs(p) ||
		       refuse(p, REPLAY_EXPIRED, "the arguments of a call are gone");
	case JOURNAL_GONE:
		return refuse(p, REPLAY_EXPIRED, "a text that it was given is gone");
	case JOURNAL_KEYLESS:
		return refuse(p, REPLAY_NOT_RECORDED, "an earlier record is missing");
	case JOURNAL_FOREIGN:
		return refuse(p, REPLAY_VERSION_DIFFERS,
		              "the record has the form of another version");
	case JOURNAL_DAMAGED:
		break;
	}
	return refuse(p, REPLAY_DAMAGED, "the record is damaged");
}

/* Are the settings of all its decisions known?  Asked before anything is folded. */
static bool has_settings(struct replay *p)
{
	const struct journal_record *r = &p->record;

	for (size_t i = 0; i < r->moment_count; i++) {
		const struct journal_refs *refs = &r->moments[i].refs;

		if (i && refs->config_ref.ptr == r->moments[i - 1].refs.config_ref.ptr)
			continue;
		if (!p->of->settings(p->of->owner, p->mem, refs, p->of->w))
			return lacks_settings(p);
	}
	return true;
}

/* A question without an answer explains a difference better than the event does. */
static void explain(struct replay *p)
{
	const struct asks *a = &p->record.asks;

	if (a->missing && p->ret->verdict != REPLAY_SAME)
		p->ret->words =
			arena_printf(p->mem, "%.*s; it asked for %s, which it did not before",
		                     STR_ARG(p->ret->words), a->missing);
}

bool journal_replay_group(struct journal_replay *r, struct arena *mem, const struct replay_group *g,
                          struct replay_result *ret)
{
	struct replay p = { .of = r, .mem = mem, .group = g, .ret = ret };

	*ret = (struct replay_result){ .verdict = REPLAY_SAME };
	if (!read_events(&p))
		return false;
	r->has_erased |= g->has_erased;
	r->wants = STR_NONE;
	if (read_record(&p) && has_settings(&p)) {
		if (decide_first(&p))
			(void)!decide_steps(&p);
		explain(&p);
	}
	buf_done(&p.line);
	if (str_is(r->wants)) {
		ret->is_waiting = true;
		return true;
	}
	while (p.done < g->event_count)
		fold_next(&p);
	r->counts[ret->verdict]++;
	return true;
}
