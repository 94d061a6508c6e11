/*
 * Makes the end of a call from the exit of its process and the report of the
 * file tool: result, category, changes and advice for the model.
 */
#include "tools/tools_snapshot.h"

#include "base/gen/limits.h"
#include "base/gen/tool_args.h"
#include "base/jw.h"

/* ---- failing ---- */

static void fail_end(const struct tool_handle *h, struct tool_end *end, struct tool_error error)
{
	tool_end_fail(end, &error);
	/*
	 * A process that was stopped may have done part of its work; only one that never started
	 * did none.
	 */
	end->executed = h->is_started ? EXECUTED_PARTLY : EXECUTED_NO;
}

static struct str seconds(struct arena *mem, int64_t ms)
{
	return ms % 1000 ? arena_printf(mem, "%lld ms", (long long)ms)
	                 : arena_printf(mem, "%lld s", (long long)ms / 1000);
}

/* Fills the end if the supervisor stopped the process; false: the process ended by itself. */
static bool fill_cause(const struct tool_handle *h, struct tool_end *end)
{
	struct str cause = h->exit.cause;

	if (!str_is(cause) || str_eq(cause, STR("exit")))
		return false;
	if (str_eq(cause, STR("timeout"))) {
		struct str time = seconds(h->mem, h->plan.limits.timeout_ms);

		fail_end(h, end,
		         tools_need(h->row) == NEED_SHELL
		                 ? tool_error_command_timed_out(h->mem, time)
		                 : tool_error_timed_out(h->mem, time));
	} else if (str_eq(cause, STR("memory"))) {
		fail_end(h, end,
		         tool_error_used_memory(h->mem, h->plan.limits.max_memory_bytes >> 20));
	} else if (str_eq(cause, STR("processes"))) {
		fail_end(h, end, tool_error_used_processes(h->mem, h->plan.limits.max_processes));
	} else {
		fail_end(h, end, tool_error_was_killed());
	}
	return true;
}

static void fill_lost(const struct tool_handle *h, struct tool_end *end)
{
	fail_end(h, end, tool_error_supervisor_ended());
	end->executed = h->is_started ? EXECUTED_UNKNOWN : EXECUTED_NO;
}

/* ---- the shell ---- */

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

/*
 * The client of a container engine that the line calls, or absent.  Its daemon listens on a Unix
 * socket, which a sandbox does not offer: who reaches it has all of the machine.  The kernel
 * refuses the socket without a report, so the name is all that tells.
 */
static struct str engine_of(struct str command)
{
	static const char *const names[] = { "docker-compose", "docker", "podman", "nerdctl" };

	for (size_t i = 0; i < COUNT_OF(names); i++) {
		struct str name = str_from(names[i]);
		ptrdiff_t at = str_find(command, name);
		size_t end = (size_t)at + name.len;

		if (at >= 0 && (!at || strchr(" ;&|(/", command.ptr[at - 1])) &&
		    (end == command.len || strchr(" ;&|)", command.ptr[end])))
			return name;
	}
	return STR_NONE;
}

static void fill_engine(const struct tool_handle *h, struct tool_end *end)
{
	struct str engine = engine_of(tool_args_shell(h->args).command);

	if (!str_is(engine) || h->plan.tier == SANDBOX_NONE || h->plan.unix_sockets)
		return;
	fail_end(h, end, tool_error_no_unix_sockets(h->mem, engine));
}

static void fill_shell(const struct tool_handle *h, struct tool_end *end)
{
	end->structured = shell_result(h);
	if (fill_cause(h, end))
		return;
	if (!h->exit.is_known) {
		fill_lost(h, end);
		return;
	}
	end->executed = EXECUTED_YES;
	/*
	 * A command that returns non-zero has run as it should: the model reads its output.  Only a
	 * refusal of the sandbox or a signal makes the call a failure.
	 */
	end->is_error = !h->exit.has_code || h->exit.code != 0;
	if (end->is_error && h->has_blocked) {
		fail_end(h, end, tool_error_sandbox_refused(h->mem, h->refused_what));
		return;
	}
	if (end->is_error)
		fill_engine(h, end);
	if (str_is(h->exit.signal))
		fail_end(h, end, tool_error_ended_by_signal(h->mem, h->exit.signal));
}

/* Tells the model that the process runs and which tools control it. */
static void fill_begun(const struct tool_handle *h, struct ending *x)
{
	CLEANUP(buf_done) struct buf text = { 0 };
	struct json_writer w;

	jw_init(&w, &text);
	jw_obj(&w);
	JW_KSTR(&w, "processId", h->process_id);
	JW_KSTR(&w, "outputRef", h->output_ref);
	jw_obj_end(&w);
	x->end.executed = EXECUTED_YES;
	x->end.structured = arena_keep(h->mem, buf_str(&text));
	x->text = arena_printf(h->mem,
	                       "%.*s runs in the background. read_process shows what it writes, "
	                       "write_process gives it input, stop_process ends it.",
	                       STR_ARG(h->process_id));
}

/* ---- file tools ---- */

/* before absent: there was no file */
static void add_change(struct arena *mem, struct tool_change *to, size_t *count, struct json s,
                       struct str before)
{
	struct str change = json_str(JSON_GET(s, "change"));
	struct json v = JSON_GET(s, "validation");
	struct str validation = json_type(v) == JSON_OBJ ? json_text(mem, v) : STR_NONE;

	if (!str_is(change) || str_eq(change, STR("unchanged")))
		return;
	to[(*count)++] =
		(struct tool_change){ .path = json_str(JSON_GET(s, "path")),
		                      .place = json_str(JSON_GET(s, "place")),
		                      .kind = json_str(JSON_GET(s, "kind")),
		                      .mode = json_str(JSON_GET(s, "mode")),
		                      .previous_mode = json_str(JSON_GET(s, "previousMode")),
		                      .change = rec_enum_read(&enum_artifact_change, change),
		                      .before = before,
		                      .has_before = str_is(before),
		                      .hash = json_str(JSON_GET(s, "afterSha256")),
		                      .size = json_int(JSON_GET(s, "afterBytes"), 0),
		                      .diff = json_str(JSON_GET(s, "diff")),
		                      .media_type = json_str(JSON_GET(s, "mediaType")),
		                      .validation = validation };
}

/* The next file's old content in a patch: "LENGTH\n" and the bytes; -1: no such file before. */
static struct str next_before(struct str *rest)
{
	struct str number = str_cut(rest, '\n'), bytes;
	uint64_t len = 0;

	if (!str_is(number) || !str_is(*rest) || !str_to_u64(number, &len) || len > rest->len)
		return STR_NONE;
	bytes = str_head(*rest, (size_t)len);
	*rest = str_skip(*rest, (size_t)len);
	return bytes;
}

/* One file, or for a patch a list of files; their old contents are in one stream, in that order. */
void tools_end_changes(struct arena *mem, struct json report, struct str before,
                       struct tool_end *end)
{
	struct json files = JSON_GET(report, "files"), v;
	struct tool_change *all = ARENA_ARRAY(mem, struct tool_change, json_count(files) + 1);
	struct json_iter it = json_iter(files);
	struct str key;

	if (!json_is(files))
		add_change(mem, all, &end->change_count, report, before);
	while (json_type(files) == JSON_ARR && json_next(&it, &key, &v))
		add_change(mem, all, &end->change_count, v, next_before(&before));
	end->changes = all;
}

static void fill_changes(const struct tool_handle *h, struct json s, struct tool_end *end)
{
	bool has_before = json_is(JSON_GET(s, "files")) || h->kept == KEPT_SAFE;

	tools_end_changes(h->mem, s, has_before ? buf_str(&h->before) : STR_NONE, end);
}

/* ---- changes of a command ---- */

struct str tools_end_not_covered(struct arena *mem, struct str why, struct json report)
{
	int64_t count = json_int(JSON_GET(report, "notCoveredCount"), 0), named = 0;
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_iter it = json_iter(JSON_GET(report, "notCovered"));
	struct json v;
	struct str key;

	if (str_is(why))
		return arena_printf(mem, "`thole undo` does not cover this command: %.*s.",
		                    STR_ARG(why));
	if (json_bool(JSON_GET(report, "truncated"), false))
		buf_printf(&out,
		           "The workspace has more than %d entries; `thole undo` covers "
		           "the changes of this command only in part.",
		           LIMIT_UNDO_ENTRIES);
	else if (!count)
		return STR_NONE;
	if (!count)
		return arena_keep(mem, buf_str(&out));
	buf_printf(&out,
	           "%s`thole undo` cannot revert what this command did to:", out.len ? " " : "");
	while (json_next(&it, &key, &v))
		buf_printf(&out, "%s %.*s", named++ ? "," : "", STR_ARG(json_str(v)));
	if (named < count)
		buf_printf(&out, "%s %lld more", named ? " and" : "", (long long)(count - named));
	buf_add_char(&out, '.');
	return arena_keep(mem, buf_str(&out));
}

/* Whatever became of the command, its changes were made. */
static void fill_command_changes(const struct tool_handle *h, struct tool_end *end)
{
	end->not_covered = h->cover.not_covered;
	if (h->cover.state == COVERED_DONE && json_is(h->cover.changes))
		tools_end_changes(h->mem, h->cover.changes, buf_str(&h->before), end);
}

/* The members of the report, and the ref of the old content. */
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

/* As the model names it: from the workspace on. */
static struct str path_shown(const struct tool_handle *h, struct str path)
{
	return path_is_under(path, h->cwd) && path.len > h->cwd.len
	               ? str_skip(path, h->cwd.len + (h->cwd.len > 1))
	               : path;
}

/*
 * The tool sees only an errno.  Whether the sandbox is the cause decides tools_deny_file(),
 * which knows the plan.
 */
static void fill_file_failure(struct tool_handle *h, struct json r, struct ending *x)
{
	struct tool_end *end = &x->end;
	struct str path = json_str(JSON_GET(r, "path")), rule;
	struct tool_error refused;

	end->failed = true;
	end->category = rec_enum_read(&enum_error_category, json_str(JSON_GET(r, "category")));
	end->message = json_str(JSON_GET(r, "message"));
	end->advice = json_str(JSON_GET(r, "advice"));
	end->retryable = json_bool(JSON_GET(r, "retryable"), false);
	end->executed = rec_enum_read(&enum_executed, json_str(JSON_GET(r, "executed")));
	x->has_violation = tools_deny_file(h, json_str(JSON_GET(r, "operation")), path,
	                                   json_str(JSON_GET(r, "errno")), &x->violation);
	if (!x->has_violation)
		return;
	rule = x->violation.would_allow;
	refused = PATH_UNDER_ANY(path, &h->plan.protected_paths)
	                  ? tool_error_path_protected(h->mem, path_shown(h, path))
	          : str_is(rule) ? tool_error_sandbox_refused_file(h->mem, end->message, rule)
	                         : tool_error_path_closed(h->mem, end->message);
	tool_end_fail(end, &refused);
}

static void fill_file(struct tool_handle *h, struct ending *x)
{
	struct tool_end *end = &x->end;
	struct str media_type;
	struct json r;
	struct error e;

	if (fill_cause(h, end))
		return;
	if (h->report.overflowed || json_read(h->mem, buf_str(&h->report), &r, &e)) {
		fail_end(h, end,
		         tool_error_file_tool_broke(h->mem, str_head(buf_str(&h->report), 200)));
		end->executed = EXECUTED_UNKNOWN;
		return;
	}
	if (json_is(JSON_GET(r, "category"))) {
		fill_file_failure(h, r, x);
		return;
	}
	end->executed = EXECUTED_YES;
	end->structured = file_result(h, JSON_GET(r, "structured"));
	/* A type makes the output an image; a writing tool reports the type of its file, too. */
	media_type = json_str(json_get(JSON_GET(r, "structured"), STR("mediaType")));
	if (str_is(media_type) && str_starts(media_type, STR("image/")) &&
	    tools_need(h->row) == NEED_READ)
		end->media_type = media_type;
	fill_changes(h, JSON_GET(r, "structured"), end);
	x->text = json_str(JSON_GET(r, "text"));
}

/* ---- both ---- */

enum process_exit tools_end_exit_by_cause(const struct supervisor_exit *x)
{
	struct str cause = str_is(x->cause) ? x->cause : STR("exit");

	if (str_eq(cause, STR("timeout")))
		return EXIT_BY_TIMEOUT;
	if (str_eq(cause, STR("inactivity")))
		return EXIT_BY_SILENCE;
	if (str_eq(cause, STR("memory")) || str_eq(cause, STR("processes")))
		return EXIT_BY_LIMIT;
	return x->has_code ? EXIT_BY_CODE : EXIT_BY_SIGNAL;
}

/* For the events of the process.  File tools are no processes in the log. */
static enum process_exit exit_of(const struct tool_handle *h)
{
	if (!h->row || !h->row->is_command || (h->row->is_background && h->is_started))
		return EXIT_NONE;
	if (!h->is_started)
		return EXIT_NEVER_BEGAN;
	if (h->is_lost || !h->exit.is_known)
		return EXIT_UNSEEN;
	if (h->is_cancelled)
		return EXIT_BY_STOP;
	return tools_end_exit_by_cause(&h->exit);
}

static void fill_process(const struct tool_handle *h, struct tool_end *end)
{
	end->exit = exit_of(h);
	end->survivors = -1;
	if (end->exit == EXIT_NONE || end->exit == EXIT_NEVER_BEGAN)
		return;
	end->signal = h->exit.signal;
	end->is_escalated = h->exit.is_escalated;
	end->survivors = h->is_lost ? -1 : h->exit.survivors;
	end->hosts = h->hosts;
	end->run_ms = h->is_lost ? 0 : h->exit.duration_ms;
	end->max_rss_bytes = h->exit.max_rss_bytes;
	end->cpu_ms = h->exit.cpu_ms;
	end->dropped_bytes = h->dropped_bytes;
	end->was_full = h->exit.was_full;
	end->has_exit_code = h->exit.has_code;
	end->exit_code = h->exit.has_code ? h->exit.code : 0;
}

/* A change that was made before the cancellation arrived is reported as made. */
static void fill_cancelled(const struct tool_handle *h, struct tool_end *end)
{
	bool is_done = !end->failed && end->executed == EXECUTED_YES;

	*end = (struct tool_end){ .cancelled = true,
		                  .executed = is_done         ? EXECUTED_YES
		                              : h->is_started ? EXECUTED_PARTLY
		                                              : EXECUTED_NO,
		                  .structured = end->structured,
		                  .not_covered = end->not_covered,
		                  .changes = end->changes,
		                  .change_count = end->change_count };
}

/*
 * In order of certainty: a failure that this side noticed, the loss of the supervisor, then
 * what the process reports about itself.  A cancellation replaces the verdict and keeps the
 * changes.
 */
void tools_end_fill(struct tool_handle *h, struct ending *ret)
{
	struct tool_end *end = &ret->end;

	*ret = (struct ending){ .text = STR_NONE };
	if (str_is(h->error.category)) {
		fail_end(h, end, h->error);
	} else if (h->is_lost || !h->is_started) {
		fill_lost(h, end);
	} else if (h->row->is_background) {
		fill_begun(h, ret);
	} else if (tools_need(h->row) == NEED_SHELL) {
		fill_shell(h, end);
		if (!end->is_error && !end->failed)
			ret->text = tools_git_unsigned(h->cwd, tool_args_shell(h->args).command);
	} else {
		fill_file(h, ret);
	}
	if (h->row && tools_need(h->row) == NEED_SHELL)
		fill_command_changes(h, end);
	if (h->is_cancelled) {
		fill_cancelled(h, end);
		ret->text = STR_NONE;
	}
	fill_process(h, end);
}
