/* From an exit and a report to the end of a call. */
#include "tools/tools_int.h"

/* ---- failing ---- */

static void fail_end(const struct tool_handle *h, struct tool_end *end, const char *category,
                     struct str message, struct str advice)
{
	end->failed = true;
	end->category = str_from(category);
	end->message = message;
	end->advice = advice;
	end->executed = h->is_started ? STR("partly") : STR("no");
}

static struct str seconds(struct arena *mem, int64_t ms)
{
	return ms % 1000 ? arena_printf(mem, "%lld ms", (long long)ms)
	                 : arena_printf(mem, "%lld s", (long long)ms / 1000);
}

/* Ended by us and not by itself: false when it was not. */
static bool fill_cause(const struct tool_handle *h, struct tool_end *end)
{
	struct str cause = h->exit.cause;

	if (!str_is(cause) || str_eq(cause, STR("exit")))
		return false;
	if (str_eq(cause, STR("timeout"))) {
		fail_end(h, end, "timeout",
		         arena_printf(h->mem, "it was ended after %.*s",
		                      STR_ARG(seconds(h->mem, h->plan.limits.timeout_ms))),
		         h->row->need == NEED_SHELL ? STR("Give it more time with timeoutMs, or do "
		                                          "less at once.")
		                                    : STR("Ask for less at once."));
		end->retryable = true;
	} else if (str_eq(cause, STR("memory"))) {
		fail_end(h, end, "process_failed",
		         arena_printf(h->mem, "it used more than %lld MiB of memory",
		                      (long long)h->plan.limits.max_memory_bytes >> 20),
		         STR("Let it use less memory."));
	} else if (str_eq(cause, STR("processes"))) {
		fail_end(h, end, "process_failed",
		         arena_printf(h->mem, "it started more than %lld processes",
		                      (long long)h->plan.limits.max_processes),
		         STR("Let it start fewer at once."));
	} else {
		fail_end(h, end, "process_failed", STR("it was killed"), STR_NONE);
	}
	return true;
}

static void fill_lost(const struct tool_handle *h, struct tool_end *end)
{
	fail_end(h, end, "lost", STR("the supervisor ended, and everything in its cages with it"),
	         STR("Look at the workspace before you run it again."));
	end->executed = h->is_started ? STR("unknown") : STR("no");
	end->retryable = true;
}

/* ---- the shell ---- */

static struct str denial_text(const struct tool_handle *h)
{
	const struct tool_violation *v = &h->violations[0];

	if (str_is(v->host))
		return arena_printf(h->mem, "the sandbox refused %.*s to %.*s:%lld",
		                    STR_ARG(v->operation), STR_ARG(v->host), (long long)v->port);
	return arena_printf(h->mem, "the sandbox refused %.*s%s%.*s", STR_ARG(v->operation),
	                    str_is(v->path) ? " of " : "", STR_ARG(v->path));
}

static bool has_blocked(const struct tool_handle *h)
{
	for (size_t i = 0; i < h->violation_count; i++)
		if (h->violations[i].is_blocked)
			return true;
	return false;
}

static struct str shell_result(const struct tool_handle *h)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	if (h->exit.has_code)
		JW_KINT(&w, "exitCode", h->exit.code);
	JW_KOPT(&w, "signal", h->exit.signal);
	JW_KINT(&w, "durationMs", h->exit.duration_ms);
	JW_KINT(&w, "cpuMs", h->exit.cpu_ms);
	JW_KINT(&w, "maxRssBytes", h->exit.max_rss_bytes);
	JW_KINT(&w, "outputBytes", h->out_bytes);
	JW_KINT(&w, "droppedBytes", h->dropped_bytes);
	jw_obj_end(&w);
	return arena_keep(h->mem, buf_str(&text));
}

static void fill_shell(const struct tool_handle *h, struct tool_end *end)
{
	end->structured = shell_result(h);
	end->has_exit_code = h->exit.has_code;
	end->exit_code = h->exit.code;
	if (fill_cause(h, end))
		return;
	if (!h->exit.is_known) {
		fill_lost(h, end);
		return;
	}
	end->executed = STR("yes");
	end->is_error = !h->exit.has_code || h->exit.code != 0;
	if (end->is_error && has_blocked(h)) {
		fail_end(h, end, "sandbox_denied", denial_text(h),
		         STR("Find a way inside the sandbox, or ask for what it refused."));
		return;
	}
	if (str_is(h->exit.signal))
		fail_end(h, end, "process_failed",
		         arena_printf(h->mem, "it was ended by %.*s", STR_ARG(h->exit.signal)),
		         STR_NONE);
}

/* ---- file tools ---- */

static struct str absolute(const struct tool_handle *h, struct str shown)
{
	if (shown.len && shown.ptr[0] == '/')
		return shown;
	return arena_printf(h->mem, "%.*s/%.*s", h->cwd.len > 1 ? (int)h->cwd.len : 0, h->cwd.ptr,
	                    STR_ARG(shown));
}

static void fill_change(const struct tool_handle *h, struct json s, struct tool_end *end)
{
	struct tool_change *c;
	struct str change = json_str(JSON_GET(s, "change"));

	if (!str_is(change) || str_eq(change, STR("unchanged")))
		return;
	c = ARENA_NEW(h->mem, struct tool_change);
	*c = (struct tool_change){ .path = absolute(h, json_str(JSON_GET(s, "path"))),
		                   .change = change,
		                   .before_ref = h->kept == KEPT_SAFE ? h->before_ref : STR_NONE,
		                   .before_hash = json_str(JSON_GET(s, "beforeSha256")),
		                   .after_hash = json_str(JSON_GET(s, "afterSha256")),
		                   .diff = json_str(JSON_GET(s, "diff")),
		                   .is_diff_cut = json_bool(JSON_GET(s, "diffTruncated"), false) };
	end->changes = c;
	end->change_count = 1;
}

/* The report's own members, and where the old content is. */
static struct str file_result(const struct tool_handle *h, struct json s)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_iter it = json_iter(s);
	struct json_writer w;
	struct json value;
	struct str key;

	jw_init(&w, &text);
	jw_obj(&w);
	while (json_next(&it, &key, &value)) {
		jw_key(&w, key);
		jw_value(&w, value);
	}
	if (h->kept == KEPT_SAFE)
		JW_KSTR(&w, "beforeRef", h->before_ref);
	jw_obj_end(&w);
	return arena_keep(h->mem, buf_str(&text));
}

static void fill_file_failure(struct tool_handle *h, struct json r, struct tool_end *end)
{
	struct str message = json_str(JSON_GET(r, "message"));

	end->failed = true;
	end->category = json_str(JSON_GET(r, "category"));
	end->message = message;
	end->advice = json_str(JSON_GET(r, "advice"));
	end->retryable = json_bool(JSON_GET(r, "retryable"), false);
	end->executed = json_str(JSON_GET(r, "executed"));
	if (!deny_file(h, json_str(JSON_GET(r, "operation")), json_str(JSON_GET(r, "path")),
	               json_str(JSON_GET(r, "errno"))))
		return;

	struct str rule = h->violations[h->violation_count - 1].would_allow;

	end->category = STR("sandbox_denied");
	end->message = arena_printf(h->mem, "the sandbox refused it: %.*s", STR_ARG(message));
	end->advice = str_is(rule) ? arena_printf(h->mem, "Stay inside the workspace, or ask for: %.*s.",
	                                          STR_ARG(rule))
	                           : STR("This path is closed to tools.");
}

static void fill_file(struct tool_handle *h, struct tool_end *end, struct str *ret_text)
{
	struct json r;
	struct error e;

	if (fill_cause(h, end))
		return;
	if (h->report.overflowed || json_read(h->mem, buf_str(&h->report), &r, &e)) {
		fail_end(h, end, "internal",
		         arena_printf(h->mem, "the file tool broke: %.*s",
		                      STR_ARG(str_head(buf_str(&h->report), 200))),
		         STR_NONE);
		end->executed = STR("unknown");
		return;
	}
	if (json_is(JSON_GET(r, "category"))) {
		fill_file_failure(h, r, end);
		return;
	}
	end->executed = STR("yes");
	end->structured = file_result(h, JSON_GET(r, "structured"));
	fill_change(h, JSON_GET(r, "structured"), end);
	*ret_text = json_str(JSON_GET(r, "text"));
}

/* ---- both ---- */

/* A change that was made before the word to stop came is told as made. */
static void fill_cancelled(struct tool_handle *h, struct tool_end *end)
{
	bool is_done = !end->failed && str_is(end->executed) && str_eq(end->executed, STR("yes"));

	*end = (struct tool_end){ .cancelled = true,
		                  .executed = is_done            ? STR("yes")
		                              : h->is_started ? STR("partly")
		                                              : STR("no"),
		                  .structured = end->structured,
		                  .changes = end->changes,
		                  .change_count = end->change_count };
}

void end_fill(struct tool_handle *h, struct tool_end *ret, struct str *ret_text)
{
	*ret = (struct tool_end){ 0 };
	*ret_text = STR_NONE;
	if (h->category) {
		fail_end(h, ret, h->category, h->message, h->advice);
		ret->retryable = h->is_retryable;
	} else if (h->is_lost || !h->is_started) {
		fill_lost(h, ret);
	} else if (h->row->need == NEED_SHELL) {
		fill_shell(h, ret);
	} else {
		fill_file(h, ret, ret_text);
	}
	if (h->is_cancelled) {
		fill_cancelled(h, ret);
		*ret_text = STR_NONE;
	}
	ret->violations = h->violations;
	ret->violation_count = h->violation_count;
}
