/*
 * The settings as text: stored once per content, and named by every turn, so
 * that a reader of the log can see under which settings and with which tools it
 * ran.
 */
#include "engine/settings/settings_record.h"

#include "base/jw.h"
#include "base/os/id.h"
#include "core/context/prompt.h"
#include "engine/engine_state.h"

static void write_prices(struct json_writer *w, const struct model_info *m)
{
	JW_KEY(w, "prices");
	jw_arr(w);
	for (size_t i = 0; i < m->price_count; i++) {
		jw_obj(w);
		JW_KOPT(w, "effectiveFrom", m->prices[i].from);
		JW_KEY(w, "inputPerMTok");
		jw_nano(w, m->prices[i].input);
		JW_KEY(w, "cachedInputPerMTok");
		jw_nano(w, m->prices[i].cached_input);
		JW_KEY(w, "cacheWritePerMTok");
		jw_nano(w, m->prices[i].cache_write);
		JW_KEY(w, "outputPerMTok");
		jw_nano(w, m->prices[i].output);
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

static void write_names(struct json_writer *w, const char *key, const struct config_names *names)
{
	jw_key(w, str_from(key));
	jw_arr(w);
	for (size_t i = 0; i < names->count; i++)
		jw_str(w, names->items[i]);
	jw_arr_end(w);
}

/* Names and numbers that routing and budgets used; never keys or addresses. */
static void write_money(struct json_writer *w, const struct settings *settings)
{
	const struct settings_caps *c = &settings->caps;
	const struct {
		const char *name;
		int64_t usd;
	} caps[] = { { "request", c->request }, { "turn", c->turn }, { "task", c->task },
		     { "session", c->session }, { "day", c->day },   { "tenant", c->tenant } };

	JW_KSTR(w, "fallback", fallback_policy_word(settings->config->routing_fallback));
	JW_KSTR(w, "unpriced", unpriced_policy_word(settings->config->routing_unpriced));
	write_names(w, "fallbackChain", &settings->config->routing_fallback_chain);
	write_names(w, "allow", &settings->config->routing_allow);
	write_names(w, "deny", &settings->config->routing_deny);
	JW_KEY(w, "capsUsd");
	jw_obj(w);
	for (size_t i = 0; i < COUNT_OF(caps); i++) {
		jw_key(w, str_from(caps[i].name));
		jw_nano(w, caps[i].usd);
	}
	jw_obj_end(w);
	JW_KINT(w, "overrun", c->overrun);
	JW_KINT(w, "parallelRequests", settings->config->limits_parallel_requests);
}

/* The configuration as text. */
static struct str settings_text(struct engine *e, const struct settings *s, struct arena *mem)
{
	struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_obj(&w);
	JW_KSTR(&w, "version", STR(THOLE_VERSION));
	JW_KSTR(&w, "mode", permission_mode_word(s->mode));
	JW_KBOOL(&w, "interactive", s->is_interactive);
	if (str_is(e->options.rules)) {
		JW_KEY(&w, "rules");
		jw_raw(&w, e->options.rules);
	}
	JW_KINT(&w, "actionTimeoutMs", s->action_timeout_ms);
	JW_KINT(&w, "retryMax", s->retry_max);
	JW_KINT(&w, "maxSteps", s->max_steps);
	JW_KSTR(&w, "onBusy", delivery_word(s->on_busy));
	JW_KSTR(&w, "onInterrupt", queue_policy_word(s->config->queue_on_interrupt));
	JW_KOPT(&w, "model", s->model);
	write_money(&w, s);
	JW_KEY(&w, "env");
	jw_arr(&w);
	for (size_t i = 0; i < e->options.config->sandbox_env.count; i++)
		jw_str(&w, e->options.config->sandbox_env.items[i]);
	jw_arr_end(&w);
	JW_KEY(&w, "models");
	jw_arr(&w);
	for (size_t i = 0; i < s->model_count; i++) {
		const struct model_info *m = &s->models[i];

		/* What keys and servers bring along is no setting; routing records what was used. */
		if (m->is_implicit || m->by_request_only)
			continue;
		jw_obj(&w);
		JW_KSTR(&w, "provider", m->provider);
		JW_KSTR(&w, "model", m->model);
		write_prices(&w, m);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	JW_KEY(&w, "tools");
	jw_arr(&w);
	for (size_t i = 0; i < s->tool_count; i++) {
		const struct tool_info *t = &s->tools[i];

		jw_obj(&w);
		JW_KSTR(&w, "toolName", t->name);
		JW_KSTR(&w, "description", t->description);
		JW_KSTR(&w, "policy", tool_policy_word(t->policy));
		JW_KOPT(&w, "runtimeOwner", t->owner);
		JW_KOPT(&w, "nativeName", t->native_name);
		JW_KOPT(&w, "definitionHash", t->definition);
		JW_KBOOL(&w, "isReadOnly", t->is_read_only);
		JW_KBOOL(&w, "isDestructive", t->is_destructive);
		JW_KEY(&w, "inputSchema");
		jw_raw(&w, t->input_schema);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	jw_obj_end(&w);
	struct str text = arena_keep(mem, buf_str(&out));

	buf_done(&out);
	return text;
}

static enum err keep_meta(struct engine *e, struct str key, struct str value, struct error *err)
{
	return e->ports.store->ops->set_meta(e->ports.store, key, value, err);
}

/* Stores a text once per content and returns its ref. */
static enum err keep_text(struct engine *e, const char *kind, struct str text, struct arena *keep,
                          struct str *ret, struct error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct store *st = e->ports.store;
	struct str known = STR_NONE;
	struct sha256 h = sha256_of(text);
	struct str name = arena_printf(mem, "%s:%.*s", kind, STR_ARG(sha256_hex(mem, &h)));
	enum err code = st->ops->get_meta(st, mem, name, &known, err);

	if (code == ERR_NOT_FOUND) {
		struct id_source ids = clock_ids(e);

		known = id_make(mem, &ids, "out");
		/* The text first: after a crash a ref must not exist without it. */
		code = keep_meta(e, arena_printf(mem, "blob:%.*s", STR_ARG(known)), text, err);
		if (!code)
			code = keep_meta(e, name, known, err);
	}
	if (!code)
		*ret = arena_keep(keep, known);
	return code;
}

enum err settings_record_of(struct engine *e, const struct settings *s, struct arena *keep,
                            struct str *ret, struct error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	return keep_text(e, "config", settings_text(e, s, mem), keep, ret, err);
}

enum err settings_record_prompt(struct engine *e, struct error *err)
{
	return keep_text(e, "prompt", prompt_text_system, e->mem, &e->settings.prompt_ref, err);
}

enum err settings_record_keep(struct engine *e, struct error *err)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str known;
	enum err code = settings_record_of(e, &e->settings, mem, &known, err);

	if (code)
		return code;
	/* An id is short, and settings rarely change, so the arena grows little. */
	if (!str_is(e->settings.config_ref) || !str_eq(e->settings.config_ref, known))
		e->settings.config_ref = e->settings.inventory_ref = arena_keep(e->mem, known);
	return OK;
}
