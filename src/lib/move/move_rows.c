/*
 * The copy of rows.  The two stores work at the same time: only the thread uses the source
 * while the caller uses the target.
 */
#include "lib/move/move_rows.h"

#include <pthread.h>
#include <signal.h>

struct str move_rows_progress(struct arena *mem, const char *source, unsigned part,
                              struct str after)
{
	return arena_printf(mem, MOVE_ROWS_VERSION " %s %u %.*s", source, part, STR_ARG(after));
}

/* A page that is being taken. */
struct taking {
	struct store *from;
	struct store_page page;
	enum err result;
	struct error error;
	bool has_thread;
	pthread_t thread;
};

static void *take_page(void *arg)
{
	struct taking *t = arg;

	t->result = t->from->move->take(t->from, &t->page, &t->error);
	return NULL;
}

/* Signals belong to the program, so the thread blocks them. */
static void take_begin(struct taking *t, struct store *from, enum store_part part, struct str after)
{
	sigset_t all, old;

	*t = (struct taking){ .from = from, .page = { .part = part, .after = after } };
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	t->has_thread = pthread_create(&t->thread, NULL, take_page, t) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (!t->has_thread)
		take_page(t);
}

static enum err take_end(struct taking *t, struct error *e)
{
	if (t->has_thread)
		pthread_join(t->thread, NULL);
	if (t->result != OK)
		*e = t->error;
	return t->result;
}

static uint64_t count_events(const struct store_page *page)
{
	uint64_t count = 0;

	if (page->part == STORE_PART_EVENT)
		return page->rows;
	for (size_t i = 0; page->part == STORE_PART_PACK && i < page->rows; i++) {
		const struct store_cell *row = port_store_page_row(page, i);

		count += (uint64_t)(row[2].number - row[1].number + 1);
	}
	return count;
}

static enum err put_page(const struct move_rows *r, const struct store_page *page, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();
	struct store *to = r->to->store;

	return to->move->put(to, page, move_rows_progress(mem, r->source, page->part, page->next),
	                     e);
}

/* `now` was taken; the next one is taken while it is written. */
static enum err copy_part(const struct move_rows *r, enum store_part part, uint64_t *events,
                          struct error *e)
{
	struct store *from = r->from->store;
	struct taking now, next;
	enum err err;

	take_begin(&now, from, part, part == r->part ? r->after : STR_NONE);
	err = take_end(&now, e);
	while (err == OK && now.page.rows) {
		struct error why;
		enum err taken;

		take_begin(&next, from, part, now.page.next);
		err = put_page(r, &now.page, e);
		taken = take_end(&next, &why);
		if (err == OK && taken != OK) {
			*e = why;
			err = taken;
		}
		*events += count_events(&now.page);
		if (r->o->tell)
			r->o->tell(r->o->owner, "events copied", *events);
		port_store_page_done(&now.page);
		now = next;
	}
	port_store_page_done(&now.page);
	return err;
}

enum err move_rows_run(const struct move_rows *r, struct error *e)
{
	uint64_t events = 0;
	enum err err = OK;

	for (unsigned part = r->part; err == OK && part < STORE_PARTS; part++)
		if (part != STORE_PART_OUTPUT)
			err = copy_part(r, (enum store_part)part, &events, e);
	return err;
}
