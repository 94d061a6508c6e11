/* Peers as channels: enrolled, seen, at rest. */
#include "serve/peers.h"

#include "base/os/log.h"
#include "base/jw.h"
#include "ports/clock.h"
#include "ports/store_own.h"

#define PATIENCE_MS 90000
#define REST_MS 15000
#define SAVED_ONE_BY_ONE 64
#define SAVING_MS 2000

static int64_t wall_now(const struct peers *ps)
{
	return ps->clock ? ps->clock->ops->wall_ms(ps->clock) : 0;
}

static struct peer_channel *add_peer(struct peers *ps, struct str principal)
{
	struct arena *mem = arena_new_small();
	struct peer_channel *p = ARENA_NEW(mem, struct peer_channel);

	p->mem = mem;
	p->principal = arena_keep(mem, principal);
	list_init(&p->node);
	list_add(&ps->all, &p->node);
	ps->count++;
	map_put(&ps->by_principal, p->principal, p);
	return p;
}

static struct peer_channel *find_peer(struct peers *ps, struct str principal)
{
	return map_get(&ps->by_principal, principal);
}

/* ---- the list in the store ---- */

/* A peer whose channel cannot be kept gets a new one after the next start. */
static void save_peers(struct peers *ps)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct json_writer w;
	struct error e;

	if (!ps->store)
		return;
	jw_init(&w, &out);
	jw_arr(&w);
	LIST_EACH (&ps->all, node) {
		struct peer_channel *p = LIST_ITEM(node, struct peer_channel, node);

		if (!str_is(p->channel_id))
			continue;
		jw_obj(&w);
		JW_KSTR(&w, "principal", p->principal);
		JW_KSTR(&w, "channelId", p->channel_id);
		JW_KSTR(&w, "resumeToken", p->resume_token);
		jw_obj_end(&w);
	}
	jw_arr_end(&w);
	if (port_store_set_own(ps->store, str_from(ps->kind->kept_as), buf_str(&out), &e) != OK)
		log_line(LOG_WARN, ps->kind->native_protocol,
		         "the channels of peers cannot be kept: %s", e.message);
}

static void on_saving(struct loop_timer *t)
{
	save_peers(OWNER_OF(t, struct peers, saving));
}

/* The list is one value of the store, so with many peers several new ones are saved together. */
static void save_soon(struct peers *ps)
{
	if (ps->count <= SAVED_ONE_BY_ONE)
		save_peers(ps);
	else if (!loop_timer_is_running(&ps->saving))
		loop_timer_start(ps->loop, &ps->saving, SAVING_MS, on_saving);
}

static enum err read_peers(struct peers *ps, struct str text, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json_iter it;
	struct json all, row;
	struct str key;

	if (json_read(mem, text, &all, e) != OK)
		return e->code;
	it = json_iter(all);
	while (json_next(&it, &key, &row)) {
		struct peer_channel *p = add_peer(ps, json_str(JSON_GET(row, "principal")));

		p->channel_id = arena_keep(p->mem, json_str(JSON_GET(row, "channelId")));
		p->resume_token = arena_keep(p->mem, json_str(JSON_GET(row, "resumeToken")));
	}
	return OK;
}

enum err peers_init(struct peers *ps, const struct peers_kind *kind, struct loop *loop,
                    struct control *control, struct store *store, struct clock *clock,
                    struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct str text = STR_NONE;
	enum err code;

	*ps = (struct peers){
		.kind = kind, .loop = loop, .control = control, .store = store, .clock = clock
	};
	list_init(&ps->all);
	if (!store)
		return OK;
	code = port_store_get_own(store, mem, str_from(ps->kind->kept_as), &text, e);
	if (code != OK && code != ERR_NOT_FOUND)
		return code;
	return code == OK && str_is(text) ? read_peers(ps, text, e) : OK;
}

void peers_done(struct peers *ps)
{
	loop_timer_stop(&ps->rest);
	if (loop_timer_is_running(&ps->saving))
		save_peers(ps);
	loop_timer_stop(&ps->saving);
	map_done(&ps->by_principal);
	while (!list_is_empty(&ps->all)) {
		struct peer_channel *p = LIST_ITEM(ps->all.next, struct peer_channel, node);

		list_remove(&p->node);
		arena_free(p->mem);
	}
}

/* ---- coming and going ---- */

static void on_rest(struct loop_timer *t)
{
	struct peers *ps = OWNER_OF(t, struct peers, rest);
	int64_t now = wall_now(ps);
	bool is_any = false;

	LIST_EACH (&ps->all, node) {
		struct peer_channel *p = LIST_ITEM(node, struct peer_channel, node);

		if (!p->channel)
			continue;
		if (p->streams || now - p->seen_ms < PATIENCE_MS) {
			is_any = true;
			continue;
		}
		ps->control->ops->leave(ps->control, p->channel, DISCONNECT_CAUSE_HEARTBEAT_MISSED);
		p->channel = NULL;
	}
	if (is_any)
		loop_timer_start(ps->loop, &ps->rest, REST_MS, on_rest);
}

/* A channel that the runtime does not know any more is replaced by a new one. */
static void enrol_peer(struct peers *ps, struct peer_channel *p, const struct caller *caller)
{
	struct control_enrol ask = {
		.caller = *caller,
		.transport = TRANSPORT_HTTP_JSON,
		.role = ps->kind->role,
		.native_protocol = str_from(ps->kind->native_protocol),
		.channel_id = p->channel_id,
		.resume_token = p->resume_token,
	};
	bool was_known = str_is(p->channel_id);

	p->channel = ps->control->ops->enrol(ps->control, &ask);
	if (!p->channel && was_known) {
		ask.channel_id = ask.resume_token = STR_NONE;
		p->channel = ps->control->ops->enrol(ps->control, &ask);
		was_known = false;
	}
	if (!p->channel || was_known)
		return;
	p->channel_id = arena_keep(p->mem, p->channel->id);
	p->resume_token = arena_keep(p->mem, p->channel->resume_token);
	save_soon(ps);
}

struct peer_channel *peers_seen(struct peers *ps, const struct caller *caller)
{
	struct peer_channel *p = find_peer(ps, caller->principal);

	if (!p)
		p = add_peer(ps, caller->principal);
	if (!p->channel)
		enrol_peer(ps, p, caller);
	if (!p->channel)
		return NULL;
	p->seen_ms = wall_now(ps);
	p->streams++;
	if (!loop_timer_is_running(&ps->rest))
		loop_timer_start(ps->loop, &ps->rest, REST_MS, on_rest);
	return p;
}

void peers_left(struct peers *ps, struct peer_channel *p)
{
	if (!p)
		return;
	p->streams--;
	p->seen_ms = wall_now(ps);
}
