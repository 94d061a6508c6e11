#ifndef ENGINE_MAINTENANCE_ANCHOR_PARTS_H
#define ENGINE_MAINTENANCE_ANCHOR_PARTS_H
/* Private to the files anchor*.c. */
#include "engine/maintenance/anchor.h"

#include "base/hash/merkle.h"
#include "ports/signer.h"

#define ANCHOR_SYSTEM STR("sess_system")

/* The head of a session. */
struct head_seen {
	uint64_t seq;
	struct sha256 hash;
	uint64_t anchor; /* the event of sess_system that names it */
	uint64_t taken;  /* the sequence in the anchor that is being written; 0: in none */
	size_t len;
	char id[];
};

/* An anchor as its event has it.  A page of sess_system has no more than PAGE of them. */
#define ANCHOR_PAGE 256
struct found_anchor {
	uint64_t seq;
	char root[80], ref[80]; /* empty: too long for either */
};

struct anchor_round;
struct anchor_sending;
struct anchor_seed;

/*
 * `changed` collects heads for the next anchor; `named` holds those that earlier anchors
 * name, up to event `through` of sess_system.
 */
struct anchors {
	struct engine *engine;
	struct map changed;         /* since the last durable anchor */
	struct anchor_seed *seed;   /* reads what changed before; NULL: that is known */
	struct anchor_round *round; /* the anchor that is being made; NULL: none */
	struct list wants;          /* struct anchor_want: for the next one */
	struct clock_timer timer;
	struct anchor_sending *sending; /* to the operator's places; NULL: there are none */
	struct error sign_trouble;      /* why the last anchor could not be signed */
	/* For verify_log. */
	struct map named;
	struct map removed; /* sessions that were deleted, with their last heads */
	uint64_t through, bad;
	uint64_t floor;      /* events of sess_system that are gone: nothing is known from them */
	unsigned generation; /* grows when all is read again */
};

/* anchor.c */
struct str anchor_head_id(const struct head_seen *h);
struct head_seen *anchor_head_in(struct map *m, struct str id);
void anchor_heads_drop(struct map *m);

/* anchor_round.c */
/* The anchor is durable up to this event of sess_system. */
void anchor_round_durable(struct engine *e, uint64_t seq);
/* It never happened: its heads wait for the next one. */
void anchor_round_dropped(struct engine *e);
/* A round that names the session and is not written begins again without it. */
void anchor_round_forget(struct anchors *a, struct str session);
void anchor_round_begin(struct session *s, void *engine);
void anchor_round_free(struct anchors *a);

/* anchor_seed.c */
/* Adds heads of the run before to `changed`. */
void anchor_seed_begin(struct anchors *a);
void anchor_seed_free(struct anchors *a);

/* anchor_send.c */
void anchor_send_init(struct anchors *a);
void anchor_send_free(struct anchors *a);
void anchor_send(struct anchors *a, struct str note);
/* Tries again what could not be sent. */
void anchor_send_again(struct anchors *a);

#endif
