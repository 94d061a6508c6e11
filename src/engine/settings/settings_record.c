/*
 * The records of settings: text by the catalogue (core/settings/settings_text.h),
 * stored once per content as a blob that no session owns, and named by every
 * turn, so that a reader of the log can take each decision again.
 *
 * Directories with tools or hooks of their own have records of their own.  The
 * last ones are remembered by what they were made of, because a decision must
 * not write and hash all settings.
 */
#include "engine/settings/settings_record.h"

#include "base/jw.h"
#include "base/os/log.h"
#include "core/context/prompt.h"
#include "core/settings/settings_text.h"

/* Directories whose records are remembered; the oldest leaves, and is written again if needed. */
#define VARIANTS_MAX 64

struct record_refs {
	struct str settings, inventory;
};

struct settings_variant {
	struct list node;
	struct arena *mem;
	uint64_t base, tools; /* ticks: of the settings, of the directory's tools */
	struct str hooks;     /* of the directory, as text */
	struct record_refs refs;
	bool is_stored; /* otherwise the next decision tries again */
};

uint64_t settings_record_tick(struct engine *e)
{
	return ++e->record.ticks;
}

void settings_record_changed(struct engine *e)
{
	e->record.now = settings_record_tick(e);
}

static enum err keep_text(struct engine *e, struct str ref, const char *media_type, struct str text,
                          struct error *err)
{
	struct store *st = e->ports.store;

	if (e->is_closing)
		return fail(err, ERR_CLOSED, "the store is closed");
	return st->ops->keep_blob(st, ref, str_from(media_type), text, err);
}

/* The refs name exactly these settings and tools, stored or not; failures are logged once. */
static bool keep_settings(struct engine *e, const struct settings *s, struct arena *keep,
                          struct record_refs *ret)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = settings_text(mem, s), ref = settings_text_ref(mem, text);
	struct str tools = settings_text_inventory(mem, s);
	struct str inventory = settings_text_ref(mem, tools);
	struct error err;
	bool is_stored = e->options.config->store_read_only ||
	                 (keep_text(e, ref, "application/json", text, &err) == OK &&
	                  keep_text(e, inventory, "application/json", tools, &err) == OK);

	if (!is_stored && !e->record.is_late && !e->is_closing)
		log_line(LOG_ERROR, "engine", "the record of the settings was not stored: %s",
		         err.message);
	e->record.is_late = !is_stored;
	*ret = (struct record_refs){ .settings = arena_keep(keep, ref),
		                     .inventory = arena_keep(keep, inventory) };
	return is_stored;
}

static void take_ref(struct engine *e, struct str ref, struct str *now)
{
	if (!str_is(*now) || !str_eq(ref, *now))
		*now = arena_keep(e->mem, ref);
}

/*
 * A ref is short, and settings rarely change, so the arena grows little.  A record that
 * could not be stored is tried again by the next look: on a full disk, running work ends
 * under settings that the log names.
 */
void settings_record_look(struct engine *e)
{
	struct record_refs refs;

	if (e->record.stored == e->record.now)
		return;
	if (keep_settings(e, &e->settings, e->scratch, &refs))
		e->record.stored = e->record.now;
	take_ref(e, refs.settings, &e->settings.config_ref);
	take_ref(e, refs.inventory, &e->settings.inventory_ref);
	e->environment->env_ref = e->settings.config_ref;
}

enum err settings_record_prompt(struct engine *e, struct error *err)
{
	struct str ref = settings_text_ref(e->mem, prompt_text_system);
	enum err code = keep_text(e, ref, "text/plain", prompt_text_system, err);

	if (!code)
		e->settings.prompt_ref = ref;
	return code;
}

void settings_record_rules(struct engine *e, struct str ref, struct str text)
{
	struct error err;

	/* Rules that are read while the runtime closes decide nothing any more. */
	if (!e->is_closing && keep_text(e, ref, "application/json", text, &err) != OK)
		log_line(LOG_ERROR, "engine", "the rules %.*s were not stored: %s", STR_ARG(ref),
		         err.message);
}

/* ---- directories ---- */

static struct str hooks_text(struct arena *mem, const struct settings *s, size_t hook_count)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;

	jw_init(&w, &out);
	jw_arr(&w);
	for (size_t i = s->hook_count - hook_count; i < s->hook_count; i++)
		rec_write(&w, &hook_info_desc, &s->hooks[i]);
	jw_arr_end(&w);
	return arena_keep(mem, buf_str(&out));
}

static void variant_free(struct engine *e, struct settings_variant *v)
{
	e->record.variant_count--;
	list_remove(&v->node);
	arena_free(v->mem);
}

static struct settings_variant *variant_find(const struct engine *e, uint64_t tools,
                                             struct str hooks)
{
	LIST_EACH (&e->record.variants, node) {
		struct settings_variant *v = LIST_ITEM(node, struct settings_variant, node);

		if (v->base == e->record.now && v->tools == tools && str_eq(v->hooks, hooks))
			return v;
	}
	return NULL;
}

static struct settings_variant *variant_new(struct engine *e, uint64_t tools, struct str hooks,
                                            const struct settings *s)
{
	struct arena *mem = arena_new_small();
	struct settings_variant *v = ARENA_NEW(mem, struct settings_variant);

	if (e->record.variant_count == VARIANTS_MAX)
		variant_free(e, LIST_ITEM(e->record.variants.next, struct settings_variant, node));
	*v = (struct settings_variant){
		.mem = mem, .base = e->record.now, .tools = tools, .hooks = arena_keep(mem, hooks)
	};
	v->is_stored = keep_settings(e, s, mem, &v->refs);
	list_add(&e->record.variants, &v->node);
	e->record.variant_count++;
	return v;
}

/* The environment names the record that it is part of, so it is copied with the ref. */
void settings_record_fill(struct engine *e, struct arena *mem, uint64_t tools, size_t hook_count,
                          struct settings *mine)
{
	struct rec_execution_environment *env = ARENA_NEW(mem, struct rec_execution_environment);
	struct str hooks = hooks_text(mem, mine, hook_count);
	struct settings_variant *v = variant_find(e, tools, hooks);

	if (!v)
		v = variant_new(e, tools, hooks, mine);
	*env = *mine->environment;
	env->env_ref = mine->config_ref = arena_keep(mem, v->refs.settings);
	mine->inventory_ref = arena_keep(mem, v->refs.inventory);
	mine->environment = env;
	if (!v->is_stored)
		variant_free(e, v);
}

void settings_record_free(struct engine *e)
{
	while (e->record.variants.next && !list_is_empty(&e->record.variants))
		variant_free(e, LIST_ITEM(e->record.variants.next, struct settings_variant, node));
}
