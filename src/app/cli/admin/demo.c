/*
 * demo: an agent is instructed to do harm, its daemon is killed twice, and the
 * log holds all of it.  The demo needs no key, no network and no input.  The
 * model is a script; the daemon, the sandbox, the approvals, kill -9 and the
 * disk are real.
 *
 * Every step uses a public interface, the command line or HTTP, from a separate
 * process.  Every line that starts with a mark is a claim that this run has
 * checked; a claim that does not hold makes the exit code 1.
 */
#include "app/cli/admin/demo.h"

#include "app/cli/print/out.h"
#include "app/cli/follow/turn.h"
#include "base/os/clock.h"

#include <signal.h>
#include <unistd.h>

/* ---- 1: an agent runs a task ---- */

/*
 * The README asks the model to send a key, and the scripted model obeys.  The sandbox must
 * refuse, the log must show it, and the task must still be done.
 */
static void play_turn(struct demo *d)
{
	int code, refused;

	demo_stage_head(d, "An agent gets a task; a README tells it to steal a key");
	code = TYPE(d, "run", "fix the failing test");
	demo_stage_claim(d, code == CODE_DECISION, "the turn waits for a person (exit %d)", code);
	d->session = json_str(DEMO_JSON(d, "sessions.0.sessionId", "ps", "--json"));
	d->action = json_str(DEMO_JSON(d, "actions.0.actionId", "approvals", "--json"));
	if (!d->has_sandbox) {
		demo_stage_say(d,
		               "no sandbox can be built here (%.*s), so the steps that need one "
		               "are skipped",
		               STR_ARG(d->sandbox));
		return;
	}
	refused = demo_stage_events(d, "sandbox.violation", "");
	demo_stage_claim(d, refused >= (d->tells_calls ? 2 : 1),
	                 "%d escapes refused, each an event in the log (sandbox: %.*s)", refused,
	                 STR_ARG(d->sandbox));
	if (!d->tells_calls)
		demo_stage_say(d,
		               "this kernel does not report refused calls, so the log has no event "
		               "about the network");
	demo_stage_claim(
		d, demo_stage_events(d, "", "KEY-OF-THE-DEMO") == 0 && demo_stage_callers(d) == 0,
		"the key is in %d events, and port %d got %d connections",
		demo_stage_events(d, "", "KEY-OF-THE-DEMO"), d->door_port, demo_stage_callers(d));
	demo_stage_claim(d, demo_stage_file_has(d, "repo/total.sh", "$1 + $2"),
	                 "the task is done: total.sh adds");
}

/* ---- 2: a question outlives the process that asked it ---- */

/*
 * The same action id before and after kill -9 shows that the question is in the log and not in
 * memory.  The second answer must be refused.
 */
static void play_question(struct demo *d)
{
	struct str before = d->action, after;
	int first, second;

	demo_stage_head(d, "The agent wants to force-push, which needs approval; the daemon is "
	                   "killed meanwhile");
	TYPE(d, "approvals");
	demo_stage_kill(d, SIGKILL);
	demo_stage_start(d);
	after = json_str(DEMO_JSON(d, "actions.0.actionId", "approvals", "--json"));
	demo_stage_claim(d, str_is(before) && str_eq(before, after),
	                 "killed -9 and back after %lld ms with the same question, %.*s",
	                 (long long)d->start_ms, STR_ARG(after));
	first = demo_stage_http_answer(d, "deny");
	second = demo_stage_http_answer(d, "allow");
	if (!first) {
		demo_stage_say(d, "curl is not installed; `thole deny` answers instead");
		first = TYPE(d, "deny", before.ptr) == CODE_DONE ? 200 : 0;
		second = (int)json_int(DEMO_JSON(d, "status", "approve", before.ptr, "--json"), 0);
	}
	demo_stage_claim(d, first == 200 && second == 409,
	                 "a second process said no: %d; a third said yes, too late: %d", first,
	                 second);
}

/* ---- 3: a tool that was running ---- */

static bool is_running(struct demo *d)
{
	return demo_stage_file_has(d, "repo/ran", "once") && demo_stage_processes("61.8033") > 0;
}

static bool is_lost(struct demo *d)
{
	return str_eq(json_str(DEMO_JSON(d, "sessions.0.profileStatus", "ps", "--json")),
	              STR("lost"));
}

static bool has_ended(struct demo *d)
{
	return demo_stage_events(d, "turn.completed", "") == 1;
}

/*
 * 61.8033 is the argument of a sleep: a number that no other process on the machine has in its
 * command line.
 */
static void play_lost_tool(struct demo *d)
{
	int before;

	demo_stage_head(d, "A command runs for a minute; the daemon is killed in the middle of it");
	demo_stage_claim(d, demo_stage_wait(d, is_running), "it runs: `sh soak.sh` has begun");
	before = demo_stage_processes("61.8033");
	demo_stage_kill(d, SIGKILL);
	demo_stage_start(d);
	demo_stage_wait(d, is_lost);
	TYPE(d, "why", "@last");
	demo_stage_claim(d, demo_stage_events(d, "tool.failed", "\"lost\"") == 1,
	                 "reported lost, %d time; whether it ran, the log does not pretend to know",
	                 demo_stage_events(d, "tool.failed", "\"executed\":\"unknown\""));
	demo_stage_claim(d, before > 0 && demo_stage_processes("61.8033") == 0,
	                 "processes of it: %d before the kill, %d after", before,
	                 demo_stage_processes("61.8033"));
}

/* Continuing must not repeat the lost command: whether it had an effect is not known. */
static void play_the_end(struct demo *d)
{
	if (d->has_sandbox) {
		TYPE(d, "resume", "@last");
		demo_stage_claim(d,
		                 demo_stage_wait(d, has_ended) &&
		                         demo_stage_file_has(d, "repo/ran", "once\n"),
		                 "the turn continued, and soak.sh was not run again");
		TYPE(d, "log", "@last", "--type",
		     "tool.failed,tool.result,action.resolved,turn.completed");
		demo_stage_claim(d, demo_stage_events(d, "tool.result", "\"ok 1 total") == 1,
		                 "the test passes: `ok 1 total`");
		TYPE(d, "diff", "@last");
		return;
	}
	demo_stage_claim(d, demo_stage_wait(d, has_ended), "the turn has ended");
	TYPE(d, "log", "@last", "--type", "action.*,turn.*");
}

/* ---- 4: the log ---- */

static void play_log(struct demo *d)
{
	int64_t events, sequence = 0, named;
	const char *copy = arena_printf(d->c->mem, "%s/copy", d->dir).ptr;
	long at;

	demo_stage_head(d, "Every event is chained to the one before");
	events = json_int(DEMO_JSON(d, "events", "verify", "@last", "--json"), 0);
	demo_stage_claim(d, TYPE(d, "verify", "@last") == CODE_DONE, "%lld events, whole",
	                 (long long)events);
	demo_stage_kill(d, SIGTERM);
	at = demo_stage_flip(d, "Thank you; not pushed, then.", &sequence);
	named = json_int(DEMO_JSON(d, "firstBad.sequence", "verify", d->session.ptr, "--json",
	                           "--here", "--data", copy),
	                 0);
	demo_stage_claim(
		d, at >= 0 && named == sequence,
		"one bit flipped at byte %ld of a copy, in event %lld: verify names event %lld", at,
		(long long)sequence, (long long)named);
}

/* ---- 5: proof for others ---- */

/* Neither verify nor replay has the data directory or a daemon. */
static void play_evidence(struct demo *d)
{
	const char *pack = arena_printf(d->c->mem, "%s/pack", d->dir).ptr;

	demo_stage_head(d, "The session becomes a pack that anyone can check");
	demo_stage_claim(d, demo_stage_start(d), "the daemon runs again");
	demo_stage_claim(d,
	                 TYPE(d, "export", "evidence", d->session.ptr, "--decisions", "-o", pack) ==
	                         CODE_DONE,
	                 "the pack is made");
	demo_stage_claim(d, TYPE(d, "verify", pack) == CODE_DONE,
	                 "the pack is whole, without daemon and data directory");
	demo_stage_claim(d, TYPE(d, "replay", pack, "--verify") == CODE_DONE,
	                 "its events give the same read models again, byte for byte");
	demo_stage_claim(d, TYPE(d, "replay", pack, "--decisions") == CODE_DONE,
	                 "every decision is made again and is the same, without the model");
}

/* ---- the whole ---- */

/* Notes that verbs print on stderr belong between the steps of the demo, so both streams join. */
static void join_streams(struct cli *c)
{
	fflush(stdout);
	dup2(STDOUT_FILENO, STDERR_FILENO);
	c->is_tty_err = c->is_tty_out;
	c->color_err = c->color_out;
}

static void play_all(struct demo *d)
{
	play_turn(d);
	if (str_is(d->action))
		play_question(d);
	if (d->has_sandbox)
		play_lost_tool(d);
	play_the_end(d);
	play_log(d);
	play_evidence(d);
}

static void print_closing(struct demo *d)
{
	int64_t took = clock_mono_ms() - d->began;

	if (d->failures) {
		out_error(d->c,
		          "%d of these claims do not hold on this machine. To find the cause, run: "
		          "thole doctor",
		          d->failures);
		return;
	}
	out_note(d->c, TONE_BOLD, "\nThat took %s. Now yours:", out_span(d->c->mem, took));
	out_note(d->c, TONE_PLAIN,
	         "  thole \"hello there\"   a turn of your own, kept\n"
	         "  thole run approve    you decide\n"
	         "  thole help           ten commands worth knowing");
}

int verb_demo(struct cli *c)
{
	struct demo d = { .c = c, .door = -1, .began = clock_mono_ms() };
	int code;

	join_streams(c);
	watch_signal_all(c);
	code = demo_stage_build(&d);
	if (!code) {
		demo_stage_say(&d,
		               "a scripted model, no key, no network; all files are in %s, which "
		               "is removed "
		               "at the end",
		               d.dir);
		play_all(&d);
		print_closing(&d);
	}
	demo_stage_clear(&d);
	return code ? code : d.failures ? CODE_FAILED : CODE_DONE;
}
