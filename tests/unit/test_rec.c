/*
 * Records: what is written can be read, what is read can be copied, and a
 * caller's mistakes are named.
 */
#include "catalog/catalog.h"
#include "lib/golden.h"
#include "lib/t.h"

#include <stdio.h>
#include <stdlib.h>

static enum err read_args(struct arena *mem, const char *text, struct cmd_submit_turn *ret,
                          struct error *e)
{
	struct json v;

	CHECK(json_read(mem, str_from(text), &v, e) == OK);
	return rec_read(mem, v, &cmd_submit_turn_desc, REC_CALLER, ret, e);
}

TEST(a_caller_may_write_camel_case_or_snake_case)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cmd_submit_turn a;
	struct error e;

	CHECK(read_args(mem, "{\"input\":\"x\",\"sessionId\":\"s1\",\"budgetUsd\":0.5}", &a, &e) ==
	      OK);
	CHECK_STR(a.session_id, "s1");
	CHECK(a.has_budget_usd && a.budget_usd == 500000000);
	CHECK(read_args(mem, "{\"input\":\"x\",\"session_id\":\"s2\"}", &a, &e) == OK);
	CHECK_STR(a.session_id, "s2");
	CHECK(!a.has_budget_usd);
}

TEST(a_callers_null_is_absent)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cmd_submit_turn a;
	struct error e;

	CHECK(read_args(mem, "{\"input\":\"x\",\"sessionId\":null}", &a, &e) == OK);
	CHECK(!str_is(a.session_id));
}

TEST(the_limit_of_a_list_counts_its_items_and_not_the_bytes_of_each)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cmd_submit_turn a;
	struct error e;
	struct buf many = { 0 };

	CHECK(read_args(mem, "{\"input\":\"x\",\"requires\":[\"structured_output\"]}", &a, &e) ==
	      OK);
	CHECK_STR(a.requires.items[0], "structured_output");
	buf_printf(&many, "{\"input\":\"x\",\"requires\":[\"a\"");
	for (int i = 0; i < 16; i++)
		buf_printf(&many, ",\"a\"");
	buf_printf(&many, "]}%c", 0);
	CHECK_INT(read_args(mem, many.ptr, &a, &e), ERR_TOO_LARGE);
	buf_done(&many);
}

TEST(an_event_may_name_more_ids_than_an_id_has_bytes)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cmd_wait_subagents c = { .session_id = STR("s") };
	struct error e;

	for (int i = 0; i < 300; i++)
		rec_list_str_add(mem, &c.subagent_ids, STR("sub_a"));
	CHECK_INT(rec_check(&cmd_wait_subagents_desc, &c, &e), OK);
}

TEST(mistakes_of_a_caller_are_named)
{
	static const struct {
		const char *text, *names;
		enum err code;
	} table[] = {
		{ "{\"input\":\"x\",\"nonsense\":1}", "nonsense", ERR_UNSUPPORTED },
		{ "{}", "input", ERR_INVALID },
		{ "{\"input\":\"x\",\"sessionId\":7}", "sessionId", ERR_INVALID },
		{ "{\"input\":\"x\",\"sessionId\":\"a b\"}", "sessionId", ERR_INVALID },
		{ "{\"input\":\"x\",\"sessionId\":\"\"}", "sessionId", ERR_INVALID },
		{ "{\"input\":\"x\",\"delivery\":\"pigeon\"}", "delivery", ERR_INVALID },
		{ "{\"input\":\"x\",\"budgetUsd\":\"much\"}", "budgetUsd", ERR_INVALID },
		{ "{\"input\":\"x\",\"sessionId\":\"a\",\"session_id\":\"b\"}", "sessionId",
		  ERR_INVALID },
	};

	for (size_t i = 0; i < COUNT_OF(table); i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct cmd_submit_turn a;
		struct error e = { 0 };

		CHECK(read_args(mem, table[i].text, &a, &e) == table[i].code);
		CHECK(strstr(e.message, table[i].names));
	}
}

TEST(an_id_has_a_longest_length)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct cmd_submit_turn a;
	struct error e;
	char text[600], id[300];

	memset(id, 'a', 256);
	id[256] = 0;
	snprintf(text, sizeof text, "{\"input\":\"x\",\"sessionId\":\"%s\"}", id);
	CHECK(read_args(mem, text, &a, &e) == OK);
	id[256] = 'a';
	id[257] = 0;
	snprintf(text, sizeof text, "{\"input\":\"x\",\"sessionId\":\"%s\"}", id);
	CHECK(read_args(mem, text, &a, &e) == ERR_TOO_LARGE);
}

TEST(a_kept_record_does_not_need_its_source)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct arena *other = arena_new();
	struct rec_task t = { .task_id = arena_keep(other, STR("task_1")),
		              .title = arena_keep(other, STR("a title")) };
	struct rec_criterion *c = rec_list_add(other, &t.acceptance, &rec_criterion_desc);

	c->id = arena_keep(other, STR("c1"));
	c->kind = arena_keep(other, STR("test"));
	t.requested_by = ARENA_NEW(other, struct rec_actor);
	t.requested_by->kind = ACTOR_KIND_USER;
	t.requested_by->via = arena_keep(other, STR("cli"));
	struct str before = rec_text(mem, &rec_task_desc, &t);
	struct rec_task *kept = rec_clone(mem, &rec_task_desc, &t);

	arena_free(other);
	CHECK(str_eq(rec_text(mem, &rec_task_desc, kept), before));
}

TEST(merging_takes_what_is_there_and_leaves_the_rest)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct rec_task t = { .task_id = STR("task_1"),
		              .title = STR("old"),
		              .status = TASK_STATUS_DRAFT };
	struct rec_task change = { .task_id = STR("task_1"), .status = TASK_STATUS_RUNNING };

	rec_merge(mem, &rec_task_desc, &t, &change);
	CHECK_STR(t.title, "old");
	CHECK(t.status == TASK_STATUS_RUNNING);
}

TEST(the_shape_gate_wants_scope_ids_records_and_required_fields)
{
	struct ev_thread_updated p = { .profile_status = STATUS_RUNNING, .cause = STR("a test") };
	struct ev_turn_started started = { .environment_id = STR("env_1") };
	struct event ev = { .type = EV_THREAD_UPDATED,
		            .event_id = STR("evt_1"),
		            .sequence = 1,
		            .timestamp = 1,
		            .schema_version = SCHEMA_VERSION,
		            .runtime_id = STR("rt_1"),
		            .session_id = STR("sess_1"),
		            .thread_id = STR("thr_1"),
		            .turn_id = STR("turn_1"),
		            .status = STATUS_RUNNING,
		            .payload = &p };
	struct error e;

	CHECK(catalog_event_check(&ev, &e) == OK);
	ev.thread_id = STR_NONE;
	CHECK(catalog_event_check(&ev, &e) == ERR_INVALID);
	CHECK(strstr(e.message, "threadId"));
	ev.thread_id = STR("thr_1");
	p.cause = STR_NONE;
	CHECK(catalog_event_check(&ev, &e) == ERR_INVALID);
	ev.type = EV_TURN_STARTED;
	ev.payload = &started;
	CHECK(catalog_event_check(&ev, &e) == ERR_INVALID);
	CHECK(strstr(e.message, "executionEnvironment"));
	ev.type = EV_JOB_CREATED; /* declared, emitted by nothing yet */
	CHECK(catalog_event_check(&ev, &e) == ERR_INVALID);
}

static void survives(const char *name, const struct str *lines, size_t count, void *arg)
{
	(void)arg;
	for (size_t i = 0; i < count; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct event *ev = ARENA_NEW(mem, struct event);
		struct json doc;
		struct error e = { 0 };

		if (json_read(mem, lines[i], &doc, &e) != OK ||
		    rec_read(mem, doc, &event_desc, REC_TRUSTED, ev, &e) != OK ||
		    catalog_event_check(ev, &e) != OK)
			t_fail(__FILE__, __LINE__, "%s:%zu: %s", name, i + 1, e.message);
		CHECK_SAME(rec_text(mem, &event_desc, ev), lines[i]);
	}
}

/* Every line of the golden logs is accepted and comes back byte for byte. */
TEST(golden_events_survive_reading_and_writing)
{
	CHECK(golden_files(survives, NULL) > 500);
}

static bool is_taken(struct arena *mem, struct json doc, enum rec_form form)
{
	struct event *ev = ARENA_NEW(mem, struct event);

	if (rec_read(mem, doc, &event_desc, form, ev, NULL) != OK)
		return false;
	return (form == REC_FOREIGN ? catalog_event_class_check(ev, NULL)
	                            : catalog_event_check(ev, NULL)) == OK;
}

struct judged {
	size_t taken, refused;
};

/* A time of 0 is absent, although it is written. */
static void set_epoch(struct str line)
{
	ptrdiff_t at = str_find(line, STR("\"timestamp\":\""));

	CHECK(at >= 0);
	memcpy((char *)line.ptr + at + 13, "1970-01-01T00:00:00.000", 23);
}

/* One byte of each line is another one; the place and the byte follow from the line's number. */
static void judged_alike(const char *name, const struct str *lines, size_t count, void *arg)
{
	static const char bytes[] = "/ Z\"0:{,";
	struct judged *j = arg;

	for (size_t i = 0; i < count * 8; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct str line = arena_keep(mem, lines[i / 8]);
		struct json doc;
		bool is_foreign, is_own;

		if (i % 8 == 7)
			set_epoch(line);
		else
			((char *)line.ptr)[i * 2654435761u % line.len] = bytes[i % 8];
		if (json_read(mem, line, &doc, NULL) != OK)
			continue;
		is_foreign = is_taken(mem, doc, REC_FOREIGN);
		is_own = is_taken(mem, doc, REC_TRUSTED);
		if (is_foreign != is_own)
			t_fail(__FILE__, __LINE__, "%s:%zu: %.*s", name, i / 8 + 1, STR_ARG(line));
		j->taken += is_own;
		j->refused += !is_own;
	}
}

TEST(a_foreign_event_is_refused_exactly_if_the_shape_check_refuses_it)
{
	struct judged j = { 0 };

	CHECK(golden_files(judged_alike, &j) > 500);
	CHECK(j.taken > 500 && j.refused > 500);
}

TEST_MAIN()
