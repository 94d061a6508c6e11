/*
 * Following one turn to its end.
 *
 * Three kinds of input can come at any time, and none may delay the others:
 * events (from the event reader's thread), lines from the terminal, and Ctrl-C
 * (from a thread that only waits for signals, so that a second Ctrl-C ends the
 * program in any state).
 *
 *   events ─┐
 *   stdin ──┼─► poll ─► show, prompt, interrupt ... until the turn has ended
 *   signal ─┘
 */
#include "app/cli/follow/approval_prompt.h"
#include "app/cli/print/form.h"
#include "app/cli/print/out.h"
#include "app/cli/follow/event_reader.h"
#include "app/cli/follow/pending_action.h"
#include "base/os/clock.h"
#include "base/gen/words.h"

#include <errno.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#define PENDING_MAX 64
#define CALLS_MAX 64
/*
 * With --here the reader checks regularly whether it must stop; a daemon's stream ends by itself.
 */
#define HERE_PATIENCE_MS 50
/* After a timeout: how long the turn may take to stop. */
#define STOP_GRACE_MS 10000
#define TICK_MS 250 /* interval of the status line */

struct watch {
	struct cli *c;
	const struct watch_options *o;
	struct str turn; /* changes when a steer is merged */
	int64_t after;
	struct screen screen;
	struct show show;
	struct event_reader event_reader;
	struct arena *mem; /* of one event */

	struct json pending[PENDING_MAX]; /* unanswered actions */
	size_t pending_count;
	struct {
		struct str call;
		struct approval_details about;
	} calls[CALLS_MAX]; /* a ring */
	size_t call_count;
	struct approval_prompt approval_prompt;
	struct buf typed;
	bool may_ask;

	int64_t deadline; /* monotonic, 0: none */
	bool is_interrupted, is_timed_out, is_stop_sent;
	bool is_waiting;   /* for a user, and the note about it is printed */
	bool is_live;      /* the replay of earlier events is complete */
	bool is_queued;    /* another turn of the thread comes first */
	struct str status; /* the last status of the thread */
	bool is_over;
	int code;
};

/* ---- commands ---- */

static void leave(struct watch *w, int code)
{
	w->is_over = true;
	w->code = code;
}

/* The event reader reports a broken connection; the stop is then sent again. */
static void send_stop(struct watch *w, const char *reason)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", w->o->session);
	params_str(&p, "turnId", w->turn);
	params_cstr(&p, "reason", reason);
	code = connection_try(w->c, "interrupt_turn", &p, false, &reply);
	w->is_stop_sent = code == THOLE_OK;
	if (code == THOLE_REFUSED)
		leave(w, cli_failure_print(w->c, code, reply));
}

/*
 * Runs once: the signal thread ends the program at the second Ctrl-C.  The deadline is removed,
 * because the user decides from here on.
 */
static void interrupt(struct watch *w)
{
	uint64_t count;

	(void)!read(watch_signal_fd(), &count, sizeof count);
	if (w->approval_prompt.kind)
		approval_prompt_close(&w->approval_prompt);
	show_line(&w->show);
	out_note(w->c, TONE_DIM, "\nstopping; Ctrl-C again leaves at once");
	w->is_interrupted = true;
	w->deadline = 0;
	send_stop(w, watch_signal_reason());
}

static void on_deadline(struct watch *w)
{
	if (w->is_timed_out) {
		out_error(w->c, "It does not stop; left it running.");
		leave(w, CODE_TIMEOUT);
		return;
	}
	if (w->approval_prompt.kind)
		approval_prompt_close(&w->approval_prompt);
	show_line(&w->show);
	out_error(w->c, "Not done after %s; stopping it.", out_span(w->c->mem, w->o->timeout_ms));
	w->is_timed_out = true;
	w->deadline = clock_mono_ms() + STOP_GRACE_MS;
	send_stop(w, WORD_INTERRUPT_REASON_TIMEOUT);
}

static void send_resume(struct watch *w)
{
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", w->o->session);
	params_str(&p, "threadId", w->o->thread);
	params_key(w->c, &p);
	code = connection_try(w->c, "resume_thread", &p, false, &reply);
	if (code == THOLE_REFUSED)
		leave(w, cli_failure_print(w->c, code, reply));
}

/* Returns whether the action is settled; if not, the prompt is shown again. */
static bool send_answer(struct watch *w)
{
	const struct approval_prompt *a = &w->approval_prompt;
	struct params p;
	struct json reply;
	int code;

	params_begin(&p);
	params_str(&p, "sessionId", w->o->session);
	approval_prompt_params(a, &p);
	params_key(w->c, &p);
	code = connection_try(w->c, "respond_action", &p, false, &reply);
	if (code == THOLE_OK)
		return true;
	if (code != THOLE_REFUSED)
		return false;
	cli_failure_print(w->c, code, reply);
	return cli_failure_code_of_problem(reply) != CODE_USAGE;
}

/* ---- questions ---- */

/*
 * Arguments arrive in events before the action that asks about them; the last CALLS_MAX calls are
 * kept for the prompt.
 */
static struct approval_details *about_call(struct watch *w, struct str call)
{
	struct approval_details *found = NULL;

	for (size_t i = 0; i < MIN(w->call_count, CALLS_MAX); i++)
		if (str_is(call) && str_eq(w->calls[i].call, call))
			found = &w->calls[i].about;
	return found;
}

static void keep_args(struct watch *w, const struct shown_event *f)
{
	bool has_args = json_is(JSON_GET(f->payload, "safeArgs")) ||
	                json_is(JSON_GET(f->payload, "safeArgsRef"));
	struct approval_details *about = about_call(w, f->tool_call);
	size_t at = w->call_count % CALLS_MAX;

	if (!has_args || !str_is(f->tool_call))
		return;
	if (!about) {
		w->call_count++;
		w->calls[at].call = arena_keep(w->c->mem, f->tool_call);
		about = &w->calls[at].about;
		*about = (struct approval_details){ 0 };
	}
	approval_details_args(about, w->c->mem, f->payload);
}

static void keep_reason(struct watch *w, const struct shown_event *f)
{
	struct approval_details *about = about_call(w, f->tool_call);

	if (about)
		approval_details_evaluated(about, w->c->mem, f->v);
}

static struct str id_of(struct json action)
{
	return json_str(JSON_GET(action, "actionId"));
}

static void forget(struct watch *w, struct str action_id)
{
	size_t kept = 0;

	for (size_t i = 0; i < w->pending_count; i++)
		if (!str_eq(id_of(w->pending[i]), action_id))
			w->pending[kept++] = w->pending[i];
	w->pending_count = kept;
}

/*
 * One prompt at a time, the oldest action first.  Not during the replay, where an action may have
 * been answered already.
 */
static void ask_next(struct watch *w)
{
	struct approval_details *about, found;

	if (w->approval_prompt.kind || !w->pending_count || !w->may_ask || w->is_stop_sent ||
	    w->is_over || !w->is_live)
		return;
	/* Input typed before the prompt appeared must not answer it. */
	tcflush(STDIN_FILENO, TCIFLUSH);
	buf_clear(&w->typed);
	show_line(&w->show);
	about = approval_details_is_request(w->pending[0])
	                ? NULL
	                : about_call(w, json_str(JSON_GET(w->pending[0], "toolCallId")));
	if (about)
		approval_details_read(about, w->c);
	else
		approval_details_find(&found, w->c, w->pending[0]);
	approval_prompt_open(&w->approval_prompt, w->c, w->pending[0], about ? about : &found,
	                     stderr);
}

/* The action leaves the list only when the runtime has accepted the answer. */
static void ask_done(struct watch *w)
{
	bool goes_on =
		w->approval_prompt.decision && strcmp(w->approval_prompt.decision, "go") == 0;

	if (w->approval_prompt.kind == APPROVAL_PROMPT_CONTINUE) {
		approval_prompt_close(&w->approval_prompt);
		if (goes_on)
			send_resume(w);
		else
			leave(w, CODE_DECISION);
		return;
	}
	if (!send_answer(w)) {
		approval_prompt_refused(&w->approval_prompt);
		return;
	}
	forget(w, id_of(w->approval_prompt.action));
	approval_prompt_close(&w->approval_prompt);
	ask_next(w);
}

/* No user is at this terminal: prints how to answer from elsewhere. */
static void tell_pending(struct watch *w)
{
	struct cli *c = w->c;

	for (size_t i = 0; i < w->pending_count; i++) {
		struct json a = w->pending[i];
		struct form form;

		show_line(&w->show);
		fprintf(stderr, "%s? %s%s\n", out_tone_on(c->color_err, TONE_ASK),
		        out_safe(c->mem, json_str(JSON_GET(a, "prompt"))),
		        out_tone_off(c->color_err));
		if (form_is_question(a)) {
			form_read(&form, JSON_GET(a, "schema"));
			form_print(c, &form, stderr);
		}
		if (c->is_temporary)
			fprintf(stderr,
			        "  No other client can approve in a temporary directory: use "
			        "--data DIR, a terminal, or --unattended.\n");
		else
			form_print_hint(c, a);
	}
}

/*
 * Without a terminal: print how to answer, and exit with CODE_DECISION unless --wait was given.
 */
static void person_needed(struct watch *w)
{
	if (!w->pending_count || w->may_ask || w->is_stop_sent)
		return;
	if (!w->is_waiting || !w->o->wait)
		tell_pending(w);
	w->is_waiting = true;
	if (!w->o->wait)
		leave(w, CODE_DECISION);
}

/* The turn was lost by a restart, or its queue is held; resume_thread ends both. */
static void resume_needed(struct watch *w, const char *why)
{
	if (w->is_stop_sent || w->approval_prompt.kind)
		return;
	show_line(&w->show);
	if (w->may_ask) {
		tcflush(STDIN_FILENO, TCIFLUSH);
		approval_prompt_continue(&w->approval_prompt, w->c, why, stderr);
		return;
	}
	if (!w->is_waiting || !w->o->wait)
		fprintf(stderr, "%s? %s%s\n  to continue: thole resume %s\n",
		        out_tone_on(w->c->color_err, TONE_ASK), why, out_tone_off(w->c->color_err),
		        out_id(w->c, w->o->session));
	w->is_waiting = true;
	if (!w->o->wait)
		leave(w, CODE_DECISION);
}

/* Approvals of the turn before are asked for here, as its own client would. */
static void ask_for_turn_before(struct watch *w)
{
	struct json reply, row;
	struct params p;
	struct str key;

	if (w->pending_count)
		return;
	params_begin(&p);
	params_str(&p, "sessionId", w->o->session);
	params_cstr(&p, "status", WORD_ACTION_STATUS_PENDING);
	if (connection_try(w->c, "list_actions", &p, true, &reply) != THOLE_OK)
		return;
	struct json_iter it = json_iter(JSON_GET(reply, "actions"));

	while (json_next(&it, &key, &row))
		if (str_eq(json_str(JSON_GET(row, "threadId")), w->o->thread) &&
		    w->pending_count < PENDING_MAX)
			w->pending[w->pending_count++] = row;
	ask_next(w);
}

/*
 * The turn in front of ours needs an approval, which this turn waits for too.  The state is asked
 * for, because the event that led here may have been answered since.
 */
static void turn_before_needs(struct watch *w)
{
	struct params p;
	struct json why, id;
	struct str key;

	if (!w->is_queued || w->is_stop_sent || w->is_waiting)
		return;
	params_begin(&p);
	params_str(&p, "sessionId", w->o->session);
	params_str(&p, "threadId", w->o->thread);
	if (connection_try(w->c, "explain_thread", &p, true, &why) != THOLE_OK ||
	    !json_count(JSON_GET(why, "pendingActionIds")))
		return;
	if (w->may_ask) {
		ask_for_turn_before(w);
		return;
	}
	struct json_iter it = json_iter(JSON_GET(why, "pendingActionIds"));

	show_line(&w->show);
	fprintf(stderr, "%s? The turn before needs an approval; this one stays in the queue.%s\n",
	        out_tone_on(w->c->color_err, TONE_ASK), out_tone_off(w->c->color_err));
	while (json_next(&it, &key, &id))
		fprintf(stderr, "  to decide:  thole show %s; thole approve or deny %s\n",
		        out_id(w->c, json_str(id)), out_id(w->c, json_str(id)));
	w->is_waiting = true;
	if (!w->o->wait)
		leave(w, CODE_DECISION);
}

/* ---- events ---- */

static const char queue_is_held[] =
	"The turn before was stopped and the queue is held; release it?";

static void turn_ended(struct watch *w, const struct shown_event *f)
{
	bool is_good = shown_event_is(f, "turn.completed");
	struct str outcome = shown_event_str(f, "outcome"), into = shown_event_str(f, "mergedInto");

	/* A merged steer is part of the turn that it steers, which is followed from now on. */
	if (is_good && str_eq(outcome, STR("merged")) && into.len) {
		w->turn = arena_keep(w->c->mem, into);
		return;
	}
	if (w->approval_prompt.kind) {
		fputc('\n', stderr);
		approval_prompt_close(&w->approval_prompt);
	}
	show_end(&w->show, w->mem, f);
	leave(w, is_good                                             ? CODE_DONE
	         : w->is_timed_out                                   ? CODE_TIMEOUT
	         : str_eq(outcome, STR(WORD_TURN_OUTCOME_TIMED_OUT)) ? CODE_TIMEOUT
	         : str_eq(outcome, STR(WORD_TURN_OUTCOME_CANCELLED))
	                 ? CODE_INTERRUPTED
	                 : cli_failure_code_of_category(shown_event_str(f, "category")));
}

static void action_resolved(struct watch *w, const struct shown_event *f)
{
	bool was_asked = w->approval_prompt.kind &&
	                 w->approval_prompt.kind != APPROVAL_PROMPT_CONTINUE &&
	                 str_eq(id_of(w->approval_prompt.action), f->action);

	forget(w, f->action);
	if (was_asked) {
		fputs("\n", stderr);
		approval_prompt_close(&w->approval_prompt);
	}
	w->is_waiting = w->is_waiting && w->pending_count;
}

/* The status counts only after the replay: an older one may be outdated. */
static void check_status(struct watch *w)
{
	if (!w->is_live)
		return;
	if (str_eq(w->status, STR(WORD_STATUS_LOST)))
		resume_needed(
			w,
			"A restart interrupted this turn. What was in flight is lost; continue?");
	else if (str_starts(w->status, STR("waiting_")))
		person_needed(w);
}

static void thread_updated(struct watch *w, const struct shown_event *f)
{
	struct str word = shown_event_str(f, "profileStatus");
	bool is_past = str_eq(word, STR(WORD_STATUS_LOST)) &&
	               !str_eq(json_str(JSON_GET(f->v, "status")), STR("blocked"));

	w->status = is_past ? STR_NONE : arena_keep(w->c->mem, word);
	check_status(w);
}

/* With live_from 0 everything is live from the start. */
static void go_live(struct watch *w)
{
	if (w->is_live || w->after < w->o->live_from)
		return;
	w->is_live = true;
	if (w->o->live_from)
		check_status(w);
}

/*
 * An answer from elsewhere closes the prompt before the event is shown, so that its line does not
 * follow the prompt's.
 */
static void on_turn_event(struct watch *w, const struct shown_event *f)
{
	if (shown_event_is(f, "action.resolved"))
		action_resolved(w, f);
	else if (shown_event_is(f, "turn.started"))
		w->is_queued = w->is_waiting = false;
	show_event(&w->show, w->mem, f);
	if (shown_event_is(f, "tool.started") || shown_event_is(f, "tool.args"))
		keep_args(w, f);
	else if (shown_event_is(f, "permission.evaluated"))
		keep_reason(w, f);
	else if (shown_event_is(f, "action.required") && w->pending_count < PENDING_MAX)
		w->pending[w->pending_count++] = pending_action_read(w->c->mem, f);
	else if (shown_event_is(f, "thread.updated"))
		thread_updated(w, f);
	else if (shown_event_is(f, "turn.completed") || shown_event_is(f, "turn.failed"))
		turn_ended(w, f);
}

static void put_raw(const struct shown_event *f)
{
	fwrite(f->raw.ptr, 1, f->raw.len, stdout);
	putchar('\n');
	fflush(stdout);
}

/* A stream may repeat events after a reconnection; those are skipped by their sequence. */
static void on_event(struct watch *w, struct str raw)
{
	struct shown_event f;

	arena_reset(w->mem);
	if (w->is_over || !shown_event_read(w->mem, raw, &f) || f.sequence <= w->after)
		return;
	w->after = f.sequence;
	w->show.columns = screen_columns(&w->screen);
	if (w->show.is_silent && (!str_is(f.turn) || str_eq(f.turn, w->turn)))
		put_raw(&f);
	if (w->o->result && str_eq(f.turn, w->turn))
		turn_result_event(w->o->result, w->c->mem, &f);
	if (str_eq(f.turn, w->turn))
		on_turn_event(w, &f);
	else if (shown_event_is(&f, "queue.changed") &&
	         str_eq(shown_event_str(&f, "change"), STR("held")) &&
	         str_eq(f.thread, w->o->thread))
		resume_needed(w, queue_is_held);
	else if (shown_event_is(&f, "action.resolved"))
		action_resolved(w, &f);
	else if (shown_event_is(&f, "thread.updated") && str_eq(f.thread, w->o->thread))
		turn_before_needs(w);
	go_live(w);
}

/* ---- the stream ---- */

static bool subscribe(struct watch *w)
{
	struct thole_stream *s;
	struct params p;
	int code = CODE_FAILED;

	params_begin(&p);
	params_str(&p, "sessionId", w->o->session);
	params_int(&p, "after", w->after);
	params_bool(&p, "follow", true);
	s = connection_subscribe(w->c, &p, &code);
	if (!s) {
		leave(w, code);
		return false;
	}
	event_reader_start(&w->event_reader, s, w->c->opts.here ? HERE_PATIENCE_MS : -1);
	return true;
}

/* The stop may have been lost with the connection; sending it twice has no second effect. */
static void reconnect(struct watch *w)
{
	int code;

	if (w->is_over)
		return;
	show_line(&w->show);
	out_note(w->c, TONE_DIM, "  … the connection broke; coming back after event %lld",
	         (long long)w->after);
	code = connection_again(w->c);
	if (code)
		leave(w, code);
	else if (subscribe(w) && (w->is_interrupted || w->is_timed_out) && !w->is_stop_sent)
		send_stop(w, w->is_interrupted ? watch_signal_reason()
		                               : WORD_INTERRUPT_REASON_TIMEOUT);
}

static void on_pump(struct watch *w)
{
	struct reader_item *m = event_reader_take(&w->event_reader), *next;
	bool has_broken = false;

	for (; m; m = next) {
		next = event_reader_next_item(m);
		if (m->code == THOLE_OK)
			on_event(w, str_of(m->text, m->len));
		else
			has_broken = true;
		event_reader_free_item(m);
	}
	if (has_broken) {
		event_reader_stop(&w->event_reader);
		reconnect(w);
	}
	ask_next(w);
}

/* ---- the terminal ---- */

static void on_typed(struct watch *w)
{
	char piece[4096];
	ssize_t got = read(STDIN_FILENO, piece, sizeof piece);
	char *end;

	if (got <= 0) {
		/* Ctrl-D: the user leaves, and the action stays pending. */
		fputc('\n', stderr);
		w->may_ask = false;
		if (w->approval_prompt.kind == APPROVAL_PROMPT_CONTINUE)
			leave(w, CODE_DECISION);
		approval_prompt_close(&w->approval_prompt);
		person_needed(w);
		return;
	}
	buf_add(&w->typed, piece, (size_t)got);
	while (w->approval_prompt.kind && w->typed.len &&
	       (end = memchr(w->typed.ptr, '\n', w->typed.len))) {
		size_t len = (size_t)(end - w->typed.ptr);
		enum approval_prompt_step step =
			approval_prompt_line(&w->approval_prompt, str_of(w->typed.ptr, len));

		buf_drop(&w->typed, len + 1);
		if (step == APPROVAL_PROMPT_DONE)
			ask_done(w);
	}
}

/* ---- the loop ---- */

/* Short waits only while a status line counts seconds. */
static int time_left(const struct watch *w)
{
	int64_t left = w->deadline - clock_mono_ms();
	int most = w->screen.painted || show_is_busy(&w->show) ? TICK_MS : INT32_MAX;

	return !w->deadline ? (most == INT32_MAX ? -1 : most) : left > 0 ? (int)MIN(left, most) : 0;
}

static void paint(struct watch *w)
{
	arena_reset(w->mem);
	if (!w->is_over && !w->approval_prompt.kind)
		screen_live(&w->screen, show_live(&w->show, w->mem, clock_wall_ms()));
}

static void watch_step(struct watch *w)
{
	struct pollfd fds[] = {
		{ .fd = w->event_reader.fd, .events = POLLIN },
		{ .fd = watch_signal_fd(), .events = POLLIN },
		{ .fd = w->approval_prompt.kind ? STDIN_FILENO : -1, .events = POLLIN },
	};

	if (poll(fds, COUNT_OF(fds), time_left(w)) < 0 && errno != EINTR)
		leave(w, CODE_FAILED);
	if (fds[0].revents)
		on_pump(w);
	if (!w->is_over && fds[1].revents)
		interrupt(w);
	if (!w->is_over && fds[2].revents && w->approval_prompt.kind)
		on_typed(w);
	if (!w->is_over && w->deadline && clock_mono_ms() >= w->deadline)
		on_deadline(w);
}

/*
 * The result is the exit code.  The stream starts at o->after, so nothing between the submission
 * and the subscription is lost.
 */
int watch_turn(struct cli *c, const struct watch_options *o)
{
	struct watch *w = ARENA_NEW(c->mem, struct watch);

	*w = (struct watch){ .c = c,
		             .o = o,
		             .turn = o->turn,
		             .after = o->after,
		             .may_ask = o->may_ask,
		             .is_queued = o->is_queued,
		             .mem = arena_new() };
	screen_init(&w->screen, c);
	show_init(&w->show, c, screen_sink(&w->screen));
	if (o->timeout_ms)
		w->deadline = clock_mono_ms() + o->timeout_ms;
	watch_signal_begin();
	go_live(w);
	if (subscribe(w) && o->is_held)
		resume_needed(w, queue_is_held);
	turn_before_needs(w);
	if (w->event_reader.is_running)
		while (!w->is_over) {
			watch_step(w);
			paint(w);
		}
	/*
	 * A daemon's stream may end with the program; a stream of our own runtime must end before
	 * it.
	 */
	if (c->opts.here)
		event_reader_stop(&w->event_reader);
	show_text_end(&w->show);
	show_done(&w->show);
	buf_done(&w->typed);
	arena_free(w->mem);
	return w->code;
}
