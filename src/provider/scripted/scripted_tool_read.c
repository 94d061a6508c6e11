/*
 * Tables of keys for the tools of a script: declarations, results, progress and
 * written files.
 */
#include "provider/scripted/scripted_read.h"

#include "base/gen/limits.h"
#include "base/hash/base64.h"
#include "catalog/gen/vocab.h"

/* ---- results ---- */

static const struct script_key progress_keys[] = {
	KEY("afterMs", scripted_read_int, AT(script_progress, after_ms), .min = 0,
	    .max = SCRIPT_DAY_MS),
	KEY("message", scripted_read_str, AT(script_progress, message), .min = 1, .max = 1024),
	KEY("completed", scripted_read_int, AT(script_progress, completed), .min = 0,
	    .max = INT32_MAX),
	KEY("total", scripted_read_int, AT(script_progress, total), .min = 0, .max = INT32_MAX),
	{ 0 },
};

static enum err read_step(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct script_progress *p = into;

	(void)k;
	*p = (struct script_progress){ .completed = -1, .total = -1 };

	enum err err = scripted_read_members(r, v, progress_keys, p);

	return !err && !str_is(p->message) ? scripted_read_bad(r, "message is missing") : err;
}

/* Times must not decrease, because scripted_tool.c walks the list once. */
static enum err read_progress(struct script_reader *r, struct json v, const struct script_key *k,
                              void *into)
{
	struct script_result *res = into;
	void *steps = NULL;
	enum err err = scripted_read_items(r, v, k, sizeof *res->progress, read_step, &steps,
	                                   &res->progress_count);

	if (err)
		return err;
	res->progress = steps;
	for (size_t i = 1; i < res->progress_count; i++)
		if (res->progress[i].after_ms < res->progress[i - 1].after_ms)
			return scripted_read_bad(
				r, "afterMs counts from the start of the call and cannot go back");
	return OK;
}

static const char *const executed_words[] = { "yes", "no", "partly", "unknown", NULL };

static const struct script_key fail_keys[] = {
	KEY("category", scripted_read_category, AT(script_result, fail_category)),
	KEY("message", scripted_read_str, AT(script_result, fail_message), .min = 1, .max = 4096),
	KEY("advice", scripted_read_str, AT(script_result, fail_advice), .min = 1, .max = 4096),
	KEY("retryable", scripted_read_bool, AT(script_result, fail_retryable)),
	KEY("executed", scripted_read_str, AT(script_result, fail_executed), .min = 1,
	    .words = executed_words),
	{ 0 },
};

static enum err read_fail(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct script_result *res = into;
	enum err err = scripted_read_members(r, v, fail_keys, res);

	(void)k;
	if (err)
		return err;
	if (!str_is(res->fail_message))
		return scripted_read_bad(r, "message is missing");
	if (!str_is(res->fail_category))
		res->fail_category = error_category_word(ERROR_CATEGORY_TOOL_FAILED);
	res->fails = true;
	return OK;
}

/* Checked twice: when the script is read, and again when a template has been expanded. */
bool scripted_tool_read_path_is_inside(struct str path)
{
	if (!path.len || path.ptr[0] == '/' || str_find_char(path, '\0') >= 0)
		return false;
	for (struct str rest = path; str_is(rest);) {
		struct str part = str_cut(&rest, '/');

		if (str_eq(part, STR("..")))
			return false;
		if (!str_is(rest) && (!part.len || str_eq(part, STR("."))))
			return false; /* names a directory */
	}
	return true;
}

static enum err read_path(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	enum err err = scripted_read_str(r, v, k, into);
	bool is_template = str_find(json_str(v), STR("{{")) >= 0;

	/* what a template brings is looked at when the tool runs */
	if (!err && !is_template && !scripted_tool_read_path_is_inside(json_str(v)))
		return scripted_read_wrong(r, v, "a relative path of a file without ..");
	return err;
}

static const struct script_key file_keys[] = {
	KEY("path", read_path, AT(script_result, file_path), .min = 1, .max = 1024,
	    .vars = VAR_ARGS),
	KEY("text", scripted_read_str, AT(script_result, file_text), .vars = VAR_ARGS),
	{ 0 },
};

static enum err read_file(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct script_result *res = into;
	enum err err = scripted_read_members(r, v, file_keys, res);

	(void)k;
	if (!err && !str_is(res->file_path))
		return scripted_read_bad(r, "path is missing");
	if (!err && !str_is(res->file_text))
		return scripted_read_bad(r, "text is missing");
	return err;
}

static enum err read_exit_code(struct script_reader *r, struct json v, const struct script_key *k,
                               void *into)
{
	struct script_result *res = into;

	res->has_exit_code = true;
	return scripted_read_int(r, v, k, &res->exit_code);
}

static enum err read_result_pieces(struct script_reader *r, struct json v,
                                   const struct script_key *k, void *into)
{
	struct script_text *t = into;

	return t->kind ? scripted_read_bad(r, "text and pieces exclude each other")
	               : scripted_read_pieces(r, v, k, into);
}

static enum err read_size(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct script_result *res = into;

	res->has_size = true;
	return scripted_read_int(r, v, k, &res->size);
}

static const struct script_key artifact_keys[] = {
	KEY("mediaType", scripted_read_str, AT(script_result, media_type), .min = 1, .max = 200),
	KEY("schema", scripted_read_json, AT(script_result, schema)),
	KEY("sha256", scripted_read_str, AT(script_result, sha256), .min = 64, .max = 64),
	KEY("sizeBytes", read_size, 0, .min = 0, .max = INT64_MAX),
	{ 0 },
};

/* true, or an object with what the artifact declares of itself */
static enum err read_artifact(struct script_reader *r, struct json v, const struct script_key *k,
                              void *into)
{
	struct script_result *res = into;

	if (json_type(v) != JSON_OBJ)
		return scripted_read_bool(r, v, k, &res->is_artifact);
	res->is_artifact = true;
	return scripted_read_members(r, v, artifact_keys, res);
}

/* ---- files of a result ---- */

static enum err read_base64(struct script_reader *r, struct json v, const struct script_key *k,
                            void *into)
{
	CLEANUP(buf_done) struct buf bytes = { 0 };
	struct str text;
	enum err err = scripted_read_str(r, v, k, &text);

	if (err)
		return err;
	if (!base64_read(&bytes, text))
		return scripted_read_wrong(r, v, "base64");
	*(struct str *)into = arena_keep(r->mem, buf_str(&bytes));
	return OK;
}

static enum err read_url(struct script_reader *r, struct json v, const struct script_key *k,
                         void *into)
{
	struct str url = json_str(v);

	if (str_is(url) && !str_starts(url, STR("https://")) && !str_starts(url, STR("http://")))
		return scripted_read_wrong(r, v, "an address that begins with http:// or https://");
	return scripted_read_str(r, v, k, into);
}

static const struct script_key part_keys[] = {
	KEY("name", scripted_read_str, AT(tool_part, name), .min = 1, .max = 255),
	KEY("mediaType", scripted_read_str, AT(tool_part, media_type), .min = 1, .max = 127),
	KEY("text", scripted_read_str, AT(tool_part, bytes), .min = 1),
	KEY("base64", read_base64, AT(tool_part, bytes), .min = 1),
	KEY("url", read_url, AT(tool_part, url), .min = 1, .max = 2048),
	{ 0 },
};

static enum err read_part(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct tool_part *p = into;
	enum err err;

	(void)k;
	*p = (struct tool_part){ .media_type = STR("application/octet-stream") };
	err = scripted_read_members(r, v, part_keys, p);
	if (err)
		return err;
	if (json_is(JSON_GET(v, "text")) + json_is(JSON_GET(v, "base64")) +
	            json_is(JSON_GET(v, "url")) !=
	    1)
		return scripted_read_bad(r, "a file has either text, base64 or url");
	return OK;
}

static enum err read_files(struct script_reader *r, struct json v, const struct script_key *k,
                           void *into)
{
	struct script_result *res = into;
	void *files = NULL;
	enum err err = scripted_read_items(r, v, k, sizeof *res->files, read_part, &files,
	                                   &res->file_count);

	if (!err)
		res->files = files;
	return err;
}

static const struct script_key result_keys[] = {
	KEY("text", scripted_read_result_text, AT(script_result, text), .vars = VAR_ARGS),
	KEY("pieces", read_result_pieces, AT(script_result, text), .min = 1, .max = 100000,
	    .vars = VAR_ARGS),
	KEY("outputEveryMs", scripted_read_int, AT(script_result, every_ms), .min = 0,
	    .max = SCRIPT_DAY_MS),
	KEY("structured", scripted_read_json, AT(script_result, structured)),
	KEY("isError", scripted_read_bool, AT(script_result, is_error)),
	KEY("exitCode", read_exit_code, 0, .min = 0, .max = 255),
	KEY("delayMs", scripted_read_int, AT(script_result, delay_ms), .min = 0,
	    .max = SCRIPT_DAY_MS),
	KEY("progress", read_progress, 0, .min = 0, .max = 1000),
	KEY("fail", read_fail, 0),
	KEY("hang", scripted_read_bool, AT(script_result, hangs)),
	KEY("writeFile", read_file, 0),
	KEY("artifact", read_artifact, 0),
	KEY("files", read_files, 0, .min = 1, .max = LIMIT_RESULT_PARTS),
	{ 0 },
};

static struct script_text literal(struct script_reader *r, struct str text)
{
	struct str *items = ARENA_NEW(r->mem, struct str);

	items[0] = text;
	return (struct script_text){
		.kind = TEXT_WHOLE, .items = items, .count = 1, .is_literal = true
	};
}

/*
 * Combinations that contradict each other are refused when the script is read: a test
 * with an impossible result would otherwise pass for a wrong reason.
 */
static enum err read_result(struct script_reader *r, struct json v, const struct script_key *k,
                            void *into)
{
	struct script_result *res = into;
	enum err err = scripted_read_members(r, v, result_keys, res);

	(void)k;
	if (err)
		return err;
	if (json_is(JSON_GET(v, "text")) && json_is(JSON_GET(v, "pieces")))
		return scripted_read_bad(r, "text and pieces exclude each other");
	if (json_is(JSON_GET(v, "outputEveryMs")) && res->text.kind != TEXT_PIECES)
		return scripted_read_bad(
			r, "outputEveryMs is the time between pieces, and there are none");
	if (res->is_artifact && !str_is(res->file_path))
		return scripted_read_bad(r, "artifact needs writeFile");
	if (res->fails && res->hangs)
		return scripted_read_bad(r, "fail and hang exclude each other");
	if (res->fails &&
	    (res->is_error || res->has_exit_code || str_is(res->structured) || res->file_count))
		return scripted_read_bad(
			r, "a tool that fails has no result: isError, exitCode, structured and "
			   "files go without fail");
	if (str_is(res->structured) && !res->text.kind)
		res->text = literal(r, res->structured); /* text for readers that expect no JSON */
	return OK;
}

/* ---- tools ---- */

/* What is read together and stored in two arrays. */
struct tool_reading {
	struct tool_info info;
	struct script_result result;
};

static enum err read_interrupt(struct script_reader *r, struct json v, const struct script_key *k,
                               void *into)
{
	struct str word;
	enum err err = scripted_read_str(r, v, k, &word);

	if (!err)
		*(enum interrupt_behavior *)into = str_eq(word, STR("finish"))
		                                           ? INTERRUPT_BEHAVIOR_WAIT
		                                           : INTERRUPT_BEHAVIOR_CANCEL;
	return err;
}

static enum err read_policy(struct script_reader *r, struct json v, const struct script_key *k,
                            void *into)
{
	struct str word;
	enum err err = scripted_read_str(r, v, k, &word);

	if (!err)
		*(enum tool_policy *)into = rec_enum_read(&enum_tool_policy, word);
	return err;
}

static enum err read_kind(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct str word;
	enum err err = scripted_read_str(r, v, k, &word);

	if (!err)
		*(enum item_kind *)into = rec_enum_read(&enum_item_kind, word);
	return err;
}

static const char *const policy_words[] = { "allowed", "ask", "denied", NULL };
static const char *const kind_words[] = { "tool_call",  "command", "file_change",
	                                  "web_search", "todo",    NULL };
static const char *const interrupt_words[] = { "cancel", "finish", NULL };

static enum err read_results(struct script_reader *r, struct json v, const struct script_key *k,
                             void *into)
{
	struct script_result *res = into;
	void *items = NULL;
	enum err err =
		scripted_read_items(r, v, k, sizeof *res, read_result, &items, &res->each_count);

	if (!err)
		res->each = items;
	return err;
}

static const struct script_key tool_keys[] = {
	KEY("name", scripted_read_name, AT(tool_reading, info.name), .min = 1, .max = 64),
	KEY("description", scripted_read_str, AT(tool_reading, info.description), .min = 1,
	    .max = 4096),
	KEY("inputSchema", scripted_read_object, AT(tool_reading, info.input_schema)),
	KEY("policy", read_policy, AT(tool_reading, info.policy), .min = 1, .words = policy_words),
	KEY("readOnly", scripted_read_bool, AT(tool_reading, info.is_read_only)),
	KEY("destructive", scripted_read_bool, AT(tool_reading, info.is_destructive)),
	KEY("concurrencySafe", scripted_read_bool, AT(tool_reading, info.is_concurrency_safe)),
	KEY("capabilities", scripted_read_words, AT(tool_reading, info.capabilities), .min = 0,
	    .max = 32),
	KEY("kind", read_kind, AT(tool_reading, info.kind), .min = 1, .words = kind_words),
	KEY("interrupt", read_interrupt, AT(tool_reading, info.interrupt), .min = 1,
	    .words = interrupt_words),
	KEY("timeoutMs", scripted_read_int, AT(tool_reading, info.timeout_ms), .min = 1,
	    .max = SCRIPT_DAY_MS),
	KEY("result", read_result, AT(tool_reading, result)),
	KEY("results", read_results, AT(tool_reading, result), .min = 1, .max = 10000),
	{ 0 },
};

/*
 * Defaults first; keys that are present replace them.  A tool without a policy is
 * allowed, because it does nothing but what its author wrote.
 */
static enum err read_tool(struct script_reader *r, struct json v, const struct script_key *k,
                          void *into)
{
	struct tool_reading *t = into;
	enum err err;

	(void)k;
	t->info = (struct tool_info){
		.description = STR("A tool of the script."),
		.input_schema = STR("{\"type\":\"object\"}"),
		.capabilities = STR("[\"custom\"]"),
		.policy = TOOL_POLICY_ALLOWED,
		.owner = STR("local"),
		.kind = ITEM_KIND_TOOL_CALL,
		.interrupt = INTERRUPT_BEHAVIOR_CANCEL,
	};
	err = scripted_read_members(r, v, tool_keys, t);
	if (err)
		return err;
	if (!str_is(t->info.name))
		return scripted_read_bad(r, "name is missing");
	if (json_is(JSON_GET(v, "result")) && json_is(JSON_GET(v, "results")))
		return scripted_read_bad(r, "result and results exclude each other");
	if (str_eq(t->info.name, STR("ask_user")))
		return scripted_read_bad(r, "ask_user is there already; choose another name");
	if (t->info.is_read_only && (t->info.is_destructive || str_is(t->result.file_path)))
		return scripted_read_bad(
			r, "a tool that is readOnly is not destructive and writes no file");
	return OK;
}

static enum err check_names_differ(struct script_reader *r, const struct tool_info *tools,
                                   size_t count)
{
	for (size_t i = 0; i < count; i++)
		for (size_t j = 0; j < i; j++)
			if (str_eq(tools[i].name, tools[j].name))
				return fail(r->e, ERR_INVALID,
				            "tools[%zu].name: %.*s is tools[%zu] already", i,
				            STR_ARG(tools[i].name), j);
	return OK;
}

/* The first place is for ask_user, which scripted_script_read() fills in. */
enum err scripted_tool_read_tools(struct script_reader *r, struct json v,
                                  const struct script_key *k, void *into)
{
	struct script *s = into;
	void *items = NULL;
	size_t count;
	enum err err = scripted_read_items(r, v, k, sizeof(struct tool_reading), read_tool, &items,
	                                   &count);

	if (err)
		return err;

	struct tool_reading *tools = items;

	s->tool_count = 1 + count;
	s->tools = ARENA_ARRAY(r->mem, struct tool_info, s->tool_count);
	s->results = ARENA_ARRAY(r->mem, struct script_result, s->tool_count);
	for (size_t i = 0; i < count; i++) {
		s->tools[1 + i] = tools[i].info;
		s->results[i] = tools[i].result;
	}
	return check_names_differ(r, s->tools + 1, count);
}
