/*
 * Collects one group while it is decided.
 */
#include "core/journal/journal.h"

#include "core/context/history_walk.h"
#include "core/decide.h"
#include "core/gen/input_tables.h"
#include "core/journal/journal_part.h"
#include "core/session/session.h"
#include "core/tool/call_input.h"

void journal_done(struct journal *j)
{
	rec_pack_done(&j->key);
	rec_pack_done(&j->given);
	rec_pack_done(&j->inputs);
	rec_pack_done(&j->moments);
	rec_pack_done(&j->notes);
}

void journal_ids(const struct journal_session *s, uint64_t number, int64_t wall_ms,
                 struct id_source *ret)
{
	struct id_source own;

	id_source_init(&own, (int64_t)number, s->seed);
	own.counter = number << 32;
	*ret = (struct id_source){ .wall_ms = wall_ms,
		                   .seed = { id_random(&own), id_random(&own) } };
}

void journal_begin(struct journal *j, struct journal_session *s, struct arena *mem)
{
	rec_pack_clear(&j->key);
	rec_pack_clear(&j->given);
	rec_pack_clear(&j->inputs);
	rec_pack_clear(&j->moments);
	rec_pack_clear(&j->notes);
	j->session = s;
	j->d = NULL;
	j->input_count = j->moment_count = 0;
	j->has_given = j->has_key = false;
	j->asks = (struct asks){ .mem = mem, .out = &j->notes };
	j->at = s->base;
	j->first = s->decisions;
}

/* ---- moments ---- */

static void add_hash(uint64_t *h, struct str s)
{
	*h = (*h ^ (str_is(s) ? str_hash(s) : 1)) * 0x9e3779b97f4a7c15u;
}

static uint64_t settings_hash(const struct decision *d)
{
	uint64_t h = d->lent_count + 1;

	add_hash(&h, d->settings->config_ref);
	add_hash(&h, d->settings->inventory_ref);
	add_hash(&h, d->settings->rules_ref);
	add_hash(&h, d->settings->rules_trouble);
	for (size_t i = 0; i < d->lent_count; i++)
		add_hash(&h, d->lent[i]);
	return h;
}

static struct journal_moment moment_of(const struct decision *d)
{
	const struct ledger_view *l = d->ledger_view;
	struct journal_moment m = { .now = d->now,
		                    .ahead = d->wall - d->now,
		                    .settings = settings_hash(d) };

	if (!l)
		return m;
	m.has_ledger = true;
	m.day_spent = l->day.spent;
	m.day_reserved = l->day.reserved;
	m.tenant_spent = l->tenant.spent;
	m.tenant_reserved = l->tenant.reserved;
	m.requests = l->requests;
	m.tasks = l->tasks;
	m.tenant_tasks = l->tenant_tasks;
	m.others_first = l->others_first;
	return m;
}

static void pack_settings(struct rec_packer *p, const struct decision *d)
{
	rec_pack_str(p, d->settings->config_ref);
	rec_pack_str(p, d->settings->inventory_ref);
	rec_pack_str(p, d->settings->rules_ref);
	rec_pack_str(p, d->settings->rules_trouble);
	rec_pack_uint(p, d->lent_count);
	for (size_t i = 0; i < d->lent_count; i++)
		rec_pack_str(p, d->lent[i]);
}

static void pack_money(struct rec_packer *p, const struct journal_moment *m,
                       const struct journal_moment *from)
{
	rec_pack_int(p, m->day_spent - from->day_spent);
	rec_pack_int(p, m->day_reserved - from->day_reserved);
	rec_pack_int(p, m->tenant_spent - from->tenant_spent);
	rec_pack_int(p, m->tenant_reserved - from->tenant_reserved);
	rec_pack_int(p, m->requests - from->requests);
}

static bool is_same_money(const struct journal_moment *a, const struct journal_moment *b)
{
	return a->day_spent == b->day_spent && a->day_reserved == b->day_reserved &&
	       a->tenant_spent == b->tenant_spent && a->tenant_reserved == b->tenant_reserved &&
	       a->requests == b->requests && a->has_ledger == b->has_ledger;
}

static bool is_same_tasks(const struct journal_moment *a, const struct journal_moment *b)
{
	return a->tasks == b->tasks && a->tenant_tasks == b->tenant_tasks &&
	       a->others_first == b->others_first;
}

static void pack_key(struct journal *j, const struct decision *d, const struct journal_moment *m)
{
	static const struct journal_moment none;
	uint32_t layout = INPUTS_LAYOUT;

	rec_pack_uint(&j->key, JOURNAL_FORMAT);
	rec_pack_uint(&j->key, DECIDE_VERSION);
	buf_add(&j->key.out, &layout, sizeof layout);
	buf_add(&j->key.out, j->session->seed, sizeof j->session->seed);
	pack_settings(&j->key, d);
	rec_pack_uint(&j->key, m->has_ledger);
	pack_money(&j->key, m, &none);
	rec_pack_int(&j->key, m->tasks);
	rec_pack_int(&j->key, m->tenant_tasks);
	rec_pack_uint(&j->key, m->others_first);
	j->has_key = true;
}

static void pack_moment(struct journal *j, const struct decision *d, const struct journal_moment *m,
                        const struct journal_moment *from)
{
	struct rec_packer *p = &j->moments;
	unsigned flags = (m->now != from->now ? MOMENT_NOW : 0) |
	                 (m->ahead != from->ahead ? MOMENT_WALL : 0) |
	                 (!is_same_money(m, from) ? MOMENT_MONEY : 0) |
	                 (!is_same_tasks(m, from) ? MOMENT_TASKS : 0) |
	                 (m->settings != from->settings ? MOMENT_SETTINGS : 0);

	rec_pack_uint(p, flags);
	if (flags & MOMENT_NOW)
		rec_pack_int(p, m->now - from->now);
	if (flags & MOMENT_WALL)
		rec_pack_int(p, m->ahead);
	if (flags & MOMENT_MONEY) {
		rec_pack_uint(p, m->has_ledger);
		pack_money(p, m, from);
	}
	if (flags & MOMENT_TASKS) {
		rec_pack_int(p, m->tasks);
		rec_pack_int(p, m->tenant_tasks);
		rec_pack_uint(p, m->others_first);
	}
	if (flags & MOMENT_SETTINGS)
		pack_settings(p, d);
}

/*
 * The first moment counts from the time of the first event, which is the later one of `now` and the
 * last event's.
 */
void journal_moment(struct journal *j, struct decision *d)
{
	struct journal_moment m = moment_of(d);

	if (!j->moment_count) {
		if (!j->session->since_key || m.settings != j->at.settings) {
			pack_key(j, d, &m);
			j->at = m;
			j->at.ahead = 0;
			j->base = j->at;
		}
		j->at.now = MAX(d->now, d->w->s->updated_at);
	}
	pack_moment(j, d, &m, &j->at);
	j->at = m;
	j->d = d;
	j->asks.step = (int)j->moment_count++;
	j->session->decisions++;
	d->journal = j;
	/* Both were made for this decision. */
	asks_wrap(&j->asks, (struct settings *)d->settings, (struct ledger_view *)d->ledger_view);
}

/* ---- what the call was given ---- */

static void pack_trace(struct rec_packer *p, const struct trace_context *t)
{
	rec_pack_str(p, t->trace_id);
	rec_pack_str(p, t->parent_id);
	rec_pack_str(p, t->state);
	rec_pack_uint(p, t->is_sampled);
}

static void pack_call(struct rec_packer *p, const struct command_call *c)
{
	rec_pack_uint(p, c->command);
	rec_pack_str(p, c->caller.principal);
	rec_pack_str(p, c->caller.via);
	rec_pack_str(p, c->caller.channel_id);
	pack_trace(p, &c->caller.trace);
	rec_pack_uint(p, c->caller.scopes);
	rec_pack_str(p, c->request_id);
	rec_pack_str(p, c->key_hash);
	rec_pack_str(p, c->body_hash);
	rec_pack_uint(p, c->channel != NULL);
	if (c->channel)
		rec_pack(p, &rec_channel_desc, c->channel);
}

/* Their texts are blobs. */
static void pack_call_inputs(struct rec_packer *p, const struct call_input *all)
{
	for (const struct call_input *i = all; i; i = i->next) {
		rec_pack_str(p, i->ref);
		rec_pack_uint(p, str_is(i->text));
	}
	rec_pack_uint(p, 0);
}

static void pack_leases(struct rec_packer *p, const struct leases *l)
{
	rec_pack_uint(p, l->count);
	for (uint32_t i = 0; i < l->count; i++) {
		rec_pack_str(p, str_from(l->items[i].run_id));
		rec_pack_int(p, l->items[i].until);
	}
}

static unsigned given_flags(const struct decision *d, unsigned input)
{
	return (d->call ? GIVEN_CALL : 0) | (d->context ? GIVEN_CONTEXT : 0) |
	       (d->inputs ? GIVEN_INPUTS : 0) | (d->recalled_count ? GIVEN_RECALLED : 0) |
	       (d->point ? GIVEN_POINT : 0) | (d->item ? GIVEN_ITEM : 0) |
	       (str_is(d->foreign) ? GIVEN_FOREIGN : 0) | (d->item_count ? GIVEN_COUNT : 0) |
	       (input == INPUT_STEP_TIME && d->leases && d->leases->count ? GIVEN_LEASES : 0) |
	       (!session_exists(d->w) && d->clock_offset ? GIVEN_CLOCK : 0);
}

static void pack_given(struct rec_packer *p, const struct decision *d, unsigned input)
{
	unsigned flags = given_flags(d, input);

	rec_pack_uint(p, flags);
	if (flags & GIVEN_CALL)
		pack_call(p, d->call);
	if (flags & GIVEN_CONTEXT)
		rec_pack(p, &in_context_picture_desc, d->context);
	if (flags & GIVEN_INPUTS)
		pack_call_inputs(p, d->inputs);
	if (flags & GIVEN_RECALLED) {
		rec_pack_uint(p, d->recalled_count);
		for (size_t i = 0; i < d->recalled_count; i++)
			rec_pack(p, &st_task_desc, d->recalled[i]);
	}
	if (flags & GIVEN_POINT)
		rec_pack(p, &in_history_point_desc, d->point);
	if (flags & GIVEN_ITEM)
		rec_pack(p, &rec_job_item_desc, d->item);
	if (flags & GIVEN_FOREIGN)
		rec_pack_str(p, d->foreign);
	if (flags & GIVEN_COUNT)
		rec_pack_int(p, d->item_count);
	if (flags & GIVEN_LEASES)
		pack_leases(p, d->leases);
	if (flags & GIVEN_CLOCK)
		rec_pack_int(p, d->clock_offset);
}

static const struct rec_desc *desc_of(const struct decision *d, unsigned input)
{
	return input == INPUT_COMMAND ? command_classes[d->call->command].args
	                              : input_classes[input].args;
}

void journal_input(struct journal *j, unsigned input, const void *args)
{
	if (!j->has_given)
		pack_given(&j->given, j->d, input);
	j->has_given = true;
	rec_pack_uint(&j->inputs, input);
	rec_pack(&j->inputs, desc_of(j->d, input), args);
	j->input_count++;
}

bool journal_command(struct decision *d, unsigned command, const void *args)
{
	if (d->journal)
		journal_input(d->journal, INPUT_COMMAND, args);
	return decide_command(d, (enum command)command, args);
}
