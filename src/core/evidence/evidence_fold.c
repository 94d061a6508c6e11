/* Folds exports and recorded outcomes into what evidence_summary shows. */
#include "core/fold_part.h"
#include "core/gen/tables.h"

static uint32_t count_of(const struct state *w, struct str kind)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < w->s->evidence.count; i++)
		count += str_eq(w->s->evidence.items[i]->kind, kind);
	return count;
}

/* The oldest of the kind that has the most: many notes leave the verifications. */
static void make_room(struct state *w)
{
	uint32_t oldest = 0, most = 0;

	for (uint32_t i = 0; i < w->s->evidence.count; i++) {
		uint32_t count = count_of(w, w->s->evidence.items[i]->kind);

		if (count > most) {
			most = count;
			oldest = i;
		}
	}
	rec_list_remove(&w->s->evidence, oldest);
}

/* The pack, the replay case and the review of a scope have one id. */
static struct st_evidence *entry_of(struct state *w, struct str id, struct str kind)
{
	for (uint32_t i = 0; i < w->s->evidence.count; i++)
		if (str_eq(w->s->evidence.items[i]->evidence_id, id) &&
		    str_eq(w->s->evidence.items[i]->kind, kind))
			return w->s->evidence.items[i];
	if (w->s->evidence.count == WINDOW_EVIDENCE)
		make_room(w);
	return rec_list_add(w->mem, &w->s->evidence, &st_evidence_desc);
}

static struct str ref_of(const struct ev_evidence_changed *p)
{
	return str_is(p->pack_ref)     ? p->pack_ref
	       : str_is(p->replay_ref) ? p->replay_ref
	                               : p->review_ref;
}

void evidence_on_evidence_changed(struct state *w, const struct event *ev,
                                  const struct ev_evidence_changed *p)
{
	struct st_evidence *x = entry_of(w, ev->evidence_id, p->kind);
	struct rec_verification outcome = { .name = str_is(p->name) ? p->name : p->kind,
		                            .status = p->outcome,
		                            .verifier_ref = p->verifier_ref };

	x->evidence_id = KEEP(w, ev->evidence_id);
	x->kind = KEEP(w, p->kind);
	x->thread_id = KEEP(w, ev->thread_id);
	x->ref = KEEP(w, ref_of(p));
	x->from_sequence = p->has_from_sequence ? p->from_sequence : 0;
	x->to_sequence = p->has_to_sequence ? p->to_sequence : 0;
	x->note = KEEP(w, p->note);
	if (str_is(p->outcome))
		x->outcome = rec_clone(w->mem, &rec_verification_desc, &outcome);
	x->known_gaps = (struct list_str){ 0 };
	for (uint32_t i = 0; i < p->known_gaps.count; i++)
		rec_list_str_add(w->mem, &x->known_gaps, p->known_gaps.items[i]);
}
