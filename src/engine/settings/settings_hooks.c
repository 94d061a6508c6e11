/* The hooks of the configuration and of the directories where sessions work. */
#include "engine/settings/settings_hooks.h"

#include "engine/engine_state.h"

/* The strings of a directory's hook are freed when its file is read again. */
static struct hook_info hook_copy(struct arena *mem, const struct hook_info *i)
{
	struct hook_info h = *i;

	h.ref = arena_keep(mem, i->ref);
	h.match = arena_keep(mem, i->match);
	h.handler = arena_keep(mem, i->handler);
	return h;
}

/* Hooks of the configuration are read once; those of directories for every decision. */
void settings_hooks_take(struct engine *e)
{
	struct hooks *h = e->ports.hooks;
	const struct hook_info *infos;
	size_t count = h ? h->ops->list(h, &infos) : 0;
	struct hook_info *out = ARENA_ARRAY(e->mem, struct hook_info, count + 1);

	for (size_t i = 0; i < count; i++)
		out[i] = hook_copy(e->mem, &infos[i]);
	e->settings.hooks = out;
	e->settings.hook_count = count;
}

size_t settings_hooks_list_at(const struct engine *e, struct str cwd, const struct hook_info **ret)
{
	struct hooks *h = e->ports.hooks;

	return h && h->ops->list_at ? h->ops->list_at(h, cwd, ret) : 0;
}

/* Hooks of a directory run only when the user trusts the file that defines them. */
size_t settings_hooks_fill(const struct engine *e, struct str cwd, struct arena *mem,
                           struct settings *s)
{
	const struct hook_info *infos;
	size_t count = settings_hooks_list_at(e, cwd, &infos);
	size_t before = s->hook_count;
	struct hook_info *out;

	if (!count)
		return 0;
	out = ARENA_ARRAY(mem, struct hook_info, s->hook_count + count);
	for (size_t i = 0; i < s->hook_count; i++)
		out[i] = s->hooks[i];
	s->hooks = out;
	for (size_t i = 0; i < count; i++)
		if (infos[i].trust != HOOK_TRUST_UNTRUSTED)
			out[s->hook_count++] = hook_copy(mem, &infos[i]);
	return s->hook_count - before;
}

void settings_hooks_renew(struct engine *e, struct str cwd)
{
	struct hooks *h = e->ports.hooks;

	if (h && h->ops->look)
		h->ops->look(h, cwd);
}
