/*
 * Decides before each run what the model sees and records it: which texts go
 * in, with their refs and hashes, which are missing, and which are left out.
 * spec: contracts/tool-context-capabilities#context-assembly; GAP-52, GAP-66
 */
#include "core/context/context.h"
#include "core/context/context_tokens.h"
#include "core/context/prompt.h"

#include "base/buf.h"
#include "base/gen/limits.h"
#include "base/hash/sha256.h"
#include "core/approval/permission.h"
#include "core/context/history_marks.h"
#include "core/subagent/agent_definition.h"
#include "core/subagent/subagent.h"
#include "core/task/task_bounds.h"

/* ---- sources ---- */

static const struct context_file *find_file(const struct decision *d, enum context_kind kind,
                                            struct str ref)
{
	for (size_t i = 0; d->context && i < d->context->count; i++)
		if (d->context->files[i].kind == kind && str_eq(d->context->files[i].ref, ref))
			return &d->context->files[i];
	return NULL;
}

/*
 * The engine reads files outside of the decision and repeats the step with them.  A file that the
 * turn names must be among them, even as missing.
 */
bool context_is_read(const struct decision *d, const struct st_turn *t)
{
	if (!d->settings->reads_context || t->sampling)
		return true;
	if (!d->context)
		return false;
	for (uint32_t i = 0; i < t->context_items.count; i++)
		if (t->context_items.items[i]->kind == CONTEXT_KIND_FILE &&
		    !find_file(d, CONTEXT_KIND_FILE, t->context_items.items[i]->ref))
			return false;
	return true;
}

/* The same text under the same name keeps its ref. */
static struct str kept_ref(const struct st_thread *th, struct str ref, struct str sha256)
{
	for (uint32_t i = 0; i < th->sources.count; i++)
		if (str_eq(th->sources.items[i]->ref, ref) &&
		    str_eq(th->sources.items[i]->sha256, sha256))
			return th->sources.items[i]->output_ref;
	return STR_NONE;
}

/* The hash proves later what the model was sent; equal texts are stored once per thread. */
static void add_text(struct decision *d, const struct st_thread *th, struct ev_context_resolved *p,
                     enum context_kind kind, struct str ref, struct str text)
{
	struct rec_context_item *item = rec_list_add(d->mem, &p->sources, &rec_context_item_desc);
	struct sha256 hash = sha256_of(text);

	*item = (struct rec_context_item){ .kind = kind,
		                           .ref = ref,
		                           .bytes = (int64_t)text.len,
		                           .sha256 = sha256_hex(d->mem, &hash) };
	item->output_ref = kept_ref(th, ref, item->sha256);
	if (!str_is(item->output_ref))
		item->output_ref = decision_new_blob(d, STR("text/plain"), text);
}

/* Two lists: what should be there and is not, and what was left out on purpose. */
/* A text that the runtime stored once for all sessions. */
static void add_stored(struct decision *d, struct ev_context_resolved *p, struct str ref,
                       struct str text, struct str output_ref)
{
	struct rec_context_item *item = rec_list_add(d->mem, &p->sources, &rec_context_item_desc);
	struct sha256 hash = sha256_of(text);

	*item = (struct rec_context_item){ .kind = CONTEXT_KIND_INSTRUCTION,
		                           .ref = ref,
		                           .output_ref = output_ref,
		                           .bytes = (int64_t)text.len,
		                           .sha256 = sha256_hex(d->mem, &hash) };
}

static bool has_prompt(const struct decision *d)
{
	return d->settings->config->context_prompt == CONTEXT_PROMPT_BUILTIN &&
	       str_is(d->settings->prompt_ref);
}

static void add_missing(struct decision *d, struct ev_context_resolved *p, struct str ref,
                        enum missing_reason reason)
{
	struct rec_missing_ref *m =
		reason == MISSING_REASON_TOO_LARGE || reason == MISSING_REASON_OMITTED_BY_BUDGET
			? rec_list_add(d->mem, &p->omissions, &rec_missing_ref_desc)
			: rec_list_add(d->mem, &p->missing, &rec_missing_ref_desc);

	*m = (struct rec_missing_ref){ ref, reason };
}

static struct list_str *refs_of(struct ev_context_resolved *p, enum context_kind kind)
{
	switch (kind) {
	case CONTEXT_KIND_MEMORY:
		return &p->memory_refs;
	case CONTEXT_KIND_KNOWLEDGE:
	case CONTEXT_KIND_SKILL:
		return &p->knowledge_refs;
	case CONTEXT_KIND_BROWSER:
		return &p->browser_refs;
	case CONTEXT_KIND_FILE:
		return &p->workspace_refs;
	default:
		return &p->instruction_refs;
	}
}

/* The user's own file is not part of it. */
static bool is_of_workspace(struct str ref)
{
	return str_starts(ref, STR("file:"));
}

/*
 * From the most distant to the nearest, because keep_budget() drops from the front: system
 * instructions, then files in the order of the engine.
 */
static void add_instructions(struct decision *d, const struct st_thread *th,
                             struct ev_context_resolved *p)
{
	struct str own = d->settings->config->context_instructions;

	rec_list_str_add(d->mem, &p->instruction_refs, PROMPT_REF_SYSTEM);
	if (has_prompt(d))
		add_stored(d, p, PROMPT_REF_SYSTEM, prompt_text_system, d->settings->prompt_ref);
	if (own.len && has_prompt(d))
		rec_list_str_add(d->mem, &p->instruction_refs, PROMPT_REF_APPENDED);
	if (own.len)
		add_text(d, th, p, CONTEXT_KIND_INSTRUCTION,
		         has_prompt(d) ? PROMPT_REF_APPENDED : PROMPT_REF_SYSTEM, own);
	for (size_t i = 0; d->context && i < d->context->count; i++) {
		const struct context_file *f = &d->context->files[i];

		if (f->kind != CONTEXT_KIND_INSTRUCTION)
			continue;
		if (f->missing) {
			add_missing(d, p, f->ref, f->missing);
			continue;
		}
		rec_list_str_add(d->mem, &p->instruction_refs, f->ref);
		if (is_of_workspace(f->ref))
			rec_list_str_add(d->mem, &p->workspace_refs, f->ref);
		add_text(d, th, p, CONTEXT_KIND_INSTRUCTION, f->ref, f->text);
	}
}

/* ---- skills ---- */

#define NAMED_OMISSIONS 32

/* Lines of names and descriptions within the bound; returns how many fit. */
static size_t list_named(struct decision *d, const struct context_named *all, size_t count,
                         struct str *ret)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	size_t n = 0;

	for (; n < count; n++) {
		size_t len = all[n].name.len + all[n].description.len + 5;

		if (out.len + len > LIMIT_SKILL_LIST_BYTES)
			break;
		buf_printf(&out, "%s- %.*s: %.*s", n ? "\n" : "", STR_ARG(all[n].name),
		           STR_ARG(all[n].description));
	}
	*ret = arena_keep(d->mem, buf_str(&out));
	return n;
}

/* A place with thousands of skills would fill the event with their names. */
static void omit_skills(struct decision *d, struct ev_context_resolved *p,
                        const struct context_named *rest, size_t count)
{
	for (size_t i = 0; i < MIN(count, NAMED_OMISSIONS); i++)
		add_missing(d, p, arena_printf(d->mem, "skill:%.*s", STR_ARG(rest[i].name)),
		            MISSING_REASON_OMITTED_BY_BUDGET);
	if (count > NAMED_OMISSIONS)
		add_missing(d, p,
		            arena_printf(d->mem, "skill:and %zu more", count - NAMED_OMISSIONS),
		            MISSING_REASON_OMITTED_BY_BUDGET);
}

/* The model reads the skills themselves by a tool; without it a list is of no use. */
static void add_skills(struct decision *d, const struct st_thread *th,
                       struct ev_context_resolved *p)
{
	const struct context_picture *c = d->context;
	struct str list;
	size_t fit;

	if (!c || !c->skill_count || !decision_settings_tool(d->settings, STR("read_skill")))
		return;
	fit = list_named(d, c->skills, c->skill_count, &list);
	rec_list_str_add(d->mem, &p->knowledge_refs, PROMPT_REF_SKILLS);
	add_text(d, th, p, CONTEXT_KIND_SKILL, PROMPT_REF_SKILLS,
	         prompt_note(d->mem, PROMPT_NOTE_SKILLS, STR("skills"), list));
	omit_skills(d, p, c->skills + fit, c->skill_count - fit);
}

/* ---- agents ---- */

/* The same prompt under the same name keeps its ref. */
static struct str kept_prompt(const struct st_thread *th, const struct rec_agent_definition *a)
{
	for (uint32_t i = 0; i < th->agents.count; i++)
		if (str_eq(th->agents.items[i]->name, a->name) &&
		    str_eq(th->agents.items[i]->sha256, a->sha256))
			return th->agents.items[i]->prompt_ref;
	return STR_NONE;
}

static void add_agent(struct decision *d, const struct st_thread *th, struct ev_context_resolved *p,
                      const struct context_agent *from)
{
	struct rec_agent_definition *a =
		rec_list_add(d->mem, &p->agents, &rec_agent_definition_desc);
	struct sha256 hash = sha256_of(from->prompt);

	a->name = from->name;
	a->model = from->model;
	if (str_is(from->tools))
		agent_definition_read_tools(d->mem, from->tools, &a->tools);
	if (!from->prompt.len)
		return;
	a->sha256 = sha256_hex(d->mem, &hash);
	a->bytes = (int64_t)from->prompt.len;
	a->has_bytes = true;
	a->prompt_ref = kept_prompt(th, a);
	if (!str_is(a->prompt_ref))
		a->prompt_ref = decision_new_blob(d, STR("text/plain"), from->prompt);
}

/* The thread remembers them: a call of spawn_agent comes later, and may come after a restart. */
static void add_agents(struct decision *d, const struct st_thread *th,
                       struct ev_context_resolved *p)
{
	const struct context_picture *c = d->context;
	size_t fit;
	struct str list;

	if (!c || !c->agent_count || !decision_settings_tool(d->settings, STR("spawn_agent")))
		return;
	fit = list_named(d, c->agent_names, MIN(c->agent_count, LIMIT_AGENTS_LISTED), &list);
	for (size_t i = 0; i < fit; i++)
		add_agent(d, th, p, &c->agents[i]);
	rec_list_str_add(d->mem, &p->instruction_refs, PROMPT_REF_AGENTS);
	add_text(d, th, p, CONTEXT_KIND_INSTRUCTION, PROMPT_REF_AGENTS,
	         prompt_note(d->mem, PROMPT_NOTE_AGENTS, STR("agents"), list));
	for (size_t i = fit; i < c->agent_count && i < fit + NAMED_OMISSIONS; i++)
		add_missing(d, p, arena_printf(d->mem, "agent:%.*s", STR_ARG(c->agents[i].name)),
		            MISSING_REASON_OMITTED_BY_BUDGET);
}

/* A child that is such an agent: its prompt, as it was when the child was created. */
static void add_agent_prompt(struct decision *d, const struct st_thread *th,
                             struct ev_context_resolved *p)
{
	const struct st_subagent *s = subagent_of_thread(d->w, th->thread_id);
	const struct rec_agent_definition *a = s ? s->record->agent : NULL;
	struct rec_context_item *item;
	struct str ref;

	if (!a || !str_is(a->prompt_ref))
		return;
	ref = arena_printf(d->mem, "agent:%.*s", STR_ARG(a->name));
	rec_list_str_add(d->mem, &p->instruction_refs, ref);
	item = rec_list_add(d->mem, &p->sources, &rec_context_item_desc);
	*item = (struct rec_context_item){ .kind = CONTEXT_KIND_INSTRUCTION,
		                           .ref = ref,
		                           .output_ref = a->prompt_ref,
		                           .sha256 = a->sha256,
		                           .bytes = a->bytes };
}

/*
 * What may change from turn to turn.  The text is stored when it changes, and the conversation
 * holds it where it did.
 */
static void add_environment(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                            struct ev_context_resolved *p)
{
	const struct context_picture *c = d->context;
	struct list_str more = task_bounds_directories(d->w, d->settings, t->turn_id);
	struct str text;

	if (!has_prompt(d))
		return;
	text = prompt_environment(
		d->mem, &(struct prompt_place){
				.directory = str_is(d->w->s->cwd) ? d->w->s->cwd : d->settings->cwd,
				.more = &more,
				.root = c ? c->root : STR_NONE,
				.branch = c ? c->branch : STR_NONE,
				.environment = d->settings->environment,
				.is_sandbox_known = d->settings->is_sandbox_known,
				.mode = permission_mode_of_turn(d, t),
				.now_ms = d->now });
	if (c && str_is(c->absent_tools))
		text = arena_printf(d->mem, "%.*s\n%.*s", STR_ARG(text), STR_ARG(c->absent_tools));
	rec_list_str_add(d->mem, &p->instruction_refs, PROMPT_REF_ENVIRONMENT);
	add_text(d, th, p, CONTEXT_KIND_INSTRUCTION, PROMPT_REF_ENVIRONMENT, text);
}

/*
 * Informs the model of tools that were available or announced and are missing now.  The built-in
 * environment note includes it.
 */
static void add_absent_tools(struct decision *d, const struct st_thread *th,
                             struct ev_context_resolved *p)
{
	if (has_prompt(d) || !d->context || !str_is(d->context->absent_tools))
		return;
	rec_list_str_add(d->mem, &p->instruction_refs, STR("instruction:tool_servers"));
	add_text(d, th, p, CONTEXT_KIND_INSTRUCTION, STR("instruction:tool_servers"),
	         d->context->absent_tools);
}

/*
 * Sources that the caller named: the text comes with the command, from a file, or stays with its
 * owner.
 */
static void add_items(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                      struct ev_context_resolved *p)
{
	for (uint32_t i = 0; i < t->context_items.count; i++) {
		const struct rec_context_ref *r = t->context_items.items[i];
		const struct context_file *f =
			r->kind == CONTEXT_KIND_FILE ? find_file(d, r->kind, r->ref) : NULL;

		if (r->kind == CONTEXT_KIND_FILE && (!f || f->missing)) {
			add_missing(d, p, r->ref, f ? f->missing : MISSING_REASON_UNREADABLE);
			continue;
		}
		rec_list_str_add(d->mem, refs_of(p, r->kind), r->ref);
		if (f) {
			add_text(d, th, p, r->kind, r->ref, f->text);
		} else if (str_is(r->output_ref)) {
			struct rec_context_item *item =
				rec_list_add(d->mem, &p->sources, &rec_context_item_desc);

			*item = (struct rec_context_item){ r->kind, r->ref, r->output_ref,
				                           r->sha256, r->bytes };
		}
	}
}

static bool is_too_much(int64_t bytes, int64_t window)
{
	return bytes / CONTEXT_BYTES_PER_TOKEN > window / 2;
}

/* Without these the agent does not know how to work; they are small. */
static bool is_builtin(const struct decision *d, struct str ref)
{
	return has_prompt(d) &&
	       (str_eq(ref, PROMPT_REF_SYSTEM) || str_eq(ref, PROMPT_REF_ENVIRONMENT));
}

static void leave_out(struct decision *d, struct ev_context_resolved *p, uint32_t i, int64_t *bytes)
{
	add_missing(d, p, p->sources.items[i]->ref, MISSING_REASON_OMITTED_BY_BUDGET);
	*bytes -= p->sources.items[i]->bytes;
	rec_list_remove(&p->sources, i);
}

/*
 * Half of the window belongs to the conversation.  Data is left out before any instruction, the last
 * first; then the most distant files.
 */
static void keep_budget(struct decision *d, struct ev_context_resolved *p, int64_t window)
{
	int64_t bytes = 0;

	for (uint32_t i = 0; i < p->sources.count; i++)
		bytes += p->sources.items[i]->bytes;
	for (uint32_t i = p->sources.count; i-- > 0 && window && is_too_much(bytes, window);)
		if (p->sources.items[i]->kind != CONTEXT_KIND_INSTRUCTION &&
		    p->sources.items[i]->kind != CONTEXT_KIND_SKILL &&
		    !is_builtin(d, p->sources.items[i]->ref))
			leave_out(d, p, i, &bytes);
	for (uint32_t i = 0; i < p->sources.count && window && is_too_much(bytes, window);) {
		if (is_builtin(d, p->sources.items[i]->ref)) {
			i++;
			continue;
		}
		leave_out(d, p, i, &bytes);
	}
}

/* ---- events ---- */

/* spec: GAP-52 — emitted by the command that leaves older turns outside, never by a read. */
static void emit_window(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct rec_history_range *h)
{
	struct event *ev = decision_in_thread(
		EMIT(d, HISTORY_WINDOW_LOADED, history_window_loaded, .cause = WINDOW_CAUSE_SUBMIT,
	             .from_sequence = h->from_sequence, .to_sequence = d->w->s->sequence,
	             .turns = h->turns, .older_turns = h->omitted_turns),
		th);

	ev->turn_id = t->turn_id;
	ev->history_boundary =
		KEPT(d, struct rec_history_boundary, .layer = HISTORY_LAYER_CONTEXT_BOUNDARY,
	             .through_sequence = h->from_sequence - 1);
}

/* Counts what the next request sends verbatim, and says why the rest is left out. */
static struct rec_history_range *range_of(struct decision *d, const struct st_thread *th,
                                          const struct st_turn *t)
{
	struct rec_history_range *r =
		KEPT(d, struct rec_history_range, .from_sequence = t->submitted_sequence);

	for (size_t i = history_marks_units(th); i-- > 0;) {
		struct history_unit u = history_marks_unit(th, i);

		if (!history_marks_is_sent(th, &u))
			continue;
		r->turns += u.turns;
		r->from_sequence = MIN(r->from_sequence, u.from);
	}
	r->omitted_turns = MAX(th->ended_turns - r->turns, 0);
	r->has_omitted_turns = r->omitted_turns > 0;
	if (r->has_omitted_turns)
		r->omitted_because = th->cut_through         ? STR("window")
		                     : th->compactions.count ? STR("summary")
		                                             : STR_NONE;
	return r;
}

static void emit_resolved(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                          struct ev_context_resolved *p)
{
	const struct model_info *m = d->settings->model_count ? &d->settings->models[0] : NULL;

	p->policy_facts = STRINGS(
		d, arena_printf(d->mem, "mode:%.*s",
	                        STR_ARG(permission_mode_word(permission_mode_of_turn(d, t)))));
	if (has_prompt(d) && !t->sampling)
		rec_list_str_add(d->mem, &p->policy_facts, STR("prompt:" PROMPT_VERSION));
	/* Empty is absent: whether the list has memory depends on how the state was loaded. */
	if (th->hook_context_refs.count)
		p->hook_context_refs = th->hook_context_refs;
	p->history = range_of(d, th, t);
	p->budget = KEPT(d, struct rec_context_budget, .window_tokens = m ? m->window_tokens : 0,
	                 .estimated_tokens = context_tokens_request(d, th, t),
	                 .estimate = th->measured_tokens ? STR("measured") : STR("conservative"));
	decision_in_turn(decision_emit_event(d, EV_CONTEXT_RESOLVED, p), th, t);
}

/* A tool server gets an answer to its own words: nothing of the agent, its files or its history. */
static void emit_of_server(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct ev_context_resolved p = { 0 };
	const struct rec_context_item *system = t->sampling->system;

	if (system) {
		rec_list_str_add(d->mem, &p.instruction_refs, system->ref);
		*(struct rec_context_item *)rec_list_add(d->mem, &p.sources,
		                                         &rec_context_item_desc) = *system;
	}
	emit_resolved(d, th, t, &p);
}

/* Once per run, before the model is chosen. */
void context_emit(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct ev_context_resolved p = { 0 };
	struct rec_history_range *range = range_of(d, th, t);

	if (t->sampling) {
		emit_of_server(d, th, t);
		return;
	}
	add_instructions(d, th, &p);
	add_skills(d, th, &p);
	add_agents(d, th, &p);
	add_agent_prompt(d, th, &p);
	add_items(d, th, t, &p);
	add_absent_tools(d, th, &p);
	add_environment(d, th, t, &p);
	keep_budget(d, &p, d->settings->model_count ? d->settings->models[0].window_tokens : 0);
	/* With a summary the compaction has reported the boundary already. */
	if (range->has_omitted_turns && !th->compactions.count)
		emit_window(d, th, t, range);
	emit_resolved(d, th, t, &p);
}

/* ---- again after a compaction ---- */

static bool has_source(const struct st_thread *th, enum context_kind kind, struct str ref)
{
	for (uint32_t i = 0; i < th->sources.count; i++)
		if (th->sources.items[i]->kind == kind && str_eq(th->sources.items[i]->ref, ref))
			return true;
	return false;
}

/* Missing and omitted sources stay so: nothing was read again. */
static void take_refs(struct decision *d, struct ev_context_resolved *p, struct str json_list)
{
	struct json list, each;
	struct str key;

	if (!str_is(json_list) || json_read_trusted(d->mem, json_list, &list, NULL) != OK)
		return;
	struct json_iter it = json_iter(list);

	while (json_next(&it, &key, &each)) {
		struct rec_missing_ref m;

		if (rec_read(d->mem, each, &rec_missing_ref_desc, REC_TRUSTED, &m, NULL) == OK)
			add_missing(d, p, m.ref, m.reason);
	}
}

static void take_sources(struct decision *d, const struct st_thread *th,
                         struct ev_context_resolved *p)
{
	rec_list_str_add(d->mem, &p->instruction_refs, PROMPT_REF_SYSTEM);
	for (uint32_t i = 0; i < th->sources.count; i++) {
		const struct rec_context_item *s = th->sources.items[i];
		struct rec_context_item *item =
			rec_list_add(d->mem, &p->sources, &rec_context_item_desc);

		*item = *s;
		if (str_eq(s->ref, PROMPT_REF_SKILLS))
			rec_list_str_add(d->mem, &p->knowledge_refs, s->ref);
		if (s->kind != CONTEXT_KIND_INSTRUCTION || str_eq(s->ref, PROMPT_REF_SYSTEM))
			continue;
		rec_list_str_add(d->mem, &p->instruction_refs, s->ref);
		if (is_of_workspace(s->ref))
			rec_list_str_add(d->mem, &p->workspace_refs, s->ref);
	}
}

/*
 * Files are not read again: the sources of the run stay as they were, only history and budget
 * differ.
 */
void context_emit_again(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	struct ev_context_resolved p = { 0 };

	take_sources(d, th, &p);
	for (uint32_t i = 0; i < th->agents.count; i++)
		rec_keep(d->mem, &rec_agent_definition_desc,
		         rec_list_add(d->mem, &p.agents, &rec_agent_definition_desc),
		         th->agents.items[i]);
	for (uint32_t i = 0; i < t->context_items.count; i++) {
		const struct rec_context_ref *r = t->context_items.items[i];

		if (r->kind != CONTEXT_KIND_FILE || has_source(th, r->kind, r->ref))
			rec_list_str_add(d->mem, refs_of(&p, r->kind), r->ref);
	}
	take_refs(d, &p, th->context_missing);
	take_refs(d, &p, th->context_omissions);
	emit_resolved(d, th, t, &p);
}
