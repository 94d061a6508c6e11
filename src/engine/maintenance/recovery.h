#ifndef ENGINE_MAINTENANCE_RECOVERY_H
#define ENGINE_MAINTENANCE_RECOVERY_H
/*
 * Recovery after a start, or after the end of another node: loads sessions with
 * open work and records what was lost.
 */
#include "base/json.h"
#include "base/jw.h"
#include "base/list.h"
#include "base/map.h"
#include "engine/listeners.h"

struct engine;
struct session;

/*
 * The rows that the start reads, in this order: counts of running tasks, sessions with
 * background processes, sessions with open work.  A log without rows of counts starts with
 * the last.
 */
enum recovery_stage { RECOVERY_TASKS, RECOVERY_BACKGROUND, RECOVERY_SESSIONS };

struct recovery {
	/* id → struct unrecovered: had open work at the start, and was not loaded yet */
	struct map listed;
	struct list queue; /* of them those that are loaded without a request */
	unsigned active;   /* loading, or their events are not durable */
	unsigned claimants;
	uint64_t total;
	bool is_listing;
	bool has_rows; /* every session has its rows of counts */
	enum recovery_stage stage;
	struct arena *mem;
	int64_t from_at;
	struct str from_key;
	int64_t began_at, logged_at; /* mono ms */
};

void recovery_begin(struct engine *e);  /* reads what is open; ready waits for it */
void recovery_ended(struct session *s); /* its events are durable, or it does not exist */
/* Their owner ended; any node may continue them. */
void recovery_orphans(struct engine *e, const struct str *sessions, size_t count);
void recovery_load(struct session *s, enum load_phase phase);
void recovery_pump(struct engine *e);      /* starts the next ones */
void recovery_keep_rows(struct engine *e); /* records that the rows of counts are complete */
/* Writes the progress into a reply; nothing when recovery is over. */
void recovery_write(struct json_writer *w, const struct engine *e);
uint64_t recovery_left(const struct engine *e);
void recovery_free(struct engine *e);

#endif
