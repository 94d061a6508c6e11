/* Where the events of tasks begin, which events they are, and where peers reach this runtime. */
#include "serve/a2a/a2a_place.h"

#include "base/memory.h"

/* ---- events ---- */

#define IN(word, type) ((type) / 64 == (word) ? (uint64_t)1 << ((type) % 64) : 0)
#define TYPES(word)                                                                                \
	(IN(word, EV_TASK_CREATED) | IN(word, EV_TASK_ACCEPTED) | IN(word, EV_TASK_QUEUED) |       \
	 IN(word, EV_TASK_STARTED) | IN(word, EV_TASK_WAITING) | IN(word, EV_TASK_RESUMED) |       \
	 IN(word, EV_TASK_PAUSED) | IN(word, EV_TASK_RETRYING) | IN(word, EV_TASK_BLOCKED) |       \
	 IN(word, EV_TASK_COMPLETED) | IN(word, EV_TASK_FAILED) | IN(word, EV_TASK_CANCELLED) |    \
	 IN(word, EV_TASK_TIMED_OUT) | IN(word, EV_TASK_LOST) | IN(word, EV_TURN_SUBMITTED) |      \
	 IN(word, EV_MODEL_DELTA) | IN(word, EV_MODEL_COMPLETED) | IN(word, EV_MODEL_FAILED) |     \
	 IN(word, EV_ACTION_REQUIRED) | IN(word, EV_ACTION_RESOLVED) |                             \
	 IN(word, EV_ARTIFACT_CHANGED))

const uint64_t a2a_place_types[2] = { TYPES(0), TYPES(1) };

/* ---- places ---- */

static uint64_t place_key(struct str session_id, struct str task_id)
{
	return str_hash(session_id) * 31 + str_hash(task_id);
}

uint64_t a2a_place_of(const struct a2a_edge *edge, struct str session_id, struct str task_id)
{
	uint64_t key = place_key(session_id, task_id);
	const struct a2a_place *p = edge->places ? &edge->places[key % LIMIT_A2A_PLACES] : NULL;

	return p && p->key == key && p->sequence ? p->sequence - 1 : 0;
}

void a2a_place_learn(struct a2a_edge *edge, struct str session_id, struct str task_id,
                     uint64_t first_sequence)
{
	uint64_t key = place_key(session_id, task_id);

	if (!edge->places)
		edge->places = memory_zeroed(LIMIT_A2A_PLACES, sizeof *edge->places);
	edge->places[key % LIMIT_A2A_PLACES] =
		(struct a2a_place){ .key = key, .sequence = first_sequence };
}

/* ---- addresses ---- */

/* The Host of a request was checked; over the Unix socket it says nothing. */
struct str a2a_place_url(const struct a2a_edge *edge, struct arena *mem,
                         const struct http_request *req)
{
	char text[SERVE_URL_MAX];
	struct str url;

	if (edge->opt.url.len)
		return edge->opt.url;
	if (str_find_char(req->in.host, ':') >= 0 ||
	    forwarded_is_proxy(&edge->serve->auth.proxies, http_reply_stream_of(req)))
		return auth_url(&edge->serve->auth, mem, &req->in, http_reply_stream_of(req));
	url = serve_state_url(edge->serve, 0, text);
	return str_is(url) ? arena_keep(mem, url)
	                   : arena_printf(mem, "http://%.*s", STR_ARG(req->in.host));
}
