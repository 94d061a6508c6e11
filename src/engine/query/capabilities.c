/* get_capabilities: what this runtime is and can do. */
#include "core/session/session.h"
#include "base/jw.h"
#include "core/view/view.h"
#include "engine/maintenance/damage.h"
#include "engine/query/query.h"
#include "engine/settings/models.h"
#include "engine/settings/sandbox_probe.h"
#include "engine/engine_state.h"

static struct str state_of(enum event_type type)
{
	return event_classes[type].is_built ? STR("built") : STR("unavailable");
}

/* Every name of the catalogue is listed, so that a client sees what this build lacks. */
static void write_states(struct json_writer *w, bool commands)
{
	jw_obj(w);
	for (int i = 1; commands && i < COMMAND_COUNT; i++)
		if (!command_classes[i].is_internal)
			jw_kstr(w, command_classes[i].name,
			        command_classes[i].is_built ? STR("built") : STR("unavailable"));
	for (int i = 1; !commands && i < EV_COUNT; i++)
		jw_kstr(w, event_classes[i].name, state_of((enum event_type)i));
	jw_obj_end(w);
}

/*
 * spec: PRF-02 — a layer is complete when every command, event class and view of it is built.  Views
 * belong to the profile.
 */
static struct str layer_state(bool is_core)
{
	bool is_whole = true;

	for (int i = 1; i < COMMAND_COUNT; i++)
		is_whole &= command_classes[i].is_built || (is_core && !command_classes[i].is_core);
	for (int i = 1; i < EV_COUNT; i++)
		is_whole &= event_classes[i].is_built || (is_core && !event_classes[i].is_core);
	for (size_t i = 0; i < view_class_count && !is_core; i++)
		is_whole &= view_classes[i].is_built;
	return is_whole ? STR("complete") : STR("partial");
}

static void write_model(struct json_writer *w, const struct model_info *m, int64_t now)
{
	const struct model_price *p = decision_price_at(m, now);

	jw_obj(w);
	JW_KSTR(w, "provider", m->provider);
	JW_KSTR(w, "model", m->model);
	JW_KBOOL(w, "hasCredential", m->has_credential);
	JW_KBOOL(w, "priced", p != NULL);
	if (p) {
		JW_KEY(w, "inputPerMTok");
		jw_nano(w, p->input);
		JW_KEY(w, "outputPerMTok");
		jw_nano(w, p->output);
	}
	if (m->capabilities.len) {
		JW_KEY(w, "capabilities");
		jw_raw(w, m->capabilities);
	}
	if (m->window_tokens > 0)
		JW_KINT(w, "windowTokens", m->window_tokens);
	if (m->max_output_tokens > 0)
		JW_KINT(w, "maxOutputTokens", m->max_output_tokens);
	jw_obj_end(w);
}

/* Unknown until the first decision: a probe would start the supervisor. */
static void write_sandbox(struct json_writer *w, const struct engine *e)
{
	const struct rec_sandbox_profile *sandbox = e->environment->sandbox_profile;
	bool is_there = sandbox->mode != SANDBOX_MODE_UNAVAILABLE;

	JW_KEY(w, "sandbox");
	jw_obj(w);
	JW_KSTR(w, "status",
	        !e->has_looked ? STR("unknown")
	        : is_there     ? STR("available")
	                       : STR("unavailable"));
	if (e->has_looked) {
		JW_KSTR(w, "mode", sandbox_mode_word(sandbox->mode));
		JW_KSTR(w, "tier", sandbox->tier);
	}
	jw_obj_end(w);
}

/* spec: contracts/output-storage-large-results — what events hold, and what is behind refs. */
static void write_spill_policy(struct json_writer *w)
{
	JW_KINT(w, "previewBytes", LIMIT_PREVIEW);
	JW_KINT(w, "inlineArgsBytes", LIMIT_INLINE_ARGS);
	JW_KINT(w, "inlineOutputBytes", LIMIT_INLINE_OUTPUT_BYTES);
	JW_KINT(w, "toolResultTokens", LIMIT_TOOL_RESULT_TOKENS);
	JW_KSTR(w, "toolResultTruncation", truncation_word(TRUNCATION_HEAD_TAIL));
	JW_KINT(w, "hookOutputBytes", LIMIT_HOOK_OUTPUT_BYTES);
	JW_KINT(w, "processOutputBytes", LIMIT_PROCESS_OUTPUT_BYTES);
	JW_KBOOL(w, "binaryInline", false);
	JW_KSTR(w, "evidenceOutputs", STR("reference"));
}

/* Where other programs connect.  An endpoint that is off is shown with the setting for it. */
/* What an acknowledged event survives: full a power cut, and with a database the loss of its server. */
static struct str durability_of(const struct engine *e)
{
	struct store_stats stats = { 0 };

	if (e->options.config->durability == DURABILITY_MODE_FULL) {
		e->ports.store->ops->stats(e->ports.store, &stats);
		if (stats.is_local)
			return STR("local");
	}
	return durability_mode_word(e->options.config->durability);
}

static void write_endpoints(struct json_writer *w, const struct config_values *c)
{
	const struct rec_endpoint rows[] = {
		{ .protocol = STR("a2a"),
		  .path = STR("/a2a"),
		  .is_enabled = c->a2a_enabled,
		  .setting = STR("a2a.enabled"),
		  .binding = STR("JSONRPC"),
		  .url = c->a2a_url },
		{ .protocol = STR("a2a"),
		  .path = STR("/a2a/v1"),
		  .is_enabled = c->a2a_enabled,
		  .setting = STR("a2a.enabled"),
		  .binding = STR("HTTP+JSON"),
		  .url = c->a2a_url },
		{ .protocol = STR("a2a"),
		  .path = STR(""),
		  .is_enabled = c->a2a_enabled && c->a2a_grpc_url.len,
		  .setting = STR("a2a.grpc_url"),
		  .binding = STR("GRPC"),
		  .url = c->a2a_grpc_url },
		{ .protocol = STR("mcp"),
		  .path = STR("/mcp"),
		  .is_enabled = c->mcp_serve,
		  .setting = STR("mcp.serve") },
		{ .protocol = STR("openai"),
		  .path = STR("/openai/v1"),
		  .is_enabled = c->openai_enabled,
		  .setting = STR("openai.enabled") },
		{ .protocol = STR("ag_ui"),
		  .path = STR("/ag-ui"),
		  .is_enabled = c->agui_enabled,
		  .setting = STR("agui.enabled") },
	};

	JW_KEY(w, "endpoints");
	jw_arr(w);
	/* gRPC is another program: it is shown where the settings name it. */
	for (size_t i = 0; i < COUNT_OF(rows); i++)
		if (rows[i].path.len || rows[i].is_enabled)
			rec_write(w, &rec_endpoint_desc, &rows[i]);
	jw_arr_end(w);
}

/*
 * For clients that adapt to the runtime, and for `thole doctor`, which shows what is
 * missing or damaged.  Nothing here needs a session.
 */
void query_get_capabilities(struct request *r, const struct cmd_get_capabilities *c)
{
	const struct engine *e = r->engine;
	struct reply p;
	struct json_writer *w = &p.w;

	sandbox_probe_look(r->engine, NULL); /* the mode of new sessions may depend on it */
	reply_begin(&p, r);
	jw_obj(w);
	JW_KSTR(w, "name", STR("thole"));
	JW_KSTR(w, "version", STR(THOLE_VERSION));
	JW_KSTR(w, "runtimeId", e->runtime_id);
	JW_KSTR(w, "schemaVersion", SCHEMA_VERSION);
	JW_KSTR(w, "specVersion", STR("0.4.0"));
	JW_KEY(w, "layers");
	jw_obj(w);
	JW_KSTR(w, "core", layer_state(true));
	JW_KSTR(w, "limeProfile", layer_state(false));
	jw_obj_end(w);
	JW_KEY(w, "commands");
	write_states(w, true);
	JW_KEY(w, "events");
	write_states(w, false);
	JW_KEY(w, "views");
	jw_arr(w);
	for (size_t i = 0; i < view_class_count; i++)
		if (view_classes[i].is_built)
			jw_str(w, view_classes[i].name);
	jw_arr_end(w);
	JW_KEY(w, "transports");
	jw_arr(w);
	jw_str(w, STR("http_json"));
	jw_str(w, STR("sse"));
	jw_str(w, STR("json_rpc"));
	jw_str(w, STR("stdio"));
	jw_str(w, STR("websocket"));
	jw_str(w, STR("in_process"));
	jw_arr_end(w);
	write_endpoints(w, e->options.config);
	write_sandbox(w, e);
	JW_KEY(w, "providers");
	jw_arr(w);
	for (size_t i = 0; i < e->settings.model_count; i++)
		if (models_is_shown(&e->settings.models[i], NULL, 0))
			write_model(w, &e->settings.models[i],
			            e->ports.clock->ops->wall_ms(e->ports.clock));
	jw_arr_end(w);
	JW_KEY(w, "settings");
	jw_obj(w);
	JW_KSTR(w, "durability", durability_of(e));
	JW_KINT(w, "deltaWindowMs", e->options.config->delta_window_ms);
	JW_KSTR(w, "permissionMode", permission_mode_word(e->settings.mode));
	JW_KBOOL(w, "interactive", e->settings.is_interactive);
	/* where work runs that names no directory */
	if (!e->settings.is_cwd_private)
		JW_KSTR(w, "directory", e->settings.cwd);
	jw_obj_end(w);
	JW_KEY(w, "limits");
	jw_obj(w);
	JW_KINT(w, "bodyBytes", LIMIT_BODY_BYTES);
	JW_KINT(w, "eventBytes", LIMIT_EVENT_BYTES);
	JW_KINT(w, "queueLength", LIMIT_QUEUE_LENGTH);
	JW_KINT(w, "pageRows", LIMIT_PAGE_ROWS);
	write_spill_policy(w);
	jw_obj_end(w);
	JW_KEY(w, "sections");
	jw_obj(w);
	JW_KSTR(w, "subagents", state_of(EV_SUBAGENT_SPAWNED));
	JW_KSTR(w, "jobs", state_of(EV_JOB_CREATED));
	JW_KSTR(w, "benchmark", state_of(EV_BENCHMARK_TRIAL_STARTED));
	JW_KSTR(w, "evidence", state_of(EV_EVIDENCE_CHANGED));
	JW_KSTR(w, "telemetry", e->settings.config->trace ? STR("built") : STR("unavailable"));
	jw_obj_end(w);
	JW_KEY(w, "storage");
	jw_obj(w);
	JW_KEY(w, "damaged");
	damage_write(e, w);
	jw_obj_end(w);
	jw_obj_end(w);
	reply_end(&p);
}
