/*
 * Arguments of open calls that are too large for events.
 *
 * They are cached when the event that names them is created, and read from the
 * store when the cache does not have them: after a restart, or when others
 * replaced them.  The cache is bounded; entries that are not durable yet stay.
 */
#include "engine/session/call_inputs.h"

#include "core/gen/inputs.h"
#include "base/memory.h"
#include "core/step.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

#define KEPT_BYTES ((size_t)4 << 20) /* of one session, besides the newest */

struct kept_input {
	struct call_input input; /* first member: the list that decisions see */
	uint64_t seq;            /* of the event that named it */
};

/* A read for a step that stopped at a call without its arguments; followed by the ref's text. */
struct input_read {
	struct store_read read;
	struct session *session;
	struct str ref;
};

static struct kept_input *kept_of(struct call_input *i)
{
	return OWNER_OF(i, struct kept_input, input);
}

static void free_input(struct call_input *i)
{
	memory_free(kept_of(i));
}

/* Drops the entries behind the newest ones that fit. */
static void drop_old(struct session *s)
{
	struct call_input **at = &s->inputs;
	size_t bytes = 0;

	while (*at) {
		struct call_input *i = *at;

		bytes += i->text.len;
		if (i != s->inputs && bytes > KEPT_BYTES && kept_of(i)->seq <= s->durable) {
			*at = i->next;
			free_input(i);
		} else {
			at = &i->next;
		}
	}
}

/* text absent: it cannot be read. */
static void keep_input(struct session *s, struct str ref, struct str text, uint64_t seq)
{
	struct kept_input *k = memory_alloc(sizeof *k + ref.len + text.len);
	char *room = (char *)(k + 1);

	memcpy(room, ref.ptr, ref.len);
	if (text.len)
		memcpy(room + ref.len, text.ptr, text.len);
	*k = (struct kept_input){
		.input = { .next = s->inputs,
		           .ref = str_of(room, ref.len),
		           .text = str_is(text) ? str_of(room + ref.len, text.len) : STR_NONE },
		.seq = seq,
	};
	s->inputs = &k->input;
	drop_old(s);
}

/*
 * The decision that names the ref still holds its bytes.  Keeping them here saves the read
 * that the next step would need, and the blob is not readable before its commit.
 */
void call_inputs_written(struct session *s, const struct decision *d, const struct event *ev)
{
	struct str ref = call_input_ref(ev);

	for (size_t i = 0; str_is(ref) && i < d->blob_count; i++)
		if (str_eq(d->blobs[i].ref, ref) && str_is(d->blobs[i].data)) {
			keep_input(s, ref, d->blobs[i].data, (uint64_t)ev->sequence);
			return;
		}
}

void call_inputs_drop(struct session *s)
{
	while (s->inputs) {
		struct call_input *i = s->inputs;

		s->inputs = i->next;
		free_input(i);
	}
}

/* Only open calls need their arguments. */
void call_inputs_settled(struct session *s)
{
	if (s->inputs && !state_is_open(s->state))
		call_inputs_drop(s);
}

/* ---- reading ---- */

/* Absent also above the limit: a decision then treats the arguments as lost. */
static struct str text_of(const struct store_read *r)
{
	return r->result == OK && str_is(r->blob.data) && r->blob.data.len <= LIMIT_CALL_INPUT_BYTES
	               ? r->blob.data
	               : STR_NONE;
}

/*
 * An unreadable input is kept as absent, so that the step decides about the loss instead
 * of asking for the same blob for ever.
 */
static void input_read(struct store_read *r)
{
	struct input_read *in = r->owner;
	struct session *s = in->session;
	struct decision *d;

	s->readers--;
	s->is_reading_input = false;
	if (s->phase == SESSION_LIVE)
		keep_input(s, in->ref, text_of(r), 0);
	port_store_read_done(r);
	memory_free(in);
	if (s->phase != SESSION_LIVE) {
		session_release(s);
		return;
	}
	d = apply_begin(s, NULL);
	input_step_next(d);
	apply_end(s, d);
}

/* One read at a time per session; the step that follows names the next missing input. */
static void want_input(struct session *s, struct str ref)
{
	struct store *store = s->engine->ports.store;
	struct input_read *in;

	if (!str_is(ref) || s->is_reading_input)
		return;
	in = memory_alloc(sizeof *in + ref.len);
	*in = (struct input_read){ .session = s, .ref = str_of((char *)(in + 1), ref.len) };
	memcpy(in + 1, ref.ptr, ref.len);
	in->read = (struct store_read){
		.kind = READ_BLOB, .key = in->ref, .done = input_read, .owner = in
	};
	s->is_reading_input = true;
	s->readers++;
	store->ops->read(store, &in->read);
}

void call_inputs_stepped(struct session *s, const struct decision *d)
{
	want_input(s, d->wants_input);
}

/* ---- commands about a call ---- */

static const struct st_call *call_of_action(const struct state *w, struct str action_id)
{
	const struct st_thread *th = NULL;
	const struct st_action *a = state_action(w, action_id, &th);

	return a && action_is_pending(a) && str_is(a->tool_call_id)
	               ? state_thread_call(th, a->tool_call_id)
	               : NULL;
}

/* A person's answer leads to a decision about the call at once, so its arguments are read first. */
static const struct st_call *call_asked(const struct request *r)
{
	const struct state *w = r->session->state;
	struct str id;

	switch (r->command.command) {
	case COMMAND_RESPOND_ACTION:
		return call_of_action(w, ((const struct cmd_respond_action *)r->args)->action_id);
	case COMMAND_RESOLVE_PERMISSION:
		return call_of_action(w,
		                      ((const struct cmd_resolve_permission *)r->args)->action_id);
	case COMMAND_EVALUATE_PERMISSION:
		id = ((const struct cmd_evaluate_permission *)r->args)->tool_call_id;
		for (uint32_t i = 0; str_is(id) && i < w->s->threads.count; i++) {
			const struct st_call *c = state_thread_call(w->s->threads.items[i], id);

			if (c)
				return c;
		}
		return NULL;
	default:
		return NULL;
	}
}

static void asked_read(struct store_read *read)
{
	struct request *r = read->owner;

	if (request_lost_session(read))
		return;
	keep_input(r->session, read->key, text_of(read), 0);
	port_store_read_done(read);
	request_continue(r);
}

bool call_inputs_gather(struct request *r)
{
	const struct st_call *c = r->session ? call_asked(r) : NULL;

	if (!c || !call_input_is_missing(r->session->inputs, c))
		return false;
	r->read = (struct store_read){ .kind = READ_BLOB,
		                       .key = arena_keep(r->mem, c->args_ref),
		                       .done = asked_read,
		                       .owner = r };
	request_hold(r);
	r->engine->ports.store->ops->read(r->engine->ports.store, &r->read);
	return true;
}
