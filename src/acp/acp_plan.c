/*
 * What an editor shows about the whole session: the plan, from the model's todo list and the session's tasks, and the
 * use of context and money.
 */
#include "acp/acp_parts.h"

#include "base/gen/words.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdio.h>

#define TASKS_MAX 100
#define TEXT_MAX 500

struct planned_task {
	struct list node;
	char id[ACP_ID_MAX];
	char *text;
	const char *status; /* of a plan entry */
};

struct acp_plan {
	char *todo; /* entries, each with a comma behind it; or NULL */
	struct list tasks;
	size_t count;
};

static void task_free(struct acp_plan *p, struct planned_task *x)
{
	list_remove(&x->node);
	p->count--;
	memory_free(x->text);
	memory_free(x);
}

void acp_plan_free(struct acp_thread *t)
{
	struct acp_plan *p = t->plan;

	if (!p)
		return;
	while (!list_is_empty(&p->tasks))
		task_free(p, LIST_ITEM(p->tasks.next, struct planned_task, node));
	memory_free(p->todo);
	memory_free(p);
	t->plan = NULL;
}

static struct acp_plan *plan_of(struct acp_thread *t)
{
	if (!t->plan) {
		t->plan = memory_zeroed(1, sizeof *t->plan);
		list_init(&t->plan->tasks);
	}
	return t->plan;
}

/* ---- sending ---- */

static void write_entry(struct json_writer *w, struct str text, struct str status)
{
	jw_obj(w);
	JW_KSTR(w, "content", text);
	JW_KSTR(w, "priority", STR("medium"));
	JW_KSTR(w, "status", status);
	jw_obj_end(w);
}

static void write_todo(struct json_writer *w, struct acp_thread *t)
{
	struct json items, item;
	struct json_iter it;
	struct str key;

	if (!t->plan->todo ||
	    json_read_trusted(t->s->mem, str_from(t->plan->todo), &items, NULL) != OK)
		return;
	it = json_iter(items);
	while (json_next(&it, &key, &item)) {
		struct str status = json_str(JSON_GET(item, "status"));
		bool is_known = str_eq(status, STR(ACP_CALL_IN_PROGRESS)) ||
		                str_eq(status, STR(ACP_CALL_COMPLETED));

		write_entry(w, json_str(JSON_GET(item, "text")),
		            is_known ? status : STR(ACP_CALL_PENDING));
	}
}

static void send_plan(struct acp_thread *t)
{
	struct buf params = { 0 };
	struct json_writer w;

	jw_init(&w, &params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", str_from(t->id));
	JW_KEY(&w, "update");
	jw_obj(&w);
	JW_KSTR(&w, "sessionUpdate", STR("plan"));
	JW_KEY(&w, "entries");
	jw_arr(&w);
	write_todo(&w, t);
	LIST_EACH (&t->plan->tasks, node) {
		const struct planned_task *x = LIST_ITEM(node, struct planned_task, node);

		write_entry(&w, str_from(x->text), str_from(x->status));
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
	jw_obj_end(&w);
	acp_peer_notify(t->s, "session/update", &params);
}

/* ---- the todo list ---- */

static bool take_todo(struct acp_thread *t, struct str type, struct json event)
{
	struct json payload = JSON_GET(event, "payload");
	struct json items = JSON_GET(JSON_GET(payload, "safeArgs"), "items");
	struct str text;

	if (!str_eq(type, STR("tool.started")) || json_type(items) != JSON_ARR ||
	    !str_eq(json_str(JSON_GET(payload, "toolName")), STR(ACP_TODO_TOOL)) ||
	    !str_eq(json_str(JSON_GET(event, "threadId")), str_from(t->main)))
		return false;
	text = json_text(t->s->mem, items);
	memory_free(plan_of(t)->todo);
	t->plan->todo = memory_strndup(text.ptr, text.len);
	return true;
}

/* ---- tasks ---- */

static struct planned_task *find_task(struct acp_plan *p, struct str id)
{
	LIST_EACH (&p->tasks, node) {
		struct planned_task *x = LIST_ITEM(node, struct planned_task, node);

		if (str_eq(str_from(x->id), id))
			return x;
	}
	return NULL;
}

/* Above the limit the oldest one leaves. */
static bool add_task(struct acp_thread *t, struct str id, struct json payload)
{
	struct str text =
		utf8_preview(t->s->mem, json_str(JSON_GET(payload, "objective")), TEXT_MAX);
	struct acp_plan *p = plan_of(t);
	struct planned_task *x;

	if (json_bool(JSON_GET(payload, "implicit"), true) || find_task(p, id))
		return false;
	if (p->count == TASKS_MAX)
		task_free(p, LIST_ITEM(p->tasks.next, struct planned_task, node));
	x = memory_zeroed(1, sizeof *x);
	snprintf(x->id, sizeof x->id, "%.*s", STR_ARG(id));
	x->text = memory_strndup(text.ptr ? text.ptr : "", text.len);
	x->status = ACP_CALL_PENDING;
	list_init(&x->node);
	list_add(&p->tasks, &x->node);
	p->count++;
	return true;
}

/* The status of a plan entry after an event of its task; "": the task leaves the plan; NULL: as it was. */
static const char *status_after(struct str type)
{
	static const struct {
		const char *type, *status;
	} steps[] = {
		{ "task.started", ACP_CALL_IN_PROGRESS },
		{ "task.resumed", ACP_CALL_IN_PROGRESS },
		{ "task.queued", ACP_CALL_PENDING },
		{ "task.retrying", ACP_CALL_PENDING },
		{ "task.completed", ACP_CALL_COMPLETED },
		{ "task.failed", "" },
		{ "task.timed_out", "" },
		{ "task.lost", "" },
		{ "task.cancelled", "" },
		{ "task.archived", "" },
	};

	for (size_t i = 0; i < COUNT_OF(steps); i++)
		if (str_eq(type, str_from(steps[i].type)))
			return steps[i].status;
	return NULL;
}

static bool take_task(struct acp_thread *t, struct str type, struct json event)
{
	struct str id = json_str(JSON_GET(event, "taskId"));
	const char *status;
	struct planned_task *x;

	if (!str_starts(type, STR("task.")) || !id.len)
		return false;
	if (str_eq(type, STR("task.created")))
		return add_task(t, id, JSON_GET(event, "payload"));
	status = status_after(type);
	x = t->plan && status ? find_task(t->plan, id) : NULL;
	if (!x || !strcmp(x->status, status))
		return false;
	x->status = status;
	if (!*status)
		task_free(t->plan, x);
	return true;
}

void acp_plan_event(struct acp_thread *t, struct str type, struct json event, bool is_sent)
{
	bool has_changed = take_todo(t, type, event) || take_task(t, type, event);

	if (has_changed && is_sent)
		send_plan(t);
}

/* ---- context and cost ---- */

static void send_usage(struct acp_thread *t)
{
	const struct acp_usage *u = &t->usage;
	struct buf params = { 0 };
	struct json_writer w;

	jw_init(&w, &params);
	jw_obj(&w);
	JW_KSTR(&w, "sessionId", str_from(t->id));
	JW_KEY(&w, "update");
	jw_obj(&w);
	JW_KSTR(&w, "sessionUpdate", STR("usage_update"));
	JW_KINT(&w, "used", u->used);
	JW_KINT(&w, "size", u->size);
	if (u->has_cost) {
		JW_KEY(&w, "cost");
		jw_obj(&w);
		JW_KEY(&w, "amount");
		jw_nano(&w, u->cost_nano);
		JW_KSTR(&w, "currency", STR("USD"));
		jw_obj_end(&w);
	}
	jw_obj_end(&w);
	jw_obj_end(&w);
	acp_peer_notify(t->s, "session/update", &params);
}

static bool take_context(struct acp_thread *t, struct json event)
{
	struct json budget = JSON_GET(JSON_GET(event, "payload"), "budget");
	int64_t size = json_int(JSON_GET(budget, "windowTokens"), 0);
	int64_t used = json_int(JSON_GET(budget, "estimatedTokens"), -1);

	if (size <= 0 || used < 0 ||
	    !str_eq(json_str(JSON_GET(event, "threadId")), str_from(t->main)))
		return false;
	t->usage.size = size;
	t->usage.used = used;
	return true;
}

/* The cost is of all threads; a correction has the difference. */
static bool take_cost(struct acp_thread *t, struct json event)
{
	struct json amount = JSON_GET(JSON_GET(event, "payload"), "amountUsd");

	if (json_type(amount) != JSON_INT && json_type(amount) != JSON_REAL)
		return false;

	double nano = json_real(amount, 0) * 1e9;

	t->usage.cost_nano += (int64_t)(nano < 0 ? nano - 0.5 : nano + 0.5);
	t->usage.has_cost = true;
	return t->usage.size > 0;
}

void acp_plan_usage_event(struct acp_thread *t, struct str type, struct json event, bool is_sent)
{
	bool has_changed = str_eq(type, STR("context.resolved")) ? take_context(t, event)
	                   : str_eq(type, STR("cost.recorded"))  ? take_cost(t, event)
	                                                         : false;

	if (has_changed && is_sent)
		send_usage(t);
}
