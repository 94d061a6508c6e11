/*
 * Requests of tool servers for answers of a model: what a person is shown, and
 * the turn that answers.
 */
#include "core/subagent/sampling.h"

#include "base/hash/base64.h"
#include "base/hash/sha256.h"
#include "base/jw.h"
#include "base/os/reveal.h"
#include "base/utf8.h"
#include "core/approval/action_emit.h"
#include "core/budget/budget.h"
#include "core/context/context_tokens.h"
#include "core/routing/route.h"
#include "core/session/trace.h"
#include "core/subagent/subagent.h"
#include "core/turn/turn_emit.h"
#include "core/turn/turn_internal.h"

#define SHOWN_MAX 1700 /* characters of the request in the question; all of it is behind its ref */

/* The open call that asks, and where it is. */
struct asker {
	const struct st_thread *th;
	const struct st_turn *t;
	const struct st_call *c;
	const struct st_subagent *child; /* NULL: none yet */
};

static const struct st_subagent *find_child(const struct state *w, struct str turn_id,
                                            struct str server)
{
	for (uint32_t i = 0; i < w->s->subagents.count; i++) {
		const struct st_subagent *s = w->s->subagents.items[i];

		if (str_is(s->record->tool_server) && !subagent_is_closed(s) &&
		    str_eq(s->record->parent_turn_id, turn_id) &&
		    str_eq(s->record->tool_server, server))
			return s;
	}
	return NULL;
}

static bool find_asker(const struct decision *d, struct str turn_id, struct str call_id,
                       struct str server, struct asker *ret)
{
	ret->t = state_turn(d->w, turn_id, &ret->th);
	ret->c = ret->t ? state_thread_call(ret->th, call_id) : NULL;
	ret->child = find_child(d->w, turn_id, server);
	return ret->c && !call_is_over(ret->c) && ret->c->dispatched &&
	       ret->t->stage != TURN_STAGE_STOPPING && ret->t->stage != TURN_STAGE_LOST;
}

/* ---- queries ---- */

bool sampling_is_busy(const struct state *w, struct str turn_id, struct str server)
{
	const struct st_subagent *s = find_child(w, turn_id, server);

	return s && !subagent_is_at_rest(w, s);
}

bool sampling_is_wanted(const struct state *w, const struct st_subagent *s, const struct st_turn *t)
{
	const struct st_thread *above;
	const struct st_turn *asking = state_turn(w, s->record->parent_turn_id, &above);
	const struct st_call *c;

	if (!t->sampling)
		return true; /* a person uses the thread */
	c = asking ? state_thread_call(above, t->sampling->tool_call_id) : NULL;
	return c && !call_is_over(c) && asking->stage != TURN_STAGE_STOPPING;
}

int64_t sampling_max_output(const struct model_info *m, const struct st_turn *t)
{
	if (!t->sampling)
		return m->max_output_tokens;
	return m->max_output_tokens > 0 ? MIN(m->max_output_tokens, t->sampling->max_output_tokens)
	                                : t->sampling->max_output_tokens;
}

bool sampling_is_aside(const struct ev_model_requested *p)
{
	return str_is(p->provenance) && !str_eq(p->provenance, SAMPLING_PROVENANCE);
}

/* ---- the share of the budget ---- */

/* What the server may spend now: its share of this turn, and never more than the turn has left. */
static int64_t usd_left(const struct decision *d, const struct asker *a,
                        const struct sampling_request *r)
{
	const struct st_subagent *above = subagent_of_thread(d->w, a->th->thread_id);
	int64_t left = a->child ? a->child->budget_usd - a->child->spent_usd : r->budget_usd;
	int64_t cap = a->t->has_cap_usd ? a->t->cap_usd : d->settings->caps.turn;
	int64_t others = subagent_promised(d->w, a->th->thread_id, a->child);

	if (cap > 0)
		left = MIN(left, cap - a->t->spent_usd - a->t->children_usd - others);
	if (above && above->has_budget_usd)
		left = MIN(left, above->budget_usd - above->spent_usd - others);
	return left;
}

/* A new child needs a place; absent: there is one. */
static struct str no_place(const struct decision *d, const struct asker *a)
{
	const struct st_subagent *up = subagent_of_thread(d->w, a->th->thread_id);
	int open = 0, depth = 1;

	if (a->child)
		return STR_NONE;
	for (uint32_t i = 0; i < d->w->s->subagents.count; i++)
		open += !subagent_is_closed(d->w->s->subagents.items[i]);
	for (; up; up = subagent_of_thread(d->w, up->record->parent_thread_id))
		depth++;
	return open >= LIMIT_SUBAGENTS_PER_SESSION ? STR("too many child agents are open")
	       : depth > LIMIT_SUBAGENT_DEPTH      ? STR("child agents do not go deeper")
	                                           : STR_NONE;
}

/*
 * The setting's model, else that of the turn.  A turn without a model (a call of a tool alone) gets
 * the one that routing finds for it; absent: none can be asked.
 */
static struct str model_of(struct decision *d, const struct asker *a,
                           const struct sampling_request *r)
{
	const struct model_info *m;

	if (str_is(r->model))
		return r->model;
	if (str_is(a->t->model))
		return arena_printf(d->mem, "%.*s/%.*s", STR_ARG(a->t->provider),
		                    STR_ARG(a->t->model));
	m = route_choice(d, a->th, a->t, route_profile_of(d, a->t));
	return m ? arena_printf(d->mem, "%.*s/%.*s", STR_ARG(m->provider), STR_ARG(m->model))
	         : STR_NONE;
}

/* As the turn that answers will estimate itself. */
static int64_t request_tokens(const struct sampling_request *r)
{
	int64_t sum = 0;

	for (size_t i = 0; i < r->part_count; i++)
		sum += str_is(r->parts[i].text)
		               ? ((int64_t)r->parts[i].text.len + CONTEXT_BYTES_PER_TOKEN - 1) /
		                         CONTEXT_BYTES_PER_TOKEN
		               : IMAGE_TOKENS;
	return context_tokens_sampling(sum, (int64_t)r->system.len / CONTEXT_BYTES_PER_TOKEN);
}

/* The most that the answer may cost; 0: no model, or its price is not known. */
static int64_t usd_needed(struct decision *d, const struct asker *a,
                          const struct sampling_request *r)
{
	struct str name = model_of(d, a, r);
	const struct model_info *m = str_is(name) ? route_named(d, name) : NULL;

	if (!m)
		return 0;
	return budget_estimate(d, m, request_tokens(r),
	                       m->max_output_tokens > 0 ? MIN(m->max_output_tokens, r->max_tokens)
	                                                : r->max_tokens);
}

/*
 * Why no model answers; absent: one may.  A request that its reservation would refuse is refused here,
 * before a person is asked about it.
 */
static struct str refusal_of(struct decision *d, const struct asker *a,
                             const struct sampling_request *r)
{
	int64_t left = usd_left(d, a, r), needed = usd_needed(d, a, r);

	if (left <= 0)
		return STR("its share of the budget of this turn is used up");
	if (needed > left)
		return arena_printf(d->mem,
		                    "it may cost up to $%.4f, and $%.4f of its share of the budget "
		                    "of this turn is left",
		                    (double)needed / 1e9, (double)left / 1e9);
	if (!budget_has_room(d, a->t, needed))
		return arena_printf(d->mem,
		                    "it may cost up to $%.4f, which is above what a budget of this "
		                    "turn, its task or its session has left",
		                    (double)needed / 1e9);
	return no_place(d, a);
}

/* ---- what a person is shown ---- */

static struct str part_text(struct decision *d, const struct sampling_part *p)
{
	return str_is(p->text) ? p->text
	                       : arena_printf(d->mem, "[an image: %.*s, %zu bytes in base64]",
	                                      STR_ARG(p->media_type), p->base64.len);
}

/* One member for each thing that a person reads, in order: clients show them as they show arguments. */
static struct str whole_request(struct decision *d, const struct sampling_request *r,
                                struct str model, int64_t usd)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "server", r->server);
	JW_KSTR(&w, "model", str_is(model) ? model : STR("none can be asked now"));
	JW_KSTR(&w, "most it may cost",
	        arena_printf(d->mem, "$%.4f, the rest of its share of this turn",
	                     (double)usd / 1e9));
	JW_KINT(&w, "most tokens", r->max_tokens);
	JW_KOPT(&w, "system prompt", r->system);
	for (size_t i = 0; i < r->part_count; i++) {
		jw_key(&w, arena_printf(d->mem, "%zu %s", i + 1,
		                        r->parts[i].is_assistant ? "assistant" : "user"));
		jw_str(&w, part_text(d, &r->parts[i]));
	}
	jw_obj_end(&w);
	return arena_keep(d->mem, buf_str(&out));
}

/* The beginning of a question: server and model are of the settings, what follows is the server's. */
static struct str question_head(struct decision *d, const struct sampling_request *r,
                                struct str model)
{
	return arena_printf(d->mem, "Allow the tool server %.*s to ask %.*s?", STR_ARG(r->server),
	                    STR_ARG(str_is(model) ? model : STR("a model")));
}

static struct str question_of(struct decision *d, const struct sampling_request *r,
                              struct str model, int64_t usd)
{
	CLEANUP(buf_done) struct buf said = { 0 };
	struct str text;

	if (str_is(r->system))
		buf_printf(&said, "system prompt: %.*s\n", STR_ARG(r->system));
	for (size_t i = 0; i < r->part_count; i++)
		buf_printf(&said, "%s: %.*s\n", r->parts[i].is_assistant ? "assistant" : "user",
		           STR_ARG(part_text(d, &r->parts[i])));
	text = reveal(d->mem, str_trim(buf_str(&said)), true);
	return arena_printf(
		d->mem, "%.*s It may cost up to $%.4f and take %lld tokens.\n%.*s%s",
		STR_ARG(question_head(d, r, model)), (double)usd / 1e9, (long long)r->max_tokens,
		STR_ARG(utf8_preview(d->mem, text, SHOWN_MAX)),
		text.len > SHOWN_MAX ? "\n(This is its beginning; inputRef has all of it.)" : "");
}

struct str sampling_ask(struct decision *d, struct str turn_id, struct str call_id,
                        const struct sampling_request *r)
{
	struct asker a = { 0 };
	struct ev_action_required p = { .action_type = ACTION_TYPE_SAMPLING,
		                        .decision_kind = DECISION_KIND_ALLOW_OR_DENY };
	struct str why, model, whole;
	size_t at = d->count;
	int64_t usd;

	if (!find_asker(d, turn_id, call_id, r->server, &a))
		return STR("the call has ended");
	if (!d->settings->is_interactive)
		return STR("no person can be asked whether a model may answer");
	why = refusal_of(d, &a, r);
	if (str_is(why))
		return why;
	usd = usd_left(d, &a, r);
	model = model_of(d, &a, r);
	whole = whole_request(d, r, model, usd);
	p.prompt = question_of(d, r, model, usd);
	p.wait =
		action_emit_wait(d, WAIT_FOR_PERMISSION, d->now + d->settings->question_timeout_ms);
	p.input_ref = decision_new_blob(d, STR("application/json"), whole);
	p.input_bytes = (int64_t)whole.len;
	p.has_input_bytes = true;
	action_emit_required(d, a.th, a.t, a.c, &p, APPROVAL_DECISION_ALLOW, APPROVAL_DECISION_DENY,
	                     STATUS_WAITING_PERMISSION);
	decision_add_ref(d, d->events[at], STR("input"), p.input_ref);
	return STR_NONE;
}

/* ---- the turn that answers ---- */

static struct rec_isolation *isolation(struct decision *d)
{
	return KEPT(d, struct rec_isolation, .prompt = STR("own"), .workspace = STR("shared"),
	            .permission_mode = PERMISSION_MODE_PLAN, .memory = STR("none"),
	            .sandbox_mode = SANDBOX_MODE_READ_ONLY, .tools = decision_strings(d, 0, NULL));
}

static void emit_child(struct decision *d, const struct asker *a, const struct sampling_request *r,
                       int64_t usd, struct str id, struct str thread_id)
{
	struct event *ev = EMIT(d, THREAD_STARTED, thread_started, .kind = THREAD_KIND_SUBAGENT,
	                        .cause = SAMPLING_ROLE, .title = r->server,
	                        .parent_thread_id = a->th->thread_id);

	ev->thread_id = thread_id;
	ev->status = STATUS_IDLE;
	ev = EMIT(d, SUBAGENT_SPAWNED, subagent_spawned, .parent_thread_id = a->th->thread_id,
	          .parent_turn_id = a->t->turn_id, .parent_task_id = a->t->task_id,
	          .parent_subagent_id = action_emit_asking_child(d, a->th),
	          .child_thread_id = thread_id, .role = SAMPLING_ROLE, .nickname = r->server,
	          .isolation = isolation(d),
	          .model_policy = str_is(r->model) ? MODEL_POLICY_OVERRIDE : MODEL_POLICY_INHERIT,
	          .model = r->model, .budget_usd = MIN(r->budget_usd, usd), .has_budget_usd = true,
	          .tool_server = r->server);
	ev->subagent_id = id;
	ev->thread_id = a->th->thread_id;
	ev->status = STATUS_QUEUED;
	subagent_emit_delegated(d, a->t->task_id, id);
}

/* False: it is not base64 of that kind of image. */
static bool keep_image(struct decision *d, const struct sampling_part *from,
                       struct rec_input_part *part)
{
	CLEANUP(buf_done) struct buf bytes = { 0 };

	if (!base64_read(&bytes, from->base64) ||
	    !turn_input_is_image(buf_str(&bytes), from->media_type))
		return false;
	*part = (struct rec_input_part){
		.type = STR("image"),
		.media_type = from->media_type,
		.bytes = (int64_t)bytes.len,
		.ref = decision_new_blob(d, from->media_type, arena_keep(d->mem, buf_str(&bytes)))
	};
	return true;
}

/* A text that its preview does not hold completely is behind a ref of its own. */
static void keep_text(struct decision *d, const struct sampling_part *from,
                      struct rec_input_part *part)
{
	*part = (struct rec_input_part){ .type = STR("text"),
		                         .preview = utf8_preview(d->mem, from->text, LIMIT_PREVIEW),
		                         .bytes = (int64_t)from->text.len };
	if (!str_eq(part->preview, from->text))
		part->ref = decision_new_blob(d, STR("text/plain"), from->text);
}

/* The parts as the input's ref has them: the whole texts. */
static struct str parts_text(struct decision *d, const struct sampling_request *r,
                             const struct turn_input_parts *parts)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_arr(&w);
	for (uint32_t i = 0; i < parts->count; i++) {
		if (!str_is(r->parts[i].text)) {
			rec_write(&w, &rec_input_part_desc, parts->items[i]);
			continue;
		}
		jw_obj(&w);
		JW_KSTR(&w, "type", STR("text"));
		JW_KSTR(&w, "text", r->parts[i].text);
		JW_KOPT(&w, "role", parts->items[i]->role);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	return arena_keep(d->mem, buf_str(&out));
}

static bool keep_parts(struct decision *d, const struct sampling_request *r,
                       struct turn_input_parts *ret)
{
	for (size_t i = 0; i < r->part_count; i++) {
		const struct sampling_part *from = &r->parts[i];
		struct rec_input_part *part = rec_list_add(d->mem, ret, &rec_input_part_desc);

		if (str_is(from->text))
			keep_text(d, from, part);
		else if (!keep_image(d, from, part))
			return false;
		if (from->is_assistant)
			part->role = STR("assistant");
	}
	return true;
}

/* The words of a server are marked as such: their source names it. */
static struct rec_context_item *system_of(struct decision *d, const struct sampling_request *r)
{
	struct sha256 hash = sha256_of(r->system);

	if (!r->system.len)
		return NULL;
	return KEPT(d, struct rec_context_item, .kind = CONTEXT_KIND_INSTRUCTION,
	            .ref = arena_printf(d->mem, "tool_server:%.*s", STR_ARG(r->server)),
	            .output_ref = decision_new_blob(d, STR("text/plain"), r->system),
	            .sha256 = sha256_hex(d->mem, &hash), .bytes = (int64_t)r->system.len);
}

/* An approval is for one model, so no other answers in its place. */
static void emit_turn(struct decision *d, const struct asker *a, const struct sampling_request *r,
                      const struct turn_input_parts *parts, int64_t usd, struct str subagent_id,
                      struct str thread_id)
{
	struct internal_turn o = {
		.thread_id = thread_id,
		.turn_id = decision_new_id(d, "turn"),
		.kind = TURN_KIND_SAMPLING,
		.source = STR("tool_server"),
		.family = SAMPLING_ROLE,
		.task_kind = STR("chat"),
		.text = r->parts[r->part_count - 1].text,
		.parts = parts_text(d, r, parts),
		.input = parts,
		.subagent_id = subagent_id,
	};

	if (!str_is(o.text))
		o.text = STR("an image");
	o.options = KEPT(
		d, struct rec_turn_options, .model = model_of(d, a, r),
		.fallback = FALLBACK_POLICY_DENY, .has_budget_usd = true, .budget_usd = usd,
		.sampling = KEPT(d, struct rec_sampling, .server = r->server,
	                         .tool_call_id = a->c->tool_call_id,
	                         .max_output_tokens = r->max_tokens, .system = system_of(d, r)));
	subagent_emit_input(d, subagent_id, thread_id, turn_internal_emit(d, &o), o.turn_id);
}

/* An approval covers one request, that of the call's last question, to the model that it named. */
static bool is_allowed(struct decision *d, const struct asker *a, const struct sampling_request *r)
{
	struct str head = question_head(d, r, model_of(d, a, r));
	const struct st_action *q = r->asks && str_is(a->c->action_id)
	                                    ? state_thread_action(a->th, a->c->action_id)
	                                    : NULL;

	return !r->asks || (q && q->action_type == ACTION_TYPE_SAMPLING &&
	                    q->decision == APPROVAL_DECISION_ALLOW && str_starts(q->prompt, head));
}

struct str sampling_begin(struct decision *d, struct str turn_id, struct str call_id,
                          const struct sampling_request *r)
{
	struct asker a = { 0 };
	struct turn_input_parts parts = { 0 };
	struct str why, id, thread_id;
	int64_t usd;

	if (!find_asker(d, turn_id, call_id, r->server, &a))
		return STR("the call has ended");
	if (!is_allowed(d, &a, r))
		return STR("no person has allowed it for this model");
	why = refusal_of(d, &a, r);
	if (!str_is(why) && (!r->part_count || !keep_parts(d, r, &parts)))
		why = STR("an image is not base64 of the kind that it is said to be");
	if (str_is(why)) {
		d->blob_count = 0;
		return why;
	}
	usd = usd_left(d, &a, r);
	id = a.child ? a.child->record->subagent_id : decision_new_id(d, "sub");
	thread_id = a.child ? a.child->record->thread_id : decision_new_id(d, "thr");
	trace_set_cause(d, a.t, a.c->tool_call_id);
	if (!a.child)
		emit_child(d, &a, r, usd, id, thread_id);
	emit_turn(d, &a, r, &parts, usd, id, thread_id);
	return STR_NONE;
}

void sampling_stop(struct decision *d, struct str turn_id)
{
	const struct st_thread *th;
	const struct st_turn *t = state_turn(d->w, turn_id, &th);

	if (t && t->sampling && !turn_is_over(t) && t->stage != TURN_STAGE_STOPPING)
		turn_emit_interrupt(d, th, t, STR("request_withdrawn"), QUEUE_POLICY_CLEAR);
}
