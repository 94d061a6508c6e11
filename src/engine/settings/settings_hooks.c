/* The hooks of the configuration and of the directories where sessions work. */
#include "engine/settings/settings_hooks.h"

#include "engine/engine_state.h"

static struct settings_hook hook_of(struct arena *mem, const struct hook_info *i)
{
	return (struct settings_hook){
		.ref = arena_keep(mem, i->ref),
		.point = rec_enum_read(&enum_hook_point, i->point),
		.kind = rec_enum_read(&enum_hook_handler, i->kind),
		.match = arena_keep(mem, i->match),
		.timeout_ms = i->timeout_ms,
		.on_failure = rec_enum_read(&enum_fail_policy, i->on_failure),
		.trust = rec_enum_read(&enum_hook_trust, i->trust),
	};
}

/* Hooks of the configuration are read once; those of directories for every decision. */
void settings_hooks_take(struct engine *e)
{
	struct hooks *h = e->ports.hooks;
	const struct hook_info *infos;
	size_t count = h ? h->ops->list(h, &infos) : 0;
	struct settings_hook *out = ARENA_ARRAY(e->mem, struct settings_hook, count + 1);

	for (size_t i = 0; i < count; i++)
		out[i] = hook_of(e->mem, &infos[i]);
	e->settings.hooks = out;
	e->settings.hook_count = count;
}

size_t settings_hooks_list_at(const struct engine *e, struct str cwd, const struct hook_info **ret)
{
	struct hooks *h = e->ports.hooks;

	return h && h->ops->list_at ? h->ops->list_at(h, cwd, ret) : 0;
}

/* Hooks of a directory run only when the user trusts the file that defines them. */
void settings_hooks_fill(const struct engine *e, struct str cwd, struct arena *mem,
                         struct settings *s)
{
	const struct hook_info *infos;
	size_t count = settings_hooks_list_at(e, cwd, &infos);
	struct settings_hook *out;

	if (!count)
		return;
	out = ARENA_ARRAY(mem, struct settings_hook, s->hook_count + count);
	for (size_t i = 0; i < s->hook_count; i++)
		out[i] = s->hooks[i];
	s->hooks = out;
	for (size_t i = 0; i < count; i++)
		if (!str_eq(infos[i].trust, STR("untrusted")))
			out[s->hook_count++] = hook_of(mem, &infos[i]);
}

void settings_hooks_renew(struct engine *e, struct str cwd)
{
	struct hooks *h = e->ports.hooks;

	if (h && h->ops->look)
		h->ops->look(h, cwd);
}
