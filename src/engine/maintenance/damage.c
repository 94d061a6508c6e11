/*
 * Unreadable places in the log: damaged on disk, or refused by the system.
 *
 * Each is logged when it is first met and kept for `thole doctor`, which calls
 * get_capabilities.  The affected session replies session_unreadable where it
 * needs them; other sessions are not affected.
 */
#include "engine/maintenance/damage.h"

#include "base/jw.h"
#include "base/memory.h"
#include "base/os/log.h"
#include "engine/engine_state.h"

#include <stdio.h>

/* More than these are only counted. */
#define DAMAGES_MAX 64

struct damage {
	struct list node;
	struct str session;
	uint64_t from, to;
	char why[256];
	char text[];
};

void damage_init(struct engine *e)
{
	list_init(&e->damages);
}

void damage_free(struct engine *e)
{
	while (!list_is_empty(&e->damages)) {
		struct damage *d = LIST_ITEM(e->damages.next, struct damage, node);

		list_remove(&d->node);
		memory_free(d);
	}
}

static bool is_known(const struct engine *e, struct str session, uint64_t from, uint64_t to)
{
	for (const struct list *n = e->damages.next; n != &e->damages; n = n->next) {
		const struct damage *d = LIST_ITEM(n, struct damage, node);

		if (str_eq(d->session, session) && d->from == from && d->to == to)
			return true;
	}
	return false;
}

/*
 * Logged once per place: clients repeat requests for a damaged session.  from 0: the whole
 * session, or a part that is not known by its sequence.
 */
void damage_note(struct engine *e, struct str session, uint64_t from, uint64_t to, const char *why)
{
	struct damage *d;

	if (!str_is(session))
		session = STR("");
	if (e->is_stopping || is_known(e, session, from, to) || e->damage_count++ >= DAMAGES_MAX)
		return;
	d = memory_zeroed(1, sizeof *d + session.len + 1);
	memcpy(d->text, session.ptr, session.len);
	d->session = str_of(d->text, session.len);
	d->from = from;
	d->to = to;
	snprintf(d->why, sizeof d->why, "%s", why);
	list_add(&e->damages, &d->node);
	if (from)
		log_line(LOG_ERROR, "store",
		         "events %llu to %llu of %.*s cannot be given out: %s. Other sessions are "
		         "not affected; restore the data directory from a backup to have them back",
		         (unsigned long long)from, (unsigned long long)to, STR_ARG(d->session),
		         why);
	else
		log_line(LOG_ERROR, "store", "%.*s%scannot be read: %s", STR_ARG(d->session),
		         session.len ? " " : "a part of the log ", why);
}

void damage_of(struct engine *e, const struct store_read *read)
{
	struct str session = read->kind == READ_ALL ? read->corrupt_session : read->session;

	if (read->is_corrupt)
		damage_note(e, session, read->corrupt_from, read->corrupt_to,
		            "the data on disk differs from what was written");
	else if (read->result != OK && damage_code(read) == ERROR_CODE_SESSION_UNREADABLE)
		damage_note(e, session, 0, 0, read->error.message);
}

void damage_write(const struct engine *e, struct json_writer *w)
{
	jw_arr(w);
	for (const struct list *n = e->damages.next; n != &e->damages; n = n->next) {
		const struct damage *d = LIST_ITEM(n, struct damage, node);

		jw_obj(w);
		if (d->session.len)
			JW_KSTR(w, "sessionId", d->session);
		if (d->from) {
			JW_KINT(w, "from", (int64_t)d->from);
			JW_KINT(w, "to", (int64_t)d->to);
		}
		JW_KSTR(w, "reason", str_from(d->why));
		jw_obj_end(w);
	}
	jw_arr_end(w);
}

/*
 * An error of one record is the session's; after the store has ended, every read fails and
 * the error is the store's.
 */
enum error_code damage_code(const struct store_read *read)
{
	bool is_unread =
		read->result == ERR_CORRUPT || read->result == ERR_IO || read->result == ERR_STORE;

	if (read->error.detail == STORE_BEHIND)
		return ERROR_CODE_SESSION_BEHIND;
	if (read->error.detail == STORE_NEWER)
		return ERROR_CODE_SESSION_NEEDS_NEWER;
	if (read->result == ERR_UNAVAILABLE)
		return ERROR_CODE_STORE_UNAVAILABLE;
	return is_unread && read->error.detail == STORE_LIVES ? ERROR_CODE_SESSION_UNREADABLE
	                                                      : ERROR_CODE_STORE_FAILED;
}
