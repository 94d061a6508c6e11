/* Entries and marks of ended turns, and the walk that finds an old turn in the log. */
#include "core/fold_part.h"
#include "core/context/history.h"
#include "core/context/context_tokens.h"
#include "core/context/history_marks.h"
#include "core/context/history_walk.h"
#include "lib/t.h"

struct thread_log {
	struct state *w;
	struct arena *mem;
	struct event *events;
	size_t count, cap;
	int64_t sequence;
};

static void tell(struct thread_log *l, enum event_type type, struct str turn_id, enum status status,
                 const void *payload)
{
	struct event *ev;

	if (l->count == l->cap) {
		size_t cap = l->cap ? l->cap * 2 : 1024;

		l->events = arena_grow(l->mem, l->events, l->count * sizeof *l->events,
		                       cap * sizeof *l->events);
		l->cap = cap;
	}
	ev = &l->events[l->count++];
	*ev = (struct event){ .type = type,
		              .session_id = STR("sess_1"),
		              .thread_id = STR("thr_1"),
		              .turn_id = turn_id,
		              .status = status,
		              .sequence = ++l->sequence,
		              .timestamp = 1794700900000 + l->sequence,
		              .payload = payload };
	state_fold(l->w, ev);
}

static struct str turn_name(struct thread_log *l, int n)
{
	return arena_printf(l->mem, "turn_%026d", n);
}

static void submit(struct thread_log *l, int n, bool is_queued)
{
	struct ev_turn_submitted *p = ARENA_NEW(l->mem, struct ev_turn_submitted);
	struct rec_input_part *part = rec_list_add(l->mem, &p->input, &rec_input_part_desc);

	p->kind = TURN_KIND_TASK;
	*part = (struct rec_input_part){ .type = STR("text"), .preview = STR("hi"), .bytes = 30 };
	tell(l, EV_TURN_SUBMITTED, turn_name(l, n), is_queued ? STATUS_QUEUED : STATUS_ACCEPTED, p);
}

static void start(struct thread_log *l, int n)
{
	tell(l, EV_TURN_STARTED, turn_name(l, n), STATUS_PREPARING,
	     ARENA_NEW(l->mem, struct ev_turn_started));
}

static void end(struct thread_log *l, int n)
{
	tell(l, EV_TURN_COMPLETED, turn_name(l, n), STATUS_COMPLETED,
	     ARENA_NEW(l->mem, struct ev_turn_completed));
}

static void turn(struct thread_log *l, int n)
{
	submit(l, n, false);
	start(l, n);
	end(l, n);
}

static void log_init(struct thread_log *l)
{
	*l = (struct thread_log){ .w = state_new(), .mem = arena_new() };
	struct ev_session_created *s = ARENA_NEW(l->mem, struct ev_session_created);
	struct ev_thread_started *t = ARENA_NEW(l->mem, struct ev_thread_started);

	tell(l, EV_SESSION_CREATED, STR_NONE, STATUS_ACCEPTED, s);
	t->kind = THREAD_KIND_MAIN;
	tell(l, EV_THREAD_STARTED, STR_NONE, STATUS_IDLE, t);
}

static void log_done(struct thread_log *l)
{
	state_free(l->w);
	arena_free(l->mem);
}

static struct st_thread *thread_in(const struct thread_log *l)
{
	return state_thread(l->w, STR("thr_1"));
}

static struct history_unit sum_of(const struct st_thread *th)
{
	struct history_unit sum = { 0 };

	for (size_t i = 0; i < history_marks_units(th); i++) {
		struct history_unit u = history_marks_unit(th, i);

		CHECK(u.to > sum.to); /* in order, none twice */
		sum.to = u.to;
		sum.turns += u.turns;
		sum.tokens += u.tokens;
		sum.messages += u.messages;
	}
	return sum;
}

static void roll_back(struct thread_log *l, const struct history_point *to)
{
	const struct st_thread *th = thread_in(l);
	struct ev_history_rollback_started *s =
		ARENA_NEW(l->mem, struct ev_history_rollback_started);
	struct ev_history_rollback_completed *p =
		ARENA_NEW(l->mem, struct ev_history_rollback_completed);

	s->target_sequence = p->target_sequence = to->sequence;
	s->remaining_turns = p->remaining_turns = to->turns;
	s->removed_count = p->removed_count = history_marks_turns(th) - to->turns;
	s->has_remaining_turns = p->has_remaining_turns = true;
	s->has_removed_count = p->has_removed_count = true;
	p->affected = ARENA_NEW(l->mem, struct rec_rollback_effects);
	tell(l, EV_HISTORY_ROLLBACK_STARTED, STR_NONE, 0, s);
	tell(l, EV_HISTORY_ROLLBACK_COMPLETED, STR_NONE, 0, p);
}

/* As the engine does: the range of the marks, the events of the log in it. */
static bool walk(struct thread_log *l, bool by_turn, int64_t sequence, struct str turn_id,
                 struct history_point *ret)
{
	struct history_walk_range range;
	struct history_walk walk;

	if (!history_walk_range(thread_in(l), by_turn, sequence, &range))
		return false;
	history_walk_init(&walk, l->mem, l->w, thread_in(l), &range);
	for (size_t i = 0; i < l->count; i++)
		if (l->events[i].sequence >= range.from && l->events[i].sequence <= range.to)
			history_walk_feed(&walk, &l->events[i]);
	return by_turn ? history_walk_turn(&walk, turn_id, ret)
	               : history_walk_event(&walk, sequence, ret);
}

static int64_t sequence_of(const struct thread_log *l, enum event_type type, struct str turn_id)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->events[i].type == type && str_eq(l->events[i].turn_id, turn_id))
			return l->events[i].sequence;
	return 0;
}

TEST(ten_thousand_turns_fit_into_the_state_and_none_is_forgotten)
{
	struct thread_log l;
	struct history_unit sum;

	log_init(&l);
	for (int i = 1; i <= 10000; i++) {
		turn(&l, i);
		if (i % 1000 == 0)
			state_compact(l.w);
	}
	sum = sum_of(thread_in(&l));
	CHECK_INT(sum.turns, 10000);
	CHECK_INT(sum.tokens, 10000ll * 10);
	CHECK_INT(sum.messages, 10000);
	CHECK_INT(history_marks_turns(thread_in(&l)), 10000);
	CHECK_INT(context_tokens_history(thread_in(&l)), 10000ll * 10);
	CHECK(thread_in(&l)->marks.count <= HISTORY_MARKS_MAX);
	CHECK(state_text(l.mem, l.w).len <= (64 << 10));
	log_done(&l);
}

TEST(every_old_turn_is_found_by_its_id_and_by_its_last_event)
{
	struct thread_log l;

	log_init(&l);
	for (int i = 1; i <= 1500; i++)
		turn(&l, i);
	for (int i = 1; i <= 1500 - WINDOW_HISTORY; i++) {
		struct str id = turn_name(&l, i);
		int64_t submitted = sequence_of(&l, EV_TURN_SUBMITTED, id);
		int64_t ended = sequence_of(&l, EV_TURN_COMPLETED, id);
		struct history_point by_id, by_event;

		CHECK(walk(&l, true, submitted, id, &by_id));
		CHECK_INT(by_id.turns, i);
		CHECK_INT(by_id.sequence, ended);
		/* Up to the event before the next turn's end. */
		CHECK(walk(&l, false, ended + 2, STR_NONE, &by_event));
		CHECK(str_eq(by_event.turn_id, id));
		CHECK_INT(by_event.turns, i);
	}
	log_done(&l);
}

TEST(queued_turns_that_overlap_are_counted_where_they_end)
{
	struct thread_log l;
	struct history_point p;

	log_init(&l);
	/* Each turn is submitted while the one before it runs; every fifth is cancelled in the queue. */
	submit(&l, 1, false);
	start(&l, 1);
	for (int i = 2; i <= 400; i++) {
		submit(&l, i, true);
		end(&l, i - 1);
		start(&l, i);
		if (i % 5 == 0) {
			submit(&l, 1000 + i, true);
			tell(&l, EV_TURN_FAILED, turn_name(&l, 1000 + i), STATUS_CANCELLED,
			     ARENA_NEW(l.mem, struct ev_turn_failed));
		}
	}
	CHECK_INT(history_marks_turns(thread_in(&l)), 399);
	for (int i = 1; i < 400 - WINDOW_HISTORY; i++) {
		struct str id = turn_name(&l, i);

		CHECK(walk(&l, true, sequence_of(&l, EV_TURN_SUBMITTED, id), id, &p));
		CHECK_INT(p.turns, i);
	}
	CHECK(!walk(&l, true, sequence_of(&l, EV_TURN_SUBMITTED, turn_name(&l, 1005)),
	            turn_name(&l, 1005), &p));
	log_done(&l);
}

TEST(a_rollback_into_a_mark_leaves_exactly_the_turns_before_it)
{
	struct thread_log l;
	struct history_point p, gone;
	struct str id;

	log_init(&l);
	for (int i = 1; i <= 1000; i++)
		turn(&l, i);
	id = turn_name(&l, 333);
	CHECK(walk(&l, true, sequence_of(&l, EV_TURN_SUBMITTED, id), id, &p));
	roll_back(&l, &p);
	CHECK_INT(history_marks_turns(thread_in(&l)), 333);
	CHECK_INT(sum_of(thread_in(&l)).turns, 333);
	CHECK_INT(sum_of(thread_in(&l)).tokens, 3330);
	/* What was removed is not found again, what stayed is, and counting continues. */
	for (int i = 2000; i < 2200; i++)
		turn(&l, i);
	CHECK_INT(history_marks_turns(thread_in(&l)), 533);
	CHECK(!walk(&l, true, sequence_of(&l, EV_TURN_SUBMITTED, turn_name(&l, 500)),
	            turn_name(&l, 500), &gone));
	id = turn_name(&l, 2010);
	CHECK(walk(&l, true, sequence_of(&l, EV_TURN_SUBMITTED, id), id, &p));
	CHECK_INT(p.turns, 344);
	id = turn_name(&l, 333);
	CHECK(walk(&l, true, sequence_of(&l, EV_TURN_SUBMITTED, id), id, &p));
	CHECK_INT(p.turns, 333);
	log_done(&l);
}

TEST(a_boundary_stays_between_two_marks_however_often_they_are_merged)
{
	struct thread_log l;
	struct ev_history_window_loaded *cut;

	log_init(&l);
	for (int i = 1; i <= 500; i++)
		turn(&l, i);
	cut = ARENA_NEW(l.mem, struct ev_history_window_loaded);
	cut->cause = WINDOW_CAUSE_WINDOW;
	cut->omitted_through = history_marks_unit(thread_in(&l), 3).to;
	tell(&l, EV_HISTORY_WINDOW_LOADED, STR_NONE, 0, cut);
	int64_t sent = context_tokens_history(thread_in(&l));

	for (int i = 501; i <= 9000; i++)
		turn(&l, i);
	CHECK_INT(context_tokens_history(thread_in(&l)), sent + 8500ll * 10);
	log_done(&l);
}

TEST(retention_takes_marks_away_from_the_front)
{
	struct thread_log l;
	struct ev_snapshot_updated *p;

	log_init(&l);
	for (int i = 1; i <= 1000; i++)
		turn(&l, i);
	p = ARENA_NEW(l.mem, struct ev_snapshot_updated);
	p->removed_through = sequence_of(&l, EV_TURN_COMPLETED, turn_name(&l, 500));
	p->has_removed_through = true;
	tell(&l, EV_SNAPSHOT_UPDATED, STR_NONE, 0, p);
	/* By proportion, inside the mark that the bound falls into. */
	CHECK(llabs((long long)history_marks_turns(thread_in(&l)) - 500) <= 32);
	CHECK(history_marks_unit(thread_in(&l), 0).from > p->removed_through);
	log_done(&l);
}

TEST_MAIN()
