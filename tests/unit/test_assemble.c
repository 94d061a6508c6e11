#include "core/context/assemble.h"
#include "t.h"

/* ---- events of a thread, as a reader of the log meets them ---- */

struct log {
	struct arena *mem;
	struct event *events[64];
	size_t count;
	struct assembly_summary summary; /* of the compaction in it; ref absent: none */
};

static struct event *add_event(struct log *l, enum event_type type, struct str turn_id,
                               void *payload)
{
	struct event *ev = ARENA_NEW(l->mem, struct event);

	ev->type = type;
	ev->sequence = (int64_t)l->count + 1;
	ev->thread_id = STR("thr_1");
	ev->turn_id = turn_id;
	ev->payload = payload;
	l->events[l->count++] = ev;
	return ev;
}

static void submit(struct log *l, struct str turn_id, struct str text)
{
	struct ev_turn_submitted *p = ARENA_NEW(l->mem, struct ev_turn_submitted);
	struct rec_input_part *part = rec_list_add(l->mem, &p->input, &rec_input_part_desc);

	p->kind = TURN_KIND_TASK;
	*part = (struct rec_input_part){ .type = STR("text"),
		                         .preview = text,
		                         .bytes = (int64_t)text.len };
	add_event(l, EV_TURN_SUBMITTED, turn_id, p);
}

static void start(struct log *l, struct str turn_id)
{
	add_event(l, EV_TURN_STARTED, turn_id, ARENA_NEW(l->mem, struct ev_turn_started));
}

static void response(struct log *l, struct str turn_id, struct str text)
{
	struct ev_model_delta *delta = ARENA_NEW(l->mem, struct ev_model_delta);

	delta->kind = DELTA_KIND_TEXT;
	delta->text = text;
	add_event(l, EV_MODEL_REQUESTED, turn_id, ARENA_NEW(l->mem, struct ev_model_requested))
		->model_request_id = turn_id;
	add_event(l, EV_MODEL_DELTA, turn_id, delta)->model_request_id = turn_id;
	add_event(l, EV_MODEL_COMPLETED, turn_id, ARENA_NEW(l->mem, struct ev_model_completed))
		->model_request_id = turn_id;
}

/* Two turns, the second submitted before the first had begun, and a third that begins. */
static void three_turns(struct log *l)
{
	submit(l, STR("turn_1"), STR("one"));
	submit(l, STR("turn_2"), STR("two"));
	start(l, STR("turn_1"));
	response(l, STR("turn_1"), STR("eins"));
	start(l, STR("turn_2"));
	response(l, STR("turn_2"), STR("zwei"));
	submit(l, STR("turn_3"), STR("three"));
	start(l, STR("turn_3"));
}

static void read_from(struct log *l, int64_t from, struct assembly *ret)
{
	struct assembly_start begin = { .from = from, .origin_count = 1, .summary = l->summary };

	begin.origins[0] = (struct assembly_origin){ STR("thr_1"), INT64_MAX };
	assemble_init(ret, l->mem, &begin);
	for (size_t i = (size_t)from - 1; i < l->count; i++)
		assemble_feed(ret, l->events[i]);
}

static void check_same(const struct assembly *a, const struct assembly *b)
{
	CHECK_INT(a->count, b->count);
	for (size_t i = 0; i < a->count && i < b->count; i++) {
		CHECK_INT(a->messages[i]->role, b->messages[i]->role);
		CHECK(str_eq(a->messages[i]->text, b->messages[i]->text));
		CHECK(str_eq(a->messages[i]->ref, b->messages[i]->ref));
		CHECK(str_eq(a->messages[i]->turn_id, b->messages[i]->turn_id));
	}
}

/* A turn that calls a tool and gets a message while the tool runs; then another. */
static void steered_turn(struct log *l)
{
	struct ev_model_requested *merging = ARENA_NEW(l->mem, struct ev_model_requested);
	struct str turn = STR("turn_1");

	submit(l, turn, STR("one"));
	start(l, turn);
	response(l, turn, STR("I look"));
	add_event(l, EV_TOOL_STARTED, turn, ARENA_NEW(l->mem, struct ev_tool_started))
		->tool_call_id = STR("call_1");
	submit(l, STR("turn_2"), STR("and there"));
	add_event(l, EV_TOOL_RESULT, turn, ARENA_NEW(l->mem, struct ev_tool_result))->tool_call_id =
		STR("call_1");
	rec_list_str_add(l->mem, &merging->merged_turn_ids, STR("turn_2"));
	add_event(l, EV_MODEL_REQUESTED, turn, merging)->model_request_id = STR("second");
	add_event(l, EV_MODEL_COMPLETED, turn, ARENA_NEW(l->mem, struct ev_model_completed))
		->model_request_id = STR("second");
	submit(l, STR("turn_3"), STR("three"));
	start(l, STR("turn_3"));
}

/* Three turns, of which a summary replaces the first, and a fourth. */
static void compacted_turns(struct log *l)
{
	struct ev_context_compaction_completed *p =
		ARENA_NEW(l->mem, struct ev_context_compaction_completed);

	three_turns(l);
	response(l, STR("turn_3"), STR("drei"));
	rec_list_str_add(l->mem, &p->affected_turns, STR("turn_1"));
	p->summary_ref = STR("out_summary");
	l->summary = (struct assembly_summary){
		add_event(l, EV_CONTEXT_COMPACTION_COMPLETED, STR("turn_4"), p)->sequence,
		p->summary_ref
	};
	submit(l, STR("turn_5"), STR("five"));
	start(l, STR("turn_5"));
}

static void check_copies(struct log *l)
{
	struct assembly whole;

	read_from(l, 1, &whole);
	for (int64_t from = 1; from <= (int64_t)l->count; from++) {
		struct assembly read, copy;

		read_from(l, from, &read);
		assemble_copy(&whole, &(struct assembly_start){ .from = from }, l->mem, &copy);
		assemble_finish(&read);
		assemble_finish(&copy);
		check_same(&read, &copy);
		assemble_done(&read);
		assemble_done(&copy);
	}
	assemble_done(&whole);
}

/* A turn that its user stops in the middle of the answer, and the next one. */
static void stopped_turn(struct log *l, struct str reason)
{
	struct ev_run_status *stop = ARENA_NEW(l->mem, struct ev_run_status);
	struct ev_model_delta *delta = ARENA_NEW(l->mem, struct ev_model_delta);
	struct ev_turn_failed *end = ARENA_NEW(l->mem, struct ev_turn_failed);
	struct str turn = STR("turn_1");

	submit(l, turn, STR("one"));
	start(l, turn);
	delta->kind = DELTA_KIND_TEXT;
	delta->text = STR("I beg");
	add_event(l, EV_MODEL_REQUESTED, turn, ARENA_NEW(l->mem, struct ev_model_requested))
		->model_request_id = turn;
	add_event(l, EV_MODEL_DELTA, turn, delta)->model_request_id = turn;
	stop->kind = RUN_STATUS_KIND_INTERRUPT_REQUESTED;
	stop->reason = reason;
	add_event(l, EV_RUN_STATUS, turn, stop);
	struct event *failed =
		add_event(l, EV_MODEL_FAILED, turn, ARENA_NEW(l->mem, struct ev_model_failed));

	failed->model_request_id = turn;
	failed->status = STATUS_CANCELLED;
	end->outcome = TURN_OUTCOME_CANCELLED;
	end->ended_by = ARENA_NEW(l->mem, struct rec_actor);
	end->ended_by->kind = ACTOR_KIND_USER;
	add_event(l, EV_TURN_FAILED, turn, end);
	submit(l, STR("turn_2"), STR("two"));
	start(l, STR("turn_2"));
}

/* The context of a turn: an instruction file, a file that the user named, and the environment. */
static void add_context(struct log *l, struct str turn_id)
{
	static const struct rec_context_item items[] = {
		{ .kind = CONTEXT_KIND_INSTRUCTION,
		  .ref = STR("file:CLAUDE.md"),
		  .output_ref = STR("out_rules") },
		{ .kind = CONTEXT_KIND_FILE, .ref = STR("file:a.txt"), .output_ref = STR("out_a") },
		{ .kind = CONTEXT_KIND_FILE,
		  .ref = STR("mcp:srv:x://y"),
		  .output_ref = STR("out_y") },
		{ .kind = CONTEXT_KIND_INSTRUCTION,
		  .ref = STR("instruction:environment"),
		  .output_ref = STR("out_env") },
	};
	struct ev_context_resolved *p = ARENA_NEW(l->mem, struct ev_context_resolved);

	for (size_t i = 0; i < COUNT_OF(items); i++)
		*(struct rec_context_item *)rec_list_add(l->mem, &p->sources,
		                                         &rec_context_item_desc) = items[i];
	add_event(l, EV_CONTEXT_RESOLVED, turn_id, p);
}

TEST(a_stopped_answer_stays_with_a_note)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct log l = { .mem = mem };
	struct assembly a;

	stopped_turn(&l, STR("user"));
	read_from(&l, 1, &a);
	assemble_finish(&a);
	CHECK_INT(a.count, 4);
	CHECK_INT(a.messages[1]->role, ROLE_ASSISTANT);
	CHECK_STR(a.messages[1]->text, "I beg");
	CHECK_INT(a.messages[2]->role, ROLE_USER);
	CHECK(str_starts(a.messages[2]->text, STR("[The user stopped")));
	CHECK_STR(a.messages[3]->text, "two");
	assemble_done(&a);
	check_copies(&l);
}

/* A time limit and a client that ends are no words of the user. */
TEST(the_note_of_a_stop_says_who_stopped)
{
	static const struct {
		const char *reason, *begins;
	} cases[] = {
		{ "user", "[The user stopped" },
		{ "not this file", "[The user stopped" },
		{ "timeout", "[A time limit of the client, not the user, stopped" },
		{ "client", "[The client program, not the user, stopped" },
		{ "client_ended", "[The end of the client program, not the user, stopped" },
	};

	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct log l = { .mem = mem };
		struct assembly a;

		stopped_turn(&l, str_from(cases[i].reason));
		read_from(&l, 1, &a);
		assemble_finish(&a);
		CHECK(str_starts(a.messages[2]->text, str_from(cases[i].begins)));
		assemble_done(&a);
		check_copies(&l);
	}
}

TEST(a_text_of_a_file_is_between_tags_beside_the_message)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct log l = { .mem = mem };
	struct assembly a, copy;

	submit(&l, STR("turn_1"), STR("one"));
	start(&l, STR("turn_1"));
	add_context(&l, STR("turn_1"));
	read_from(&l, 1, &a);
	assemble_copy(&a, &(struct assembly_start){ .from = 1 }, mem, &copy);
	/* A run that continues the turn resolves its context again. */
	assemble_feed(&copy, l.events[l.count - 1]);
	assemble_finish(&copy);
	assemble_finish(&a);
	check_same(&a, &copy);
	CHECK_INT(copy.count, 5);
	CHECK_STR(assemble_text(mem, copy.messages[0], STR("Use tabs.\n")),
	          "<instructions name=\"CLAUDE.md\">\nUse tabs.\n</instructions>");
	CHECK_STR(assemble_text(mem, copy.messages[1], STR("env")), "env");
	CHECK_STR(assemble_text(mem, copy.messages[2], STR("A")),
	          "<file name=\"a.txt\">\nA\n</file>");
	CHECK_STR(assemble_text(mem, copy.messages[3], STR("Y")),
	          "<resource name=\"srv:x://y\">\nY\n</resource>");
	CHECK_STR(copy.messages[4]->text, "one");
	assemble_done(&a);
	assemble_done(&copy);
}

TEST(a_copy_is_what_reading_from_there_gives)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct log l = { .mem = mem }, steered = { .mem = mem };
	struct assembly whole;

	three_turns(&l);
	check_copies(&l);
	steered_turn(&steered);
	check_copies(&steered);
	read_from(&steered, 1, &whole);
	CHECK_INT(whole.count, 6);
	assemble_done(&whole);
}

TEST(a_copy_of_a_compacted_conversation_has_its_summary)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct log l = { .mem = mem };
	struct assembly whole, copy, again;

	compacted_turns(&l);
	check_copies(&l);
	/* The copy of a copy, as of the cache that was made smaller. */
	read_from(&l, 1, &whole);
	assemble_copy(&whole, &(struct assembly_start){ .from = 2 }, mem, &copy);
	assemble_copy(&copy, &(struct assembly_start){ .from = l.summary.at + 1 }, mem, &again);
	CHECK_INT(whole.summary_count, 1);
	CHECK_INT(again.summary_count, 1);
	CHECK(str_eq(again.summaries[0].ref, l.summary.ref));
	assemble_done(&whole);
	assemble_done(&copy);
	assemble_done(&again);
}

TEST(a_copy_in_the_middle_of_an_answer_is_fed_on)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct log l = { .mem = mem };
	struct assembly whole, half, copy;

	three_turns(&l);
	response(&l, STR("turn_3"), STR("drei"));
	read_from(&l, 1, &whole);
	l.count--; /* the end of the answer is not there yet */
	read_from(&l, 1, &half);
	assemble_copy(&half, &(struct assembly_start){ .from = 1 }, mem, &copy);
	assemble_feed(&copy, l.events[l.count]);
	CHECK_INT(copy.count, 6);
	check_same(&whole, &copy);
	assemble_done(&whole);
	assemble_done(&half);
	assemble_done(&copy);
}

TEST_MAIN()
