/*
 * Judges events: whether the scope has them, what is removed from them, and what
 * they add to the pack.  A judgement is one byte; later passes need no more of it.
 */
#include "engine/evidence/evidence_export.h"

#include "core/retention/retention.h"

struct str evidence_count_clean(struct export *x, struct arena *mem, struct str text)
{
	struct scrub *scrub = x->engine->ports.scrub;

	return scrub ? redact_text(scrub, mem, text, &x->removed) : text;
}

/* ---- one event ---- */

/* The text in a buffer of its own, because reading it uses the memory of the event again. */
static struct str read_text(struct export *x, struct str text, struct event **ev)
{
	buf_clear(&x->text);
	buf_add_str(&x->text, text);
	return replay_read(&x->replay, buf_str(&x->text), ev, NULL) == OK ? buf_str(&x->text)
	                                                                  : STR_NONE;
}

static struct str redact_content(struct export *x, struct event **ev)
{
	return read_text(x, retention_masked_text(x->replay.event, *ev, STR(SCRUB_MARK)), ev);
}

/* ---- secrets that are divided between deltas ---- */

/* The text of a delta, and the text that it is a piece of; NULL: the event is no delta. */
static struct str *delta_of(struct arena *mem, const struct event *ev, struct str *ret_key)
{
	struct ev_model_delta *m = (void *)ev->payload;
	struct ev_reasoning_delta *r = (void *)ev->payload;

	if (ev->type == EV_MODEL_DELTA) {
		*ret_key = arena_printf(mem, "%.*s %d %lld %lld", STR_ARG(ev->model_request_id),
		                        (int)m->kind, (long long)m->content_index,
		                        (long long)m->tool_call_index);
		return &m->text;
	}
	if (ev->type == EV_REASONING_DELTA) {
		*ret_key = arena_printf(mem, "%.*s reasoning %d", STR_ARG(ev->model_request_id),
		                        (int)r->channel);
		return &r->text;
	}
	return NULL;
}

void evidence_count_seams(struct export *x, const struct event_row *row)
{
	const struct event *ev = replay_read_own(&x->replay, bytes_str(row->body));
	struct str key, *text = ev && !row->is_erased ? delta_of(x->replay.event, ev, &key) : NULL;

	if (text)
		redact_seams_add(x->seams, key, row->seq, *text);
}

/* The event without parts of secrets that other deltas have the rest of. */
static struct str redact_delta(struct export *x, struct str body, struct event **ev)
{
	struct str key, clean, *text = delta_of(x->replay.event, *ev, &key);

	if (!text || !x->seams)
		return body;
	clean = redact_seams_clean(x->seams, x->replay.event, (uint64_t)(*ev)->sequence, *text,
	                           &x->removed);
	if (clean.ptr == text->ptr)
		return body;
	*text = clean;
	return read_text(x, rec_text(x->replay.event, &event_desc, *ev), ev);
}

/* ---- one event, continued ---- */

/* Text without secrets.  What is no event any more after that is masked as a whole. */
static struct str redact_secrets(struct export *x, struct str body, struct event **ev)
{
	struct str text = redact_delta(x, body, ev), clean;

	clean = redact_text(x->engine->ports.scrub, x->replay.event, text, &x->removed);
	if (clean.ptr == text.ptr || str_eq(clean, text))
		return text;
	text = read_text(x, clean, ev);
	if (!str_is(text) && replay_read(&x->replay, body, ev, NULL) == OK)
		text = redact_content(x, ev);
	return text;
}

static struct str redact_event(struct export *x, struct str body, struct event **ev)
{
	switch (x->redaction) {
	case EVIDENCE_REDACTION_ALL:
		return STR_NONE;
	case EVIDENCE_REDACTION_CONTENT:
		return redact_content(x, ev);
	default:
		return x->engine->ports.scrub ? redact_secrets(x, body, ev) : body;
	}
}

/* The store calls an event erased that has a text: it is not shown, because no hash covers it. */
static bool has_text(struct export *x, struct str body, struct event **ev)
{
	bool is_erased = str_eq(retention_erased_text(x->replay.event, *ev), body);

	*ev = replay_read_own(&x->replay, body);
	return !is_erased;
}

/*
 * The event was shortened by an erasure already, or is shortened now.  A frame is shown without
 * text: the title of a session is the beginning of its first turn.
 */
static void show(struct export *x, const struct event_row *row, struct event *ev, bool is_frame,
                 struct export_form *ret)
{
	struct str body = bytes_str(row->body);
	bool is_masked = is_frame && x->redaction == EVIDENCE_REDACTION_RULES;

	if (row->is_erased)
		is_masked |= has_text(x, body, &ev);
	ret->text = is_masked ? redact_content(x, &ev) : redact_event(x, body, &ev);
	ret->event = ev;
	ret->state = row->is_erased            ? CHAIN_STATE_ERASED
	             : str_eq(ret->text, body) ? CHAIN_STATE_PRESENT
	                                       : CHAIN_STATE_REDACTED;
	if (str_is(ret->text) && ret->state != CHAIN_STATE_PRESENT)
		ret->shown = sha256_of(ret->text);
}

static struct sha256 digest_of(const struct event_row *row)
{
	return row->is_erased ? row->digest : sha256_of(bytes_str(row->body));
}

void evidence_count_judge(struct export *x, const struct event_row *row, struct export_form *ret)
{
	struct event *ev = replay_read_own(&x->replay, bytes_str(row->body));
	bool is_frame;

	*ret = (struct export_form){ .state = CHAIN_STATE_OUT_OF_SCOPE, .digest = digest_of(row) };
	if (!ev || !evidence_scope_has(&x->scope, ev, &is_frame))
		return;
	/* An export behind the last other event would be part of the next pack only. */
	x->matched += !is_frame && !evidence_scope_is_export(ev);
	ret->is_frame = is_frame;
	show(x, row, ev, is_frame, ret);
}

void evidence_count_again(struct export *x, const struct event_row *row, struct export_form *ret)
{
	enum chain_state state = x->states[row->seq - x->floor - 1];
	struct event *ev;
	bool is_frame;

	*ret = (struct export_form){ .state = state };
	if (state == CHAIN_STATE_PRESENT)
		ret->text = bytes_str(row->body);
	else if (state != CHAIN_STATE_OUT_OF_SCOPE &&
	         replay_read(&x->replay, bytes_str(row->body), &ev, NULL) == OK &&
	         evidence_scope_has(&x->scope, ev, &is_frame))
		show(x, row, ev, is_frame, ret);
}

/* ---- counting ---- */

static void keep_state(struct export *x, uint64_t seq, enum chain_state state)
{
	size_t at = (size_t)(seq - x->floor - 1);

	if (at >= x->state_cap) {
		size_t cap = MAX(at + 1, x->state_cap ? x->state_cap * 2 : 4096);

		x->states = arena_grow(x->mem, x->states, x->state_cap, cap);
		x->state_cap = cap;
	}
	x->states[at] = (uint8_t)state;
}

static void stream_add(struct export_stream *s, struct str data)
{
	s->size += data.len;
	sha256_more(&s->sum, data);
}

static void take_output(struct export *x, const struct event *ev)
{
	const struct rec_output *o = ev->output;

	if (evidence_scope_is_export(ev))
		return; /* a pack is not part of another one */
	if (ev->type == EV_OUTPUT_SPILLED || ev->type == EV_PROCESS_STARTED)
		evidence_scope_ids_add(x->mem, &x->spilled, ev->output_ref);
	if (ev->type != EV_OUTPUT_SPILLED || !o || !o->complete || !str_is(o->sha256))
		return;
	if (x->output_count == x->output_cap) {
		size_t cap = x->output_cap ? x->output_cap * 2 : 64;

		x->outputs = arena_grow(x->mem, x->outputs, x->output_count * sizeof *x->outputs,
		                        cap * sizeof *x->outputs);
		x->output_cap = cap;
	}
	x->outputs[x->output_count++] =
		(struct export_output){ .ref = arena_keep(x->mem, o->output_ref),
		                        .sha256 = arena_keep(x->mem, o->sha256),
		                        .size = o->size_bytes };
}

static void take_expiry(struct export *x, const struct event *ev)
{
	for (size_t i = 0; ev->type == EV_OUTPUT_EXPIRED && i < x->output_count; i++)
		if (str_eq(x->outputs[i].ref, ev->output_ref))
			x->outputs[i].is_expired = true;
}

static void add_config(struct export *x, struct str ref)
{
	if (str_is(ref) && rec_list_str_find(&x->configs, ref) < 0)
		rec_list_str_add(x->mem, &x->configs, ref);
}

static void take_config(struct export *x, const struct event *ev)
{
	const struct ev_turn_submitted *p = ev->payload;

	if (ev->type == EV_TURN_SUBMITTED) {
		add_config(x, p->config_ref);
		add_config(x, p->rules_ref);
	}
}

/* Small texts that the event names by ref. */
static void take_refs(struct export *x, struct str body)
{
	struct str ref;
	size_t at = 0;

	while (str_is(ref = evidence_keep_next_ref(body, &at))) {
		if (ref.len <= LIMIT_ID_BYTES && !str_starts(ref, STR(CATALOG_EXPORT_PREFIX)))
			evidence_scope_ids_add(x->mem, &x->refs, ref);
	}
}

static void count_shown(struct export *x, const struct export_form *form, struct str body)
{
	if (str_is(form->text)) {
		stream_add(&x->events, form->text);
		stream_add(&x->events, STR("\n"));
		replay_fold(&x->replay, form->event);
	}
	if (!form->is_frame && !str_is(x->derive.thread))
		x->derive.thread = arena_keep(x->mem, form->event->thread_id);
	evidence_tally_event(&x->tally, form->event);
	take_output(x, form->event);
	take_expiry(x, form->event);
	take_config(x, form->event);
	if (!form->is_frame)
		take_refs(x, body);
	x->tally.states[form->state]++;
}

static void count_row(struct export *x, const struct event_row *row)
{
	struct export_form form;
	int64_t before = x->matched;

	evidence_count_judge(x, row, &form);
	keep_state(x, row->seq, form.state);
	x->link = sha256_link_hash(&x->link, &form.digest);
	buf_clear(&x->line);
	evidence_document_link(&x->line, row->seq, &form.digest, form.state,
	                       str_is(form.text) && form.state != CHAIN_STATE_PRESENT ? &form.shown
	                                                                              : NULL);
	stream_add(&x->chain, buf_str(&x->line));
	evidence_keep_add(&x->keep, &x->keep.chain, buf_str(&x->line));
	if (form.state == CHAIN_STATE_OUT_OF_SCOPE)
		x->out_of_scope++;
	else
		count_shown(x, &form, bytes_str(row->body));
	if (x->matched > before)
		x->mark = (struct export_mark){ row->seq, x->link, x->events, x->chain,
			                        x->out_of_scope };
}

/* ---- exports in a pack with decisions ---- */

/*
 * Events about exports are part of such a pack if others follow.  The last ones are not, so that
 * the same session gives the same pack again.
 */
static bool is_held(struct export *x, const struct event_row *row)
{
	const struct event *ev;

	if (!x->scope.has_exports)
		return false;
	ev = replay_read_own(&x->replay, bytes_str(row->body));
	return ev && evidence_scope_is_export(ev);
}

static void hold_row(struct export *x, const struct event_row *row)
{
	if (x->held_count == x->held_cap) {
		size_t cap = x->held_cap ? x->held_cap * 2 : 16;

		x->held = arena_grow(x->mem, x->held, x->held_count * sizeof *x->held,
		                     cap * sizeof *x->held);
		x->held_cap = cap;
	}
	x->held[x->held_count] = *row;
	bytes_ref(row->body);
	x->held_count++;
}

void evidence_count_forget(struct export *x)
{
	for (size_t i = 0; i < x->held_count; i++)
		bytes_unref(x->held[i].body);
	x->held_count = 0;
}

void evidence_count_event(struct export *x, const struct event_row *row)
{
	if (is_held(x, row)) {
		hold_row(x, row);
		return;
	}
	for (size_t i = 0; i < x->held_count; i++)
		count_row(x, &x->held[i]);
	evidence_count_forget(x);
	count_row(x, row);
}
