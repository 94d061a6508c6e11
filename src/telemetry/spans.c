/*
 * Turns events into spans and log records (spans.h).
 *
 * An open span is found by session, kind and object.  The parent of a span is
 * the innermost open span among the objects that its first event names; an
 * object that never opened a span is no parent, so no parent is missing.
 */
#include "telemetry/spans.h"

#include "base/hash/sha256.h"
#include "base/map.h"
#include "base/memory.h"
#include "base/os/clock.h"
#include "telemetry/span_content.h"

#include <stdio.h>

#define NOTES_MAX 128u /* of one span; further ones are counted */
#define KEY_MAX 560    /* two ids and a digit */

struct spans {
	const struct spans_sink *sink;
	void *owner;
	const struct span_redactor *redactor; /* NULL: no content is sent */
	struct map open;                      /* struct span, by key */
	struct list order;
	size_t count;
	uint64_t uncorrelated;
	struct map parents; /* struct child, by session and subagent */
	struct list children;
	size_t child_count;
};

/* The agent that spawned another one, until the child begins its first turn. */
struct child {
	struct list node;
	struct span_link link;
	char key[];
};
#define CHILDREN_MAX 4096u /* the oldest are forgotten: a link is lost, not a span */

/* ---- ids ---- */

void spans_id_of(struct str trace_id, struct str object_id, char ret[17])
{
	static const char digits[] = "0123456789abcdef";
	struct sha256_stream s;
	struct sha256 h;

	sha256_begin(&s);
	sha256_more(&s, trace_id);
	sha256_more(&s, object_id);
	h = sha256_end(&s);
	for (size_t i = 0; i < 8; i++) {
		ret[2 * i] = digits[h.state[i] >> 4];
		ret[2 * i + 1] = digits[h.state[i] & 15];
	}
	ret[16] = 0;
}

/* Lower-case hexadecimal digits of that number, not all zero. */
static bool is_hex(struct str s, size_t len)
{
	bool is_zero = true;

	if (s.len != len)
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!strchr("0123456789abcdef", s.ptr[i]) || !s.ptr[i])
			return false;
		is_zero = is_zero && s.ptr[i] == '0';
	}
	return !is_zero;
}

static struct str key_of(char text[KEY_MAX], struct str session, char kind, struct str id)
{
	int len = snprintf(text, KEY_MAX, "%.*s %c %.*s", STR_ARG(session), kind, STR_ARG(id));

	return str_of(text, (size_t)MIN(len, KEY_MAX - 1));
}

static struct span *find(const struct spans *s, struct json ev, enum span_kind kind, struct str id)
{
	char text[KEY_MAX];

	return map_get(&s->open, key_of(text, json_str(JSON_GET(ev, "sessionId")),
	                                (char)('a' + (int)kind), id));
}

/* The span of the object whose id this member of the envelope is; NULL: it is not open. */
static struct span *find_by_member(const struct spans *s, struct json ev, const char *name)
{
	struct str id = json_str(json_get(ev, str_from(name)));
	enum span_kind kind = !strcmp(name, "turnId")           ? SPAN_INTERACTION
	                      : !strcmp(name, "attemptId")      ? SPAN_TASK_RUN
	                      : !strcmp(name, "modelRequestId") ? SPAN_MODEL_REQUEST
	                                                        : SPAN_TOOL_CALL;

	return str_is(id) ? find(s, ev, kind, id) : NULL;
}

static struct span *find_parent(const struct spans *s, struct json ev, const char *const *names)
{
	struct span *parent = NULL;

	for (; *names && !parent; names++)
		parent = find_by_member(s, ev, *names);
	return parent;
}

static int64_t time_of(struct json ev)
{
	int64_t ms = 0;

	return clock_time_read(json_str(JSON_GET(ev, "timestamp")), &ms) ? ms : 0;
}

/* ---- one span ---- */

static void span_free(struct span *x)
{
	span_attrs_done(&x->attrs);
	span_attrs_done(&x->note_attrs);
	buf_done(&x->response);
	memory_free(x->notes);
	memory_free(x->key);
	memory_free(x);
}

/* The span of a turn is below the span of its caller, which decides whether spans are sent. */
static void take_caller(struct span *x, struct json caller)
{
	struct str id = json_str(JSON_GET(caller, "spanId"));

	x->is_sampled = json_bool(JSON_GET(caller, "sampled"), true);
	if (is_hex(id, 16))
		memcpy(x->parent_id, id.ptr, 16);
}

/* NULL: the event names no trace, and neither does its parent. */
static struct span *span_new(struct spans *s, enum span_kind kind, struct str id, uint64_t position,
                             struct json ev)
{
	struct span *parent = find_parent(s, ev, span_table_parents(kind)), *x;
	struct str trace = json_str(JSON_GET(ev, "traceId"));
	struct str named = json_str(JSON_GET(ev, "spanId"));

	if (parent)
		trace = str_from(parent->trace_id);
	if (!is_hex(trace, 32)) {
		s->uncorrelated++;
		return NULL;
	}
	x = memory_zeroed(1, sizeof *x);
	x->kind = kind;
	x->position = position;
	x->start_ms = x->end_ms = time_of(ev);
	memcpy(x->trace_id, trace.ptr, 32);
	/* Turns of logs of 0.1.0 have a random id. */
	if (kind == SPAN_INTERACTION && is_hex(named, 16))
		memcpy(x->span_id, named.ptr, 16);
	else
		spans_id_of(trace, id, x->span_id);
	if (parent)
		memcpy(x->parent_id, parent->span_id, sizeof x->parent_id);
	if (parent)
		x->is_sampled = parent->is_sampled;
	else
		take_caller(x, JSON_GET(JSON_GET(ev, "payload"), "trace"));
	span_attrs_add_ids(&x->attrs, ev);
	return x;
}

static void link_to(struct span_link *link, const struct span *x, const char *reason)
{
	memcpy(link->trace_id, x->trace_id, sizeof link->trace_id);
	memcpy(link->span_id, x->span_id, sizeof link->span_id);
	link->reason = reason;
}

/* ---- links ---- */

static void forget_child(struct spans *s, struct child *c)
{
	map_remove(&s->parents, str_from(c->key));
	list_remove(&c->node);
	s->child_count--;
	memory_free(c);
}

/* The first turn of the new agent will name the span from which it was spawned. */
static void note_spawned(struct spans *s, struct json ev)
{
	struct str turn = json_str(span_attrs_member(ev, "payload.parentTurnId"));
	struct span *from = str_is(turn) ? find(s, ev, SPAN_INTERACTION, turn) : NULL;
	struct str id = json_str(JSON_GET(ev, "subagentId"));
	char text[KEY_MAX];
	struct str key = key_of(text, json_str(JSON_GET(ev, "sessionId")), 'z', id);
	struct child *c;

	if (!from || map_get(&s->parents, key))
		return;
	if (s->child_count == CHILDREN_MAX)
		forget_child(s, LIST_ITEM(s->children.next, struct child, node));
	c = memory_zeroed(1, sizeof *c + key.len + 1);
	memcpy(c->key, key.ptr, key.len);
	link_to(&c->link, from, "parent");
	map_put(&s->parents, str_from(c->key), c);
	list_add(&s->children, &c->node);
	s->child_count++;
}

static void link_turn(struct spans *s, struct span *x, struct json ev)
{
	struct str id = json_str(JSON_GET(ev, "subagentId"));
	char text[KEY_MAX];
	struct child *c;

	if (!str_is(id))
		return;
	c = map_get(&s->parents, key_of(text, json_str(JSON_GET(ev, "sessionId")), 'z', id));
	if (c) {
		x->link = c->link;
		forget_child(s, c);
	}
}

/* A request after a failed one of the same turn repeats it: for the same model, or as a fallback. */
static void link_request(struct spans *s, struct span *x, struct json ev)
{
	struct span *turn = find_by_member(s, ev, "turnId");

	if (!turn)
		return;
	if (turn->last_request.reason)
		x->link = turn->last_request;
	link_to(&turn->last_request, x, NULL);
}

/* ---- content ---- */

static void show_content(const struct spans *s, struct span *x, enum event_type type,
                         struct json ev)
{
	if (s->redactor && x && x->is_sampled)
		span_content_event(s->redactor, x, type, ev);
}

static void pass_response(const struct spans *s, const struct span *request, struct json ev)
{
	struct span *turn = find_by_member(s, ev, "turnId");

	if (turn)
		span_content_pass(turn, request);
}

/* ---- events ---- */

static void span_open(struct spans *s, enum event_type type, uint64_t position, struct json ev)
{
	const struct span_rule *r = span_table_rule(type);
	struct str id = json_str(span_attrs_member(ev, r->id));
	char text[KEY_MAX];
	struct str key =
		key_of(text, json_str(JSON_GET(ev, "sessionId")), (char)('a' + (int)r->kind), id);
	struct span *x;

	if (!str_is(id) || map_get(&s->open, key))
		return;
	/* A thread is compacted more than once: the span's id is that of the event. */
	x = span_new(s, r->kind,
	             r->kind == SPAN_CONTEXT_RESOLVE ? json_str(JSON_GET(ev, "eventId")) : id,
	             position, ev);
	if (!x)
		return;
	span_attrs_add_payload(&x->attrs, r->attrs, ev);
	show_content(s, x, type, ev);
	if (r->kind == SPAN_INTERACTION)
		link_turn(s, x, ev);
	else if (r->kind == SPAN_MODEL_REQUEST)
		link_request(s, x, ev);
	x->key = memory_strndup(key.ptr, key.len);
	map_put(&s->open, str_from(x->key), x);
	list_add(&s->order, &x->node);
	s->count++;
}

static void remember_failure(struct spans *s, struct json ev)
{
	struct span *turn = find_by_member(s, ev, "turnId");

	if (turn && *turn->last_request.span_id)
		turn->last_request.reason = "retry";
}

static void span_end(struct spans *s, enum event_type type, struct json ev)
{
	const struct span_rule *r = span_table_rule(type);
	struct str id = json_str(span_attrs_member(ev, r->id));
	struct span *x = str_is(id) ? find(s, ev, r->kind, id) : NULL;
	struct str status = json_str(JSON_GET(ev, "status"));

	if (!x)
		return;
	map_remove(&s->open, str_from(x->key));
	list_remove(&x->node);
	s->count--;
	x->end_ms = MAX(time_of(ev), x->start_ms);
	x->is_failed = r->role == SPAN_ROLE_FAILS;
	span_attrs_add_ids(&x->attrs, ev);
	span_attrs_drop(&x->attrs, r->attrs);
	span_attrs_add_payload(&x->attrs, r->attrs, ev);
	if (str_is(status))
		span_attrs_add_text(&x->attrs, "agentruntime.status", SPAN_TEXT, status);
	show_content(s, x, type, ev);
	if (r->kind == SPAN_MODEL_REQUEST)
		pass_response(s, x, ev);
	if (r->kind == SPAN_MODEL_REQUEST && x->is_failed)
		remember_failure(s, ev);
	if (x->is_sampled)
		s->sink->span(s->owner, x);
	span_free(x);
}

/* The event alone is the span; context is resolved from the start of the run. */
static void span_whole(struct spans *s, const struct span_rule *r, uint64_t position,
                       struct json ev)
{
	struct span *x = span_new(s, r->kind, json_str(span_attrs_member(ev, r->id)), position, ev);
	struct span *run = find_parent(s, ev, span_table_parents(r->kind));

	if (!x)
		return;
	if (r->kind == SPAN_CONTEXT_RESOLVE && run)
		x->start_ms = run->start_ms;
	span_attrs_add_payload(&x->attrs, r->attrs, ev);
	if (x->is_sampled)
		s->sink->span(s->owner, x);
	span_free(x);
}

static void add_note(struct span *x, struct str name, const struct span_rule *r, struct json ev)
{
	struct span_note *n;

	if (x->note_count == NOTES_MAX) {
		x->notes_dropped++;
		return;
	}
	/* Grows at powers of two. */
	if (!(x->note_count & (x->note_count - 1)))
		x->notes = memory_resize(x->notes, MAX(4u, x->note_count * 2) * sizeof *x->notes);
	n = &x->notes[x->note_count++];
	*n = (struct span_note){ .at_ms = time_of(ev), .name = name, .from = x->note_attrs.count };
	span_attrs_add_payload(&x->note_attrs, r->attrs, ev);
	n->to = x->note_attrs.count;
}

/* The span of a turn that is not open any more, by what the event says. */
static void name_ended_turn(struct json ev, char trace_id[33], char span_id[17])
{
	struct str trace = json_str(JSON_GET(ev, "traceId")),
		   turn = json_str(JSON_GET(ev, "turnId"));

	if (!is_hex(trace, 32) || !str_is(turn))
		return;
	memcpy(trace_id, trace.ptr, 32);
	spans_id_of(trace, turn, span_id);
}

static void add_log(struct spans *s, const struct span *at, struct str name,
                    const struct span_rule *r, struct json ev)
{
	struct span_attrs attrs = { 0 };
	char trace_id[33] = "", span_id[17] = "";

	if (!at)
		name_ended_turn(ev, trace_id, span_id);
	span_attrs_add_ids(&attrs, ev);
	span_attrs_add_payload(&attrs, r->attrs, ev);
	s->sink->log(s->owner, &(const struct span_log){
				       .at_ms = time_of(ev),
				       .name = name,
				       .severity = r->severity,
				       .attrs = &attrs,
				       .trace_id = at ? at->trace_id : trace_id,
				       .span_id = at ? at->span_id : span_id,
				       .is_sampled = at && at->is_sampled,
			       });
	span_attrs_done(&attrs);
}

static void span_note(struct spans *s, enum event_type type, const struct span_rule *r,
                      struct json ev)
{
	static const char *const owners[] = { "toolCallId", "modelRequestId", "attemptId", "turnId",
		                              NULL };
	struct span *at = find_parent(s, ev, owners);
	struct span *turn = find_by_member(s, ev, "turnId");

	if (type == EV_ROUTING_FALLBACK_APPLIED && turn && turn->last_request.reason)
		turn->last_request.reason = "fallback";
	/* The turn is the trial; its span has the ids of the trial from here on. */
	if (type == EV_BENCHMARK_TRIAL_STARTED && turn)
		span_attrs_add_ids(&turn->attrs, ev);
	if (at)
		add_note(at, event_type_word(type), r, ev);
	if (r->severity != SEVERITY_NONE)
		add_log(s, at, event_type_word(type), r, ev);
}

void spans_event(struct spans *s, enum event_type type, uint64_t position, struct json ev)
{
	const struct span_rule *r = span_table_rule(type);

	switch (r->role) {
	case SPAN_ROLE_NONE:
		if (type == EV_SUBAGENT_SPAWNED)
			note_spawned(s, ev);
		else if (type == EV_MODEL_DELTA)
			show_content(s, find_by_member(s, ev, "modelRequestId"), type, ev);
		else if (type == EV_TOOL_ARGS)
			show_content(s, find_by_member(s, ev, "toolCallId"), type, ev);
		break;
	case SPAN_ROLE_OPENS:
		span_open(s, type, position, ev);
		break;
	case SPAN_ROLE_ENDS:
	case SPAN_ROLE_FAILS:
		span_end(s, type, ev);
		break;
	case SPAN_ROLE_WHOLE:
		span_whole(s, r, position, ev);
		break;
	case SPAN_ROLE_NOTES:
		span_note(s, type, r, ev);
		break;
	}
}

/* ---- all of them ---- */

struct spans *spans_new(const struct spans_sink *sink, void *owner)
{
	struct spans *s = memory_zeroed(1, sizeof *s);

	s->sink = sink;
	s->owner = owner;
	list_init(&s->order);
	list_init(&s->children);
	return s;
}

void spans_show_content(struct spans *s, const struct span_redactor *redactor)
{
	s->redactor = redactor;
}

bool spans_wants(const struct spans *s, enum event_type type)
{
	return span_table_rule(type)->role != SPAN_ROLE_NONE || type == EV_SUBAGENT_SPAWNED ||
	       (s->redactor && span_content_wants(type));
}

void spans_free(struct spans *s)
{
	if (!s)
		return;
	LIST_EACH_SAFE (&s->order, at, next) {
		list_remove(at);
		span_free(LIST_ITEM(at, struct span, node));
	}
	while (!list_is_empty(&s->children))
		forget_child(s, LIST_ITEM(s->children.next, struct child, node));
	map_done(&s->open);
	map_done(&s->parents);
	memory_free(s);
}

uint64_t spans_oldest(const struct spans *s)
{
	return list_is_empty(&s->order) ? 0 : LIST_ITEM(s->order.next, struct span, node)->position;
}

size_t spans_open_count(const struct spans *s)
{
	return s->count;
}

uint64_t spans_uncorrelated(const struct spans *s)
{
	return s->uncorrelated;
}

static struct str attr_by_key(const struct span *x, const char *key)
{
	for (uint32_t i = 0; i < x->attrs.count; i++)
		if (!strcmp(x->attrs.items[i].key, key))
			return span_attrs_text(&x->attrs, &x->attrs.items[i]);
	return STR_NONE;
}

struct str spans_title(const struct span *x, struct arena *mem)
{
	static const struct {
		const char *verb, *object;
	} titles[SPAN_KIND_COUNT] = {
		[SPAN_INTERACTION] = { "invoke_agent", NULL },
		[SPAN_MODEL_REQUEST] = { "chat", "gen_ai.request.model" },
		[SPAN_TOOL_CALL] = { "execute_tool", "gen_ai.tool.name" },
		[SPAN_HOOK_RUN] = { "hook", "agentruntime.hook.point" },
	};
	struct str object =
		titles[x->kind].object ? attr_by_key(x, titles[x->kind].object) : STR_NONE;

	if (!titles[x->kind].verb)
		return span_table_name(x->kind);
	if (!str_is(object))
		return str_from(titles[x->kind].verb);
	return arena_printf(mem, "%s %.*s", titles[x->kind].verb, STR_ARG(object));
}
