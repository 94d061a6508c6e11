#include "a2a/a2a_canonical.h"
#include "a2a/a2a_card.h"
#include "a2a/a2a_id.h"
#include "a2a/a2a_input.h"
#include "a2a/a2a_task.h"
#include "t.h"

/* ---- ids and states ---- */

TEST(ids_are_read_back_and_others_are_refused)
{
	static const char *const wrong[] = { "",       "~",        "task_1",    "sess_1~",
		                             "~task",  "sess 1~t", "s~t~u",     "s~../t",
		                             "s~t\n1", "\xff~t",   "sess_1~_t", NULL };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str session, task, id = a2a_id_make(mem, STR("sess_1"), STR("task_2"));

	CHECK_STR(id, "sess_1~task_2");
	CHECK(a2a_id_read(id, &session, &task));
	CHECK_STR(session, "sess_1");
	CHECK_STR(task, "task_2");
	for (size_t i = 0; wrong[i]; i++)
		CHECK(!a2a_id_read(str_from(wrong[i]), &session, &task));
	CHECK(!a2a_id_read(STR_NONE, &session, &task));
}

TEST(every_state_of_ours_is_one_of_the_protocol)
{
	CHECK(a2a_state_of_status(STR("queued"), STR_NONE) == A2A_STATE_SUBMITTED);
	CHECK(a2a_state_of_status(STR("preparing"), STR_NONE) == A2A_STATE_WORKING);
	CHECK(a2a_state_of_status(STR("waiting_resource"), STR_NONE) == A2A_STATE_WORKING);
	CHECK(a2a_state_of_status(STR("waiting_permission"), STR_NONE) == A2A_STATE_AUTH_REQUIRED);
	CHECK(a2a_state_of_status(STR("lost"), STR_NONE) == A2A_STATE_FAILED);
	CHECK(a2a_state_of_status(STR("failed"), STR("refusal")) == A2A_STATE_REJECTED);
	CHECK(a2a_state_of_status(STR("archived"), STR_NONE) == A2A_STATE_NONE);
	for (enum a2a_state s = 1; s < A2A_STATES; s++) {
		CHECK(a2a_state_read(a2a_state_word(s)) == s);
		CHECK(!(a2a_state_is_final(s) && a2a_state_is_interrupted(s)));
	}
	CHECK(!a2a_state_read(STR("TASK_STATE_UNSPECIFIED")));
	CHECK(!a2a_state_read(STR("COMPLETED")));
}

/* ---- requests ---- */

static bool read_rpc(struct arena *mem, const char *method, const char *params,
                     struct a2a_request *ret, struct a2a_error *e)
{
	return a2a_request_read_rpc(mem,
	                            arena_printf(mem,
	                                         "{\"jsonrpc\":\"2.0\",\"id\":\"i\",\"method\":"
	                                         "\"%s\",\"params\":%s}",
	                                         method, params),
	                            ret, e);
}

static bool read_http(struct arena *mem, const char *method, const char *path, const char *body,
                      struct a2a_request *ret, struct a2a_error *e)
{
	struct a2a_query query = { STR("historyLength"), STR("3") };
	struct a2a_http in = { .method = str_from(method),
		               .path = str_from(path),
		               .body = str_from(body),
		               .query = &query,
		               .query_count = *body ? 0 : 1 };

	return a2a_request_read_http(mem, &in, ret, e);
}

TEST(both_spellings_of_a_name_are_read_and_unknown_ones_are_ignored)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_request r;
	struct a2a_error e;

	CHECK(read_rpc(mem, "SendMessage",
	               "{\"message\":{\"message_id\":\"m\",\"role\":\"ROLE_USER\",\"context_id\":"
	               "\"c\",\"parts\":[{\"text\":\"x\"}],\"later\":1},\"configuration\":"
	               "{\"return_immediately\":true,\"historyLength\":\"7\"},\"tenant\":null}",
	               &r, &e));
	CHECK_STR(r.rpc_id, "\"i\"");
	CHECK_STR(r.message.message_id, "m");
	CHECK_STR(r.message.context_id, "c");
	CHECK(r.return_immediately && r.has_history_length && r.history_length == 7);
	CHECK(!str_is(r.tenant));
}

TEST(an_error_names_the_parameter)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_request r;
	struct a2a_error e;

	CHECK(!read_rpc(mem, "GetTask", "{\"id\":\"t\",\"historyLength\":1.5}", &r, &e));
	CHECK(e.code == A2A_INVALID_PARAMS);
	CHECK_STR(e.field, "historyLength");
	CHECK(!read_rpc(mem, "GetTask", "{}", &r, &e));
	CHECK_STR(e.field, "id");
	CHECK(!read_rpc(mem, "ListTasks", "{\"pageSize\":0}", &r, &e));
	CHECK_STR(e.field, "pageSize");
	CHECK(!read_rpc(mem, "CreateTaskPushNotificationConfig",
	                "{\"taskId\":\"t\",\"url\":\"u\",\"authentication\":{}}", &r, &e));
	CHECK_STR(e.field, "scheme");
	CHECK(!read_rpc(mem, "tasks/get", "{}", &r, &e));
	CHECK(e.code == A2A_METHOD_NOT_FOUND);
}

TEST(each_path_of_http_is_an_operation_also_below_a_tenant)
{
	static const struct {
		const char *method, *path, *body;
		enum a2a_method is;
	} rows[] = {
		{ "GET", "/tasks", "", A2A_LIST_TASKS },
		{ "GET", "/tasks/s~t", "", A2A_GET_TASK },
		{ "POST", "/tasks/s~t:cancel", "{}", A2A_CANCEL_TASK },
		{ "GET", "/tasks/s~t:subscribe", "", A2A_SUBSCRIBE_TO_TASK },
		{ "POST", "/tasks/s~t:subscribe", "{}", A2A_SUBSCRIBE_TO_TASK },
		{ "POST", "/tasks/s~t/pushNotificationConfigs", "{\"url\":\"u\"}",
		  A2A_CREATE_PUSH_CONFIG },
		{ "GET", "/tasks/s~t/pushNotificationConfigs", "", A2A_LIST_PUSH_CONFIGS },
		{ "GET", "/tasks/s~t/pushNotificationConfigs/c", "", A2A_GET_PUSH_CONFIG },
		{ "DELETE", "/tasks/s~t/pushNotificationConfigs/c", "", A2A_DELETE_PUSH_CONFIG },
		{ "GET", "/extendedAgentCard", "", A2A_GET_EXTENDED_CARD },
		{ "POST", "/message:send",
		  "{\"message\":{\"messageId\":\"m\",\"role\":\"ROLE_USER\",\"parts\":[{\"text\":"
		  "\"x\"}]}}",
		  A2A_SEND_MESSAGE },
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_request r;
	struct a2a_error e;

	for (size_t i = 0; i < COUNT_OF(rows); i++) {
		struct str path = arena_printf(mem, "/acme%s", rows[i].path);

		CHECK(read_http(mem, rows[i].method, rows[i].path, rows[i].body, &r, &e));
		CHECK(r.method == rows[i].is && !str_is(r.tenant) && !str_is(r.rpc_id));
		CHECK(read_http(mem, rows[i].method, path.ptr, rows[i].body, &r, &e));
		CHECK(r.method == rows[i].is);
		CHECK_STR(r.tenant, "acme");
		CHECK(!read_http(mem, "PUT", rows[i].path, rows[i].body, &r, &e));
		CHECK(e.code == A2A_METHOD_NOT_FOUND);
	}
	CHECK(read_http(mem, "GET", "/tasks/s~t", "", &r, &e));
	CHECK_STR(r.task_id, "s~t");
	CHECK_INT(r.history_length, 3);
	/* A tenant may have the name of an operation. */
	CHECK(read_http(mem, "GET", "/tasks/tasks", "", &r, &e));
	CHECK(r.method == A2A_LIST_TASKS);
	CHECK_STR(r.tenant, "tasks");
	CHECK(read_http(mem, "GET", "/tasks/extendedAgentCard", "", &r, &e));
	CHECK(r.method == A2A_GET_EXTENDED_CARD);
	CHECK(read_http(mem, "GET", "/tasks/tasks/s~t", "", &r, &e));
	CHECK(r.method == A2A_GET_TASK);
	CHECK_STR(r.tenant, "tasks");
}

TEST(a_body_that_contradicts_the_path_is_refused)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_request r;
	struct a2a_error e;

	CHECK(!read_http(mem, "POST", "/tasks/a/pushNotificationConfigs",
	                 "{\"url\":\"u\",\"taskId\":\"b\"}", &r, &e));
	CHECK(!read_http(mem, "POST", "/red/tasks/a:cancel", "{\"tenant\":\"blue\"}", &r, &e));
	CHECK(read_http(mem, "POST", "/red/tasks/a:cancel", "{\"tenant\":\"red\",\"id\":\"a\"}", &r,
	                &e));
	CHECK_STR(r.task_id, "a");
}

TEST(only_version_1_0_is_spoken)
{
	CHECK(a2a_request_is_version(STR("1.0")) && a2a_request_is_version(STR(" 1.0.1 ")));
	CHECK(!a2a_request_is_version(STR_NONE) && !a2a_request_is_version(STR("")));
	CHECK(!a2a_request_is_version(STR("0.3")) && !a2a_request_is_version(STR("1.01")));
}

/* ---- parts ---- */

static bool write_input(struct arena *mem, const char *parts, struct str *ret, struct a2a_error *e)
{
	struct host_rules rules = { 0 };
	struct a2a_message m = { .message_id = STR("m") };
	struct buf out = { 0 };
	struct json_writer w;
	bool ok;

	CHECK(json_read(mem, str_from(parts), &m.parts, NULL) == OK);
	jw_init(&w, &out);
	ok = a2a_input_write(mem, &w, &m, &rules, e);
	*ret = arena_keep(mem, buf_str(&out));
	buf_done(&out);
	return ok;
}

TEST(parts_become_parts_of_an_input)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_error e;
	struct str got;

	CHECK(write_input(mem,
	                  "[{\"text\":\"a\"},{\"raw\":\"aGk_\",\"filename\":\"f\"},{\"url\":"
	                  "\"https://x.example/y\"},{\"data\":{\"k\":[1]}}]",
	                  &got, &e));
	CHECK_HAS(got, "{\"type\":\"text\",\"text\":\"a\"}");
	CHECK_HAS(got, "\"name\":\"f\"");
	CHECK_HAS(got, "{\"type\":\"resource_link\",\"uri\":\"https://x.example/y\"}");
	CHECK_HAS(got, "{\\\"k\\\":[1]}");
	CHECK(write_input(mem, "[{\"data\":1}]", &got, &e));
	CHECK_HAS(got, "has no text");
}

TEST(addresses_that_are_not_public_are_refused)
{
	static const char *const urls[] = {
		"http://127.1.2.3/",       "http://[::ffff:192.168.0.1]/",
		"http://localhost/",       "http://a.localhost/",
		"http://169.254.169.254/", "gopher://x.example/",
		"http://0x7f000001/",      "http://x.example/\n",
		"http://u@x.example/",     NULL
	};
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct host_rules none = { 0 }, rules;
	struct str allowed[] = { STR("127.1.2.3:*") };
	struct a2a_error e;
	struct error why;

	for (size_t i = 0; urls[i]; i++)
		CHECK(!a2a_input_is_address(mem, str_from(urls[i]), &none, STR("url"), &e));
	CHECK(a2a_input_is_address(mem, STR("https://x.example:8443/"), &none, STR("url"), &e));
	CHECK(host_rule_read_all(mem, allowed, 1, &rules, &why) == OK);
	CHECK(a2a_input_is_address(mem, str_from(urls[0]), &rules, STR("url"), &e));
}

/* ---- the fold ---- */

#define EVENT(type, rest)                                                                          \
	"{\"type\":\"" type "\",\"eventId\":\"evt_1\",\"sequence\":9,\"timestamp\":"               \
	"\"2026-01-01T00:00:00.000Z\",\"taskId\":\"task_1\",\"threadId\":\"thr_1\",\"turnId\":"    \
	"\"turn_1\"," rest "}"
#define DELTA(step, text)                                                                          \
	EVENT("model.delta", "\"stepId\":\"" step "\",\"modelRequestId\":\"mreq_" step             \
	                     "\",\"payload\":{\"kind\":\"text\",\"text\":\"" text "\"}")

/* A turn with a failed request, a question, a file and a success. */
static const char *const story[] = {
	EVENT("task.created", "\"status\":\"draft\",\"payload\":{}"),
	EVENT("task.accepted", "\"status\":\"accepted\",\"payload\":{}"),
	EVENT("turn.submitted",
	      "\"payload\":{\"input\":[{\"type\":\"text\",\"preview\":\"do it\",\"bytes\":5}],"
	      "\"options\":{\"metadata\":{\"a2a\":{\"messageId\":\"m-1\"}}}}"),
	EVENT("task.started", "\"status\":\"preparing\",\"payload\":{}"),
	DELTA("a", "lost "),
	EVENT("model.failed", "\"modelRequestId\":\"mreq_a\",\"payload\":{}"),
	DELTA("b", "one "),
	DELTA("b", "two"),
	EVENT("model.completed", "\"stepId\":\"b\",\"payload\":{}"),
	EVENT("action.required",
	      "\"status\":\"waiting_input\",\"payload\":{\"actionType\":\"structured_input\","
	      "\"prompt\":\"which?\",\"schema\":{\"type\":\"object\"}}"),
	EVENT("task.waiting", "\"status\":\"waiting_input\",\"payload\":{}"),
	EVENT("action.resolved", "\"payload\":{\"answerPreview\":{\"answer\":\"left\"}}"),
	EVENT("task.resumed", "\"status\":\"running\",\"payload\":{}"),
	EVENT("artifact.changed",
	      "\"artifactId\":\"art_1\",\"payload\":{\"change\":\"created\",\"path\":\"a.txt\"},"
	      "\"refs\":{\"read\":\"file:a.txt\",\"diff\":\"out_1\"}"),
	DELTA("c", "done"),
	EVENT("model.completed", "\"stepId\":\"c\",\"payload\":{}"),
	EVENT("task.completed", "\"status\":\"completed\",\"payload\":{}"),
	/* An end is final. */
	EVENT("task.retrying", "\"status\":\"retrying\",\"payload\":{}"),
	DELTA("d", "too late"),
};

static void write_task(const struct a2a_task *t, struct buf *out)
{
	struct a2a_task_shown shown = { .history = -1 };
	struct json_writer w;

	jw_init(&w, out);
	a2a_task_write(&w, t, &shown);
}

/* Folds the events from..to and adds what changed to out. */
static void fold_of(const char *const *events, struct a2a_task *t, size_t from, size_t to,
                    struct buf *out)
{
	for (size_t i = from; i < to; i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct a2a_change change;
		struct json_writer w;
		struct json event;

		CHECK(json_read(mem, str_from(events[i]), &event, NULL) == OK);
		a2a_task_event(t, mem, event, &change);
		if (!change.kind || !out)
			continue;
		jw_init(&w, out);
		a2a_task_write_change(&w, t, &change);
		buf_add_char(out, '\n');
	}
}

static void fold(struct a2a_task *t, size_t from, size_t to, struct buf *out)
{
	fold_of(story, t, from, to, out);
}

TEST(a_task_is_folded_from_events)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_task t;

	a2a_task_init(&t, STR("sess_1"), STR("task_1"), STR("http://h/v1/outputs/"));
	fold(&t, 0, COUNT_OF(story), NULL);
	write_task(&t, &out);
	CHECK_HAS(buf_str(&out), "\"id\":\"sess_1~task_1\",\"contextId\":\"sess_1~thr_1\"");
	CHECK_HAS(buf_str(&out), "TASK_STATE_COMPLETED");
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"text\":\"one two\"}]");
	CHECK_HAS(buf_str(&out), "\"url\":\"http://h/v1/outputs/out_1\"");
	CHECK_HAS(buf_str(&out), "\"messageId\":\"m-1\"");
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"text\":\"left\"}]");
	CHECK(str_find(buf_str(&out), STR("lost ")) < 0);
	CHECK(str_find(buf_str(&out), STR("too late")) < 0);
	CHECK(a2a_task_has_message(&t, STR("m-1")) && !a2a_task_has_message(&t, STR("m-2")));
	a2a_task_done(&t);
}

/* Answers of JSON, texts that only begin so, and files of tools. */
static const char *const parts_story[] = {
	EVENT("task.created", "\"status\":\"draft\",\"payload\":{}"),
	DELTA("a", " {\\\"key\\\": "),
	DELTA("a", "\\\"value\\\"}\\n"),
	EVENT("model.completed", "\"stepId\":\"a\",\"payload\":{}"),
	DELTA("b", "[sic] "),
	DELTA("b", "as written"),
	EVENT("model.completed", "\"stepId\":\"b\",\"payload\":{}"),
	DELTA("c", "{\\\"lost\\\":"),
	EVENT("model.failed", "\"modelRequestId\":\"mreq_c\",\"payload\":{}"),
	EVENT("artifact.changed",
	      "\"artifactId\":\"art_1\",\"payload\":{\"change\":\"created\",\"kind\":\"data\","
	      "\"name\":\"o.txt\",\"mediaType\":\"text/plain\",\"content\":\"aGk=\"},"
	      "\"refs\":{\"read\":\"out_1\"}"),
	EVENT("artifact.changed",
	      "\"artifactId\":\"art_2\",\"payload\":{\"change\":\"created\",\"kind\":\"data\","
	      "\"name\":\"big.bin\"},\"refs\":{\"read\":\"out_2\"}"),
	EVENT("artifact.changed",
	      "\"artifactId\":\"art_3\",\"payload\":{\"change\":\"observed\",\"kind\":\"link\","
	      "\"name\":\"l.pdf\"},\"refs\":{\"read\":\"https://x.example/l.pdf\"}"),
	EVENT("artifact.changed",
	      "\"artifactId\":\"art_4\",\"payload\":{\"change\":\"observed\",\"kind\":\"link\","
	      "\"path\":\"a-symbolic-link\"},\"refs\":{\"read\":\"file:a-symbolic-link\"}"),
	EVENT("task.completed", "\"status\":\"completed\",\"payload\":{}"),
};

TEST(data_and_files_have_parts_of_their_own)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_task t;

	a2a_task_init(&t, STR("sess_1"), STR("task_1"), STR("http://h/v1/outputs/"));
	fold_of(parts_story, &t, 0, COUNT_OF(parts_story), NULL);
	write_task(&t, &out);
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"data\":{\"key\":\"value\"},"
	                         "\"mediaType\":\"application/json\"}]");
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"text\":\"[sic] as written\"}]");
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"raw\":\"aGk=\",\"filename\":\"o.txt\","
	                         "\"mediaType\":\"text/plain\"}]");
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"url\":\"http://h/v1/outputs/out_2\","
	                         "\"filename\":\"big.bin\"}]");
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"url\":\"https://x.example/l.pdf\","
	                         "\"filename\":\"l.pdf\"}]");
	CHECK(str_find(buf_str(&out), STR("lost")) < 0);
	CHECK(str_find(buf_str(&out), STR("symbolic")) < 0);
	a2a_task_done(&t);
}

/* Data has no pieces: it comes once, whole and marked as the last. */
TEST(an_answer_of_json_is_one_item_of_a_stream)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_task t;

	a2a_task_init(&t, STR("sess_1"), STR("task_1"), STR(""));
	fold_of(parts_story, &t, 0, 3, &out);
	CHECK(str_find(buf_str(&out), STR("artifactUpdate")) < 0);
	fold_of(parts_story, &t, 3, 4, &out);
	CHECK_HAS(buf_str(&out), "\"data\":{\"key\":\"value\"}");
	CHECK_HAS(buf_str(&out), "\"append\":false,\"lastChunk\":true");
	a2a_task_done(&t);
}

TEST(a_peer_that_takes_no_json_gets_text)
{
	static const char *const events[] = {
		EVENT("task.created", "\"status\":\"draft\",\"payload\":{}"),
		EVENT("turn.submitted",
		      "\"payload\":{\"input\":[],\"options\":{\"metadata\":{\"a2a\":"
		      "{\"messageId\":\"m\",\"textOnly\":true}}}}"),
		DELTA("a", "{}"),
		EVENT("model.completed", "\"stepId\":\"a\",\"payload\":{}"),
	};
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_task t;

	a2a_task_init(&t, STR("sess_1"), STR("task_1"), STR(""));
	fold_of(events, &t, 0, COUNT_OF(events), NULL);
	write_task(&t, &out);
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"text\":\"{}\"}]");
	a2a_task_done(&t);
}

/* Models begin with line breaks, and the first piece of an answer may be one. */
TEST(blanks_before_an_answer_decide_nothing)
{
	static const char *const events[] = {
		EVENT("task.created", "\"status\":\"draft\",\"payload\":{}"),
		DELTA("a", "\\n"),
		DELTA("a", " [1]"),
		EVENT("model.completed", "\"stepId\":\"a\",\"payload\":{}"),
		DELTA("b", "\\n"),
		DELTA("b", "words"),
		DELTA("b", " more"),
		EVENT("model.completed", "\"stepId\":\"b\",\"payload\":{}"),
	};
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_task t;

	a2a_task_init(&t, STR("sess_1"), STR("task_1"), STR(""));
	fold_of(events, &t, 0, COUNT_OF(events), NULL);
	write_task(&t, &out);
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"data\":[1],\"mediaType\":\"application/json\"}]");
	CHECK_HAS(buf_str(&out), "\"parts\":[{\"text\":\"\\nwords more\"}]");
	a2a_task_done(&t);
}

TEST(json_that_is_too_long_to_be_held_back_is_text)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str piece = arena_printf(mem, "[%040000d", 7);
	struct a2a_change change;
	struct json event;
	struct a2a_task t;

	CHECK(json_read(mem,
	                arena_printf(mem,
	                             "{\"type\":\"model.delta\",\"taskId\":\"task_1\","
	                             "\"stepId\":\"s\",\"payload\":{\"text\":\"%.*s\"}}",
	                             STR_ARG(piece)),
	                &event, NULL) == OK);
	a2a_task_init(&t, STR("s"), STR("task_1"), STR(""));
	a2a_task_event(&t, mem, event, &change);
	CHECK(change.kind == A2A_CHANGE_NONE && t.held.len == piece.len);
	a2a_task_event(&t, mem, event, &change);
	CHECK(change.kind == A2A_CHANGE_ARTIFACT && change.form == A2A_FORM_TEXT);
	CHECK(change.text.len == 2 * piece.len && !change.is_append && !t.held.len);
	a2a_task_event(&t, mem, event, &change);
	CHECK(change.text.len == piece.len && change.is_append);
	a2a_task_done(&t);
}

static void check_streams(const char *const *events, size_t count)
{
	for (size_t at = 1; at <= count; at++) {
		CLEANUP(buf_done) struct buf whole = { 0 }, ignored = { 0 }, later = { 0 };
		struct a2a_task a, b;

		a2a_task_init(&a, STR("sess_1"), STR("task_1"), STR("u/"));
		a2a_task_init(&b, STR("sess_1"), STR("task_1"), STR("u/"));
		fold_of(events, &a, 0, at, &ignored);
		fold_of(events, &a, at, count, &whole);
		fold_of(events, &b, 0, at, NULL);
		a2a_task_lighten(&b);
		fold_of(events, &b, at, count, &later);
		CHECK_SAME(buf_str(&later), buf_str(&whole));
		a2a_task_done(&a);
		a2a_task_done(&b);
	}
}

/* Wherever a stream begins, what follows is what a stream from the start has there. */
TEST(a_stream_may_begin_behind_every_event)
{
	check_streams(story, COUNT_OF(story));
	check_streams(parts_story, COUNT_OF(parts_story));
}

TEST(events_of_other_tasks_are_ignored)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_task t;

	a2a_task_init(&t, STR("sess_1"), STR("task_2"), STR(""));
	fold(&t, 0, COUNT_OF(story), &out);
	CHECK(!t.is_found && !out.len && !t.artifact_count);
	a2a_task_done(&t);
}

TEST(texts_artifacts_and_history_are_bounded)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct str large = arena_printf(mem, "%060000d", 7);
	struct a2a_change change;
	struct a2a_task t;

	a2a_task_init(&t, STR("s"), STR("task_1"), STR(""));
	for (int i = 0; i < 100; i++) {
		struct json event;

		CHECK(json_read(mem,
		                arena_printf(mem,
		                             "{\"type\":\"model.delta\",\"taskId\":\"task_1\","
		                             "\"stepId\":\"s%d\",\"payload\":{\"text\":\"%.*s\"}}",
		                             i, STR_ARG(large)),
		                &event, NULL) == OK);
		a2a_task_event(&t, mem, event, &change);
		CHECK(change.kind == A2A_CHANGE_ARTIFACT);
	}
	CHECK(t.text_bytes <= LIMIT_A2A_TEXT_BYTES && t.artifact_count == LIMIT_A2A_ARTIFACTS);
	CHECK_INT(t.left_out, 100 - LIMIT_A2A_ARTIFACTS);
	write_task(&t, &out);
	CHECK_HAS(buf_str(&out), "\"thole.truncated\":true");
	a2a_task_done(&t);
}

/* ---- errors and the card ---- */

TEST(errors_have_the_numbers_of_the_protocol)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_error e = { .code = A2A_TASK_NOT_CANCELABLE };
	struct json_writer w;

	CHECK_INT(a2a_error_jsonrpc(A2A_TASK_NOT_FOUND), -32001);
	CHECK_INT(a2a_error_http(A2A_TASK_NOT_FOUND), 404);
	CHECK_INT(a2a_error_jsonrpc(A2A_VERSION_NOT_SUPPORTED), -32009);
	for (enum a2a_code c = A2A_TASK_NOT_CANCELABLE; c <= A2A_VERSION_NOT_SUPPORTED; c++)
		CHECK_INT(a2a_error_http(c), c == A2A_INVALID_AGENT_RESPONSE ? 500 : 400);
	jw_init(&w, &out);
	a2a_error_write_http(&w, &e);
	CHECK_STR(buf_str(&out),
	          "{\"error\":{\"code\":400,\"status\":\"FAILED_PRECONDITION\",\"message\":\"The "
	          "task has ended and cannot be canceled\",\"details\":[{\"@type\":"
	          "\"type.googleapis.com/google.rpc.ErrorInfo\",\"reason\":\"TASK_NOT_CANCELABLE\","
	          "\"domain\":\"a2a-protocol.org\"}]}}");
}

TEST(the_extended_card_lists_trusted_skills)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_card card = { .url = STR("https://a.example"),
		                 .name = STR("A"),
		                 .description = STR("D"),
		                 .version = STR("1") };
	struct json_writer w;

	CHECK(json_read(
		      mem,
		      STR("[{\"kind\":\"skill\",\"name\":\"review\",\"isTrusted\":true},{\"kind\":"
	                  "\"skill\",\"name\":\"other\",\"isTrusted\":false},{\"kind\":\"agent\","
	                  "\"name\":\"x\",\"isTrusted\":true}]"),
		      &card.extensions, NULL) == OK);
	jw_init(&w, &out);
	a2a_card_write(&w, &card);
	CHECK_HAS(buf_str(&out), "\"id\":\"skill:review\"");
	CHECK_HAS(buf_str(&out), "https://a.example/a2a/v1");
	CHECK(str_find(buf_str(&out), STR("other")) < 0 && str_find(buf_str(&out), STR(":x")) < 0);
	CHECK(str_find(buf_str(&out), STR("GRPC")) < 0);
}

TEST(the_card_names_the_grpc_interface_when_there_is_one)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_card card = { .url = STR("https://a.example"),
		                 .grpc_url = STR("a.example:443"),
		                 .name = STR("A"),
		                 .description = STR("D"),
		                 .version = STR("1") };
	struct json_writer w;

	jw_init(&w, &out);
	a2a_card_write(&w, &card);
	CHECK_HAS(buf_str(&out), "{\"url\":\"a.example:443\",\"protocolBinding\":\"GRPC\"");
}

/* ---- extensions and signatures ---- */

static struct json read_json(struct arena *mem, const char *text)
{
	struct json v = { 0 };

	CHECK(json_read(mem, str_from(text), &v, NULL) == OK);
	return v;
}

TEST(extensions_are_active_if_they_are_declared_and_named)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_extensions all;
	struct error e;

	CHECK(a2a_extension_read_all(mem,
	                             read_json(mem, "{\"urn:a\":{\"required\":true},\"urn:b\":{}}"),
	                             &all, &e) == OK);
	CHECK_INT(all.count, 2);
	CHECK_INT(a2a_extension_active(&all, STR_NONE), 0);
	CHECK_INT(a2a_extension_active(&all, STR(" urn:b ,urn:c, urn:a")), 3);
	CHECK_INT(a2a_extension_active(&all, STR("urn:a:1,,urn")), 0);
	CHECK(a2a_extension_missing(&all, 2) == &all.items[0]);
	CHECK(!a2a_extension_missing(&all, 1));
	CHECK(!str_is(a2a_extension_header(mem, &all, 0)));
	CHECK_STR(a2a_extension_header(mem, &all, 3), "urn:a,urn:b");
}

TEST(extensions_that_are_none_are_refused)
{
	static const char *const wrong[] = { "{\"a b\":{}}",
		                             "{\"plain\":{}}",
		                             "{\"urn:a,urn:b\":{}}",
		                             "{\"urn:a\":[]}",
		                             "{\"urn:a\":{\"required\":1}}",
		                             "{\"urn:a\":{\"params\":{}}}",
		                             "{\"urn:a\":{\"description\":\"\"}}",
		                             "{\"urn:a\":{\"else\":1}}",
		                             NULL };
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct a2a_extensions all;
	struct error e;

	for (size_t i = 0; wrong[i]; i++)
		CHECK(a2a_extension_read_all(mem, read_json(mem, wrong[i]), &all, &e) ==
		      ERR_INVALID);
}

/* The first text is the example of the protocol (8.4.1). */
TEST(the_canonical_card_is_sorted_and_has_no_signatures)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json card = read_json(
		mem, "{\"name\":\"Example Agent\",\"signatures\":[{}],\"description\":\"\","
		     "\"capabilities\":{\"streaming\":false,\"pushNotifications\":false},"
		     "\"skills\":[],\"n\":[1.0,2,0.5],\"t\":\"\\u00e4\\u0001\\/\"}");

	CHECK_STR(a2a_canonical_card(mem, card, A2A_CANONICAL_WHOLE),
	          "{\"capabilities\":{\"pushNotifications\":false,\"streaming\":false},"
	          "\"description\":\"\",\"n\":[1,2,0.5],\"name\":\"Example Agent\","
	          "\"skills\":[],\"t\":\"\xc3\xa4\\u0001/\"}");
	CHECK_STR(a2a_canonical_card(mem, card, A2A_CANONICAL_WITHOUT_EMPTY),
	          "{\"capabilities\":{\"pushNotifications\":false,\"streaming\":false},"
	          "\"n\":[1,2,0.5],\"name\":\"Example Agent\",\"t\":\"\xc3\xa4\\u0001/\"}");
	CHECK_STR(a2a_canonical_covered(mem, STR("e30"), STR("{}")), "e30.e30");
}

/* Then it does not matter whether those who check it leave out what is empty. */
TEST(our_card_has_nothing_that_is_empty)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_card card = { .url = STR("https://a.example"),
		                 .name = STR("A"),
		                 .description = STR("D"),
		                 .version = STR("1") };
	struct json_writer w;
	struct error e;
	struct json v;

	CHECK(a2a_extension_read_all(mem, read_json(mem, "{\"urn:a\":{},\"urn:b\":{}}"),
	                             &card.protocol_extensions, &e) == OK);
	jw_init(&w, &out);
	a2a_card_write(&w, &card);
	v = read_json(mem, arena_keep(mem, buf_str(&out)).ptr);
	CHECK(str_eq(a2a_canonical_card(mem, v, A2A_CANONICAL_WHOLE),
	             a2a_canonical_card(mem, v, A2A_CANONICAL_WITHOUT_EMPTY)));
}

/* ---- messages as replies ---- */

TEST(a_task_that_asked_or_wrote_a_file_is_not_plain)
{
	struct a2a_task t;

	a2a_task_init(&t, STR("sess_1"), STR("task_1"), STR("http://x/"));
	fold(&t, 0, COUNT_OF(story), NULL);
	CHECK(t.state == A2A_STATE_COMPLETED && t.has_asked && t.has_file);
	CHECK(!a2a_task_is_plain(&t));
	a2a_task_done(&t);
}

TEST(a_plain_task_is_a_message_of_its_last_text)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct a2a_task t;
	struct json_writer w;

	a2a_task_init(&t, STR("sess_1"), STR("task_1"), STR("http://x/"));
	fold(&t, 0, 9, NULL); /* to the end of its first good text */
	CHECK(!a2a_task_is_plain(&t));
	fold(&t, 16, 17, NULL); /* task.completed */
	CHECK(a2a_task_is_plain(&t));
	jw_init(&w, &out);
	a2a_task_write_message(&w, &t);
	CHECK_HAS(buf_str(&out), "\"contextId\":\"sess_1~thr_1\",\"role\":\"ROLE_AGENT\","
	                         "\"parts\":[{\"text\":\"one two\"}]");
	CHECK(str_find(buf_str(&out), STR("\"taskId\"")) < 0);
	a2a_task_done(&t);
}

TEST_MAIN()
