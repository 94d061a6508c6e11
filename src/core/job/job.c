/*
 * Queries about jobs and the ids of their items, used by decisions, folds and
 * views.
 */
#include "core/job/job.h"
#include "core/gen/tables.h"

#include <string.h>

const struct st_job *job_find(const struct state *w, struct str job_id)
{
	for (uint32_t i = w->s->jobs.count; i-- > 0;)
		if (str_eq(w->s->jobs.items[i]->record->job_id, job_id))
			return w->s->jobs.items[i];
	return NULL;
}

bool job_is_over(const struct st_job *j)
{
	return j->record->status != JOB_STATUS_PENDING && j->record->status != JOB_STATUS_RUNNING;
}

struct str job_item_id(struct arena *mem, struct str job_id, int64_t index)
{
	struct str body = id_has_prefix(job_id, "job") ? str_skip(job_id, 4) : job_id;

	return arena_printf(mem, "item_%.*s_%lld", STR_ARG(body), (long long)index);
}

/* The id is rebuilt and compared, so that no second spelling of an index names the same item. */
bool job_item_index(const struct st_job *j, struct str item_id, int64_t *ret)
{
	struct str rest = item_id;
	size_t at = item_id.len;

	while (at > 0 && item_id.ptr[at - 1] >= '0' && item_id.ptr[at - 1] <= '9')
		at--;
	rest = str_skip(item_id, at);
	if (!rest.len || !str_to_i64(rest, ret) || *ret < 0 || *ret >= j->record->progress->total)
		return false;
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	return str_eq(job_item_id(mem, j->record->job_id, *ret), item_id);
}

const struct st_job_item *job_item_open(const struct st_job *j, int64_t index, bool *ret_runs)
{
	for (uint32_t i = 0; i < j->running.count; i++)
		if (j->running.items[i]->index == index) {
			*ret_runs = true;
			return j->running.items[i];
		}
	*ret_runs = false;
	for (uint32_t i = 0; i < j->waiting.count; i++)
		if (j->waiting.items[i]->index == index)
			return j->waiting.items[i];
	return NULL;
}

/* ---- in decisions ---- */

const struct st_job *job_find_named(struct decision *d, struct str job_id)
{
	const struct st_job *j = job_find(d->w, job_id);

	if (!j)
		decision_refuse(d, ERROR_CODE_JOB_NOT_FOUND, "%.*s is not a job of this session",
		                STR_ARG(job_id));
	return j;
}

bool job_item_named(struct decision *d, const struct st_job *j, struct str item_id, int64_t *ret)
{
	if (job_item_index(j, item_id, ret))
		return true;
	decision_refuse(d, ERROR_CODE_JOB_ITEM_NOT_FOUND, "%.*s is not an item of %.*s",
	                STR_ARG(item_id), STR_ARG(j->record->job_id));
	return false;
}

void job_refuse_over(struct decision *d, const struct st_job *j)
{
	decision_refuse(d, ERROR_CODE_ALREADY_ENDED, "%.*s has ended as %.*s",
	                STR_ARG(j->record->job_id), STR_ARG(job_status_word(j->record->status)));
}

/*
 * A lease that is too short would lose healthy workers, one that is too long would hide dead ones.
 */
bool job_lease_read(struct decision *d, bool has, int64_t said, int64_t otherwise, int64_t *ret)
{
	*ret = has ? said : otherwise;
	if (*ret >= LIMIT_LEASE_MIN_MS && *ret <= LIMIT_LEASE_MAX_MS)
		return true;
	decision_refuse(d, ERROR_CODE_INVALID_VALUE, "leaseMs: %d to %d", LIMIT_LEASE_MIN_MS,
	                LIMIT_LEASE_MAX_MS);
	return false;
}
