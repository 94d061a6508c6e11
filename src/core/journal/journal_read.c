/*
 * Reads journal records: the mirror of journal.c and journal_write.c.
 */
#include "core/journal/journal_read.h"

#include "core/context/history_walk.h"
#include "core/gen/input_tables.h"
#include "core/journal/journal_part.h"
#include "core/tool/call_input.h"

/* One record while it is read. */
struct reading {
	struct rec_unpacker u; /* first member: refer() finds the rest */
	struct journal_reader *reader;
	const struct str *events;
	size_t event_count;
	bool is_gone;
};

void journal_read_done(struct journal_reader *r)
{
	arena_free(r->mem);
	r->mem = NULL;
	r->has_key = false;
}

/* ---- texts elsewhere ---- */

static bool take_part(struct str whole, uint64_t at, size_t len, struct str *ret)
{
	if (at > whole.len || len > whole.len - at)
		return false;
	*ret = str_of(whole.ptr + at, len);
	return true;
}

/* The text in an event is escaped as JSON has it. */
static bool unescape(struct arena *mem, struct str escaped, struct str *ret)
{
	struct json v;

	if (json_read_trusted(mem, arena_printf(mem, "\"%.*s\"", STR_ARG(escaped)), &v, NULL) != OK)
		return false;
	*ret = json_str(v);
	return str_is(*ret);
}

static bool refer_blob(struct reading *r, size_t len, struct str *ret)
{
	struct str ref = rec_unpack_str(&r->u), text = STR_NONE;
	uint64_t at = rec_unpack_uint(&r->u);

	if (r->u.is_broken)
		return false;
	if (r->reader->blob)
		text = r->reader->blob(r->reader->owner, r->u.mem, ref);
	if (str_is(text) && take_part(text, at, len, ret))
		return true;
	r->is_gone = true;
	return false;
}

static bool refer(struct rec_unpacker *u, size_t len, struct str *ret)
{
	struct reading *r = OWNER_OF(u, struct reading, u);
	uint64_t where = rec_unpack_uint(u), at;
	struct str part;

	if (where == PLACE_BLOB)
		return refer_blob(r, len, ret);
	where -= PLACE_EVENT;
	at = rec_unpack_uint(u);
	if (u->is_broken || where / 2 >= r->event_count ||
	    !take_part(r->events[where / 2], at, len, &part))
		return false;
	if (where % 2 == 0)
		return unescape(u->mem, part, ret);
	*ret = part;
	return true;
}

/* ---- key ---- */

static void read_refs(struct rec_unpacker *u, struct arena *mem, struct journal_refs *refs)
{
	struct str *lent;
	uint64_t count;

	refs->config_ref = arena_keep(mem, rec_unpack_str(u));
	refs->inventory_ref = arena_keep(mem, rec_unpack_str(u));
	refs->rules_ref = arena_keep(mem, rec_unpack_str(u));
	refs->rules_trouble = arena_keep(mem, rec_unpack_str(u));
	count = rec_unpack_uint(u);
	if (count > u->in.len) {
		u->is_broken = true;
		return;
	}
	lent = ARENA_ARRAY(mem, struct str, count + 1);
	for (uint64_t i = 0; i < count; i++)
		lent[i] = arena_keep(mem, rec_unpack_str(u));
	refs->lent = lent;
	refs->lent_count = count;
}

static void read_money(struct rec_unpacker *u, struct journal_moment *m)
{
	m->has_ledger = rec_unpack_uint(u);
	m->day_spent += rec_unpack_int(u);
	m->day_reserved += rec_unpack_int(u);
	m->tenant_spent += rec_unpack_int(u);
	m->tenant_reserved += rec_unpack_int(u);
	m->requests += rec_unpack_int(u);
}

static void read_tasks(struct rec_unpacker *u, struct journal_moment *m)
{
	m->tasks = rec_unpack_int(u);
	m->tenant_tasks = rec_unpack_int(u);
	m->others_first = rec_unpack_uint(u);
}

enum journal_result journal_read_key(struct journal_reader *r, struct str key)
{
	struct rec_unpacker u = { .in = key };
	const char *bytes;
	uint64_t format = rec_unpack_uint(&u);

	journal_read_done(r);
	r->mem = u.mem = arena_new_small();
	r->decide_version = rec_unpack_uint(&u);
	if ((bytes = rec_unpack_bytes(&u, sizeof r->layout)))
		memcpy(&r->layout, bytes, sizeof r->layout);
	if ((bytes = rec_unpack_bytes(&u, JOURNAL_SEED_BYTES)))
		memcpy(r->session.seed, bytes, JOURNAL_SEED_BYTES);
	read_refs(&u, r->mem, &r->refs);
	r->base = (struct journal_moment){ 0 };
	read_money(&u, &r->base);
	read_tasks(&u, &r->base);
	if (u.is_broken || u.at != u.in.len || format != JOURNAL_FORMAT)
		return JOURNAL_DAMAGED;
	r->has_key = true;
	return JOURNAL_READ;
}

/* ---- body ---- */

static void read_call(struct rec_unpacker *u, struct journal_record *ret)
{
	struct command_call *c = &ret->call;
	uint64_t command = rec_unpack_uint(u);

	ret->has_call = true;
	if (command == 0 || command >= COMMAND_COUNT) {
		u->is_broken = true;
		return;
	}
	c->command = (enum command)command;
	c->caller.principal = rec_unpack_str(u);
	c->caller.via = rec_unpack_str(u);
	c->caller.channel_id = rec_unpack_str(u);
	c->caller.trace = (struct trace_context){ .trace_id = rec_unpack_str(u) };
	c->caller.trace.parent_id = rec_unpack_str(u);
	c->caller.trace.state = rec_unpack_str(u);
	c->caller.trace.is_sampled = rec_unpack_uint(u);
	c->caller.scopes = (unsigned)rec_unpack_uint(u);
	c->request_id = rec_unpack_str(u);
	c->key_hash = rec_unpack_str(u);
	c->body_hash = rec_unpack_str(u);
	if (rec_unpack_uint(u)) {
		struct rec_channel *channel = ARENA_NEW(u->mem, struct rec_channel);

		rec_unpack(u, &rec_channel_desc, channel);
		c->channel = channel;
	}
}

/* The first of the list is the first that was packed. */
static void read_call_inputs(struct rec_unpacker *u, struct journal_record *ret)
{
	struct call_input **at = &ret->inputs;
	struct str ref;

	while (str_is(ref = rec_unpack_str(u))) {
		struct call_input *i = ARENA_NEW(u->mem, struct call_input);

		i->ref = ref;
		/* Empty and present: to be read. */
		i->text = rec_unpack_uint(u) ? STR("") : STR_NONE;
		*at = i;
		at = &i->next;
	}
}

static size_t read_count(struct rec_unpacker *u)
{
	uint64_t count = rec_unpack_uint(u);

	if (count <= u->in.len - u->at)
		return count;
	u->is_broken = true;
	return 0;
}

static void read_recalled(struct rec_unpacker *u, struct journal_record *ret)
{
	size_t count = read_count(u);

	ret->recalled = ARENA_ARRAY(u->mem, const struct st_task *, count + 1);
	for (; ret->recalled_count < count && !u->is_broken; ret->recalled_count++) {
		struct st_task *t = ARENA_NEW(u->mem, struct st_task);

		rec_unpack(u, &st_task_desc, t);
		ret->recalled[ret->recalled_count] = t;
	}
}

static void read_leases(struct rec_unpacker *u, struct journal_record *ret)
{
	size_t count = read_count(u);
	struct lease *leases = ARENA_ARRAY(u->mem, struct lease, count + 1);

	for (size_t i = 0; i < count; i++) {
		struct str id = rec_unpack_str(u);

		memcpy(leases[i].run_id, id.ptr ? id.ptr : "",
		       MIN(id.len, sizeof leases[i].run_id - 1));
		leases[i].until = rec_unpack_int(u);
	}
	ret->leases = leases;
	ret->lease_count = count;
}

static void *read_new(struct rec_unpacker *u, const struct rec_desc *d)
{
	void *rec = arena_alloc(u->mem, d->size);

	rec_unpack(u, d, rec);
	return rec;
}

static void read_given(struct rec_unpacker *u, struct journal_record *ret)
{
	uint64_t flags = rec_unpack_uint(u);

	if (flags & GIVEN_CALL)
		read_call(u, ret);
	if (flags & GIVEN_CONTEXT)
		ret->context = read_new(u, &in_context_picture_desc);
	if (flags & GIVEN_INPUTS)
		read_call_inputs(u, ret);
	if (flags & GIVEN_RECALLED)
		read_recalled(u, ret);
	if (flags & GIVEN_POINT)
		ret->point = read_new(u, &in_history_point_desc);
	if (flags & GIVEN_ITEM)
		ret->item = read_new(u, &rec_job_item_desc);
	if (flags & GIVEN_FOREIGN)
		ret->foreign = rec_unpack_str(u);
	if (flags & GIVEN_COUNT)
		ret->item_count = rec_unpack_int(u);
	if (flags & GIVEN_LEASES)
		read_leases(u, ret);
	if (flags & GIVEN_CLOCK)
		ret->clock_offset = rec_unpack_int(u);
}

static void read_inputs(struct rec_unpacker *u, struct journal_record *ret)
{
	size_t count = read_count(u);

	ret->calls = ARENA_ARRAY(u->mem, struct journal_read_input, count + 1);
	for (; ret->call_count < count && !u->is_broken; ret->call_count++) {
		uint64_t input = rec_unpack_uint(u);
		const struct rec_desc *desc = NULL;

		if (input == INPUT_COMMAND && ret->has_call)
			desc = command_classes[ret->call.command].args;
		else if (input > INPUT_COMMAND && input < INPUT_COUNT)
			desc = input_classes[input].args;
		if (!desc) {
			u->is_broken = true;
			return;
		}
		ret->calls[ret->call_count] =
			(struct journal_read_input){ (unsigned)input, read_new(u, desc) };
	}
}

static void read_moments(struct reading *r, int64_t stamp, struct journal_record *ret)
{
	struct rec_unpacker *u = &r->u;
	size_t count = read_count(u);
	struct journal_moment at = r->reader->base;
	struct journal_refs refs = r->reader->refs;

	at.now = stamp;
	ret->moments = ARENA_ARRAY(u->mem, struct journal_read_moment, count + 1);
	for (; ret->moment_count < count && !u->is_broken; ret->moment_count++) {
		uint64_t flags = rec_unpack_uint(u);

		if (flags & MOMENT_NOW)
			at.now += rec_unpack_int(u);
		if (flags & MOMENT_WALL)
			at.ahead = rec_unpack_int(u);
		if (flags & MOMENT_MONEY)
			read_money(u, &at);
		if (flags & MOMENT_TASKS)
			read_tasks(u, &at);
		if (flags & MOMENT_SETTINGS)
			read_refs(u, u->mem, &refs);
		ret->moments[ret->moment_count] = (struct journal_read_moment){ at, refs };
	}
}

size_t journal_read_count(struct str body)
{
	struct rec_unpacker u = { .in = body };
	uint64_t count = rec_unpack_uint(&u);

	return u.is_broken || count > INT32_MAX ? 0 : (size_t)count;
}

static enum journal_result result_of(const struct reading *r, const struct journal_record *ret)
{
	if (r->is_gone)
		return JOURNAL_GONE;
	return r->u.is_broken || r->u.at != r->u.in.len || !ret->call_count || !ret->moment_count
	               ? JOURNAL_DAMAGED
	               : JOURNAL_READ;
}

enum journal_result journal_read_body(struct journal_reader *r, struct arena *mem, struct str body,
                                      const struct str *events, size_t event_count, int64_t stamp,
                                      struct journal_record *ret)
{
	struct reading in = { .u = { .mem = mem, .in = body, .refer = refer },
		              .reader = r,
		              .events = events,
		              .event_count = event_count };

	*ret = (struct journal_record){ .asks = { .mem = mem, .is_replay = true } };
	if (!r->has_key)
		return JOURNAL_KEYLESS;
	if (r->layout != INPUTS_LAYOUT)
		return JOURNAL_FOREIGN;
	if (rec_unpack_uint(&in.u) != event_count)
		in.u.is_broken = true;
	ret->first = rec_unpack_uint(&in.u);
	read_given(&in.u, ret);
	read_inputs(&in.u, ret);
	read_moments(&in, stamp, ret);
	if (!asks_read(&ret->asks, &in.u))
		in.u.is_broken = true;
	return result_of(&in, ret);
}
