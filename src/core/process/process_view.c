/*
 * Views of commands and their sandbox.
 * spec: contracts/execution-environment, contracts/permission-and-sandbox
 */
#include "core/view/view_part.h"

#include "base/jw.h"

#include <stdio.h>

/* The status is that of the process; its exit code is in nativeStatus as well. */
void process_view_write(struct json_writer *w, const struct st_process *p, struct str session_id)
{
	jw_obj(w);
	JW_KSTR(w, "processId", p->process_id);
	JW_KSTR(w, "toolCallId", p->tool_call_id);
	JW_KOPT(w, "commandSummary", p->summary);
	JW_KSTR(w, "status", process_status_word(p->status));
	if (p->has_exit_code) {
		char native[32];

		snprintf(native, sizeof native, "exit:%lld", (long long)p->exit_code);
		JW_KSTR(w, "nativeStatus", str_from(native));
		JW_KINT(w, "exitCode", p->exit_code);
	} else {
		JW_KOPT(w, "nativeStatus", p->native_status);
	}
	JW_KOPT(w, "outputRef", p->output_ref);
	if (p->background)
		JW_KBOOL(w, "background", true);
	if (p->tty)
		JW_KBOOL(w, "tty", true);
	if (p->background)
		JW_KINT(w, "outputBytes", p->output_bytes);
	if (p->liveness)
		JW_KSTR(w, "liveness", liveness_word(p->liveness));
	JW_KOPT(w, "sessionId", session_id);
	PART_TIME(w, "startedAt", p->started_at);
	PART_TIME(w, "endedAt", p->ended_at);
	jw_obj_end(w);
}

static void write_processes(struct json_writer *w, const struct st_thread *th, struct str turn_id)
{
	for (uint32_t i = 0; i < th->processes.count; i++)
		if (!str_is(turn_id) || str_eq(th->processes.items[i]->turn_id, turn_id))
			process_view_write(w, th->processes.items[i], STR_NONE);
}

void process_view_processes(struct json_writer *w, const struct state *state,
                            const struct st_thread *th, struct str turn_id)
{
	JW_KEY(w, "processes");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->threads.count; i++)
		if (!th || th == state->s->threads.items[i])
			write_processes(w, state->s->threads.items[i], turn_id);
	jw_arr_end(w);
}

void process_view_sandbox_state(struct json_writer *w, const struct state *state,
                                const struct settings *settings)
{
	const struct rec_execution_environment *env = view_part_environment_of(state, settings);

	JW_KEY(w, "sandboxState");
	jw_obj(w);
	PART_REC(w, "profile", &rec_sandbox_profile_desc, env ? env->sandbox_profile : NULL);
	JW_KEY(w, "violationRefs");
	jw_arr(w);
	for (uint32_t i = 0; i < state->s->threads.count; i++)
		for (uint32_t n = 0; n < state->s->threads.items[i]->violation_refs.count; n++)
			jw_str(w, state->s->threads.items[i]->violation_refs.items[n]);
	jw_arr_end(w);
	jw_obj_end(w);
}

/* The profile of the last sandboxed call, else that of the environment. */
void view_environment(struct json_writer *w, const struct state *state,
                      const struct settings *settings)
{
	const struct rec_execution_environment *env = view_part_environment_of(state, settings);
	const struct rec_sandbox_profile *sandbox = env ? env->sandbox_profile : NULL;

	for (uint32_t i = 0; i < state->s->threads.count; i++)
		if (state->s->threads.items[i]->cage)
			sandbox = state->s->threads.items[i]->cage;
	jw_obj(w);
	PART_REC(w, "executionEnvironment", &rec_execution_environment_desc, env);
	PART_REC(w, "sandboxProfile", &rec_sandbox_profile_desc, sandbox);
	process_view_processes(w, state, NULL, STR_NONE);
	JW_KINT(w, "sequence", state->s->sequence);
	jw_obj_end(w);
}
