/*
 * Builds the conversation of a thread from events, in the order of the log.
 * Between two calls only struct assembly holds state.
 */
#include "core/context/assemble.h"

#include "base/jw.h"
#include "base/utf8.h"
#include "core/context/history_marks.h"
#include "core/context/prompt.h"
#include "core/subagent/sampling.h"
#include "core/turn/turn.h"

/* ---- where it begins ---- */

/* Forks beyond ORIGINS_MAX contribute nothing: the oldest text is missing then. */
static void add_origin(struct assembly_start *s, struct str thread_id, int64_t until)
{
	if (s->origin_count < ORIGINS_MAX)
		s->origins[s->origin_count++] = (struct assembly_origin){ thread_id, until };
}

/*
 * The limit only gets smaller from fork to fork: what an ancestor said after the fork is not part
 * of this conversation.
 */
void assemble_origins_of(const struct st_thread *th, const struct state *w,
                         struct assembly_start *ret)
{
	int64_t until = INT64_MAX;

	while (th) {
		add_origin(ret, th->thread_id, until);
		if (!th->forked_from)
			break;
		until = MIN(until, th->forked_from->sequence);
		th = state_thread(w, th->forked_from->thread_id);
	}
}

/*
 * Finds the first event that the request needs: units that a summary covers or that a cut left
 * out are skipped.  A summary request itself reads beyond the cut, because it is meant to replace
 * it.
 */
void assemble_start_of(const struct st_thread *th, const struct st_turn *t, const struct state *w,
                       struct assembly_start *ret)
{
	bool is_summary = th->compaction && str_eq(th->compaction->turn_id, t->turn_id);

	*ret = (struct assembly_start){ .from = t->submitted_sequence };
	/* A request of a tool server is a conversation of its own. */
	if (t->sampling) {
		add_origin(ret, th->thread_id, INT64_MAX);
		return;
	}
	/* A summary request includes what a cut leaves out. */
	if (!is_summary)
		ret->cut_through = th->cut_through;
	for (size_t i = 0; i < history_marks_units(th); i++) {
		struct history_unit u = history_marks_unit(th, i);

		if (u.to <= history_marks_covered(th))
			continue;
		if (u.to <= ret->cut_through)
			ret->cut_turns += u.turns;
		else
			ret->from = MIN(ret->from, u.from);
	}
	assemble_origins_of(th, w, ret);
	if (th->compactions.count) {
		const struct st_compaction *c = th->compactions.items[th->compactions.count - 1];

		ret->summary = (struct assembly_summary){ c->sequence, c->continuation_ref };
	}
}

/*
 * Stored in the index row of the request's input, so that the same input can be assembled later,
 * whatever has happened to the thread since.
 */
void assemble_start_write(struct json_writer *w, const struct assembly_start *s)
{
	JW_KINT(w, "from", s->from);
	if (str_is(s->summary.ref)) {
		JW_KSTR(w, "summaryRef", s->summary.ref);
		JW_KINT(w, "summaryAt", s->summary.at);
	}
	if (s->cut_through) {
		JW_KINT(w, "cutThrough", s->cut_through);
		JW_KINT(w, "cutTurns", s->cut_turns);
	}
	if (s->origin_count < 2)
		return;
	JW_KEY(w, "forks");
	jw_arr(w);
	for (size_t i = 1; i < s->origin_count; i++) {
		jw_obj(w);
		JW_KSTR(w, "threadId", s->origins[i].thread_id);
		JW_KINT(w, "until", s->origins[i].until);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

void assemble_start_read(struct arena *mem, struct json v, struct str thread_id,
                         struct assembly_start *ret)
{
	struct json_iter it = json_iter(JSON_GET(v, "forks"));
	struct str key;
	struct json fork;

	*ret = (struct assembly_start){
		.from = json_int(JSON_GET(v, "from"), 1),
		.summary = { json_int(JSON_GET(v, "summaryAt"), 0),
		             arena_keep(mem, json_str(JSON_GET(v, "summaryRef"))) },
		.cut_through = json_int(JSON_GET(v, "cutThrough"), 0),
		.cut_turns = json_int(JSON_GET(v, "cutTurns"), 0),
	};
	add_origin(ret, thread_id, INT64_MAX);
	while (json_next(&it, &key, &fork))
		add_origin(ret, arena_keep(mem, json_str(JSON_GET(fork, "threadId"))),
		           json_int(JSON_GET(fork, "until"), 0));
}

static void add_summary(struct assembly *a, int64_t at, struct str ref)
{
	if (a->summary_count == a->summary_cap) {
		size_t cap = a->summary_cap ? a->summary_cap * 2 : 4;

		a->summaries =
			arena_grow(a->mem, a->summaries, a->summary_count * sizeof *a->summaries,
		                   cap * sizeof *a->summaries);
		a->summary_cap = cap;
	}
	a->summaries[a->summary_count++] = (struct assembly_summary){ at, arena_keep(a->mem, ref) };
}

void assemble_init(struct assembly *a, struct arena *mem, const struct assembly_start *start)
{
	*a = (struct assembly){ .mem = mem, .start = *start };
	for (size_t i = 0; i < start->origin_count; i++)
		a->start.origins[i].thread_id = arena_keep(mem, start->origins[i].thread_id);
	/* A summary published after the first event is found while reading. */
	if (str_is(start->summary.ref) && start->summary.at < start->from)
		add_summary(a, start->summary.at, start->summary.ref);
}

bool assemble_comes_from(const struct assembly_start *s, const struct event *ev)
{
	for (size_t i = 0; i < s->origin_count; i++)
		if (str_eq(s->origins[i].thread_id, ev->thread_id) &&
		    ev->sequence <= s->origins[i].until)
			return true;
	return false;
}

void assemble_done(struct assembly *a)
{
	buf_done(&a->text);
}

static const enum event_type TYPES[] = {
	EV_TURN_SUBMITTED,
	EV_TURN_STARTED,
	EV_TURN_COMPLETED,
	EV_TURN_FAILED,
	EV_MODEL_REQUESTED,
	EV_MODEL_DELTA,
	EV_MODEL_COMPLETED,
	EV_RUN_STATUS,
	EV_MODEL_FAILED,
	EV_TOOL_STARTED,
	EV_TOOL_ARGS,
	EV_TOOL_RESULT,
	EV_TOOL_FAILED,
	EV_CONTEXT_RESOLVED,
	EV_CONTEXT_COMPACTION_COMPLETED,
	EV_HISTORY_ROLLBACK_COMPLETED,
	EV_HOOK_COMPLETED,
	EV_RUNTIME_WARNING,
};

bool assemble_takes(enum event_type type)
{
	for (size_t i = 0; i < COUNT_OF(TYPES); i++)
		if (TYPES[i] == type)
			return true;
	return false;
}

void assemble_types(uint64_t types[4])
{
	memset(types, 0, 4 * sizeof *types);
	for (size_t i = 0; i < COUNT_OF(TYPES); i++)
		types[TYPES[i] / 64] |= 1ull << (TYPES[i] % 64);
}

static void push_message(struct arena *mem, struct assembly_message ***list, size_t *count,
                         size_t *cap, struct assembly_message *t)
{
	if (*count == *cap) {
		size_t grown = *cap ? *cap * 2 : 16;

		*list = arena_grow(mem, *list, *count * sizeof **list, grown * sizeof **list);
		*cap = grown;
	}
	(*list)[(*count)++] = t;
}

/*
 * A message that appears where its event is; user messages may be placed later than they were
 * written.
 */
static struct assembly_message *add_message_at(struct assembly *a, enum message_role role,
                                               const struct event *ev)
{
	struct assembly_message *t = ARENA_NEW(a->mem, struct assembly_message);

	t->role = role;
	t->at = t->placed = ev->sequence;
	t->turn_id = t->host_id = arena_keep(a->mem, ev->turn_id);
	push_message(a->mem, &a->messages, &a->count, &a->cap, t);
	return t;
}

/* ---- people ---- */

static struct assembly_image image_of(struct assembly *a, const struct rec_input_part *part)
{
	return (struct assembly_image){ .media_type = arena_keep(a->mem, part->media_type),
		                        .ref = arena_keep(a->mem, part->ref),
		                        .name = arena_keep(a->mem, part->name),
		                        .bytes = part->bytes };
}

/* The id that a peer gave its message (docs/decisions/0044). */
static struct str peer_message_of(struct assembly *a, const struct ev_turn_submitted *p)
{
	struct json metadata;

	if (!p->options || !str_is(p->options->metadata) ||
	    json_read_trusted(a->mem, p->options->metadata, &metadata, NULL) != OK)
		return STR_NONE;
	return json_str(JSON_GET(JSON_GET(metadata, "a2a"), "messageId"));
}

static struct assembly_message *add_waiting(struct assembly *a, const struct event *ev,
                                            enum message_role role, size_t images)
{
	struct assembly_message *t = ARENA_NEW(a->mem, struct assembly_message);

	t->role = role;
	t->at = ev->sequence;
	t->turn_id = arena_keep(a->mem, ev->turn_id);
	t->images = ARENA_ARRAY(a->mem, struct assembly_image, images + 1);
	push_message(a->mem, &a->waiting, &a->waiting_count, &a->waiting_cap, t);
	return t;
}

/* The messages of a tool server: one for each text, with the images before it. */
static void feed_sampling(struct assembly *a, const struct event *ev,
                          const struct ev_turn_submitted *p)
{
	struct assembly_message *t = NULL;

	for (uint32_t i = 0; i < p->input.count; i++) {
		const struct rec_input_part *part = p->input.items[i];

		if (!t)
			t = add_waiting(a, ev, str_is(part->role) ? ROLE_ASSISTANT : ROLE_USER,
			                p->input.count);
		if (str_eq(part->type, STR("image"))) {
			t->images[t->image_count++] = image_of(a, part);
			continue;
		}
		t->text = str_is(part->ref) ? STR_NONE : arena_keep(a->mem, part->preview);
		t->ref = arena_keep(a->mem, part->ref);
		t = NULL;
	}
}

/*
 * The input waits until its turn starts, or until a request takes it as a steer.  The preview is
 * the text when it holds all of it; otherwise the caller reads the input's ref.
 */
static void feed_submitted(struct assembly *a, const struct event *ev,
                           const struct ev_turn_submitted *p)
{
	struct assembly_message *t;
	size_t whole = 0;

	if (p->kind == TURN_KIND_SYSTEM || p->kind == TURN_KIND_CALL)
		return;
	if (p->kind == TURN_KIND_SAMPLING) {
		feed_sampling(a, ev, p);
		return;
	}
	t = add_waiting(a, ev, ROLE_USER, p->input.count);
	t->peer_message_id = peer_message_of(a, p);
	for (uint32_t i = 0; i < p->input.count; i++) {
		const struct rec_input_part *part = p->input.items[i];

		if (str_eq(part->type, STR("image")))
			t->images[t->image_count++] = image_of(a, part);
		else
			whole += (size_t)part->bytes;
	}
	if (p->input.count && p->input.items[0]->preview.len == whole) {
		t->text = arena_keep(a->mem, p->input.items[0]->preview);
	} else {
		t->ref = arena_keep(a->mem, p->input_ref);
		t->ref_is_input = true;
	}
}

/* A message is placed where its turn begins. */
static void place_input(struct assembly *a, struct str turn_id, const struct event *ev)
{
	size_t kept = 0;

	for (size_t i = 0; i < a->waiting_count; i++) {
		struct assembly_message *t = a->waiting[i];

		if (!str_eq(t->turn_id, turn_id)) {
			a->waiting[kept++] = t;
			continue;
		}
		t->host_id = arena_keep(a->mem, ev->turn_id);
		t->placed = ev->sequence;
		push_message(a->mem, &a->messages, &a->count, &a->cap, t);
	}
	a->waiting_count = kept;
}

/* ---- imported turns ---- */

static void add_imported(struct assembly *a, const struct event *ev, enum message_role role,
                         struct str ref_name)
{
	struct str ref = rec_dict_get(&ev->refs, ref_name);

	if (str_is(ref))
		add_message_at(a, role, ev)->ref = arena_keep(a->mem, ref);
}

/* It has no start and no requests: its input, the record of its calls and its answer. */
static void feed_imported(struct assembly *a, const struct event *ev,
                          const struct ev_turn_completed *p)
{
	if (!p->imported)
		return;
	place_input(a, ev->turn_id, ev);
	add_imported(a, ev, ROLE_USER, STR("record"));
	add_imported(a, ev, ROLE_ASSISTANT, STR("answer"));
}

/* ---- the model ---- */

static bool has_begun(const struct assembly *a, struct str turn_id)
{
	for (size_t i = a->count; i-- > 0;)
		if (str_eq(a->messages[i]->host_id, turn_id))
			return true;
	return false;
}

/*
 * The response before this request was cut off: the model is informed and keeps its partial text.
 */
static void add_continue_notice(struct assembly *a, const struct event *ev)
{
	struct assembly_message *cut = a->count ? a->messages[a->count - 1] : NULL;
	struct assembly_message *t;

	if (!cut || !cut->is_cut || !str_eq(cut->host_id, ev->turn_id))
		return;
	if (!cut->text.len)
		a->count--; /* no provider accepts a message without text */
	t = add_message_at(a, ROLE_USER, ev);
	t->text = prompt_text_notes[cut->is_paused  ? PROMPT_NOTE_ANSWER_PAUSED
	                            : cut->text.len ? PROMPT_NOTE_ANSWER_CUT
	                                            : PROMPT_NOTE_ANSWER_CUT_EMPTY];
}

/*
 * Everything that was collected since the last request is placed here: additions of hooks, the note
 * about a cut response, steers.
 */
static void feed_requested(struct assembly *a, const struct event *ev,
                           const struct ev_model_requested *p)
{
	/* Messages of hooks are never placed between calls and their results. */
	for (size_t i = 0; i < a->added_count; i++) {
		a->added[i]->placed = ev->sequence;
		push_message(a->mem, &a->messages, &a->count, &a->cap, a->added[i]);
	}
	a->added_count = 0;
	if (!sampling_is_aside(p))
		add_continue_notice(a, ev);
	for (uint32_t i = 0; i < p->merged_turn_ids.count; i++)
		place_input(a, p->merged_turn_ids.items[i], ev);
	buf_clear(&a->text);
	/*
	 * Requests of the runtime itself (provenance) are not part of the conversation, nor is the
	 * rest of a turn that began before the first event, such as an item of a job.
	 */
	a->request_id = sampling_is_aside(p) || !has_begun(a, ev->turn_id)
	                        ? STR_NONE
	                        : arena_keep(a->mem, ev->model_request_id);
}

static void feed_delta(struct assembly *a, const struct event *ev, const struct ev_model_delta *p)
{
	if (p->kind == DELTA_KIND_TEXT && str_is(a->request_id) &&
	    str_eq(a->request_id, ev->model_request_id))
		buf_add_str(&a->text, p->text);
}

/*
 * The text comes from the deltas between request and end.  A failed request leaves nothing behind.
 */
static void feed_completed(struct assembly *a, const struct event *ev,
                           const struct ev_model_completed *p)
{
	struct assembly_message *t;

	if (!str_is(a->request_id) || !str_eq(a->request_id, ev->model_request_id))
		return;
	/* The context window was full in the middle of the response: it is requested again. */
	if (p->stop_reason == STOP_REASON_CONTEXT_FULL && !p->tool_call_count) {
		buf_clear(&a->text);
		return;
	}
	t = add_message_at(a, ROLE_ASSISTANT, ev);
	t->is_cut = turn_answer_is_cut(p);
	t->is_paused = p->stop_reason == STOP_REASON_PAUSE_TURN;
	t->text = arena_keep(a->mem, buf_str(&a->text));
	t->state_ref = arena_keep(a->mem, rec_dict_get(&ev->refs, STR("modelState")));
	buf_clear(&a->text);
}

/* A stop keeps what was said until then; a failed attempt is requested again and leaves nothing. */
static void feed_failed(struct assembly *a, const struct event *ev)
{
	bool is_stopped = ev->status == STATUS_CANCELLED && str_is(a->request_id) &&
	                  str_eq(a->request_id, ev->model_request_id);

	/* No provider accepts a message of blanks. */
	if (is_stopped && str_trim(buf_str(&a->text)).len)
		add_message_at(a, ROLE_ASSISTANT, ev)->text = arena_keep(a->mem, buf_str(&a->text));
	buf_clear(&a->text);
}

static struct str who_stopped(const struct assembly *a, const struct event *ev,
                              const struct rec_actor *by)
{
	static const struct str words[] = {
		[0] = STR("The user"),
		[INTERRUPT_REASON_USER] = STR("The user"),
		[INTERRUPT_REASON_TIMEOUT] = STR("A time limit of the client, not the user,"),
		[INTERRUPT_REASON_CLIENT] = STR("The client program, not the user,"),
		[INTERRUPT_REASON_CLIENT_ENDED] =
			STR("The end of the client program, not the user,"),
	};
	bool is_known = str_is(a->stop_turn_id) && str_eq(a->stop_turn_id, ev->turn_id);

	return by && by->kind == ACTOR_KIND_USER ? words[is_known ? a->stop_reason : 0]
	                                         : STR("The runtime");
}

/* The turn ended before its work did: the model learns of it, and by whom. */
static void feed_stopped(struct assembly *a, const struct event *ev, const struct ev_turn_failed *p)
{
	struct assembly_message *t;

	if (p->outcome != TURN_OUTCOME_CANCELLED || !has_begun(a, ev->turn_id))
		return;
	t = add_message_at(a, ROLE_USER, ev);
	t->is_stop = true;
	t->text = prompt_note(a->mem, PROMPT_NOTE_STOPPED, STR("who"),
	                      who_stopped(a, ev, p->ended_by));
}

/* ---- tools ---- */

/* Calls belong to the newest response; they are opened right after it (GAP-35). */
static struct assembly_message *last_answer(struct assembly *a)
{
	for (size_t i = a->count; i-- > 0;)
		if (a->messages[i]->role == ROLE_ASSISTANT)
			return a->messages[i];
	return NULL;
}

static struct assembly_call *find_call(struct assembly *a, struct str tool_call_id)
{
	for (size_t i = a->count; i-- > 0;)
		for (size_t n = 0; n < a->messages[i]->call_count; n++)
			if (str_eq(a->messages[i]->calls[n].tool_call_id, tool_call_id))
				return &a->messages[i]->calls[n];
	return NULL;
}

static void call_started(struct assembly *a, const struct event *ev,
                         const struct ev_tool_started *p)
{
	struct assembly_message *t = last_answer(a);

	if (!t || !str_eq(t->turn_id, ev->turn_id))
		return;
	if (t->call_count == t->call_cap) {
		size_t cap = t->call_cap ? t->call_cap * 2 : 4;

		t->calls = arena_grow(a->mem, t->calls, t->call_count * sizeof *t->calls,
		                      cap * sizeof *t->calls);
		t->call_cap = cap;
	}
	t->calls[t->call_count++] = (struct assembly_call){
		.call_id = arena_keep(a->mem, p->provider_call_id),
		.name = arena_keep(a->mem, p->tool_name),
		.args = arena_keep(a->mem, p->safe_args),
		.tool_call_id = arena_keep(a->mem, ev->tool_call_id),
	};
}

/* Called again when a person has edited the arguments: the model sees what ran. */
static void call_args(struct assembly *a, const struct event *ev, const struct ev_tool_args *p)
{
	struct assembly_call *c = find_call(a, ev->tool_call_id);

	if (!c)
		return;
	/* The model gets its own arguments; the redacted ones are for other readers. */
	if (str_is(p->safe_args) && !p->redacted) {
		c->args = arena_keep(a->mem, p->safe_args);
		return;
	}
	c->args = STR_NONE;
	c->args_ref = arena_keep(a->mem, p->input_ref);
}

/* NULL: the call began before the first event, so its result must not appear alone. */
static struct assembly_message *response_call(struct assembly *a, const struct event *ev)
{
	struct assembly_call *c = find_call(a, ev->tool_call_id);
	struct assembly_message *t;

	if (!c)
		return NULL;
	t = add_message_at(a, ROLE_TOOL, ev);
	t->call_id = c->call_id;
	t->tool_call_id = c->tool_call_id;
	t->tool_name = c->name;
	return t;
}

static void call_result(struct assembly *a, const struct event *ev, const struct ev_tool_result *p)
{
	struct assembly_message *t = response_call(a, ev);
	struct str model_text = rec_dict_get(&ev->refs, STR("modelText"));

	if (!t)
		return;
	t->is_error = p->is_error;
	t->images = ARENA_ARRAY(a->mem, struct assembly_image, p->images.count + 1);
	for (uint32_t i = 0; i < p->images.count; i++)
		t->images[t->image_count++] = image_of(a, p->images.items[i]);
	t->text = arena_keep(a->mem, p->display_preview);
	if (str_is(model_text))
		t->ref = arena_keep(a->mem, model_text);
}

struct str assemble_failure_text(struct arena *mem, const struct event *failed)
{
	const struct ev_tool_failed *p = failed->payload;

	struct str why = failed->status_reason;
	bool is_sentence = why.len && strchr(".!?", why.ptr[why.len - 1]);

	return arena_printf(mem, "%.*s: %.*s%s%.*s", STR_ARG(error_category_word(p->category)),
	                    STR_ARG(why),
	                    !str_is(p->advice) ? ""
	                    : is_sentence      ? " "
	                                       : ". ",
	                    STR_ARG(p->advice));
}

static void call_failed(struct assembly *a, const struct event *ev)
{
	struct assembly_message *t = response_call(a, ev);
	struct str model_text = rec_dict_get(&ev->refs, STR("modelText"));

	if (!t)
		return;
	t->is_error = true;
	t->text = assemble_failure_text(a->mem, ev);
	if (str_is(model_text))
		t->ref = arena_keep(a->mem, model_text);
}

/* ---- hooks ---- */

/* A hook may add messages and replace the output of the call that it looked at. */
static void feed_hook(struct assembly *a, const struct event *ev, const struct ev_hook_completed *p)
{
	struct str output = rec_dict_get(&ev->refs, STR("outputAfter"));

	for (uint32_t i = 0; i < p->additional_context_refs.count; i++) {
		struct assembly_message *t = ARENA_NEW(a->mem, struct assembly_message);

		t->role = ROLE_USER;
		t->at = t->placed = ev->sequence;
		t->is_start = p->point == HOOK_POINT_SESSION_START;
		t->turn_id = t->host_id = arena_keep(a->mem, ev->turn_id);
		t->ref = arena_keep(a->mem, p->additional_context_refs.items[i]);
		/* Additions at the start of the session precede all messages of people. */
		if (p->point == HOOK_POINT_SESSION_START)
			push_message(a->mem, &a->messages, &a->count, &a->cap, t);
		else
			push_message(a->mem, &a->added, &a->added_count, &a->added_cap, t);
	}
	for (size_t i = a->count; str_is(output) && i-- > 0;)
		if (str_is(a->messages[i]->tool_call_id) &&
		    str_eq(a->messages[i]->tool_call_id, ev->tool_call_id)) {
			a->messages[i]->ref = arena_keep(a->mem, output);
			a->messages[i]->image_count = 0; /* the text describes the images */
			break;
		}
}

/* ---- hidden and removed messages ---- */

/*
 * Files, resources, bodies of webhooks and words of callers are data: a model must not read them as
 * instructions, so they are messages of the user and never of the system.
 */
static bool is_data(const struct rec_context_item *source)
{
	return source->kind == CONTEXT_KIND_KNOWLEDGE || source->kind == CONTEXT_KIND_MEMORY ||
	       source->kind == CONTEXT_KIND_FILE || source->kind == CONTEXT_KIND_BROWSER;
}

/* Placed in the conversation, where a change does not invalidate the provider's prompt cache. */
static bool is_of_turn(const struct rec_context_item *source)
{
	return str_eq(source->ref, PROMPT_REF_ENVIRONMENT) || is_data(source);
}

/* Files say where they are from, so that the model can tell them apart and find them again. */
static void name_source(struct assembly *a, struct assembly_message *t,
                        const struct rec_context_item *source)
{
	bool is_resource = str_starts(source->ref, STR("mcp:"));
	bool is_file =
		str_starts(source->ref, STR("file:")) || str_starts(source->ref, STR("user:"));

	if (!is_data(source) && !is_file)
		return;
	t->tag = !is_data(source) ? STR("instructions")
	         : is_resource    ? STR("resource")
	                          : arena_keep(a->mem, context_kind_word(source->kind));
	t->name = arena_keep(a->mem, is_resource ? str_skip(source->ref, 4)
	                             : str_starts(source->ref, STR("file:"))
	                                     ? str_skip(source->ref, 5)
	                                     : source->ref);
}

/* Is the newest note of the conversation this one? */
static bool has_note(const struct assembly *a, struct str source)
{
	for (size_t i = a->added_count; i-- > 0;)
		if (str_is(a->added[i]->source) && !a->added[i]->is_data &&
		    !a->added[i]->is_removed)
			return str_eq(a->added[i]->source, source);
	for (size_t i = a->count; i-- > 0;)
		if (str_is(a->messages[i]->source) && !a->messages[i]->is_data &&
		    !a->messages[i]->is_removed)
			return str_eq(a->messages[i]->source, source);
	return false;
}

/* A run that continues a turn resolves its context again. */
static bool has_data(const struct assembly *a, struct str turn_id, struct str source)
{
	for (size_t i = 0; i < a->added_count; i++)
		if (a->added[i]->is_data && str_eq(a->added[i]->host_id, turn_id) &&
		    str_eq(a->added[i]->source, source))
			return true;
	for (size_t i = 0; i < a->count; i++)
		if (a->messages[i]->is_data && str_eq(a->messages[i]->host_id, turn_id) &&
		    str_eq(a->messages[i]->source, source))
			return true;
	return false;
}

static bool is_input_of(const struct assembly_message *t, struct str turn_id)
{
	return t->role == ROLE_USER && !t->is_start && str_eq(t->host_id, turn_id);
}

/*
 * Before the messages with which its turn begins, so that the person's message is the last one
 * that is read.  A turn that is resumed after a crash may wait for results of calls: then the note
 * is placed with the next request, never between a call and its result.
 */
static void place_note(struct assembly *a, const struct event *ev,
                       const struct rec_context_item *source)
{
	struct assembly_message *note = ARENA_NEW(a->mem, struct assembly_message);
	size_t at = a->count;

	note->role = ROLE_USER;
	note->is_data = is_data(source);
	note->at = note->placed = ev->sequence;
	note->turn_id = note->host_id = arena_keep(a->mem, ev->turn_id);
	note->source = note->ref = arena_keep(a->mem, source->output_ref);
	name_source(a, note, source);
	while (at > 0 && is_input_of(a->messages[at - 1], ev->turn_id))
		at--;
	if (at == a->count) {
		push_message(a->mem, &a->added, &a->added_count, &a->added_cap, note);
		return;
	}
	push_message(a->mem, &a->messages, &a->count, &a->cap, note);
	memmove(&a->messages[at + 1], &a->messages[at],
	        (a->count - 1 - at) * sizeof(struct assembly_message *));
	a->messages[at] = note;
}

static void feed_context(struct assembly *a, const struct event *ev,
                         const struct ev_context_resolved *p)
{
	struct rec_context_item *items =
		ARENA_ARRAY(a->mem, struct rec_context_item, p->sources.count + 1);

	for (uint32_t i = 0; i < p->sources.count; i++)
		rec_keep(a->mem, &rec_context_item_desc, &items[i], p->sources.items[i]);
	a->sources = items;
	a->source_count = p->sources.count;
	/*
	 * Each is placed before those that were placed already, so the last comes first.  Data is
	 * next to the message that names it.
	 */
	for (uint32_t i = p->sources.count; i-- > 0;)
		if (is_data(&items[i]) && !has_data(a, ev->turn_id, items[i].output_ref))
			place_note(a, ev, &items[i]);
	for (uint32_t i = p->sources.count; i-- > 0;)
		if (!is_data(&items[i]) && is_of_turn(&items[i]) &&
		    !has_note(a, items[i].output_ref))
			place_note(a, ev, &items[i]);
}

/* Older events list the turns without the last sequence. */
static bool is_replaced(const struct assembly_message *t,
                        const struct ev_context_compaction_completed *p)
{
	if (t->is_start)
		return false;
	return rec_list_str_find(&p->affected_turns, t->host_id) >= 0 ||
	       (p->has_through_sequence && t->placed <= p->through_sequence);
}

/*
 * The user's messages of the running turn stay.  Messages are hidden, not dropped: a rollback to
 * before the compaction shows them again.
 */
static void feed_compacted(struct assembly *a, const struct event *ev,
                           const struct ev_context_compaction_completed *p)
{
	for (size_t i = 0; i < a->count; i++) {
		struct assembly_message *t = a->messages[i];
		bool goes_on = str_eq(t->host_id, ev->turn_id);

		if (!t->hidden_at && is_replaced(t, p) && !(goes_on && t->role == ROLE_USER))
			t->hidden_at = ev->sequence;
	}
	add_summary(a, ev->sequence,
	            str_is(p->continuation_ref) ? p->continuation_ref : p->summary_ref);
}

/*
 * Works on events, not on turns: everything that was placed after the target disappears, and every
 * compaction after it is undone.
 */
static void feed_rolled_back(struct assembly *a, const struct ev_history_rollback_completed *p)
{
	for (size_t i = 0; i < a->count; i++) {
		struct assembly_message *t = a->messages[i];

		if (!t->is_start && t->placed > p->target_sequence)
			t->is_removed = true;
		if (t->hidden_at > p->target_sequence)
			t->hidden_at = 0;
	}
	for (size_t i = 0; i < a->waiting_count; i++)
		if (rec_list_str_find(&p->removed_turns, a->waiting[i]->turn_id) >= 0)
			a->waiting[i]->is_removed = true;
	for (size_t i = 0; i < a->added_count; i++)
		if (a->added[i]->at > p->target_sequence)
			a->added[i]->is_removed = true;
	while (a->summary_count && a->summaries[a->summary_count - 1].at > p->target_sequence)
		a->summary_count--;
}

/* Events of other threads and of an ancestor after the fork are skipped. */
/* A note that the model repeats itself; other warnings are for people. */
static void feed_notice(struct assembly *a, const struct event *ev,
                        const struct ev_runtime_warning *p)
{
	const struct prompt_name names[] = {
		{ STR("tool"), p->ref },
		{ STR("count"), arena_printf(a->mem, "%lld", (long long)p->count) },
	};
	struct assembly_message *t;

	if (p->category != WARNING_CATEGORY_REPEATED_FAILURE)
		return;
	t = ARENA_NEW(a->mem, struct assembly_message);
	t->role = ROLE_USER;
	t->at = t->placed = ev->sequence;
	t->turn_id = t->host_id = arena_keep(a->mem, ev->turn_id);
	t->text = prompt_fill(a->mem, prompt_text_notes[PROMPT_NOTE_REPEATED_FAILURE], names,
	                      COUNT_OF(names));
	push_message(a->mem, &a->added, &a->added_count, &a->added_cap, t);
}

/*
 * All images so far were part of the request that the model refused.  A request to stop says why; the
 * end of the turn follows.
 */
static void feed_status(struct assembly *a, const struct event *ev, const struct ev_run_status *p)
{
	struct str by =
		str_is(p->images_refused_by) ? arena_keep(a->mem, p->images_refused_by) : STR_NONE;

	if (p->kind == RUN_STATUS_KIND_INTERRUPT_REQUESTED) {
		a->stop_turn_id = arena_keep(a->mem, ev->turn_id);
		a->stop_reason = rec_enum_read(&enum_interrupt_reason, p->reason);
	}
	for (size_t i = 0; str_is(by) && i < a->count; i++)
		for (size_t n = 0; n < a->messages[i]->image_count; n++)
			a->messages[i]->images[n].refused_by = by;
}

void assemble_feed(struct assembly *a, const struct event *ev)
{
	if (!str_is(ev->thread_id) || !assemble_comes_from(&a->start, ev))
		return;
	switch (ev->type) {
	case EV_TURN_SUBMITTED:
		feed_submitted(a, ev, ev->payload);
		break;
	case EV_TURN_STARTED:
		place_input(a, ev->turn_id, ev);
		break;
	case EV_TURN_COMPLETED:
		feed_imported(a, ev, ev->payload);
		break;
	case EV_MODEL_REQUESTED:
		feed_requested(a, ev, ev->payload);
		break;
	case EV_MODEL_DELTA:
		feed_delta(a, ev, ev->payload);
		break;
	case EV_MODEL_COMPLETED:
		feed_completed(a, ev, ev->payload);
		break;
	case EV_TURN_FAILED:
		feed_stopped(a, ev, ev->payload);
		break;
	case EV_MODEL_FAILED:
		feed_failed(a, ev);
		break;
	case EV_RUN_STATUS:
		feed_status(a, ev, ev->payload);
		break;
	case EV_TOOL_STARTED:
		call_started(a, ev, ev->payload);
		break;
	case EV_TOOL_ARGS:
		call_args(a, ev, ev->payload);
		break;
	case EV_TOOL_RESULT:
		call_result(a, ev, ev->payload);
		break;
	case EV_TOOL_FAILED:
		call_failed(a, ev);
		break;
	case EV_CONTEXT_RESOLVED:
		feed_context(a, ev, ev->payload);
		break;
	case EV_CONTEXT_COMPACTION_COMPLETED:
		feed_compacted(a, ev, ev->payload);
		break;
	case EV_HISTORY_ROLLBACK_COMPLETED:
		feed_rolled_back(a, ev->payload);
		break;
	case EV_RUNTIME_WARNING:
		feed_notice(a, ev, ev->payload);
		break;
	case EV_HOOK_COMPLETED:
		feed_hook(a, ev, ev->payload);
		break;
	default:
		break;
	}
}

/* ---- the end ---- */

struct messages {
	struct assembly_message **items;
	size_t count, cap;
};

static struct assembly_message *add_message(struct assembly *a, struct messages *to,
                                            enum message_role role)
{
	struct assembly_message *t = ARENA_NEW(a->mem, struct assembly_message);

	t->role = role;
	push_message(a->mem, &to->items, &to->count, &to->cap, t);
	return t;
}

static void add_source(struct assembly *a, struct messages *to, enum message_role role,
                       const struct rec_context_item *source)
{
	struct assembly_message *t = add_message(a, to, role);

	t->ref = source->output_ref;
	name_source(a, t, source);
}

static void add_last_summary(struct assembly *a, struct messages *to)
{
	if (a->summary_count)
		add_message(a, to, ROLE_USER)->ref = a->summaries[a->summary_count - 1].ref;
}

/* The model is informed of the cut, in a text that stays the same until the cut moves. */
static void add_cut(struct assembly *a, struct messages *to)
{
	if (a->start.cut_turns)
		add_message(a, to, ROLE_USER)->text =
			prompt_note(a->mem, PROMPT_NOTE_TURNS_LEFT_OUT, STR("count"),
		                    arena_printf(a->mem, "%lld", (long long)a->start.cut_turns));
}

static bool is_sent(const struct assembly *a, const struct assembly_message *t)
{
	return !t->hidden_at && !t->is_removed && (t->is_start || t->placed > a->start.cut_through);
}

/* The note was placed in a turn that is no longer sent: the model gets it again. */
static void add_hidden_note(struct assembly *a, struct messages *to)
{
	for (size_t i = 0; i < a->source_count; i++) {
		bool is_shown = false;

		if (!is_of_turn(&a->sources[i]))
			continue;
		for (size_t n = 0; n < a->count; n++)
			is_shown |= is_sent(a, a->messages[n]) &&
			            str_eq(a->messages[n]->source, a->sources[i].output_ref);
		if (!is_shown)
			add_source(a, to, ROLE_USER, &a->sources[i]);
	}
}

/*
 * The order is stable from request to request, so that the provider's prompt cache applies:
 * instructions, summary, cut, messages.
 */
void assemble_finish(struct assembly *a)
{
	struct messages out = { 0 };

	for (size_t i = 0; i < a->source_count; i++)
		if (!is_of_turn(&a->sources[i]))
			add_source(a, &out, ROLE_SYSTEM, &a->sources[i]);
	add_last_summary(a, &out);
	add_cut(a, &out);
	add_hidden_note(a, &out);
	for (size_t i = 0; i < a->count; i++)
		if (is_sent(a, a->messages[i]))
			push_message(a->mem, &out.items, &out.count, &out.cap, a->messages[i]);
	a->messages = out.items;
	a->count = out.count;
	a->cap = out.cap;
}

/* Providers refuse a call without its result and the reverse, so the summary gets plain text. */
static struct assembly_message *plain_message(struct assembly *a, const struct assembly_message *t,
                                              size_t max)
{
	static const char *const who[] = { "System", "User", "Assistant", "Tool result" };
	struct assembly_message *p = ARENA_NEW(a->mem, struct assembly_message);
	struct buf text = { 0 };

	buf_printf(&text, "%s: %.*s", who[t->role], STR_ARG(utf8_head(t->text, max)));
	if (t->text.len > max)
		buf_printf(&text, " [%zu bytes left out]", t->text.len - max);
	for (size_t n = 0; n < t->call_count; n++)
		buf_printf(&text, "\n[called %.*s with %.*s]", STR_ARG(t->calls[n].name),
		           STR_ARG(utf8_head(t->calls[n].args, MIN(max, 400))));
	p->role = ROLE_USER;
	p->turn_id = p->host_id = t->host_id;
	p->text = arena_keep(a->mem, buf_str(&text));
	buf_done(&text);
	return p;
}

static bool is_summed(const struct assembly_message *t, const struct assembly_span *span)
{
	if (t->hidden_at || t->is_removed || t->is_start || str_is(t->source))
		return false;
	return t->placed <= span->through ||
	       (str_is(span->turn_id) && str_eq(t->host_id, span->turn_id));
}

/*
 * The conversation as one text for the summary.  Each message gets an equal share of max_bytes; if
 * even that is too much, the oldest are left out, since the previous summary covers them.  `wish`
 * is the instruction and comes last.
 */
void assemble_finish_summary(struct assembly *a, const struct assembly_span *span, size_t max_bytes,
                             struct str wish)
{
	struct messages out = { 0 }, chosen = { 0 };
	size_t each, sum = 0, first = 0;

	for (size_t i = 0; i < a->count; i++)
		if (is_summed(a->messages[i], span))
			push_message(a->mem, &chosen.items, &chosen.count, &chosen.cap,
			             a->messages[i]);
	each = MAX(max_bytes / MAX(chosen.count, 1), 400);
	for (size_t i = chosen.count; i-- > 0;) {
		sum += MIN(chosen.items[i]->text.len, each) + 64;
		if (sum > max_bytes) {
			first = i +
			        /*
			         * the oldest messages that do not fit are left to the previous
			         * summary
			         */
			        1;
			break;
		}
	}
	add_last_summary(a, &out);
	for (size_t i = first; i < chosen.count; i++)
		push_message(a->mem, &out.items, &out.count, &out.cap,
		             plain_message(a, chosen.items[i], each));
	add_message(a, &out, ROLE_USER)->text = wish;
	a->messages = out.items;
	a->count = out.count;
	a->cap = out.cap;
}

static struct str text_of_parts(struct arena *mem, struct str parts_json)
{
	struct buf out = { 0 };
	struct json parts, part;
	struct str key;

	if (json_read_trusted(mem, parts_json, &parts, NULL) != OK)
		return STR("");
	struct json_iter it = json_iter(parts);

	while (json_next(&it, &key, &part)) {
		struct str piece = json_str(JSON_GET(part, "text"));

		if (!str_is(piece))
			continue;
		if (out.len)
			buf_add_char(&out, '\n');
		buf_add_str(&out, piece);
	}
	struct str text = arena_keep(mem, buf_str(&out));

	buf_done(&out);
	return text;
}

struct str assemble_text(struct arena *mem, const struct assembly_message *t, struct str content)
{
	if (t->ref_is_input)
		return text_of_parts(mem, content);
	return str_is(t->tag) ? prompt_named(mem, t->tag, t->name, content)
	                      : arena_keep(mem, content);
}
