/* Settings of codex: config.toml of its folder. */
#include "app/cli/import/settings_plan.h"

#include "app/cli/import/toml.h"
#include "app/cli/print/out.h"
#include "base/gen/words.h"

/* approval_policy and sandbox_mode there are mode, sandbox.mode and sandbox.network here. */
static const struct {
	const char *theirs, *ours;
	enum plan_kind kind;
} modes[] = {
	{ .theirs = "untrusted", .ours = WORD_PERMISSION_MODE_UNTRUSTED, .kind = PLAN_PLAIN },
	{ .theirs = "on-request",
	  .ours = WORD_PERMISSION_MODE_ON_REQUEST,
	  .kind = PLAN_FULL_ACCESS },
	{ .theirs = "on-failure",
	  .ours = WORD_PERMISSION_MODE_ON_FAILURE,
	  .kind = PLAN_FULL_ACCESS },
};

static const struct {
	const char *theirs, *ours;
	enum plan_kind kind;
} sandboxes[] = {
	{ .theirs = "read-only", .ours = WORD_SANDBOX_MODE_READ_ONLY, .kind = PLAN_PLAIN },
	{ .theirs = "workspace-write",
	  .ours = WORD_SANDBOX_MODE_WORKSPACE_WRITE,
	  .kind = PLAN_PLAIN },
	{ .theirs = "danger-full-access",
	  .ours = WORD_SANDBOX_MODE_DANGER_FULL_ACCESS,
	  .kind = PLAN_FULL_ACCESS },
};

static void add_value(struct settings_plan *p, enum plan_kind kind, const char *key,
                      struct str value, struct str from)
{
	settings_plan_add(p, (struct plan_change){ .kind = kind,
	                                           .place = PLAN_VALUE,
	                                           .key = key,
	                                           .json = settings_plan_text(p, value),
	                                           .from = from });
}

static struct str said(struct settings_plan *p, const char *key, struct str value)
{
	return arena_printf(p->c->mem, "%s %.*s", key, STR_ARG(str_head(value, 100)));
}

static void take_policy(struct settings_plan *p, struct json doc)
{
	struct str policy = json_str(JSON_GET(doc, "approval_policy"));

	if (!json_is(JSON_GET(doc, "approval_policy")))
		return;
	for (size_t i = 0; i < COUNT_OF(modes); i++)
		if (str_eq(policy, str_from(modes[i].theirs))) {
			add_value(p, modes[i].kind, "permission.mode", str_from(modes[i].ours),
			          said(p, "approval_policy", policy));
			return;
		}
	/* There never means that nothing is asked and everything runs; here it denies. */
	settings_plan_leave(p, said(p, "approval_policy", policy),
	                    "no mode here is the same; `thole run --mode` lists them");
}

static void take_sandbox(struct settings_plan *p, struct json doc)
{
	struct str mode = json_str(JSON_GET(doc, "sandbox_mode"));
	struct json write = JSON_GET(doc, "sandbox_workspace_write");

	for (size_t i = 0; i < COUNT_OF(sandboxes); i++)
		if (str_eq(mode, str_from(sandboxes[i].theirs)))
			add_value(p, sandboxes[i].kind, "sandbox.mode", str_from(sandboxes[i].ours),
			          said(p, "sandbox_mode", mode));
	if (json_bool(JSON_GET(write, "network_access"), false))
		add_value(p, PLAN_FULL_ACCESS, "sandbox.network", STR(WORD_NETWORK_MODE_FULL),
		          STR("sandbox_workspace_write.network_access true"));
	if (json_count(JSON_GET(write, "writable_roots")))
		settings_plan_leave(p, STR("sandbox_workspace_write.writable_roots"),
		                    "directories are added to a session: --add-dir");
}

static bool is_known_provider(struct str provider)
{
	return !str_is(provider) || str_eq(provider, STR("openai"));
}

static bool is_effort(struct str word)
{
	static const char *const words[] = { WORDS_EFFORT };

	for (size_t i = 0; i < COUNT_OF(words); i++)
		if (str_eq(word, str_from(words[i])))
			return true;
	return false;
}

static void take_model(struct settings_plan *p, struct json doc)
{
	struct str model = json_str(JSON_GET(doc, "model"));
	struct str provider = json_str(JSON_GET(doc, "model_provider"));
	struct str effort = json_str(JSON_GET(doc, "model_reasoning_effort"));

	if (model.len && is_known_provider(provider))
		add_value(p, PLAN_PLAIN, "model",
		          arena_printf(p->c->mem, "openai/%.*s", STR_ARG(model)),
		          said(p, "model", model));
	else if (model.len)
		settings_plan_leave(p, said(p, "model", model),
		                    "its provider is set up by hand: docs/how-to/providers");
	if (is_effort(effort))
		add_value(p, PLAN_PLAIN, "model.effort", effort,
		          said(p, "model_reasoning_effort", effort));
	else if (effort.len)
		settings_plan_leave(p, said(p, "model_reasoning_effort", effort),
		                    "there is no such effort here");
}

static void leave_profiles(struct settings_plan *p, struct json profiles)
{
	struct json_iter it = json_iter(profiles);
	struct json v;
	struct str key;

	while (json_type(profiles) == JSON_OBJ && json_next(&it, &key, &v))
		settings_plan_leave(
			p, said(p, "profile", key),
			"there are no profiles here; `thole run -m MODEL --mode MODE` sets "
			"the same for one session");
}

/* The values of the profile that is in force come first, as there. */
static struct json profile_of(struct json doc)
{
	struct json profiles = JSON_GET(doc, "profiles");

	return json_get(profiles, json_str(JSON_GET(doc, "profile")));
}

void codex_settings_read(struct settings_plan *p, const struct import_place *place)
{
	static const char *const known[] = { "model",
		                             "model_provider",
		                             "model_reasoning_effort",
		                             "approval_policy",
		                             "sandbox_mode",
		                             "sandbox_workspace_write",
		                             "mcp_servers",
		                             "profiles",
		                             "profile",
		                             NULL };
	struct str text;
	struct json doc;
	struct error e;

	if (!settings_plan_file(p, place->home, "config.toml", &text))
		return;
	if (toml_read(p->c->mem, text, &doc, &e) != OK) {
		settings_plan_leave(p, STR("config.toml"),
		                    out_safe(p->c->mem, str_from(e.message)));
		return;
	}
	if (json_is(profile_of(doc))) {
		take_model(p, profile_of(doc));
		take_policy(p, profile_of(doc));
		take_sandbox(p, profile_of(doc));
	}
	take_model(p, doc);
	take_policy(p, doc);
	take_sandbox(p, doc);
	settings_plan_servers(p, JSON_GET(doc, "mcp_servers"));
	leave_profiles(p, JSON_GET(doc, "profiles"));
	settings_plan_leave_others(p, doc, known, "it has no counterpart here");
	settings_plan_close(p);
}
