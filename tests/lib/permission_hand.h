#ifndef TESTS_LIB_PERMISSION_HAND_H
#define TESTS_LIB_PERMISSION_HAND_H
/* A session with settings, a tool and a file system with one link, for tests of permissions. */
#include "core/fold_part.h"
#include "core/approval/escalation.h"
#include "lib/t.h"

struct hand {
	struct arena *mem;
	struct state *state;
	struct settings settings;
	struct rules rules;
	struct tool_info tool;
	struct rec_permission_decision d;
	int64_t now;
};

static inline struct hand hand(void)
{
	struct hand h = { .mem = arena_new(), .state = state_new(), .now = 1000 };

	h.state->s->cwd = STR("/ws");
	h.settings = (struct settings){ .config = &settings_config_defaults,
		                        .mode = PERMISSION_MODE_DEFAULT,
		                        .is_interactive = true,
		                        .cwd = STR("/ws"),
		                        .home = STR("/home/u") };
	h.tool = (struct tool_info){ .name = STR("shell"),
		                     .policy = TOOL_POLICY_ALLOWED,
		                     .kind = ITEM_KIND_COMMAND,
		                     .capabilities = STR("[\"shell\"]") };
	return h;
}

static inline void done(struct hand *h)
{
	state_free(h->state);
	arena_free(h->mem);
}
#define HAND CLEANUP(done) struct hand h = hand()

static inline void use_rules(struct hand *h, const char *list)
{
	struct error e;

	h->rules = (struct rules){ .mem = h->mem };
	CHECK_OK(rules_add_settings(&h->rules, str_from(list), &e), &e);
	h->settings.rules = &h->rules;
}

static inline void use_tool(struct hand *h, const char *name, enum tool_policy policy,
                            const char *capabilities)
{
	h->tool = (struct tool_info){ .name = str_from(name),
		                      .policy = policy,
		                      .kind = ITEM_KIND_TOOL_CALL,
		                      .capabilities = str_from(capabilities) };
}

static inline struct permission_ask ask(struct hand *h, const char *args)
{
	return (struct permission_ask){ .mem = h->mem,
		                        .w = h->state,
		                        .settings = &h->settings,
		                        .now = h->now,
		                        .tool = &h->tool,
		                        .args = args ? str_from(args) : STR_NONE,
		                        .turn_id = STR("turn_1") };
}

static inline enum approval_decision judge(struct hand *h, const char *args)
{
	struct permission_ask a = ask(h, args);

	permission_judge(&a, &h->d);
	return h->d.decision;
}

/* What an answer with this scope would leave behind. */
static inline bool grant(struct hand *h, const char *args, enum grant_scope scope, int64_t until)
{
	struct permission_ask a = ask(h, args);
	struct permission_grants g;

	if (!permission_grants(&a, &g))
		return false;
	for (uint32_t i = 0; i < g.count; i++) {
		struct st_grant *s =
			rec_list_add(h->state->mem, &h->state->s->grants, &st_grant_desc);

		s->grant_id = STR("grant_1");
		s->scope = scope;
		s->match = rec_text(h->state->mem, &rec_grant_match_desc, &g.items[i]);
		s->expires_at = until;
		s->turn_id = scope == GRANT_SCOPE_TURN ? STR("turn_1") : STR_NONE;
	}
	return true;
}

static inline enum approval_decision judge_line(struct hand *h, const char *line)
{
	char args[400];

	snprintf(args, sizeof args, "{\"command\":\"%s\"}", line);
	return judge(h, args);
}

static inline bool grant_line(struct hand *h, const char *line)
{
	char args[400];

	snprintf(args, sizeof args, "{\"command\":\"%s\"}", line);
	return grant(h, args, GRANT_SCOPE_SESSION, 0);
}

/* ---- a file system with links ---- */

static const char *link_from, *link_to; /* one link at a time; NULL: none */
static const char *there;               /* a file that exists */
static const char *content;             /* of every file that the digest is taken of */

static inline struct str with_link(void *owner, struct arena *mem, struct str path)
{
	struct str done = STR(""), left = path;

	(void)owner;
	while (left.len) {
		struct str name = str_cut(&left, '/');

		if (!name.len || str_eq(name, STR(".")))
			continue;
		if (str_eq(name, STR(".."))) {
			while (done.len && done.ptr[done.len - 1] != '/')
				done.len--;
			done.len -= done.len > 0;
			continue;
		}
		done = arena_printf(mem, "%.*s/%.*s", STR_ARG(done), STR_ARG(name));
		if (link_from && str_eq(done, str_from(link_from))) {
			left = arena_printf(mem, "%s/%.*s", link_to, STR_ARG(left));
			done = STR("");
		}
	}
	return done.len ? done : STR("/");
}

static inline struct str digest_of(void *owner, struct arena *mem, struct str path)
{
	(void)owner;
	(void)mem;
	if (there)
		return str_eq(path, str_from(there)) ? STR("there") : STR_NONE;
	return str_from(content);
}

static inline void use_files(struct hand *h)
{
	link_from = link_to = there = NULL;
	content = "abc";
	h->settings.real = with_link;
	h->settings.digest = digest_of;
}

#endif
