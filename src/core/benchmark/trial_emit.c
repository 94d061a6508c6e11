/* What all events about a trial share. */
#include "core/benchmark/trial.h"

struct event *trial_emit_in(struct decision *d, struct event *ev, const struct rec_trial_row *t)
{
	ev->thread_id = t->thread_id;
	ev->turn_id = t->turn_id;
	ev->task_id = t->task_id;
	ev->run_id = t->run_id;
	ev->trace_id = t->trace_id;
	ev->benchmark = rec_clone(d->mem, &rec_benchmark_desc, t->benchmark);
	for (uint32_t i = 0; i < t->refs.count; i++)
		decision_add_ref(d, ev, t->refs.items[i].key, t->refs.items[i].value);
	return ev;
}

void trial_emit_put_ref(struct arena *mem, struct dict *refs, struct str name, struct str ref)
{
	for (uint32_t i = 0; i < refs->count; i++)
		if (str_eq(refs->items[i].key, name)) {
			refs->items[i].value = ref;
			return;
		}
	rec_dict_put(mem, refs, name, ref);
}

static bool is_ref_name(struct str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.ptr[i];

		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
		      (i && c >= '0' && c <= '9')))
			return false;
	}
	return name.len > 0 && name.len <= 64;
}

static bool has_control(struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		if ((unsigned char)text.ptr[i] < 0x20 || text.ptr[i] == 0x7f)
			return true;
	return false;
}

bool trial_emit_refs_fit(struct decision *d, const struct dict *refs)
{
	if (refs->count > TRIAL_REFS_MAX) {
		decision_refuse(d, ERROR_CODE_INVALID_VALUE, "refs: at most %d", TRIAL_REFS_MAX);
		return false;
	}
	for (uint32_t i = 0; i < refs->count; i++) {
		struct str value = refs->items[i].value;

		if (is_ref_name(refs->items[i].key) && value.len && value.len <= TRIAL_REF_BYTES &&
		    !has_control(value))
			continue;
		decision_refuse(d, ERROR_CODE_INVALID_VALUE,
		                "refs: a name of letters and digits, and a path or ref of at most "
		                "%d bytes on one line",
		                TRIAL_REF_BYTES);
		return false;
	}
	return true;
}
