#include "provider/scripted.h"

#include "base/arena.h"
#include "base/list.h"
#include "base/sha256.h"
#include "base/utf8.h"
#include "lib/t.h"

#include <dirent.h>
#include <fcntl.h>
#include <malloc.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- a clock that moves only when told to ---- */

struct fake_timer {
	struct list node;
	struct clock_timer *timer;
	int64_t due_ms;
};

struct fake_clock {
	struct clock port;
	int64_t now_ms;
	struct list timers; /* by due time; equal ones in the order they were started */
	size_t turns;       /* callbacks so far: each is one turn of the loop */
};

static int64_t fake_now(struct clock *c)
{
	return OWNER_OF(c, struct fake_clock, port)->now_ms;
}

static void fake_stop(struct clock *c, struct clock_timer *t)
{
	struct fake_timer *f = t->impl;

	(void)c;
	if (!f)
		return;
	list_remove(&f->node);
	free(f);
	t->impl = NULL;
}

static void fake_start(struct clock *c, struct clock_timer *t, int64_t delay_ms)
{
	struct fake_clock *clock = OWNER_OF(c, struct fake_clock, port);
	struct fake_timer *f = xcalloc(1, sizeof *f);
	struct list *at = &clock->timers;

	CHECK(delay_ms >= 0);
	fake_stop(c, t);
	*f = (struct fake_timer){ .timer = t, .due_ms = clock->now_ms + delay_ms };
	while (at->prev != &clock->timers &&
	       LIST_ITEM(at->prev, struct fake_timer, node)->due_ms > f->due_ms)
		at = at->prev;
	list_add_before(at, &f->node);
	t->impl = f;
}

static const struct clock_ops fake_ops = {
	.wall_ms = fake_now, .mono_ms = fake_now, .start = fake_start, .stop = fake_stop
};

static void fake_init(struct fake_clock *c)
{
	*c = (struct fake_clock){ .port.ops = &fake_ops, .now_ms = 1000000 };
	list_init(&c->timers);
}

static bool fake_is_idle(const struct fake_clock *c)
{
	return list_is_empty(&c->timers);
}

/* One turn of the loop: the next timer, if it is due by then. */
static bool fake_turn(struct fake_clock *c, int64_t until_ms)
{
	if (fake_is_idle(c))
		return false;

	struct fake_timer *f = LIST_ITEM(c->timers.next, struct fake_timer, node);
	struct clock_timer *t = f->timer;

	if (f->due_ms > until_ms)
		return false;
	c->now_ms = f->due_ms;
	c->turns++;
	fake_stop(&c->port, t);
	t->fire(t);
	return true;
}

/* Lets time pass. */
static void fake_pass(struct fake_clock *c, int64_t ms)
{
	int64_t until_ms = c->now_ms + ms;

	while (fake_turn(c, until_ms))
		;
	c->now_ms = until_ms;
}

#define EVER ((int64_t)1 << 40)

/* Until nothing is left to happen. */
static void fake_run(struct fake_clock *c)
{
	while (fake_turn(c, EVER))
		;
}

/* ---- a script between a fake engine and a fake clock ---- */

struct rig {
	struct fake_clock clock;
	struct scripted *s;
	struct provider *p;
	struct toolset *t;
	struct message messages[8];
	size_t message_count;
	struct model_request req;
};

static void rig_open(struct rig *r, struct str script)
{
	struct error e;
	struct scripted_options o = { .clock = &r->clock.port, .script_text = script };

	*r = (struct rig){ .req = { .session_id = STR("sess_1"),
		                    .turn_id = STR("turn_1"),
		                    .turn_number = 1,
		                    .request_number = 1,
		                    .attempt = 1 } };
	fake_init(&r->clock);
	CHECK_OK(scripted_open(&o, &r->s, &e), &e);
	r->p = scripted_provider(r->s);
	r->t = scripted_tools(r->s);
}

static void rig_close(struct rig *r)
{
	if (r->p)
		r->p->ops->close(r->p);
	if (r->t)
		r->t->ops->close(r->t);
	r->p = NULL;
	r->t = NULL;
	CHECK(fake_is_idle(&r->clock));
}

static void rig_says(struct rig *r, struct message m)
{
	if (!str_is(m.turn_id))
		m.turn_id = r->req.turn_id;
	r->messages[r->message_count++] = m;
}

static void rig_user(struct rig *r, const char *text)
{
	rig_says(r, (struct message){ .role = ROLE_USER, .text = str_from(text) });
}

static void rig_result(struct rig *r, const char *tool, const char *text, bool is_error)
{
	rig_says(r, (struct message){ .role = ROLE_TOOL,
	                              .text = str_from(text),
	                              .tool_name = str_from(tool),
	                              .is_error = is_error });
}

/* What came back of a request. */
struct answer {
	struct rig *rig;
	struct model_handle *h;
	struct arena *mem;
	struct buf text, reasoning, args, kinds; /* kinds: t, r, a, one for each piece */
	struct buf trace;                        /* everything with its time */
	size_t pieces;
	size_t turn, this_turn, most_per_turn;
	int64_t at_ms[16]; /* of the first pieces, since the start */
	int64_t started_ms, end_ms;
	bool is_starting, is_ended;
	struct model_end end;
	/* what the engine does in the n-th piece, when n is not 0 */
	size_t cancel_in, pause_in, resume_in, close_in;
};

static void answer_piece(void *owner, enum model_piece kind, struct str text)
{
	struct answer *a = owner;
	struct provider *p = a->rig->p;
	struct fake_clock *clock = &a->rig->clock;
	int64_t at_ms = clock->now_ms - a->started_ms;

	CHECK(!a->is_starting && !a->is_ended && text.len);
	buf_add_str(kind == PIECE_TEXT        ? &a->text
	            : kind == PIECE_REASONING ? &a->reasoning
	                                      : &a->args,
	            text);
	buf_add_char(&a->kinds, "tra"[kind]);
	buf_printf(&a->trace, "%lld %d %.*s|", (long long)at_ms, kind, STR_ARG(text));
	if (a->pieces < COUNT_OF(a->at_ms))
		a->at_ms[a->pieces] = at_ms;
	a->pieces++;
	if (a->turn != clock->turns)
		a->this_turn = 0;
	a->turn = clock->turns;
	a->this_turn++;
	a->most_per_turn = MAX(a->most_per_turn, a->this_turn);
	if (a->pieces == a->cancel_in)
		p->ops->cancel(p, a->h);
	if (a->pieces == a->pause_in)
		p->ops->pause(p, a->h);
	if (a->pieces == a->resume_in)
		p->ops->resume(p, a->h);
	if (a->pieces == a->close_in) {
		a->rig->p = NULL;
		p->ops->close(p);
	}
}

static void answer_end(void *owner, const struct model_end *end)
{
	struct answer *a = owner;
	struct model_call_part *calls;

	CHECK(!a->is_starting && !a->is_ended);
	a->is_ended = true;
	a->end_ms = a->rig->clock.now_ms - a->started_ms;
	a->end = *end;
	a->end.native_stop = arena_keep(a->mem, end->native_stop);
	a->end.category = arena_keep(a->mem, end->category);
	a->end.message = arena_keep(a->mem, end->message);
	a->end.raw = arena_keep(a->mem, end->raw);
	a->end.reasoning_summary = arena_keep(a->mem, end->reasoning_summary);
	calls = ARENA_ARRAY(a->mem, struct model_call_part, end->call_count + 1);
	for (size_t i = 0; i < end->call_count; i++)
		calls[i] = (struct model_call_part){
			.call_id = arena_keep(a->mem, end->calls[i].call_id),
			.name = arena_keep(a->mem, end->calls[i].name),
			.args = arena_keep(a->mem, end->calls[i].args),
		};
	a->end.calls = calls;
	buf_printf(&a->trace, "%lld end %d %.*s", (long long)a->end_ms, end->stop,
	           STR_ARG(end->raw));
}

static const struct model_sink answer_sink = { answer_piece, answer_end };

static void answer_start(struct answer *a, struct rig *r)
{
	if (!a->mem)
		a->mem = arena_new();
	a->rig = r;
	a->started_ms = r->clock.now_ms;
	a->is_starting = true;
	r->req.messages = r->messages;
	r->req.message_count = r->message_count;
	a->h = r->p->ops->start(r->p, &r->req, &answer_sink, a);
	a->is_starting = false;
}

static void answer_done(struct answer *a)
{
	buf_done(&a->text);
	buf_done(&a->reasoning);
	buf_done(&a->args);
	buf_done(&a->kinds);
	buf_done(&a->trace);
	arena_free(a->mem);
}

/* One user text, run to its end; the messages before it are forgotten. */
static void ask(struct answer *a, struct rig *r, const char *text)
{
	answer_done(a);
	*a = (struct answer){ 0 };
	r->message_count = 0;
	rig_user(r, text);
	answer_start(a, r);
	fake_run(&r->clock);
}

#define RIG(r, script)                                                                             \
	CLEANUP(rig_close) struct rig r;                                                           \
	rig_open(&r, script)
#define ANSWER(a) CLEANUP(answer_done) struct answer a = { 0 }

/* A script of one reply to everything. */
#define ALWAYS(reply) STR("{\"version\":1,\"default\":" reply "}")

/* ---- files of the repository ---- */

static struct str read_whole(struct arena *mem, const char *path)
{
	FILE *f = fopen(path, "r");
	CLEANUP(buf_done) struct buf all = { 0 };
	char part[4096];
	size_t n;

	if (!f)
		return STR_NONE;
	while ((n = fread(part, 1, sizeof part, f)))
		buf_add(&all, part, n);
	fclose(f);
	return arena_keep(mem, buf_str(&all));
}

/* A path below the root of the sources, wherever the test is run from. */
static const char *source_path(struct arena *mem, const char *below)
{
	const char *tries[] = { "", "../", "../../", NULL };
	struct str here = str_from(__FILE__); /* .../tests/unit/test_scripted.c */
	ptrdiff_t at = str_find(here, STR("tests/unit/"));
	struct str path = STR_NONE;

	if (at > 0)
		path = arena_printf(mem, "%.*s%s", (int)at, here.ptr, below);
	for (size_t i = 0; (!str_is(path) || access(path.ptr, R_OK)) && tries[i]; i++)
		path = arena_printf(mem, "%s%s", tries[i], below);
	return path.ptr;
}

static struct str source(struct arena *mem, const char *below)
{
	struct str text = read_whole(mem, source_path(mem, below));

	if (!str_is(text))
		t_fail(__FILE__, __LINE__, "cannot read %s", below);
	return text;
}

static void arena_done(struct arena **mem)
{
	arena_free(*mem);
}
#define ARENA(mem) CLEANUP(arena_done) struct arena *mem = arena_new()

#define EXAMPLE(r, name)                                                                           \
	ARENA(example_mem);                                                                        \
	RIG(r, source(example_mem, "examples/scripts/" name))

/* ---- the built-in script ---- */

TEST(the_built_in_script_is_the_example)
{
	ARENA(mem);

	if (!str_eq(scripted_builtin(), source(mem, "examples/scripts/builtin.json")))
		t_fail(__FILE__, __LINE__,
		       "builtin.json and scripted_builtin.c differ; the latter "
		       "says how to make them equal");
}

TEST(the_built_in_script_answers_anything_at_once)
{
	RIG(r, STR_NONE);
	ANSWER(a);

	ask(&a, &r, "anything");
	CHECK(a.is_ended && !a.end.failed && a.end.stop == STOP_END_TURN);
	CHECK_INT(a.end_ms, 0);
	CHECK_HAS(buf_str(&a.text), "You wrote: anything\n");
	CHECK_HAS(buf_str(&a.text), "thole run approve");
	CHECK(a.pieces > 50 && a.end.usage.known && a.end.usage.output > 0);
	CHECK_STR(a.end.raw, "{\"script\":\"built-in\",\"model\":\"demo\",\"rule\":null,\"turn\":1,"
	                     "\"request\":1,\"attempt\":1}");

	r.req.turn_number = 2;
	ask(&a, &r, "more");
	CHECK_HAS(buf_str(&a.text), "That was turn 2 of this thread");
}

TEST(the_built_in_script_does_not_quote_what_is_long)
{
	RIG(r, STR_NONE);
	ANSWER(a);
	char text[2000];

	memset(text, 'x', sizeof text - 1);
	text[sizeof text - 1] = '\0';
	ask(&a, &r, text);
	CHECK(a.text.len < 500 && str_find(buf_str(&a.text), STR("xxx")) < 0);
}

TEST(a_word_inside_a_sentence_is_no_demo)
{
	RIG(r, STR_NONE);
	ANSWER(a);
	const char *texts[] = { "why does my program hang?",
		                "hang on",
		                "please approve this",
		                "it fails",
		                "longing",
		                "Hangup",
		                "" };

	for (size_t i = 0; i < COUNT_OF(texts); i++) {
		ask(&a, &r, texts[i]);
		CHECK(a.is_ended && !a.end.failed && !a.end.call_count);
		CHECK_HAS(buf_str(&a.text), "You wrote: ");
	}
}

TEST(every_demo_word_that_the_answer_names_is_there)
{
	RIG(r, STR_NONE);
	ANSWER(a);
	const char *words[] = { "approve", "question", "long", "big",
		                "slow",    "retry",    "fail", "hang" };

	for (size_t i = 0; i < COUNT_OF(words); i++) {
		ask(&a, &r, words[i]);
		CHECK(str_find(buf_str(&a.text), STR("You wrote")) < 0);
		if (a.h && !a.is_ended)
			r.p->ops->cancel(r.p, a.h);
	}
}

/* ---- texts and pieces ---- */

TEST(a_string_comes_in_words)
{
	RIG(r, ALWAYS("{\"text\":\"  one two\\n\\nthree \"}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK_STR(buf_str(&a.trace),
	          "0 0   |0 0 one |0 0 two\n\n|0 0 three |0 end 0 {\"script\":\"given\","
	          "\"model\":\"demo\",\"rule\":null,\"turn\":1,\"request\":1,\"attempt\":1}");
}

TEST(chunks_count_characters_not_bytes)
{
	EXAMPLE(r, "pacing.json");
	ANSWER(a);

	ask(&a, &r, "chunks");
	CHECK_STR(buf_str(&a.text), "Größe zählt nicht.");
	CHECK_INT(a.pieces, 4);
	CHECK_HAS(buf_str(&a.trace), "0 0 Größe|0 0  zähl|0 0 t nic|0 0 ht.|");
}

TEST(a_list_comes_piece_by_piece)
{
	EXAMPLE(r, "pacing.json");
	ANSWER(a);

	ask(&a, &r, "pieces");
	CHECK_HAS(buf_str(&a.trace), "0 0 a|100 0 bc|200 0 def\n|200 end");
}

TEST(a_piece_that_expands_to_nothing_is_left_out)
{
	RIG(r, ALWAYS("{\"text\":[\"\",\"{{toolResult}}\",\"x\",\"\"],\"delayMs\":5}"));
	ANSWER(a);

	ask(&a, &r, "q");
	CHECK_INT(a.pieces, 1);
	CHECK_INT(a.end_ms, 0);
}

TEST(an_empty_reply_ends_at_once)
{
	RIG(r, ALWAYS("{}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK(a.is_ended && !a.end.failed && !a.pieces && a.end.stop == STOP_END_TURN);
	CHECK_INT(r.clock.turns, 1);
}

TEST(twenty_thousand_pieces_do_not_hold_up_the_loop)
{
	EXAMPLE(r, "pacing.json");
	ANSWER(a);
	CLEANUP(buf_done) struct buf want = { 0 };

	for (int i = 1; i <= 20000; i++)
		buf_printf(&want, "word %d ", i);
	ask(&a, &r, "flood");
	CHECK_INT(a.pieces, 20000);
	CHECK(str_eq(buf_str(&a.text), buf_str(&want)));
	CHECK_INT(a.most_per_turn, 256);
	CHECK_INT(r.clock.turns, (20000 + 255) / 256);
	CHECK_INT(a.end_ms, 0);
	CHECK_INT(a.end.bytes_received, (long long)want.len);
}

TEST(large_pieces_share_no_turn_of_the_loop)
{
	RIG(r, ALWAYS("{\"text\":{\"repeat\":\"{{input}}\",\"count\":100}}"));
	ANSWER(a);
	static char text[40001];

	memset(text, 'y', sizeof text - 1);
	ask(&a, &r, text);
	CHECK_INT(a.text.len, 100 * 40000);
	CHECK_INT(a.most_per_turn, 2);
}

TEST(a_word_without_end_is_cut)
{
	RIG(r, ALWAYS("{\"text\":\"{{input}}\"}"));
	ANSWER(a);
	CLEANUP(buf_done) struct buf text = { 0 };

	for (int i = 0; i < 3000; i++)
		buf_add_c(&text, "€");
	buf_add_char(&text, '\0');
	ask(&a, &r, text.ptr);
	CHECK_INT(a.text.len, 9000);
	CHECK_INT(a.pieces, 3);
	CHECK(utf8_is_valid(buf_str(&a.text)));
}

/* ---- pacing ---- */

TEST(pacing_is_exact)
{
	EXAMPLE(r, "pacing.json");
	ANSWER(a);

	ask(&a, &r, "steady");
	CHECK_STR(buf_str(&a.kinds), "rrtttttt");
	for (int i = 0; i < 8; i++)
		CHECK_INT(a.at_ms[i], 500 + 20 * i);
	CHECK_INT(a.end_ms, 500 + 20 * 7);
}

TEST(the_first_delay_also_holds_an_answer_without_pieces)
{
	RIG(r, ALWAYS("{\"firstDelayMs\":300,\"delayMs\":50}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK_INT(a.end_ms, 300);
}

TEST(long_is_paced_as_documented)
{
	RIG(r, STR_NONE);
	ANSWER(a);

	ask(&a, &r, "Long, please");
	CHECK(a.pieces > 150 && a.reasoning.len && !a.end.failed);
	CHECK_INT(a.at_ms[0], 200);
	CHECK_INT(a.end_ms, 200 + 20 * ((long long)a.pieces - 1));
}

/* ---- what a reply may hold ---- */

TEST(reasoning_comes_before_text_and_text_before_arguments)
{
	RIG(r,
	    STR("{\"version\":1,\"rules\":[{\"when\":{\"request\":1},\"reply\":{\"toolCalls\":["
	        "{\"name\":\"a\",\"args\":{\"x\":[1,2.5,null]}},{\"name\":\"b\",\"id\":\"my-id\"},"
	        "{\"name\":\"c\",\"rawArgs\":\"{oops\"}],\"text\":\"t\",\"reasoning\":\"r\","
	        "\"reasoningSummary\":\"about {{input}}\"}}]}"));
	ANSWER(a);

	ask(&a, &r, "boats");
	CHECK_STR(buf_str(&a.kinds), "rtaaa");
	CHECK_STR(buf_str(&a.args), "{\"x\":[1,2.5,null]}{}{oops");
	CHECK(a.end.stop == STOP_TOOL_USE && a.end.call_count == 3);
	CHECK_STR(a.end.native_stop, "tool_use");
	CHECK_STR(a.end.calls[0].call_id, "call_1_1_1");
	CHECK_STR(a.end.calls[0].name, "a");
	CHECK_STR(a.end.calls[0].args, "{\"x\":[1,2.5,null]}");
	CHECK_STR(a.end.calls[1].call_id, "my-id");
	CHECK_STR(a.end.calls[1].args, "{}");
	CHECK_STR(a.end.calls[2].args, "{oops");
	CHECK_STR(a.end.reasoning_summary, "about boats");
}

TEST(structured_output_is_text_without_templates)
{
	RIG(r, ALWAYS("{\"structured\":{\"a\":\"{{input}} and so on and on and on\",\"b\":1.5}}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK_STR(buf_str(&a.text), "{\"a\":\"{{input}} and so on and on and on\",\"b\":1.5}");
	CHECK_INT(a.pieces, 3);
}

TEST(usage_is_estimated_unless_the_script_says_it)
{
	RIG(r, ALWAYS("{\"text\":\"123456789\",\"reasoning\":\"12345\"}"));
	ANSWER(a);
	struct tool_spec tool = { STR("abcd"), STR("efgh"), STR("{}") };

	r.req.tools = &tool;
	r.req.tool_count = 1;
	ask(&a, &r, "12345678901");
	CHECK(a.end.usage.known && a.end.usage.cached_input == 0);
	CHECK_INT(a.end.usage.input, 6);     /* 11 + 10 bytes */
	CHECK_INT(a.end.usage.output, 4);    /* 14 bytes */
	CHECK_INT(a.end.usage.reasoning, 2); /* 5 bytes */

	struct model_call_part call = { STR("id"), STR("name"), STR("{ 123 }") };

	rig_says(&r, (struct message){ .role = ROLE_ASSISTANT, .calls = &call, .call_count = 1 });
	r.req.session_id = STR_NONE;

	ANSWER(b);

	answer_start(&b, &r);
	fake_run(&r.clock);
	CHECK_INT(b.end.usage.input, 8); /* 11 more */
}

TEST(usage_can_be_given_in_whole_or_in_part)
{
	EXAMPLE(r, "conversation.json");
	RIG(part, ALWAYS("{\"text\":\"12345678\",\"usage\":{\"cached\":50,\"cacheWritten\":7}}"));
	RIG(none, ALWAYS("{\"text\":\"12345678\",\"usage\":\"unknown\"}"));
	ANSWER(a);

	ask(&a, &r, "hello");
	CHECK(a.end.usage.known && a.end.usage.input == 1000 && a.end.usage.cached_input == 900 &&
	      a.end.usage.output == 20 && a.end.usage.reasoning == 8);
	ask(&a, &part, "x");
	CHECK(a.end.usage.known && a.end.usage.input == 50 && a.end.usage.cached_input == 50 &&
	      a.end.usage.cache_written == 7 && a.end.usage.output == 2);
	ask(&a, &none, "x");
	CHECK(a.is_ended && !a.end.usage.known);
}

TEST(every_stop_reason_can_be_had)
{
	static const struct {
		const char *word;
		enum model_stop stop;
	} rows[] = {
		{ "end_turn", STOP_END_TURN },     { "tool_use", STOP_TOOL_USE },
		{ "max_tokens", STOP_MAX_TOKENS }, { "stop_sequence", STOP_SEQUENCE },
		{ "refusal", STOP_REFUSAL },       { "context_full", STOP_CONTEXT_FULL },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char script[100];

		snprintf(script, sizeof script, "{\"version\":1,\"default\":{\"stop\":\"%s\"}}",
		         rows[i].word);
		RIG(r, str_from(script));
		ANSWER(a);
		ask(&a, &r, "x");
		CHECK(a.end.stop == rows[i].stop);
		CHECK_SAME(a.end.native_stop, str_from(rows[i].word));
	}
}

TEST(the_conversation_example_does_what_it_says)
{
	EXAMPLE(r, "conversation.json");
	ANSWER(a);
	const struct model_info *m;

	CHECK_INT(r.p->ops->models(r.p, &m), 1);
	CHECK_STR(m->provider, "scripted");
	CHECK_STR(m->model, "storyteller");
	CHECK(m->priced && m->has_credential && m->window_tokens == 32000);
	CHECK(m->input_per_mtok == 1000000000 && m->cached_input_per_mtok == 100000000 &&
	      m->cache_write_per_mtok == 1000000000 && m->output_per_mtok == 5000000000);
	CHECK_STR(m->price_from, "2026-01-01");
	CHECK_STR(m->price_source, "script");
	CHECK_STR(m->capabilities, "[\"tool_use\",\"reasoning\",\"structured_output\"]");

	ask(&a, &r, "hello");
	CHECK_STR(buf_str(&a.text), "Good morning.");
	CHECK_STR(buf_str(&a.reasoning), "They say hello. I say hello.");
	CHECK_STR(a.end.reasoning_summary, "A greeting.");

	r.req.turn_number = 2;
	ask(&a, &r, "cities As JSON");
	CHECK_STR(buf_str(&a.text), "{\"city\":\"Leith\",\"population\":51000}");
	ask(&a, &r, "a poem");
	CHECK(a.end.stop == STOP_MAX_TOKENS);
	ask(&a, &r, "stop");
	CHECK(a.end.stop == STOP_REFUSAL);
	ask(&a, &r, "stop it");
	CHECK_STR(buf_str(&a.text), "This is turn 2.");
	ask(&a, &r, "a joke");
	CHECK_HAS(buf_str(&a.text), "no thole");
	ask(&a, &r, "a joke");
	CHECK_STR(buf_str(&a.text), "You know it already.");
	r.req.session_id = STR("sess_2");
	ask(&a, &r, "a joke");
	CHECK_HAS(buf_str(&a.text), "no thole");
}

/* ---- templates ---- */

TEST(what_a_template_brings_is_not_a_template)
{
	RIG(r, ALWAYS("{\"text\":\"{{{input}}} {{turn}}{{turn}} {{}} {{ {{\"}"));
	ANSWER(a);

	r.req.turn_number = 41;
	ask(&a, &r, "{{turn}} {{nonsense}}");
	CHECK_STR(buf_str(&a.text), "{{{turn}} {{nonsense}}} 4141 {{}} {{ {{");
}

TEST(a_tool_result_is_shown_by_its_first_two_hundred_bytes)
{
	RIG(r, ALWAYS("{\"text\":[\"<{{toolResult}}>\"]}"));
	ANSWER(a);
	CLEANUP(buf_done) struct buf text = { 0 };

	buf_add_c(&text, "x");
	for (int i = 0; i < 100; i++)
		buf_add_c(&text, "€");
	buf_add_char(&text, '\0');
	rig_user(&r, "q");
	rig_result(&r, "first", "not this one", false);
	rig_result(&r, "last", text.ptr, false);
	answer_start(&a, &r);
	fake_run(&r.clock);
	CHECK_INT(a.text.len, 2 + 199); /* x and 66 characters of three bytes */
	CHECK(utf8_is_valid(buf_str(&a.text)));
}

TEST(templates_know_nothing_of_other_turns)
{
	RIG(r, ALWAYS("{\"text\":[\"<{{toolResult}}>\"]}"));
	ANSWER(a);

	rig_says(&r, (struct message){ .role = ROLE_TOOL,
	                               .text = STR("old"),
	                               .tool_name = STR("t"),
	                               .turn_id = STR("turn_0") });
	rig_user(&r, "q");
	answer_start(&a, &r);
	fake_run(&r.clock);
	CHECK_STR(buf_str(&a.text), "<>");
}

/* ---- matching ---- */

static void check_reply(struct rig *r, const char *want)
{
	ANSWER(a);

	answer_start(&a, r);
	fake_run(&r->clock);
	CHECK(a.is_ended);
	CHECK_SAME(buf_str(&a.text), str_from(want));
}

TEST(the_first_rule_that_matches_wins)
{
	RIG(r, STR("{\"version\":1,\"rules\":["
	           "{\"when\":{\"text\":{\"equals\":\"one\"}},\"reply\":{\"text\":\"equals\"}},"
	           "{\"when\":{\"text\":\"one\"},\"reply\":{\"text\":\"contains\"}},"
	           "{\"when\":{\"text\":{\"regex\":\"^t.o$\"}},\"reply\":{\"text\":\"regex\"}},"
	           "{\"when\":{\"text\":\"t\",\"turn\":3},\"reply\":{\"text\":\"both\"}},"
	           "{\"when\":{\"turn\":{\"min\":2,\"max\":3}},\"reply\":{\"text\":\"turn\"}},"
	           "{\"when\":{\"attempt\":{\"min\":2}},\"reply\":{\"text\":\"attempt\"}},"
	           "{\"when\":{\"request\":{\"max\":1}},\"reply\":{\"text\":\"request\"}}],"
	           "\"default\":{\"text\":\"default\"}}"));

	rig_user(&r, "one");
	check_reply(&r, "equals");
	rig_user(&r, "someone");
	check_reply(&r, "contains");
	rig_user(&r, "One");
	check_reply(&r, "request");
	rig_user(&r, "two");
	check_reply(&r, "regex");
	r.req.turn_number = 3;
	rig_user(&r, "that");
	check_reply(&r, "both");
	rig_user(&r, "x");
	check_reply(&r, "turn");
	r.req.turn_number = 4;
	r.req.attempt = 2;
	check_reply(&r, "attempt");
	r.req.attempt = 1;
	r.req.request_number = 2;
	check_reply(&r, "default");
}

TEST(ids_of_turn_and_message_can_be_asked_for)
{
	RIG(r, STR("{\"version\":1,\"rules\":["
	           "{\"when\":{\"messageId\":\"turn_steer\"},\"reply\":{\"text\":\"steered\"}},"
	           "{\"when\":{\"turnId\":\"turn_1\"},\"reply\":{\"text\":\"first\"}}],"
	           "\"default\":{\"text\":\"other\"}}"));

	rig_user(&r, "go");
	check_reply(&r, "first");
	rig_says(&r, (struct message){ .role = ROLE_USER,
	                               .text = STR("no, left"),
	                               .turn_id = STR("turn_steer") });
	check_reply(&r, "steered");
	r.message_count = 1;
	r.req.turn_id = STR("turn_2");
	check_reply(&r, "other");
}

TEST(tool_results_of_the_turn_can_be_asked_for)
{
	RIG(r, STR("{\"version\":1,\"rules\":["
	           "{\"when\":{\"afterTool\":\"b\"},\"reply\":{\"text\":\"after b\"}},"
	           "{\"when\":{\"toolResult\":{\"name\":\"b\",\"contains\":\"good\"}},"
	           "\"reply\":{\"text\":\"b was good\"}},"
	           "{\"when\":{\"toolResult\":{\"isError\":true}},\"reply\":{\"text\":\"error\"}},"
	           "{\"when\":{\"toolResult\":{}},\"reply\":{\"text\":\"some\"}}],"
	           "\"default\":{\"text\":\"none\"}}"));

	rig_user(&r, "go");
	check_reply(&r, "none");
	rig_result(&r, "a", "fine", false);
	check_reply(&r, "some");
	rig_result(&r, "b", "very good", false);
	check_reply(&r, "after b");
	rig_user(&r, "steer");
	check_reply(&r, "b was good");
	r.message_count = 2;
	rig_result(&r, "c", "bad", true);
	check_reply(&r, "error");
	r.req.turn_id = STR("turn_2");
	check_reply(&r, "none");
}

TEST(replies_follow_the_requests_of_a_turn)
{
	EXAMPLE(r, "approval.json");
	ANSWER(a);

	ask(&a, &r, "deploy it");
	CHECK_INT(a.end.call_count, 1);
	CHECK_STR(a.end.calls[0].call_id, "call_deploy");
	r.req.request_number = 2;
	rig_result(&r, "deploy", "deployed to staging", false);
	check_reply(&r, "The tool said: deployed to staging");
	r.req.request_number = 3;
	check_reply(&r, "Say deploy.");
}

TEST(a_session_remembers_how_often_and_old_ones_are_forgotten)
{
	RIG(r, STR("{\"version\":1,\"rules\":["
	           "{\"when\":{\"times\":2},\"reply\":{\"text\":\"a\"}},"
	           "{\"when\":{\"times\":1},\"reply\":{\"text\":\"b\"}}],"
	           "\"default\":{\"text\":\"c\"}}"));
	char id[1100][12];

	rig_user(&r, "x");
	check_reply(&r, "a");
	check_reply(&r, "a");
	check_reply(&r, "b");
	check_reply(&r, "c");
	for (int i = 0; i < 1100; i++) {
		snprintf(id[i], sizeof id[i], "s%d", i);
		r.req.session_id = str_from(id[i]);
		check_reply(&r, "a");
	}
	r.req.session_id = STR("s1099");
	check_reply(&r, "a");
	check_reply(&r, "b");
	r.req.session_id = STR("sess_1"); /* longest unused */
	check_reply(&r, "a");
}

TEST(without_a_match_and_a_default_the_request_fails_with_a_reason)
{
	RIG(r, STR("{\"version\":1,\"rules\":[{\"when\":{\"turn\":7},\"reply\":{}}]}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK(a.end.failed && !a.end.retryable && !a.end.usage.known);
	CHECK_STR(a.end.category, "invalid_request");
	CHECK_STR(a.end.message, "no rule of the script matches request 1 (attempt 1) of turn 1, "
	                         "and it has no default");
}

TEST(a_pattern_that_takes_too_long_fails_the_request)
{
	RIG(r, STR("{\"version\":1,\"rules\":[{\"when\":{\"text\":{\"regex\":\"^(a+)+$\"}},"
	           "\"reply\":{}}],\"default\":{}}"));
	ANSWER(a);
	char text[10000];

	memset(text, 'a', sizeof text);
	text[sizeof text - 2] = 'b';
	text[sizeof text - 1] = '\0';
	ask(&a, &r, text);
	CHECK(a.end.failed && !a.end.retryable);
	CHECK_HAS(a.end.message, "rules[0].when.text.regex took too many steps");
}

TEST(a_request_without_messages_is_answered_too)
{
	RIG(r,
	    STR("{\"version\":1,\"rules\":[{\"when\":{\"text\":{\"regex\":\".*\"}},\"reply\":{}}]"
	        ",\"default\":{\"text\":\"[{{input}}]\"}}"));

	check_reply(&r, "[]");
}

/* ---- errors ---- */

TEST(a_status_has_its_usual_meaning)
{
	static const struct {
		int status;
		const char *category;
		bool retryable;
	} rows[] = {
		{ 400, "invalid_request", false },
		{ 401, "auth", false },
		{ 403, "auth", false },
		{ 408, "timeout", true },
		{ 422, "invalid_request", false },
		{ 429, "rate_limited", true },
		{ 500, "server_error", true },
		{ 502, "server_error", true },
		{ 503, "overloaded", true },
		{ 504, "timeout", true },
		{ 529, "overloaded", true },
	};

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		char script[120];

		snprintf(script, sizeof script,
		         "{\"version\":1,\"default\":{\"error\":{\"status\":%d}}}", rows[i].status);
		RIG(r, str_from(script));
		ANSWER(a);
		ask(&a, &r, "x");
		CHECK(a.end.failed && !a.pieces && !a.end.usage.known);
		CHECK_INT(a.end.http_status, rows[i].status);
		CHECK_SAME(a.end.category, str_from(rows[i].category));
		CHECK(a.end.retryable == rows[i].retryable);
		CHECK_INT(a.end.retry_after_ms, -1);
		CHECK_HAS(a.end.message, "the script answers with status");
	}
}

TEST(an_error_says_what_the_script_says)
{
	RIG(r, ALWAYS("{\"error\":{\"category\":\"content_filter\",\"message\":\"No.\","
	              "\"retryable\":true,\"retryAfterMs\":70},\"firstDelayMs\":9,"
	              "\"usage\":{\"input\":5,\"output\":0}}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK(a.end.failed && a.end.retryable && a.end.retry_after_ms == 70);
	CHECK(a.end.http_status == 0 && a.end_ms == 9);
	CHECK_STR(a.end.category, "content_filter");
	CHECK_STR(a.end.message, "No.");
	CHECK(a.end.usage.known && a.end.usage.input == 5 && a.end.usage.output == 0);
}

TEST(the_errors_example_does_what_it_says)
{
	EXAMPLE(r, "errors.json");
	ANSWER(a);

	for (r.req.attempt = 1; r.req.attempt <= 2; r.req.attempt++) {
		ask(&a, &r, "busy");
		CHECK(a.end.failed && a.end.http_status == 429 && a.end.retry_after_ms == 250);
	}
	ask(&a, &r, "busy");
	CHECK_STR(buf_str(&a.text), "Now I have time.");
	r.req.attempt = 1;

	ask(&a, &r, "cut");
	CHECK_STR(buf_str(&a.text), "one two three ");
	CHECK(a.end.failed && a.end.retryable && a.end.http_status == 200 && a.end_ms == 20);
	CHECK_STR(a.end.category, "network");
	CHECK_INT(a.end.bytes_received, 14);

	ask(&a, &r, "key");
	CHECK_STR(a.end.category, "auth");

	ask(&a, &r, "hang");
	CHECK(!a.is_ended && !a.pieces && fake_is_idle(&r.clock));
	r.p->ops->cancel(r.p, a.h);
	ask(&a, &r, "hang later");
	CHECK(!a.is_ended && a.pieces == 2 && fake_is_idle(&r.clock));
	r.p->ops->pause(r.p, a.h);
	r.p->ops->resume(r.p, a.h);
	fake_run(&r.clock);
	CHECK(!a.is_ended && a.pieces == 2);
	r.p->ops->cancel(r.p, a.h);

	ask(&a, &r, "garble");
	CHECK_STR(a.end.calls[0].args, "{\"path\": ");
	ask(&a, &r, "invent");
	CHECK_STR(a.end.calls[0].name, "teleport");
}

TEST(an_error_without_a_count_comes_behind_all_pieces)
{
	RIG(r, ALWAYS("{\"text\":\"a b c\",\"error\":{\"status\":500}}"));
	RIG(none, ALWAYS("{\"text\":\"a b c\",\"error\":{\"status\":500,\"afterPieces\":0}}"));
	ANSWER(a);

	ask(&a, &r, "x");
	CHECK(a.end.failed && a.pieces == 3);
	ask(&a, &none, "x");
	CHECK(a.end.failed && a.pieces == 0);
}

/* ---- cancel, pause, close ---- */

#define STEADY "{\"text\":\"a b c d e\",\"firstDelayMs\":30,\"delayMs\":10}"
#define RUSH "{\"text\":\"a b c d e\"}"

TEST(a_request_can_be_cancelled_at_every_moment)
{
	/* pieces come at 30, 40, 50, 60 and 70 ms */
	for (int64_t at_ms = 0; at_ms < 70; at_ms += 5) {
		RIG(r, ALWAYS(STEADY));
		ANSWER(a);
		answer_start(&a, &r);
		fake_pass(&r.clock, at_ms);

		size_t pieces = a.pieces;

		CHECK_INT(pieces, at_ms < 30 ? 0 : 1 + (at_ms - 30) / 10);
		r.p->ops->cancel(r.p, a.h);
		CHECK(fake_is_idle(&r.clock));
		fake_pass(&r.clock, 1000);
		CHECK(!a.is_ended && a.pieces == pieces);
	}
}

TEST(a_request_can_be_cancelled_in_any_callback)
{
	for (size_t in = 1; in <= 5; in++) {
		RIG(slow, ALWAYS(STEADY));
		RIG(fast, ALWAYS(RUSH));
		ANSWER(a);
		ANSWER(b);

		a.cancel_in = b.cancel_in = in;
		answer_start(&a, &slow);
		answer_start(&b, &fast);
		fake_run(&slow.clock);
		fake_run(&fast.clock);
		CHECK(!a.is_ended && a.pieces == in && !b.is_ended && b.pieces == in);
	}
}

TEST(a_pause_keeps_what_was_left_of_a_delay)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);

	answer_start(&a, &r);
	fake_pass(&r.clock, 20);
	r.p->ops->pause(r.p, a.h);
	r.p->ops->pause(r.p, a.h);
	CHECK(fake_is_idle(&r.clock));
	fake_pass(&r.clock, 1000);
	CHECK_INT(a.pieces, 0);
	r.p->ops->resume(r.p, a.h);
	r.p->ops->resume(r.p, a.h);
	fake_pass(&r.clock, 13); /* the first at 10 */
	CHECK_INT(a.pieces, 1);
	r.p->ops->pause(r.p, a.h);
	fake_pass(&r.clock, 500);
	r.p->ops->resume(r.p, a.h);
	fake_run(&r.clock);
	CHECK_HAS(buf_str(&a.trace), "1030 0 a |1540 0 b |1550 0 c |1560 0 d |1570 0 e|1570 end");
}

TEST(a_pause_in_a_callback_holds_the_next_piece)
{
	RIG(r, ALWAYS(RUSH));
	ANSWER(a);

	a.pause_in = 2;
	answer_start(&a, &r);
	fake_run(&r.clock);
	CHECK_INT(a.pieces, 2);
	fake_pass(&r.clock, 100);
	r.p->ops->resume(r.p, a.h);
	CHECK_INT(a.pieces, 2); /* not from inside resume */
	fake_run(&r.clock);
	CHECK(a.pieces == 5 && a.is_ended && a.end_ms == 100);
}

TEST(a_pause_in_the_last_piece_holds_the_end)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);

	a.pause_in = 5;
	answer_start(&a, &r);
	fake_pass(&r.clock, 1000);
	CHECK(a.pieces == 5 && !a.is_ended);
	r.p->ops->resume(r.p, a.h);
	fake_run(&r.clock);
	CHECK(a.is_ended && a.end_ms == 1000);
}

TEST(pause_and_resume_in_one_callback_change_nothing)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);

	a.pause_in = a.resume_in = 3;
	answer_start(&a, &r);
	fake_run(&r.clock);
	CHECK(a.is_ended && a.end_ms == 70 && a.pieces == 5);
}

TEST(a_paused_request_can_be_cancelled)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);

	answer_start(&a, &r);
	r.p->ops->pause(r.p, a.h);
	r.p->ops->cancel(r.p, a.h);
	fake_run(&r.clock);
	CHECK(!a.is_ended && !a.pieces);
}

TEST(closing_drops_what_runs)
{
	RIG(r, ALWAYS(STEADY));
	ANSWER(a);
	ANSWER(b);

	answer_start(&a, &r);
	answer_start(&b, &r);
	fake_pass(&r.clock, 40);
	rig_close(&r);
	fake_pass(&r.clock, 1000);
	CHECK(!a.is_ended && a.pieces == 2 && !b.is_ended && b.pieces == 2);
}

TEST(a_callback_may_close_the_provider)
{
	RIG(r, ALWAYS(RUSH));
	ANSWER(a);

	r.t->ops->close(r.t); /* so that the script itself goes too */
	r.t = NULL;
	a.close_in = 3;
	answer_start(&a, &r);
	fake_run(&r.clock);
	CHECK(!a.is_ended && a.pieces == 3);
}

TEST(many_requests_run_side_by_side)
{
	RIG(r, ALWAYS(STEADY));
	struct answer a[50] = { 0 };

	for (size_t i = 0; i < COUNT_OF(a); i++) {
		answer_start(&a[i], &r);
		fake_pass(&r.clock, 3);
	}
	fake_run(&r.clock);
	for (size_t i = 0; i < COUNT_OF(a); i++) {
		CHECK(a[i].is_ended && a[i].end_ms == 70);
		answer_done(&a[i]);
	}
}

TEST(the_same_script_gives_the_same_run)
{
	static const char *const texts[] = { "hello", "long", "approve", "question", "retry" };
	struct buf runs[2] = { { 0 }, { 0 } };

	for (size_t i = 0; i < 2; i++) {
		RIG(r, STR_NONE);
		for (size_t j = 0; j < COUNT_OF(texts); j++) {
			ANSWER(a);
			ask(&a, &r, texts[j]);
			buf_add_str(&runs[i], buf_str(&a.trace));
		}
	}
	CHECK(runs[0].len > 1000 && str_eq(buf_str(&runs[0]), buf_str(&runs[1])));
	buf_done(&runs[0]);
	buf_done(&runs[1]);
}

/* ---- tools ---- */

struct call {
	struct rig *rig;
	struct tool_handle *h;
	struct arena *mem;
	struct buf out;   /* the first 64 KiB */
	struct buf trace; /* progress and small output with their times */
	struct sha256_stream hash;
	uint64_t bytes;
	size_t pieces, largest, callbacks;
	int64_t started_ms, end_ms;
	bool is_starting, is_ended;
	struct tool_end end;
	struct str artifact;
	size_t most_heap;
	size_t cancel_in, pause_in, resume_in, close_in; /* the n-th callback */
};

static size_t heap_now(void)
{
	return mallinfo2().uordblks; /* nothing under ASan */
}

static void call_acts(struct call *c)
{
	struct toolset *t = c->rig->t;

	c->callbacks++;
	if (c->callbacks == c->cancel_in)
		t->ops->cancel(t, c->h);
	if (c->callbacks == c->pause_in)
		t->ops->pause(t, c->h);
	if (c->callbacks == c->resume_in)
		t->ops->resume(t, c->h);
	if (c->callbacks == c->close_in) {
		c->rig->t = NULL;
		t->ops->close(t);
	}
}

static void call_progress(void *owner, struct str message, int64_t completed, int64_t total)
{
	struct call *c = owner;

	CHECK(!c->is_starting && !c->is_ended);
	buf_printf(&c->trace, "%lld %.*s %lld/%lld|",
	           (long long)(c->rig->clock.now_ms - c->started_ms), STR_ARG(message),
	           (long long)completed, (long long)total);
	call_acts(c);
}

static void call_output(void *owner, struct str data)
{
	struct call *c = owner;

	CHECK(!c->is_starting && !c->is_ended && data.len);
	c->pieces++;
	c->bytes += data.len;
	c->largest = MAX(c->largest, data.len);
	c->most_heap = MAX(c->most_heap, heap_now());
	sha256_more(&c->hash, data);
	if (c->out.len + data.len <= 65536)
		buf_add_str(&c->out, data);
	if (data.len < 100)
		buf_printf(&c->trace, "%lld >%.*s|",
		           (long long)(c->rig->clock.now_ms - c->started_ms), STR_ARG(data));
	call_acts(c);
}

static void call_end(void *owner, const struct tool_end *end)
{
	struct call *c = owner;

	CHECK(!c->is_starting && !c->is_ended);
	c->is_ended = true;
	c->end_ms = c->rig->clock.now_ms - c->started_ms;
	c->end = *end;
	c->end.category = arena_keep(c->mem, end->category);
	c->end.message = arena_keep(c->mem, end->message);
	c->end.advice = arena_keep(c->mem, end->advice);
	c->end.structured = arena_keep(c->mem, end->structured);
	c->artifact = end->change_count ? arena_keep(c->mem, end->changes[0].path) : STR_NONE;
}

static const struct tool_sink call_sink = { .progress = call_progress,
	                                    .output = call_output,
	                                    .end = call_end };

static void call_start_in(struct call *c, struct rig *r, const char *name, const char *args,
                          const char *cwd)
{
	struct tool_start start = { .call_id = STR("tool_1"),
		                    .name = str_from(name),
		                    .args = str_from(args),
		                    .cwd = str_from(cwd) };

	if (!c->mem)
		c->mem = arena_new();
	c->rig = r;
	c->started_ms = r->clock.now_ms;
	sha256_begin(&c->hash);
	c->is_starting = true;
	c->h = r->t->ops->start(r->t, &start, &call_sink, c);
	c->is_starting = false;
}

static void call_start(struct call *c, struct rig *r, const char *name)
{
	call_start_in(c, r, name, "{}", NULL);
}

static void call_done(struct call *c)
{
	buf_done(&c->out);
	buf_done(&c->trace);
	arena_free(c->mem);
}

#define CALL(c) CLEANUP(call_done) struct call c = { 0 }
#define TOOL(result) STR("{\"version\":1,\"tools\":[{\"name\":\"t\",\"result\":" result "}]}")

TEST(ask_user_always_ships)
{
	RIG(r, STR("{\"version\":1}"));
	CALL(c);
	const struct tool_info *tools;

	CHECK_INT(r.t->ops->tools(r.t, &tools), 1);
	CHECK_STR(tools[0].name, "ask_user");
	CHECK_STR(tools[0].policy, "allowed");
	CHECK_STR(tools[0].item_kind, "tool_call");
	CHECK(tools[0].asks_user && tools[0].is_read_only && !tools[0].is_destructive);
	CHECK_HAS(tools[0].input_schema, "\"required\":[\"question\"]");

	/* a person answers it, not this */
	call_start(&c, &r, "ask_user");
	fake_run(&r.clock);
	CHECK(c.end.failed && str_eq(c.end.executed, STR("no")));
}

TEST(a_schema_of_the_script_is_valid_json)
{
	ARENA(mem);
	RIG(r, STR_NONE);
	const struct tool_info *tools;
	size_t count = r.t->ops->tools(r.t, &tools);

	CHECK_INT(count, 4);
	for (size_t i = 0; i < count; i++) {
		struct json v;
		struct error e;

		CHECK_OK(json_read(mem, tools[i].input_schema, &v, &e), &e);
		CHECK_OK(json_read(mem, tools[i].capabilities, &v, &e), &e);
		CHECK(json_type(v) == JSON_ARR);
	}
}

TEST(a_tool_is_described_as_the_script_says)
{
	RIG(r, STR("{\"version\":1,\"tools\":[{\"name\":\"plain\"},{\"name\":\"full\","
	           "\"description\":\"d\",\"inputSchema\":{\"type\":\"object\",\"required\":[]},"
	           "\"policy\":\"ask\",\"destructive\":true,\"concurrencySafe\":true,"
	           "\"capabilities\":[\"shell\",\"network\"],\"kind\":\"web_search\","
	           "\"interrupt\":\"finish\",\"timeoutMs\":5}]}"));
	const struct tool_info *t;

	CHECK_INT(r.t->ops->tools(r.t, &t), 3);
	CHECK_STR(t[1].input_schema, "{\"type\":\"object\"}");
	CHECK_STR(t[1].policy, "allowed");
	CHECK_STR(t[1].item_kind, "tool_call");
	CHECK(!t[1].is_read_only && !t[1].is_destructive && !t[1].is_concurrency_safe);
	CHECK(!t[1].asks_user && t[1].interrupt == TOOL_CANCEL && !t[1].timeout_ms);
	CHECK_STR(t[2].name, "full");
	CHECK_STR(t[2].description, "d");
	CHECK_STR(t[2].input_schema, "{\"type\":\"object\",\"required\":[]}");
	CHECK_STR(t[2].policy, "ask");
	CHECK_STR(t[2].capabilities, "[\"shell\",\"network\"]");
	CHECK_STR(t[2].item_kind, "web_search");
	CHECK_STR(t[2].owner, "local");
	CHECK(t[2].is_destructive && t[2].is_concurrency_safe && t[2].timeout_ms == 5);
	CHECK(t[2].interrupt == TOOL_FINISH);
}

TEST(output_and_progress_keep_their_times)
{
	EXAMPLE(r, "tools.json");
	CALL(c);

	call_start(&c, &r, "build");
	fake_run(&r.clock);
	CHECK_STR(buf_str(&c.trace),
	          "100 >compiling a.c\n|120 1 of 2 files 1/2|150 >compiling b.c\n|"
	          "170 2 of 2 files 2/2|200 >linking\n|");
	CHECK(c.end_ms == 200 && !c.end.failed && !c.end.is_error && c.end.has_exit_code);
	CHECK(c.end.exit_code == 0 && str_eq(c.end.executed, STR("yes")));
}

TEST(the_end_waits_for_the_last_progress)
{
	RIG(r, TOOL("{\"text\":\"out\",\"progress\":[{\"message\":\"a\"},"
	            "{\"message\":\"b\",\"afterMs\":70}]}"));
	CALL(c);

	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK_STR(buf_str(&c.trace), "0 a -1/-1|0 >out|70 b -1/-1|");
	CHECK_INT(c.end_ms, 70);
}

TEST(much_progress_is_spread_over_the_loop)
{
	CLEANUP(buf_done) struct buf script = { 0 };

	buf_add_c(&script, "{\"version\":1,\"tools\":[{\"name\":\"t\",\"result\":{\"progress\":[");
	for (int i = 0; i < 600; i++)
		buf_printf(&script, "%s{\"message\":\"m\"}", i ? "," : "");
	buf_add_c(&script, "]}}]}");
	RIG(r, buf_str(&script));
	CALL(c);
	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK(c.is_ended && c.callbacks == 600 && r.clock.turns == 3 && c.end_ms == 0);
}

TEST(arguments_that_are_no_json_have_no_members)
{
	RIG(r, TOOL("{\"text\":\"[{{args.a}}]\"}"));
	CALL(c);

	call_start_in(&c, &r, "t", "{\"a\":", NULL);
	fake_run(&r.clock);
	CHECK_STR(buf_str(&c.out), "[]");
}

TEST(a_tool_without_a_result_just_ends)
{
	RIG(r, STR("{\"version\":1,\"tools\":[{\"name\":\"t\"}]}"));
	CALL(c);

	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK(c.is_ended && !c.end.failed && !c.pieces && c.end_ms == 0);
	CHECK(!c.end.has_exit_code && !str_is(c.end.structured));
}

TEST(a_structured_result_has_its_text_too)
{
	EXAMPLE(r, "tools.json");
	CALL(c);

	call_start(&c, &r, "weather");
	fake_run(&r.clock);
	CHECK_STR(c.end.structured, "{\"sky\":\"rain\",\"celsius\":11}");
	CHECK_STR(buf_str(&c.out), "{\"sky\":\"rain\",\"celsius\":11}");
}

TEST(an_error_of_a_tool_is_a_result_and_a_failure_is_not)
{
	EXAMPLE(r, "tools.json");
	CALL(linter);
	CALL(database);

	call_start(&linter, &r, "linter");
	call_start(&database, &r, "database");
	fake_run(&r.clock);
	CHECK(!linter.end.failed && linter.end.is_error && linter.end.exit_code == 2);
	CHECK(database.end.failed && database.end.retryable && database.end_ms == 30);
	CHECK_STR(database.end.category, "tool_failed");
	CHECK_STR(database.end.message, "The database does not answer.");
	CHECK_STR(database.end.advice, "Try again later.");
	CHECK_STR(database.end.executed, "no");
}

TEST(a_failure_says_how_far_it_came)
{
	RIG(r, TOOL("{\"text\":\"half\",\"fail\":{\"message\":\"m\"}}"));
	RIG(said, TOOL("{\"fail\":{\"message\":\"m\",\"executed\":\"unknown\"}}"));
	CALL(a);
	CALL(b);

	call_start(&a, &r, "t");
	call_start(&b, &said, "t");
	fake_run(&r.clock);
	fake_run(&said.clock);
	CHECK_STR(a.end.executed, "partly");
	CHECK_STR(b.end.executed, "unknown");
}

TEST(an_unknown_tool_fails_with_its_name)
{
	RIG(r, STR("{\"version\":1}"));
	CALL(c);

	call_start(&c, &r, "nope");
	CHECK(!c.is_ended);
	fake_run(&r.clock);
	CHECK(c.end.failed && !c.end.retryable);
	CHECK_STR(c.end.category, "unknown_tool");
	CHECK_STR(c.end.message, "the script runs no tool of the name nope");
}

TEST(ten_mebibytes_come_in_pieces_and_are_never_in_memory)
{
	EXAMPLE(r, "tools.json");
	CALL(c);
	CLEANUP(buf_done) struct buf want = { 0 };
	size_t heap = heap_now();

	call_start(&c, &r, "dump");
	fake_run(&r.clock);
	CHECK(c.is_ended && c.bytes == 10485760 && c.largest <= 65536);
	CHECK(c.pieces >= 160 && r.clock.turns == c.pieces);
	CHECK_INT(c.end_ms, 0);
	if (c.most_heap)
		CHECK(c.most_heap < heap + 400000);

	for (int i = 1; want.len < 10485760; i++)
		buf_printf(&want, "line %d\n", i);
	want.len = 10485760;

	struct sha256 got = sha256_end(&c.hash), expected = sha256_of(buf_str(&want));

	CHECK(sha256_eq(&got, &expected));
}

TEST(repeated_output_of_any_size_is_exact)
{
	static const int sizes[] = { 1, 6, 7, 8, 65535, 65536, 65537, 131072, 200001 };

	for (size_t i = 0; i < COUNT_OF(sizes); i++) {
		char script[200];

		snprintf(script, sizeof script,
		         "{\"version\":1,\"tools\":[{\"name\":\"t\",\"result\":{\"text\":"
		         "{\"repeat\":\"ab{{n}} \",\"bytes\":%d}}}]}",
		         sizes[i]);
		RIG(r, str_from(script));
		CALL(c);
		CLEANUP(buf_done) struct buf want = { 0 };

		call_start(&c, &r, "t");
		fake_run(&r.clock);
		for (int n = 1; want.len < (size_t)sizes[i]; n++)
			buf_printf(&want, "ab%d ", n);
		want.len = (size_t)sizes[i];

		struct sha256 got = sha256_end(&c.hash), expected = sha256_of(buf_str(&want));

		CHECK_INT(c.bytes, sizes[i]);
		CHECK(sha256_eq(&got, &expected) && c.largest <= 65536);
	}
}

TEST(repeated_output_never_splits_a_character)
{
	RIG(r, TOOL("{\"text\":{\"repeat\":\"€\",\"bytes\":10}}"));
	CALL(c);

	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK_STR(buf_str(&c.out), "€€€");
}

TEST(a_long_text_is_sent_in_pieces_too)
{
	CLEANUP(buf_done) struct buf script = { 0 };

	buf_add_c(&script, "{\"version\":1,\"tools\":[{\"name\":\"t\",\"result\":{\"text\":\"");
	for (int i = 0; i < 60000; i++)
		buf_add_c(&script, "€");
	buf_add_c(&script, "\"}}]}");
	RIG(r, buf_str(&script));
	CALL(c);
	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK(c.bytes == 180000 && c.pieces == 3 && c.largest <= 65536);
	CHECK_INT(r.clock.turns, 3);
}

TEST(a_paused_tool_sends_nothing)
{
	EXAMPLE(r, "tools.json");
	CALL(c);

	c.pause_in = 3;
	call_start(&c, &r, "dump");
	fake_run(&r.clock);
	CHECK(c.pieces == 3 && !c.is_ended);
	r.t->ops->resume(r.t, c.h);
	CHECK_INT(c.pieces, 3);
	fake_turn(&r.clock, EVER);
	CHECK_INT(c.pieces, 4);
	r.t->ops->pause(r.t, c.h);
	fake_pass(&r.clock, 1000);
	CHECK_INT(c.pieces, 4);
	r.t->ops->resume(r.t, c.h);
	fake_run(&r.clock);
	CHECK(c.is_ended && c.bytes == 10485760);
}

TEST(a_pause_in_the_last_output_holds_the_end_of_a_tool)
{
	RIG(r, TOOL("{\"text\":\"x\"}"));
	CALL(c);

	c.pause_in = 1;
	call_start(&c, &r, "t");
	fake_run(&r.clock);
	CHECK(c.pieces == 1 && !c.is_ended);
	r.t->ops->resume(r.t, c.h);
	fake_run(&r.clock);
	CHECK(c.is_ended && c.pieces == 1);
}

TEST(pausing_does_not_shorten_a_delay)
{
	RIG(r, TOOL("{\"text\":\"x\",\"delayMs\":100}"));
	CALL(c);

	call_start(&c, &r, "t");
	fake_pass(&r.clock, 10);
	r.t->ops->pause(r.t, c.h);
	fake_pass(&r.clock, 10);
	r.t->ops->resume(r.t, c.h);
	fake_run(&r.clock);
	CHECK_INT(c.end_ms, 100);
}

TEST(a_tool_can_be_cancelled_at_every_moment)
{
	for (int64_t at_ms = 0; at_ms < 200; at_ms += 10) {
		EXAMPLE(r, "tools.json");
		CALL(c);
		call_start(&c, &r, "build");
		if (at_ms)
			fake_pass(&r.clock, at_ms);

		size_t callbacks = c.callbacks;

		r.t->ops->cancel(r.t, c.h);
		CHECK(!c.is_ended); /* not from inside cancel */
		r.t->ops->cancel(r.t, c.h);
		fake_run(&r.clock);
		CHECK(c.is_ended && c.end.cancelled && c.callbacks == callbacks);
		CHECK_INT(c.end_ms, at_ms);
		CHECK_SAME(c.end.executed, at_ms ? STR("partly") : STR("no"));
	}
}

TEST(a_tool_can_be_cancelled_in_any_callback)
{
	for (size_t in = 1; in <= 5; in++) {
		EXAMPLE(r, "tools.json");
		CALL(c);
		c.cancel_in = in;
		call_start(&c, &r, "build");
		fake_run(&r.clock);
		CHECK(c.end.cancelled && c.callbacks == in);
	}
}

TEST(a_tool_that_hangs_or_is_paused_can_be_cancelled)
{
	EXAMPLE(r, "tools.json");
	CALL(hanging);
	CALL(paused);

	call_start(&hanging, &r, "forever");
	call_start(&paused, &r, "dump");
	r.t->ops->pause(r.t, paused.h);
	fake_run(&r.clock);
	CHECK(hanging.pieces == 1 && !hanging.is_ended && !paused.pieces);
	r.t->ops->cancel(r.t, hanging.h);
	r.t->ops->cancel(r.t, paused.h);
	fake_run(&r.clock);
	CHECK(hanging.end.cancelled && paused.end.cancelled && !paused.pieces);
}

TEST(closing_the_toolset_drops_its_calls)
{
	EXAMPLE(r, "tools.json");
	CALL(a);
	CALL(b);

	call_start(&a, &r, "build");
	call_start(&b, &r, "dump");
	fake_turn(&r.clock, EVER);
	rig_close(&r);
	fake_run(&r.clock);
	CHECK(!a.is_ended && !b.is_ended);
}

TEST(a_callback_may_close_the_toolset)
{
	EXAMPLE(r, "tools.json");
	CALL(c);

	r.p->ops->close(r.p);
	r.p = NULL;
	c.close_in = 2;
	call_start(&c, &r, "dump");
	fake_run(&r.clock);
	CHECK(!c.is_ended && c.pieces == 2);
}

/* ---- files ---- */

struct folder {
	char path[64];
};

static void folder_make(struct folder *f)
{
	strcpy(f->path, "/tmp/thole-scripted-XXXXXX");
	CHECK(mkdtemp(f->path));
}

static void folder_remove(struct folder *f)
{
	char command[100];

	snprintf(command, sizeof command, "rm -rf %s", f->path);
	CHECK(system(command) == 0);
}

static struct str folder_read(struct arena *mem, const struct folder *f, const char *name)
{
	return read_whole(mem, arena_printf(mem, "%s/%s", f->path, name).ptr);
}

#define FOLDER(f)                                                                                  \
	CLEANUP(folder_remove) struct folder f;                                                    \
	folder_make(&f)

TEST(a_tool_writes_its_file)
{
	EXAMPLE(r, "tools.json");
	FOLDER(f);
	CALL(c);

	call_start_in(&c, &r, "report", "{\"title\":\"Tides\"}", f.path);
	CHECK(!str_is(folder_read(example_mem, &f, "reports/Tides.md")));
	fake_run(&r.clock);
	CHECK_STR(folder_read(example_mem, &f, "reports/Tides.md"), "# Tides\n");
	CHECK_STR(c.artifact, "reports/Tides.md");
	CHECK_STR(buf_str(&c.out), "wrote reports/Tides.md");
}

TEST(a_file_is_replaced)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"./a.txt\",\"text\":\"{{args.text}}\"}}"));
	FOLDER(f);
	ARENA(mem);
	CALL(first);
	CALL(second);

	call_start_in(&first, &r, "t", "{\"text\":\"long long text\"}", f.path);
	fake_run(&r.clock);
	call_start_in(&second, &r, "t", "{\"text\":[1,{}]}", f.path);
	fake_run(&r.clock);
	CHECK(!second.end.failed && !str_is(second.artifact));
	CHECK_STR(folder_read(mem, &f, "a.txt"), "[1,{}]");
}

TEST(a_file_never_leaves_the_working_directory)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"{{args.path}}\",\"text\":\"x\"}}"));
	FOLDER(f);
	FOLDER(out);
	ARENA(mem);
	struct str link = arena_printf(mem, "%s/link", f.path);
	struct str file = arena_printf(mem, "%s/file", f.path);
	struct str pipe = arena_printf(mem, "%s/pipe", f.path);
	struct str target = arena_printf(mem, "%s/x", out.path);
	const char *paths[] = { "../x", "/tmp/x",    "a/../../x", "..",     "",
		                ".",    "a/",        "a/.",       "link/x", "file",
		                "pipe", "a\\u0000b", "link",      "a/..",   NULL };

	CHECK(!symlink(out.path, link.ptr) && !symlink(target.ptr, file.ptr) &&
	      !mkfifo(pipe.ptr, 0600));
	for (size_t i = 0; paths[i]; i++) {
		CALL(c);
		struct str args = arena_printf(mem, "{\"path\":\"%s\"}", paths[i]);

		call_start_in(&c, &r, "t", args.ptr, f.path);
		fake_run(&r.clock);
		if (!c.end.failed)
			t_fail(__FILE__, __LINE__, "%s was written", paths[i]);
		CHECK_STR(c.end.category, "tool_failed");
	}
	CHECK(!str_is(folder_read(mem, &out, "x")));
}

TEST(a_pipe_that_somebody_reads_is_no_file)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"pipe\",\"text\":\"x\"}}"));
	FOLDER(f);
	ARENA(mem);
	CALL(c);
	struct str pipe = arena_printf(mem, "%s/pipe", f.path);

	CHECK(!mkfifo(pipe.ptr, 0600));

	int reader = open(pipe.ptr, O_RDONLY | O_NONBLOCK);

	call_start_in(&c, &r, "t", "{}", f.path);
	fake_run(&r.clock);
	close(reader);
	CHECK(c.end.failed);
	CHECK_STR(c.end.executed, "partly"); /* nobody knows */
}

TEST(a_name_that_is_too_long_is_refused_by_the_tool)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"{{args.a}}\",\"text\":\"x\"}}"));
	FOLDER(f);
	CALL(c);
	char args[400];

	snprintf(args, sizeof args, "{\"a\":\"%0300d\"}", 0);
	call_start_in(&c, &r, "t", args, f.path);
	fake_run(&r.clock);
	CHECK(c.end.failed);
	CHECK_HAS(c.end.message, "File name too long");
}

TEST(a_file_needs_a_directory)
{
	RIG(r, TOOL("{\"writeFile\":{\"path\":\"a\",\"text\":\"x\"}}"));
	CALL(none);
	CALL(missing);

	call_start(&none, &r, "t");
	call_start_in(&missing, &r, "t", "{}", "/nonexistent/of/course");
	fake_run(&r.clock);
	CHECK(none.end.failed && missing.end.failed);
	CHECK_HAS(none.end.message, "no working directory");
	CHECK_HAS(missing.end.message, "could not write a: No such file");
}

TEST(approve_writes_the_note_that_was_approved)
{
	RIG(r, STR_NONE);
	FOLDER(f);
	ARENA(mem);
	ANSWER(a);
	CALL(c);

	ask(&a, &r, "approve");
	CHECK_INT(a.end.call_count, 1);
	CHECK_STR(a.end.calls[0].name, "write_note");
	/* as a person has edited it */
	call_start_in(&c, &r, "write_note", "{\"path\":\"n.txt\",\"text\":\"mine\"}", f.path);
	fake_run(&r.clock);
	CHECK_STR(folder_read(mem, &f, "n.txt"), "mine");
	CHECK_STR(c.artifact, "n.txt");

	r.req.request_number = 2;
	rig_result(&r, "write_note", "The note is in n.txt.", false);
	ANSWER(told);
	answer_start(&told, &r);
	fake_run(&r.clock);
	CHECK_HAS(buf_str(&told.text), "The note is in n.txt.\n\nThe tool ran after your answer");

	r.message_count--;
	rig_result(&r, "write_note", "denied", true);
	ANSWER(denied);
	answer_start(&denied, &r);
	fake_run(&r.clock);
	CHECK_HAS(buf_str(&denied.text), "Nothing was written.");
}

TEST(big_slow_and_question_call_their_tools)
{
	RIG(r, STR_NONE);
	ANSWER(a);
	CALL(big);
	CALL(slow);

	ask(&a, &r, "Big!");
	CHECK_STR(a.end.calls[0].name, "read_big_log");
	call_start_in(&big, &r, "read_big_log", "{\"file\":\"example.log\"}", NULL);
	fake_run(&r.clock);
	CHECK_INT(big.bytes, 10485760);
	ask(&a, &r, "slow");
	CHECK_STR(a.end.calls[0].name, "row");
	call_start(&slow, &r, "row");
	fake_run(&r.clock);
	CHECK(slow.end_ms == 10000 && slow.callbacks == 10);
	ask(&a, &r, "question");
	CHECK_STR(a.end.calls[0].name, "ask_user");
	rig_result(&r, "ask_user", "stay ashore", false);
	r.req.request_number = 2;

	ANSWER(told);

	answer_start(&told, &r);
	fake_run(&r.clock);
	CHECK_HAS(buf_str(&told.text), "Your answer was: stay ashore");
}

/* ---- scripts that are wrong ---- */

#define RULE(rule) "{\"version\":1,\"rules\":[" rule "]}"
#define WHEN(when) RULE("{\"when\":" when ",\"reply\":{}}")
#define REPLY(reply) RULE("{\"reply\":" reply "}")
#define TOOLS(tool) "{\"version\":1,\"tools\":[" tool "]}"
#define RESULT(result) TOOLS("{\"name\":\"t\",\"result\":" result "}")

static const struct {
	const char *script, *says;
} bad_scripts[] = {
	{ "", "JSON is empty" },
	{ "{\n  \"version\": 1,\n  nonsense }", "at line 3" },
	{ "[]", "the script: expected an object" },
	{ "{}", "the script: version is missing; write \"version\": 1" },
	{ "{\"news\":1,\"version\":2}", "version: expected 1, the only one known here" },
	{ "{\"version\":\"1\"}", "version: expected 1" },
	{ "{\"version\":1,\"rule\":[]}",
	  "the script: unknown key \"rule\"; known are version, model, price, capabilities" },
	{ "{\"version\":1,\"version\":1}", "duplicate key \"version\" at line 1" },
	{ "{\"version\":1,\"model\":\"\"}", "model: expected a string that is not empty" },
	{ "{\"version\":1,\"model\":null}", "model: expected a string, found null" },
	{ "{\"version\":1,\"price\":\"free\"}",
	  "price: expected an object or \"unknown\", found \"free\"" },
	{ "{\"version\":1,\"price\":{\"inputPerMTok\":-1}}",
	  "price.inputPerMTok: expected a number of dollars from 0 to 1000000, found -1" },
	{ "{\"version\":1,\"price\":{\"effectiveFrom\":\"May\"}}",
	  "price.effectiveFrom: expected a date such as 2026-01-31" },
	{ "{\"version\":1,\"price\":{\"input\":3}}", "price: unknown key \"input\"" },
	{ "{\"version\":1,\"capabilities\":[\"tool use\"]}",
	  "capabilities[0]: expected a word of letters, digits and _, found \"tool use\"" },
	{ "{\"version\":1,\"windowTokens\":0}",
	  "windowTokens: expected a whole number from 1 to 1000000000, found 0" },
	{ "{\"version\":1,\"rules\":{}}", "rules: expected a list, found an object" },
	{ RULE("{\"reply\":{}},7"), "rules[1]: expected an object, found 7" },
	{ RULE("{}"), "rules[0]: reply or replies is missing" },
	{ RULE("{\"reply\":{},\"replies\":[{}]}"),
	  "rules[0]: reply and replies exclude each other" },
	{ RULE("{\"replies\":[]}"), "rules[0].replies: expected 1 to 1000 items, found 0" },
	{ RULE("{\"replies\":[{},{\"txt\":\"\"}]}"), "rules[0].replies[1]: unknown key \"txt\"" },
	{ RULE("{\"when\":{\"request\":1},\"replies\":[{}]}"),
	  "rules[0]: replies go by the number of the request" },
	{ RULE("{\"when\":{\"times\":1},\"replies\":[{}]}"),
	  "so when.request and when.times have no place here" },
	{ WHEN("{\"words\":\"x\"}"),
	  "rules[0].when: unknown key \"words\"; known are text, turn," },
	{ WHEN("{\"text\":5}"),
	  "rules[0].when.text: expected a string, {\"regex\"} or {\"equals\"}, found 5" },
	{ WHEN("{\"text\":\"\"}"), "rules[0].when.text: expected a string that is not empty" },
	{ WHEN("{\"text\":{\"regex\":\"a\",\"equals\":\"a\"}}"),
	  "rules[0].when.text: expected regex or equals, one of them" },
	{ WHEN("{\"text\":{\"glob\":\"*\"}}"), "rules[0].when.text: unknown key \"glob\"" },
	{ WHEN("{\"text\":{\"regex\":\"a(b\"}}"),
	  "rules[0].when.text.regex: missing closing parenthesis at character 4 of the pattern" },
	{ WHEN("{\"text\":{\"regex\":\"(((((((((((((((((((((((((((((((((((((((((x)\"}}"),
	  "rules[0].when.text.regex: parentheses are too deeply nested" },
	{ WHEN("{\"turn\":0}"), "rules[0].when.turn: expected a whole number from 1 to 1000000 or "
	                        "{\"min\", \"max\"}, found 0" },
	{ WHEN("{\"turn\":1.5}"), "found 1.5" },
	{ WHEN("{\"request\":{\"min\":3,\"max\":2}}"),
	  "rules[0].when.request: min is greater than max" },
	{ WHEN("{\"attempt\":{}}"), "rules[0].when.attempt: expected min, max or both" },
	{ WHEN("{\"times\":0}"), "rules[0].when.times: expected a whole number from 1" },
	{ WHEN("{\"toolResult\":\"x\"}"),
	  "rules[0].when.toolResult: expected an object, found \"x\"" },
	{ WHEN("{\"toolResult\":{\"isError\":\"yes\"}}"),
	  "rules[0].when.toolResult.isError: expected true or false, found \"yes\"" },
	{ REPLY("[]"), "rules[0].reply: expected an object, found a list" },
	{ REPLY("{\"text\":true}"), "rules[0].reply.text: expected a string, a list of strings or "
	                            "{\"repeat\", \"count\"}, found true" },
	{ REPLY("{\"text\":[\"a\",1]}"), "rules[0].reply.text[1]: expected a string, found 1" },
	{ REPLY("{\"text\":{\"repeat\":\"a\"}}"), "rules[0].reply.text: count is missing" },
	{ REPLY("{\"text\":{\"count\":2}}"), "rules[0].reply.text: repeat is missing" },
	{ REPLY("{\"text\":{\"repeat\":\"a\",\"bytes\":2}}"),
	  "rules[0].reply.text: unknown key \"bytes\"; known are repeat, count" },
	{ REPLY("{\"text\":\"hi {{inptu}}\"}"),
	  "rules[0].reply.text: unknown template {{inptu}}; known are {{input}} {{turn}} "
	  "{{toolResult}}" },
	{ REPLY("{\"text\":\"{{n}}\"}"), "unknown template {{n}}" },
	{ REPLY("{\"reasoning\":[\"{{args.x}}\"]}"),
	  "rules[0].reply.reasoning[0]: unknown template" },
	{ REPLY("{\"text\":\"a\",\"structured\":1}"),
	  "rules[0].reply: text and structured exclude each other" },
	{ REPLY("{\"structured\":1,\"text\":\"a\"}"), "text and structured exclude each other" },
	{ REPLY("{\"text\":[\"a\"],\"chunk\":2}"), "rules[0].reply: chunk cuts a string" },
	{ REPLY("{\"delayMs\":-1}"),
	  "rules[0].reply.delayMs: expected a whole number from 0 to 86400000, found -1" },
	{ REPLY("{\"delayMs\":\"20ms\"}"), "found \"20ms\"" },
	{ REPLY("{\"usage\":\"none\"}"),
	  "rules[0].reply.usage: expected an object or \"unknown\"" },
	{ REPLY("{\"usage\":{\"input\":1,\"cached\":2}}"),
	  "rules[0].reply.usage: cached is a part of input" },
	{ REPLY("{\"usage\":{\"output\":1,\"reasoning\":2}}"), "reasoning is a part of output" },
	{ REPLY("{\"stop\":\"done\"}"), "rules[0].reply.stop: expected one of end_turn, tool_use, "
	                                "max_tokens, stop_sequence, refusal, context_full, found "
	                                "\"done\"" },
	{ REPLY("{\"error\":{\"status\":200}}"),
	  "rules[0].reply.error.status: expected a whole number from 400 to 599, found 200" },
	{ REPLY("{\"error\":{\"status\":500,\"cut\":true}}"), "rules[0].reply.error: cut means" },
	{ REPLY("{\"error\":{\"category\":\"so_bad\"}}"),
	  "rules[0].reply.error.category: expected an error category such as rate_limited" },
	{ REPLY("{\"error\":{},\"hang\":true}"),
	  "rules[0].reply: error and hang exclude each other" },
	{ REPLY("{\"hang\":true,\"stop\":\"end_turn\"}"), "rules[0].reply: stop is for a reply" },
	{ REPLY("{\"hang\":\"yes\"}"), "rules[0].reply.hang: expected true or {\"afterPieces\"}" },
	{ REPLY("{\"toolCalls\":[{\"args\":{}}]}"),
	  "rules[0].reply.toolCalls[0]: name is missing" },
	{ REPLY("{\"toolCalls\":[{\"name\":\"a\",\"args\":[]}]}"),
	  "rules[0].reply.toolCalls[0].args: expected an object, found a list" },
	{ REPLY("{\"toolCalls\":[{\"name\":\"a\",\"args\":{},\"rawArgs\":\"\"}]}"),
	  "rules[0].reply.toolCalls[0]: args and rawArgs exclude each other" },
	{ REPLY("{\"toolCalls\":[{\"name\":\"a\",\"id\":\"a b\"}]}"),
	  "rules[0].reply.toolCalls[0].id: expected letters, digits, _ . or -, found \"a b\"" },
	{ REPLY("{\"toolCalls\":[{\"name\":\"a\"}]}"),
	  "rules[0]: toolCalls here would be asked for again after every result; use replies" },
	{ "{\"version\":1,\"default\":{\"toolCalls\":[{\"name\":\"a\"}]}}",
	  "default: toolCalls here would be asked for again after every result; put them into" },
	{ "{\"version\":1,\"default\":{\"tools\":1}}", "default: unknown key \"tools\"" },
	{ TOOLS("{}"), "tools[0]: name is missing" },
	{ TOOLS("{\"name\":\"a b\"}"), "tools[0].name: expected letters, digits, _ . or -" },
	{ TOOLS("{\"name\":\"ask_user\"}"), "tools[0]: ask_user is there already" },
	{ TOOLS("{\"name\":\"a\"},{\"name\":\"b\"},{\"name\":\"a\"}"),
	  "tools[2].name: a is tools[0] already" },
	{ TOOLS("{\"name\":\"a\",\"policy\":\"maybe\"}"),
	  "tools[0].policy: expected one of allowed, ask, denied, found \"maybe\"" },
	{ TOOLS("{\"name\":\"a\",\"kind\":\"magic\"}"),
	  "tools[0].kind: expected one of tool_call," },
	{ TOOLS("{\"name\":\"a\",\"inputSchema\":true}"),
	  "tools[0].inputSchema: expected an object, found true" },
	{ TOOLS("{\"name\":\"a\",\"readOnly\":true,\"destructive\":true}"),
	  "tools[0]: a tool that is readOnly" },
	{ TOOLS("{\"name\":\"a123456789b123456789c123456789d123456789e123456789f123456789g1234\"}"),
	  "tools[0].name: expected at most 64 bytes, found 65" },
	{ RESULT("{\"text\":[\"a\"]}"), "tools[0].result.text: expected a string or {\"repeat\", "
	                                "\"bytes\"}, found a list" },
	{ RESULT("{\"delayMs\":18446744073709551615}"), "found too large a number" },
	{ RESULT("\"text\""), "tools[0].result: expected an object, found \"text\"" },
	{ RESULT("{\"text\":{\"repeat\":\"\",\"bytes\":1}}"),
	  "tools[0].result.text.repeat: expected a string that is not empty" },
	{ RESULT("{\"text\":{\"repeat\":\"a\",\"bytes\":2000000000}}"),
	  "tools[0].result.text.bytes: expected a whole number from 1 to 1073741824" },
	{ RESULT("{\"text\":{\"repeat\":\"{{args.x}}\",\"bytes\":2}}"), "known are {{n}}" },
	{ RESULT("{\"text\":\"{{input}}\"}"),
	  "tools[0].result.text: unknown template {{input}}; known are {{args.NAME}}" },
	{ RESULT("{\"text\":\"a\",\"pieces\":[\"a\"]}"), "text and pieces exclude each other" },
	{ RESULT("{\"pieces\":[\"a\"],\"text\":\"a\"}"), "text and pieces exclude each other" },
	{ RESULT("{\"text\":\"a\",\"outputEveryMs\":5}"),
	  "tools[0].result: outputEveryMs is the time" },
	{ RESULT("{\"progress\":[{\"afterMs\":5}]}"),
	  "tools[0].result.progress[0]: message is missing" },
	{ RESULT("{\"progress\":[{\"afterMs\":5,\"message\":\"a\"},{\"afterMs\":4,\"message\":"
	         "\"b\"}]}"),
	  "tools[0].result.progress: afterMs counts from the start of the call and cannot go "
	  "back" },
	{ RESULT("{\"fail\":{}}"), "tools[0].result.fail: message is missing" },
	{ RESULT("{\"fail\":{\"message\":\"m\",\"executed\":\"maybe\"}}"),
	  "tools[0].result.fail.executed: expected one of yes, no, partly, unknown" },
	{ RESULT("{\"fail\":{\"message\":\"m\"},\"exitCode\":1}"),
	  "tools[0].result: a tool that fails has no result" },
	{ RESULT("{\"fail\":{\"message\":\"m\"},\"hang\":true}"),
	  "fail and hang exclude each other" },
	{ RESULT("{\"artifact\":true}"), "tools[0].result: artifact needs writeFile" },
	{ RESULT("{\"writeFile\":{\"text\":\"a\"}}"),
	  "tools[0].result.writeFile: path is missing" },
	{ RESULT("{\"writeFile\":{\"path\":\"a\"}}"),
	  "tools[0].result.writeFile: text is missing" },
	{ RESULT("{\"writeFile\":{\"path\":\"/etc/passwd\",\"text\":\"\"}}"),
	  "tools[0].result.writeFile.path: expected a relative path of a file without .., found "
	  "\"/etc/passwd\"" },
	{ RESULT("{\"writeFile\":{\"path\":\"a/../b\",\"text\":\"\"}}"), "without .." },
	{ RESULT("{\"exitCode\":256}"), "tools[0].result.exitCode: expected a whole number" },
};

TEST(a_bad_script_is_refused_with_place_and_expectation)
{
	struct fake_clock clock;

	fake_init(&clock);
	for (size_t i = 0; i < COUNT_OF(bad_scripts); i++) {
		struct scripted *s = NULL;
		struct error e = { 0 };
		struct scripted_options o = { &clock.port, str_from(bad_scripts[i].script) };

		if (!scripted_open(&o, &s, &e))
			t_fail(__FILE__, __LINE__, "this was taken: %s", bad_scripts[i].script);
		if (e.code != ERR_INVALID || !strstr(e.message, bad_scripts[i].says))
			t_fail(__FILE__, __LINE__, "%s\n gave: %s\n not: %s", bad_scripts[i].script,
			       e.message, bad_scripts[i].says);
		CHECK(!s);
		CHECK(scripted_open(&o, &s, NULL) == ERR_INVALID);
	}
}

TEST(a_script_has_a_largest_size)
{
	CLEANUP(buf_done) struct buf script = { 0 };
	struct fake_clock clock;
	struct scripted *s;
	struct error e;

	fake_init(&clock);
	buf_add_c(&script, "{\"version\":1}");
	while (script.len <= 4 << 20)
		buf_add_c(&script,
		          "                                                                ");

	struct scripted_options o = { &clock.port, buf_str(&script) };

	CHECK(scripted_open(&o, &s, &e) == ERR_TOO_LARGE);
}

TEST(a_price_can_be_unknown)
{
	RIG(r, STR("{\"version\":1,\"price\":\"unknown\",\"maxOutputTokens\":9}"));
	const struct model_info *m;

	r.p->ops->models(r.p, &m);
	CHECK(!m->priced && m->max_output_tokens == 9);
	CHECK_STR(m->model, "demo");
}

/* ---- what is written about it ---- */

static void check_opens(struct str script, const char *where)
{
	struct fake_clock clock;
	struct scripted *s;
	struct error e;
	struct scripted_options o = { &clock.port, script };

	fake_init(&clock);
	if (scripted_open(&o, &s, &e))
		t_fail(__FILE__, __LINE__, "%s: %s", where, e.message);
	scripted_provider(s)->ops->close(scripted_provider(s));
	scripted_tools(s)->ops->close(scripted_tools(s));
}

TEST(every_example_opens)
{
	ARENA(mem);
	struct str builtin = str_from(source_path(mem, "examples/scripts/builtin.json"));
	struct str folder =
		arena_keep(mem, str_head(builtin, builtin.len - strlen("builtin.json")));
	DIR *dir = opendir(folder.ptr);
	size_t count = 0;

	CHECK(dir);
	for (struct dirent *d; (d = readdir(dir));) {
		if (!str_ends(str_from(d->d_name), STR(".json")))
			continue;

		struct str below = arena_printf(mem, "examples/scripts/%s", d->d_name);

		check_opens(source(mem, below.ptr), d->d_name);
		count++;
	}
	closedir(dir);
	CHECK(count >= 7);
}

/* Every block of JSON in the documentation that is a whole script. */
TEST(every_script_in_the_documentation_opens)
{
	ARENA(mem);
	struct str rest = source(mem, "docs/scripted-model.md");
	size_t count = 0;

	for (;;) {
		ptrdiff_t at = str_find(rest, STR("```json\n"));

		if (at < 0)
			break;
		rest = str_skip(rest, (size_t)at + 8);

		ptrdiff_t end = str_find(rest, STR("```"));

		CHECK(end >= 0);

		struct str block = str_head(rest, (size_t)end);

		rest = str_skip(rest, (size_t)end + 3);
		if (str_find(block, STR("\"version\"")) >= 0) {
			check_opens(block, "docs/scripted-model.md");
			count++;
		}
	}
	CHECK(count >= 5);
}

TEST_MAIN()
