/* The C API: hooks that the program answers itself. */
#include "thole/thole.h"

#include "base/buf.h"
#include "lib/t.h"

#include <ftw.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

static const char script[] =
	"{ \"version\": 1,"
	"  \"tools\": [ { \"name\": \"note\", \"result\": { \"text\": \"noted {{args.text}}\" },"
	"    \"inputSchema\": { \"type\": \"object\", \"required\": [\"text\"],"
	"                     \"properties\": { \"text\": { \"type\": \"string\" } } } } ],"
	"  \"rules\": [ { \"when\": { \"request\": 1 },"
	"    \"reply\": { \"toolCalls\": [ { \"name\": \"note\", \"args\": { \"text\": \"milk\" } "
	"} ] } } ],"
	"  \"default\": { \"text\": \"done\" } }";

struct place {
	char dir[64], script[80];
	struct thole *t;
};

static int drop(const char *path, const struct stat *st, int flag, struct FTW *ftw)
{
	return remove(path);
}

static void open_again(struct place *p, const char *hooks, bool own_loop)
{
	struct thole_error e = { 0 };

	p->t = thole_open(&(struct thole_options){ .data_dir = p->dir,
	                                           .script = p->script,
	                                           .hooks = hooks,
	                                           .own_loop = own_loop },
	                  &e);
	CHECK(p->t);
}

static void begin(struct place *p, const char *hooks, bool own_loop)
{
	FILE *f;

	snprintf(p->dir, sizeof p->dir, "/tmp/thole-hook-XXXXXX");
	CHECK(mkdtemp(p->dir));
	snprintf(p->script, sizeof p->script, "%s/script.json", p->dir);
	f = fopen(p->script, "w");
	CHECK(f && fputs(script, f) >= 0 && fclose(f) == 0);
	open_again(p, hooks, own_loop);
}

static void end(struct place *p)
{
	thole_close(p->t);
	nftw(p->dir, drop, 8, FTW_DEPTH | FTW_PHYS);
}

static bool has(const char *text, const char *part)
{
	return text && strstr(text, part);
}

static void call(struct place *p, const char *command, const char *params)
{
	char *reply;

	CHECK_INT(thole_call(p->t, command, params, &reply), THOLE_OK);
	thole_free(reply);
}

static void submit(struct place *p)
{
	call(p, "submit_turn", "{\"sessionId\":\"s-1\",\"input\":\"note it\"}");
}

/* What there is of s-1 once an event of that type was seen, one event per line. */
static void read_until(struct place *p, const char *type, struct buf *ret)
{
	struct thole_stream *s =
		thole_subscribe(p->t, "{\"sessionId\":\"s-1\",\"follow\":true}", NULL);
	char wanted[64], *event;
	bool is_over = false;
	size_t len;

	snprintf(wanted, sizeof wanted, "{\"type\":\"%s\"", type);
	CHECK(s);
	while (!is_over) {
		CHECK_INT(thole_next(s, 20000, &event, &len), THOLE_OK);
		buf_add_str(ret, str_of(event, len));
		buf_add_char(ret, '\n');
		is_over = str_starts(str_of(event, len), str_from(wanted));
		thole_free(event);
	}
	buf_add_char(ret, 0);
	thole_unsubscribe(s);
}

/* The last event of that type among them holds this. */
static bool says(const struct buf *log, const char *type, const char *part)
{
	char wanted[64];
	struct str rest = str_from(log->ptr), line, last = STR_NONE;

	snprintf(wanted, sizeof wanted, "{\"type\":\"%s\"", type);
	while (rest.len) {
		line = str_cut(&rest, '\n');
		if (str_starts(line, str_from(wanted)))
			last = line;
	}
	return str_is(last) && str_find(last, str_from(part)) >= 0;
}

static unsigned long long asked(struct place *p, const char *point)
{
	unsigned long long id = 0;
	char *input, wanted[64];

	snprintf(wanted, sizeof wanted, "{\"point\":\"%s\"", point);
	CHECK_INT(thole_hook_next(p->t, 20000, &id, &input), THOLE_OK);
	CHECK(id && str_starts(str_from(input), str_from(wanted)));
	CHECK(has(input, "\"handlerRef\":\"hook:host:guard\"") &&
	      has(input, "\"sessionId\":\"s-1\""));
	thole_free(input);
	return id;
}

#define GUARD "{\"pre_tool_use\":[{\"name\":\"guard\",\"match\":\"note\"}]}"

static void one_answer(const char *response, struct buf *log)
{
	struct place p;

	begin(&p, GUARD, false);
	submit(&p);
	CHECK_INT(thole_hook_answer(p.t, asked(&p, "pre_tool_use"), response), THOLE_OK);
	read_until(&p, "turn.completed", log);
	CHECK(says(log, "hook.started", "\"handlerKind\":\"in_process\""));
	CHECK(says(log, "hook.started", "\"trust\":\"host\""));
	end(&p);
}

TEST(the_program_lets_a_call_go_on)
{
	CLEANUP(buf_done) struct buf log = { 0 };

	one_answer("{}", &log);
	CHECK(says(&log, "hook.completed", "\"decision\":\"continue\""));
	CHECK(says(&log, "tool.result", "noted milk"));
}

TEST(the_program_denies_a_call)
{
	CLEANUP(buf_done) struct buf log = { 0 };

	one_answer("{\"decision\":\"deny\",\"reason\":\"no milk today\"}", &log);
	CHECK(says(&log, "hook.completed", "\"reason\":\"no milk today\""));
	CHECK(says(&log, "tool.failed", "\"executed\":\"no\""));
	CHECK(!has(log.ptr, "\"tool.result\""));
}

TEST(the_program_rewrites_what_a_tool_is_given)
{
	CLEANUP(buf_done) struct buf log = { 0 };

	one_answer("{\"updatedInput\":{\"text\":\"oat milk\"}}", &log);
	CHECK(says(&log, "tool.args", "\"updatedBy\":\"hook\""));
	CHECK(says(&log, "tool.result", "noted oat milk"));
}

TEST(an_answer_that_cannot_be_parsed_fails_closed)
{
	CLEANUP(buf_done) struct buf log = { 0 };

	one_answer("{\"decision\":\"perhaps\"}", &log);
	CHECK(says(&log, "hook.failed", "perhaps is no decision"));
	CHECK(says(&log, "tool.failed", "\"executed\":\"no\""));
}

TEST(the_program_adds_context_at_the_start_and_before_a_prompt)
{
	CLEANUP(buf_done) struct buf log = { 0 };
	struct place p;

	begin(&p,
	      "{\"session_start\":[{\"name\":\"guard\"}],\"user_prompt_submit\":[{\"name\":"
	      "\"prompt\"}]}",
	      false);
	submit(&p);
	CHECK_INT(thole_hook_answer(p.t, asked(&p, "session_start"), "Be brief."), THOLE_OK);

	unsigned long long id;
	char *input;

	CHECK_INT(thole_hook_next(p.t, 20000, &id, &input), THOLE_OK);
	CHECK(has(input, "\"handlerRef\":\"hook:host:prompt\"") &&
	      has(input, "\"prompt\":\"note it\""));
	thole_free(input);
	CHECK_INT(thole_hook_answer(p.t, id, "{\"additionalContext\":\"It is Friday.\"}"),
	          THOLE_OK);
	CHECK_INT(thole_hook_answer(p.t, id, "{}"), THOLE_ENDED); /* once */
	read_until(&p, "task.completed", &log);
	CHECK(says(&log, "hook.completed", "\"additionalContextRefs\":[\""));
	end(&p);
}

TEST(who_is_late_has_failed_and_is_told)
{
	CLEANUP(buf_done) struct buf log = { 0 };
	struct place p;
	unsigned long long id;

	/* Only we let its time pass: it is there to be taken however slow the machine is. */
	begin(&p, "{\"pre_tool_use\":[{\"name\":\"guard\",\"timeout_ms\":300}]}", true);
	submit(&p);
	id = asked(&p, "pre_tool_use");
	read_until(&p, "turn.completed", &log);
	CHECK(says(&log, "hook.failed", "\"category\":\"timeout\""));
	CHECK(says(&log, "tool.failed", "\"executed\":\"no\""));
	CHECK_INT(thole_hook_answer(p.t, id, "{}"), THOLE_ENDED);
	end(&p);
}

TEST(an_unanswered_hook_lets_the_work_continue_where_it_fails_open)
{
	CLEANUP(buf_done) struct buf log = { 0 };
	struct place p;
	unsigned long long id;
	char *input;

	begin(&p,
	      "{\"pre_tool_use\":[{\"name\":\"guard\",\"timeout_ms\":30,\"on_failure\":\"open\"}]}",
	      false);
	submit(&p);
	read_until(&p, "turn.completed", &log);
	CHECK(says(&log, "runtime.warning", "\"hook_failed_open\""));
	CHECK(says(&log, "tool.result", "noted milk"));
	CHECK_INT(thole_hook_next(p.t, 0, &id, &input),
	          THOLE_TIMEOUT); /* nothing stale is handed out */
	end(&p);
}

TEST(what_cannot_be_answered_fails_at_once)
{
	CLEANUP(buf_done) struct buf log = { 0 };
	struct place p;

	begin(&p, "{\"post_tool_use\":[{\"name\":\"guard\",\"timeout_ms\":600000}]}", false);
	submit(&p);
	CHECK_INT(thole_hook_answer(p.t, asked(&p, "post_tool_use"), NULL), THOLE_OK);
	read_until(&p, "turn.completed", &log);
	CHECK(says(&log, "hook.failed", "\"category\":\"hook_failed\""));
	CHECK(says(&log, "runtime.warning", "\"hook_failed_open\""));
	end(&p);
}

TEST(an_answer_that_is_too_long_leaves_the_question_open)
{
	CLEANUP(buf_done) struct buf log = { 0 };
	struct place p;
	char *text = malloc((1 << 20) + 2);
	unsigned long long id;

	CHECK(text);
	memset(text, ' ', (1 << 20) + 1);
	text[(1 << 20) + 1] = 0;
	begin(&p, GUARD, false);
	submit(&p);
	id = asked(&p, "pre_tool_use");
	CHECK_INT(thole_hook_answer(p.t, id, text), THOLE_INVALID);
	CHECK_INT(thole_hook_answer(p.t, id, "{}"), THOLE_OK);
	read_until(&p, "turn.completed", &log);
	CHECK(says(&log, "tool.result", "noted milk"));
	end(&p);
	free(text);
}

TEST(a_turn_that_is_stopped_waits_for_no_answer)
{
	CLEANUP(buf_done) struct buf log = { 0 };
	struct place p;
	unsigned long long id;

	begin(&p, "{\"pre_tool_use\":[{\"name\":\"guard\",\"timeout_ms\":600000}]}", false);
	submit(&p);
	id = asked(&p, "pre_tool_use");
	call(&p, "interrupt_turn", "{\"sessionId\":\"s-1\"}");
	read_until(&p, "turn.failed", &log);
	CHECK(says(&log, "hook.failed", "\"category\":\"interrupted\""));
	CHECK_INT(thole_hook_answer(p.t, id, "{}"), THOLE_ENDED);
	end(&p);
}

/* ---- threads ---- */

struct worker {
	struct thole *t;
	pthread_t thread;
	unsigned answered;
	int last;
};

static void *work(void *arg)
{
	struct worker *w = arg;
	unsigned long long id;
	char *input;

	while ((w->last = thole_hook_next(w->t, -1, &id, &input)) == THOLE_OK) {
		thole_free(input);
		w->answered += thole_hook_answer(w->t, id, "{}") == THOLE_OK;
	}
	return NULL;
}

TEST(each_question_goes_to_one_of_the_threads_that_wait)
{
	enum { WORKERS = 4, SESSIONS = 20 };
	struct worker workers[WORKERS] = { 0 };
	struct place p;
	unsigned answered = 0;

	begin(&p, GUARD, false);
	for (size_t i = 0; i < WORKERS; i++) {
		workers[i].t = p.t;
		CHECK_INT(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}

	struct thole_stream *s = thole_subscribe(
		p.t, "{\"follow\":true,\"types\":[\"turn.completed\",\"tool.result\"]}", NULL);

	CHECK(s);
	for (int i = 0; i < SESSIONS; i++) {
		char params[80];

		snprintf(params, sizeof params, "{\"sessionId\":\"t-%d\",\"input\":\"note it\"}",
		         i);
		call(&p, "submit_turn", params);
	}
	for (int i = 0; i < 2 * SESSIONS; i++) {
		char *event;

		CHECK_INT(thole_next(s, 20000, &event, NULL), THOLE_OK);
		thole_free(event);
	}
	thole_unsubscribe(s);
	thole_hook_stop(p.t);
	for (size_t i = 0; i < WORKERS; i++) {
		pthread_join(workers[i].thread, NULL);
		answered += workers[i].answered;
		CHECK_INT(workers[i].last, THOLE_ENDED);
	}
	CHECK_INT(answered, SESSIONS);
	end(&p);
}

/* ---- going away ---- */

TEST(a_program_that_answers_no_more_has_failed_whatever_is_asked)
{
	CLEANUP(buf_done) struct buf log = { 0 };
	struct place p;
	unsigned long long id;
	char *input;

	begin(&p,
	      "{\"pre_tool_use\":[{\"name\":\"guard\",\"timeout_ms\":600000}],"
	      "\"stop\":[{\"name\":\"last\",\"timeout_ms\":600000}]}",
	      false);
	submit(&p);
	id = asked(&p, "pre_tool_use");
	thole_hook_stop(p.t);
	thole_hook_stop(p.t); /* twice is once */
	CHECK_INT(thole_hook_answer(p.t, id, "{}"), THOLE_ENDED);
	CHECK_INT(thole_hook_next(p.t, -1, &id, &input), THOLE_ENDED);
	read_until(&p, "turn.completed", &log);
	CHECK(says(&log, "tool.failed", "\"executed\":\"no\""));
	CHECK(says(&log, "hook.failed",
	           "the program gave it up")); /* the one at the stop, asked later */
	CHECK(says(&log, "hook.failed", "\"point\":\"stop\""));
	end(&p);
}

static void close_with_one_open(bool own_loop)
{
	CLEANUP(buf_done) struct buf log = { 0 };
	struct place p;

	begin(&p, "{\"pre_tool_use\":[{\"name\":\"guard\",\"timeout_ms\":600000}]}", own_loop);
	submit(&p);
	asked(&p, "pre_tool_use");
	thole_close(p.t);
	open_again(&p, NULL, false);
	read_until(&p, "hook.failed", &log);
	CHECK(!has(log.ptr, "\"hook.completed\""));
	CHECK(!has(log.ptr, "\"tool.result\""));
	end(&p);
}

TEST(a_runtime_that_is_closed_does_not_wait_for_an_answer)
{
	close_with_one_open(false);
}

TEST(nor_does_one_in_a_loop_of_the_callers_own)
{
	close_with_one_open(true);
}

/* ---- the caller's own loop, and missing things ---- */

TEST(hooks_are_heard_in_a_loop_of_the_callers_own)
{
	CLEANUP(buf_done) struct buf log = { 0 };
	struct place p;
	unsigned long long id;
	char *input = NULL;

	begin(&p, GUARD, true);
	submit(&p);
	while (!input) {
		struct pollfd fds[] = { { .fd = thole_fd(p.t), .events = POLLIN },
			                { .fd = thole_hook_fd(p.t), .events = POLLIN } };

		poll(fds, 2, thole_timeout_ms(p.t));
		if (fds[1].revents)
			CHECK_INT(thole_hook_next(p.t, 0, &id, &input), THOLE_OK);
		thole_step(p.t);
	}
	CHECK(has(input, "\"toolName\":\"note\""));
	thole_free(input);
	CHECK_INT(thole_hook_answer(p.t, id, "{\"updatedInput\":{\"text\":\"tea\"}}"), THOLE_OK);
	read_until(&p, "turn.completed", &log);
	CHECK(says(&log, "tool.result", "noted tea"));
	end(&p);
}

TEST(a_program_without_hooks_is_asked_nothing)
{
	struct place p;
	unsigned long long id;
	char *input;

	begin(&p, NULL, false);
	CHECK_INT(thole_hook_fd(p.t), -1);
	CHECK_INT(thole_hook_next(p.t, -1, &id, &input), THOLE_ENDED);
	CHECK_INT(thole_hook_answer(p.t, 1, "{}"), THOLE_ENDED);
	thole_hook_stop(p.t);
	end(&p);
}

TEST(hooks_that_cannot_be_read_are_refused)
{
	static const struct {
		const char *hooks, *why;
	} cases[] = {
		{ "{", "" },
		{ "[]", "an object of points" },
		{ "{\"before_lunch\":[{}]}", "no point before_lunch" },
		{ "{\"stop\":[{\"command\":\"true\"}]}", "not by a command or a url" },
		{ "{\"stop\":[{\"url\":\"http://127.0.0.1:1/\"}]}", "not by a command or a url" },
		{ "{\"stop\":[{\"name\":\"a\"},{\"name\":\"a\"}]}", "the name of another one" },
		{ "{\"stop\":[{\"timeout_ms\":0}]}", "timeout_ms" },
	};
	struct place p;

	begin(&p, NULL, false);
	thole_close(p.t);
	for (size_t i = 0; i < COUNT_OF(cases); i++) {
		struct thole_options o = { .data_dir = p.dir, .hooks = cases[i].hooks };
		struct thole_error e = { 0 };

		CHECK(!thole_open(&o, &e));
		CHECK_INT(e.code, THOLE_CONFIG);
		CHECK(has(e.message, cases[i].why));
	}
	open_again(&p, "{}", false);
	end(&p);
}

TEST_MAIN()
