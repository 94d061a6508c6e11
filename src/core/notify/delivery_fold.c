/* Folds deliveries: receiver, subject and progress of each. */
#include "core/fold_part.h"
#include "core/notify/delivery.h"
#include "core/gen/tables.h"

#define WINDOW_DELIVERIES LIMIT_TERMINAL_WINDOW

static void drop_oldest(struct state *w)
{
	uint32_t ended = 0;

	for (uint32_t i = w->s->deliveries.count; i-- > 0;)
		if (!delivery_is_open(w->s->deliveries.items[i]) && ++ended > WINDOW_DELIVERIES)
			rec_list_remove(&w->s->deliveries, i);
}

/* The task shows how its end was delivered; of several receivers the worst status. */
static void show_in_task(struct state *w, struct str task_id)
{
	struct st_task *t = state_task(w, task_id);
	const struct rec_delivery *worst = NULL;
	struct rec_delivery_state state;

	for (uint32_t i = 0; i < w->s->deliveries.count; i++) {
		const struct rec_delivery *r = w->s->deliveries.items[i]->record;

		if (r->subject == DELIVERY_SUBJECT_TASK && str_eq(r->subject_id, task_id) &&
		    (!worst || delivery_weight(r->state) >= delivery_weight(worst->state)))
			worst = r;
	}
	if (!t || !worst)
		return;
	state = (struct rec_delivery_state){ worst->state, worst->to, worst->reason };
	t->record->delivery_state = rec_clone(w->mem, &rec_delivery_state_desc, &state);
}

/* Deliveries have no class in the standard; session.updated carries them (GAP-29). */
void delivery_on_session_updated(struct state *w, const struct event *ev,
                                 const struct ev_session_updated *p)
{
	struct st_delivery *s = p->delivery ? delivery_find(w, p->delivery->delivery_id) : NULL;

	if (!p->delivery)
		return;
	if (!s) {
		s = rec_list_add(w->mem, &w->s->deliveries, &st_delivery_desc);
		s->thread_id = KEEP(w, ev->thread_id);
	}
	s->record = rec_clone(w->mem, &rec_delivery_desc, p->delivery);
	if (p->delivery->subject == DELIVERY_SUBJECT_TASK)
		show_in_task(w, p->delivery->subject_id);
	drop_oldest(w);
}
