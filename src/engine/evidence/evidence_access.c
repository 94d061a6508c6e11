/*
 * Records reads with scope admin in the system session: who read what.  The read does
 * not wait for it.  A runtime that only reads, or whose disk is full, records nothing.
 */
#include "engine/evidence/evidence_access.h"

#include "base/memory.h"
#include "core/gen/inputs.h"
#include "engine/engine_state.h"
#include "engine/session/apply.h"

struct access {
	struct arena *mem;
	struct str command, principal, session;
};

/* s NULL: the session cannot be loaded. */
static void record_access(struct session *s, void *arg)
{
	struct access *a = arg;

	if (s && s->phase == SESSION_LIVE) {
		struct decision *d = apply_begin(s, NULL);

		input_evidence_decide_access(
			d, arena_keep(d->mem, a->command), arena_keep(d->mem, a->principal),
			str_is(a->session) ? arena_keep(d->mem, a->session) : STR_NONE);
		apply_end(s, d);
	}
	arena_free(a->mem);
}

void evidence_access_note(struct request *r)
{
	const struct command_class *class = &command_classes[r->command.command];
	struct engine *e = r->engine;
	struct arena *mem;
	struct access *a;

	if (class->mutates || class->scope != SCOPE_ADMIN || e->is_full ||
	    e->options.config->store_read_only)
		return;
	mem = arena_new();
	a = ARENA_NEW(mem, struct access);
	*a = (struct access){ .mem = mem,
		              .command = class->name,
		              .principal = arena_keep(mem, r->caller.principal),
		              .session = str_is(r->session_id) ? arena_keep(mem, r->session_id)
		                                               : STR_NONE };
	request_job_late(e, STR("sess_system"), true, ELSEWHERE_OWN, record_access, a);
}
