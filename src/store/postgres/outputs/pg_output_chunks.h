#ifndef STORE_POSTGRES_PG_OUTPUT_CHUNKS_H
#define STORE_POSTGRES_PG_OUTPUT_CHUNKS_H
/* The statements about outputs in chunks; pg_output_work.h describes the jobs. */
#include "store/postgres/outputs/pg_output_job.h"
#include "store/postgres/wire/pg_conn.h"

enum err pg_output_chunks_put(struct pg_conn *c, struct pg_output_job *job,
                              struct error *e) MUST_USE;
enum err pg_output_chunks_seal(struct pg_conn *c, struct pg_output_job *job,
                               struct error *e) MUST_USE;
enum err pg_output_chunks_recover(struct pg_conn *c, struct pg_output_job *job,
                                  struct error *e) MUST_USE;
enum err pg_output_chunks_read(struct pg_conn *c, struct pg_output_job *job,
                               struct error *e) MUST_USE;

#endif
