/*
 * Notices about the work of a turn.  Everything is read from the calls and the todo list of the
 * thread, so a notice needs no state of its own.
 */
#include "core/notice/notice.h"

#include "base/utf8.h"
#include "core/turn/turn.h"
#include "core/notice/test_command.h"

#define REPEATED_FAILURES 3
#define SHOWN_BYTES 120

static bool has_failed(const struct st_call *c)
{
	return call_is_over(c) && (c->is_error || (c->has_exit_code && c->exit_code != 0));
}

static bool is_same_call(const struct st_call *a, const struct st_call *b)
{
	return str_eq(a->tool_name, b->tool_name) && str_is(a->args) && str_eq(a->args, b->args);
}

/* A successful call that may have changed something: the same call may succeed after it. */
static bool changes_something(const struct st_call *c)
{
	return call_is_over(c) && !c->read_only && !has_failed(c) && c->kind != ITEM_KIND_TODO;
}

/* How often it failed in this turn since something was changed, itself included. */
static int64_t failures_of(const struct st_thread *th, const struct st_call *last)
{
	int64_t count = 0;

	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];

		if (!str_eq(c->turn_id, last->turn_id) || c->ended_sequence > last->ended_sequence)
			continue;
		if (changes_something(c))
			count = 0;
		else if (has_failed(c) && is_same_call(c, last))
			count++;
	}
	return count;
}

static void emit_notice(struct decision *d, const struct st_thread *th, const struct st_turn *t,
                        const struct ev_runtime_warning *p)
{
	decision_in_turn(decision_emit_event(d, EV_RUNTIME_WARNING, p), th, t);
}

void notice_repeated(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];
		int64_t count;

		if (!str_eq(c->turn_id, t->turn_id) || c->ended_sequence <= t->request_sequence ||
		    !has_failed(c))
			continue;
		count = failures_of(th, c);
		if (count < REPEATED_FAILURES || count % REPEATED_FAILURES)
			continue;
		emit_notice(d, th, t,
		            &(struct ev_runtime_warning){
				    .category = WARNING_CATEGORY_REPEATED_FAILURE,
				    .message = arena_printf(
					    d->mem, "The same call of %.*s failed %lld times.",
					    STR_ARG(c->tool_name), (long long)count),
				    .ref = c->tool_name,
				    .count = count,
				    .has_count = true });
	}
}

/* The list is the turn's own, and an item is neither done nor dropped. */
static void report_open_todo(struct decision *d, const struct st_thread *th,
                             const struct st_turn *t)
{
	const struct rec_todo_item *first = NULL;
	int64_t open = 0;

	if (!str_eq(th->todo_turn_id, t->turn_id))
		return;
	for (uint32_t i = 0; i < th->todo.count; i++) {
		if (th->todo.items[i]->status == TODO_STATUS_COMPLETED)
			continue;
		first = first ? first : th->todo.items[i];
		open++;
	}
	if (!open)
		return;
	emit_notice(
		d, th, t,
		&(struct ev_runtime_warning){
			.category = WARNING_CATEGORY_OPEN_TODO,
			.message = arena_printf(
				d->mem, "The turn ended with %lld open item%s of its list: %.*s%s",
				(long long)open, open == 1 ? "" : "s",
				STR_ARG(utf8_preview(d->mem, first->text, SHOWN_BYTES)),
				open == 1 ? "" : ", ..."),
			.count = open,
			.has_count = true });
}

static struct str command_of(struct decision *d, const struct st_call *c)
{
	struct json args;

	if (c->kind != ITEM_KIND_COMMAND || !str_is(c->args) ||
	    json_read_trusted(d->mem, c->args, &args, NULL) != OK)
		return STR_NONE;
	return json_str(JSON_GET(args, "command"));
}

static void report_failed_tests(struct decision *d, const struct st_thread *th,
                                const struct st_turn *t)
{
	const struct st_call *last = NULL;
	struct str line = STR_NONE;

	for (uint32_t i = 0; i < th->calls.count; i++) {
		const struct st_call *c = th->calls.items[i];
		struct str command;

		if (!str_eq(c->turn_id, t->turn_id) || !call_is_over(c) || !c->has_exit_code)
			continue;
		command = command_of(d, c);
		if (!str_is(command) || !test_command_is(command))
			continue;
		last = c;
		line = command;
	}
	if (!last || !last->exit_code)
		return;
	emit_notice(d, th, t,
	            &(struct ev_runtime_warning){
			    .category = WARNING_CATEGORY_TESTS_FAILED,
			    .message = arena_printf(
				    d->mem,
				    "The last test command of the turn failed with code %lld: %.*s",
				    (long long)last->exit_code,
				    STR_ARG(utf8_preview(d->mem, line, SHOWN_BYTES))),
			    .ref = last->tool_call_id });
}

void notice_end(struct decision *d, const struct st_thread *th, const struct st_turn *t)
{
	report_open_todo(d, th, t);
	report_failed_tests(d, th, t);
}
