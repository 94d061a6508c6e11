#ifndef ENGINE_MAINTENANCE_RECOVERY_H
#define ENGINE_MAINTENANCE_RECOVERY_H
/*
 * After a start: sessions with open work are read, and record what was lost.
 */
#include "base/json.h"
#include "base/jw.h"
#include "base/list.h"
#include "base/map.h"
#include "engine/listeners.h"

struct engine;
struct session;

enum recovery_stage { RECOVERY_TASKS, RECOVERY_BACKGROUND, RECOVERY_SESSIONS };

struct recovery {
	struct map
		listed; /* id → struct unrecovered: had open work at the start, and was not read yet */
	struct list queue; /* of them those that are read by themselves */
	unsigned active;   /* being read, or what they said is not durable */
	unsigned claimants;
	uint64_t total;
	bool is_listing;
	bool has_rows; /* the rows of counts are there, for every session */
	enum recovery_stage stage;
	struct arena *mem;
	int64_t from_at;
	struct str from_key;
	int64_t began_at, told_at; /* mono ms */
};

void recovery_begin(struct engine *e);  /* reads what is open; ready waits for it */
void recovery_ended(struct session *s); /* that is durable, or it does not exist */
void recovery_load(struct session *s, enum load_phase phase);
void recovery_pump(struct engine *e);      /* begins with the next ones */
void recovery_keep_rows(struct engine *e); /* notes that the rows of counts are complete */
/* The member of a reply that says how far it has come; nothing when it is over. */
void recovery_write(struct json_writer *w, const struct engine *e);
uint64_t recovery_left(const struct engine *e);
void recovery_free(struct engine *e);

#endif
