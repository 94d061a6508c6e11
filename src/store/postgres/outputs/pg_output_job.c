/* Jobs about outputs. */
#include "store/postgres/outputs/pg_output_job.h"

#include "base/memory.h"

#include <stdio.h>
#include <stdlib.h>

struct pg_output_job *pg_output_job_new(enum pg_output_kind kind, const char *ref, void *owner)
{
	struct pg_output_job *job = memory_zeroed(1, sizeof *job);

	job->kind = kind;
	job->owner = owner;
	snprintf(job->ref, sizeof job->ref, "%s", ref);
	return job;
}

void pg_output_job_free(struct pg_output_job *job)
{
	memory_free(job->digest);
	free(job->data);
	memory_free(job);
}
