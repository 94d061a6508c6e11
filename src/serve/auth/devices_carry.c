/* Carries devices of an earlier version over to the log; devices_carry.h. */
#include "serve/auth/devices_carry.h"

#include "base/memory.h"
#include "base/os/id.h"
#include "base/os/log.h"
#include "ports/store_own.h"

#define KEPT_AS STR("serve:devices")
#define NOTHING STR("{\"devices\":[]}")

struct devices_carry {
	struct control_call call;
	struct devices *devices;
	struct arena *mem;
	struct rec_device *items;
	size_t count, at;
	bool is_sent,
		is_shared; /* shared: the value was there before the store had several nodes */
};

/* ---- the value ---- */

static enum err take_row(struct devices_carry *c, struct json row, struct error *e)
{
	c->items = arena_grow(c->mem, c->items, sizeof *c->items * c->count,
	                      sizeof *c->items * (c->count + 1));
	if (rec_read(c->mem, row, &rec_device_desc, REC_TRUSTED, &c->items[c->count], e) != OK)
		return e->code;
	c->count++;
	return OK;
}

static enum err take_text(struct devices_carry *c, struct str text, struct error *e)
{
	struct json doc, row;
	struct json_iter it;
	struct str key;

	if (json_read(c->mem, text, &doc, e) != OK)
		return e->code;
	it = json_iter(JSON_GET(doc, "devices"));
	while (json_next(&it, &key, &row))
		if (take_row(c, row, e) != OK)
			return e->code;
	return OK;
}

static bool is_own(struct store *s, struct arena *mem)
{
	struct str text;

	return s->nodes &&
	       s->ops->get_meta(s, mem, port_store_own_key(s, mem, KEPT_AS), &text, NULL) == OK;
}

enum err devices_carry_read(struct devices *ds, struct error *e)
{
	struct devices_carry *c = ARENA_NEW(ds->mem, struct devices_carry);
	struct str text = STR_NONE;
	enum err code;

	*c = (struct devices_carry){ .devices = ds, .mem = ds->mem };
	code = port_store_get_own(ds->store, ds->mem, KEPT_AS, &text, e);
	if (code == ERR_NOT_FOUND || (code == OK && !str_is(text)))
		return OK;
	if (code == OK)
		code = take_text(c, text, e);
	c->is_shared = ds->store->nodes && !is_own(ds->store, ds->mem);
	if (code == OK && c->count)
		ds->carry = c;
	return code;
}

enum err devices_carry_drop(struct store *store, struct error *e)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new_small();

	return is_own(store, mem) ? port_store_set_own(store, KEPT_AS, NOTHING, e) : OK;
}

/* ---- one after the other ---- */

static void carry_next(struct devices_carry *c);

static void empty_value(struct devices_carry *c)
{
	struct store *s = c->devices->store;
	struct error e;
	enum err code = port_store_set_own(s, KEPT_AS, NOTHING, &e);

	if (code == OK && c->is_shared)
		code = s->ops->set_meta(s, KEPT_AS, NOTHING, &e);
	if (code != OK)
		log_line(LOG_WARN, "serve",
		         "the list of devices of an earlier version stays: %s; the next start "
		         "looks at it again",
		         e.message);
	else
		log_line(LOG_INFO, "serve", "%zu devices of an earlier version are in the log now",
		         c->count);
}

static void carried(struct control_call *call, const struct control_answer *a)
{
	struct devices_carry *c = call->owner;
	const struct rec_device *r = &c->items[c->at];
	struct device *d = devices_by_id(c->devices, r->device_id);

	c->is_sent = false;
	if (a->code && a->code != ERROR_CODE_TOO_MANY_OPEN) {
		log_line(LOG_WARN, "serve",
		         "the device %.*s of an earlier version is not in the log: %.*s; the next "
		         "start tries again",
		         STR_ARG(r->name), STR_ARG(a->body));
		return;
	}
	if (a->code)
		log_line(LOG_WARN, "serve", "the device %.*s has to be paired again: %.*s",
		         STR_ARG(r->name), STR_ARG(a->body));
	if (d)
		d->seen_ms = MAX(d->seen_ms, r->last_seen_at);
	c->at++;
	carry_next(c);
}

/* One that was never connected has no channel yet. */
static struct str channel_of(struct devices_carry *c, const struct rec_device *r)
{
	struct clock *clock = c->devices->clock;
	struct id_source ids;
	uint8_t entropy[16];

	if (str_is(r->channel_id))
		return r->channel_id;
	clock->ops->entropy(clock, entropy);
	id_source_init(&ids, clock->ops->wall_ms(clock), entropy);
	return id_make(c->mem, &ids, "chan");
}

static void carry_next(struct devices_carry *c)
{
	struct control *control = c->devices->control;
	const struct rec_device *r = &c->items[c->at];
	struct rec_paired_device device;
	struct cmd_change_device cmd = { .device = &device };

	if (c->at == c->count) {
		c->devices->carry = NULL;
		empty_value(c);
		return;
	}
	device = (struct rec_paired_device){ .device_id = r->device_id,
		                             .state = PAIRED_DEVICE_STATE_PAIRED,
		                             .name = r->name,
		                             .host = r->host,
		                             .scopes = r->scopes,
		                             .paired_at = r->paired_at,
		                             .channel_id = channel_of(c, r),
		                             .is_carried = true,
		                             .has_is_carried = true };
	c->call = (struct control_call){
		.caller = { .principal = STR("runtime"),
		            .via = STR("runtime"),
		            .scopes = SCOPES_ALL },
		.command = command_classes[COMMAND_CHANGE_DEVICE].name,
		.params = rec_text(c->mem, &cmd_change_device_desc, &cmd),
		.is_own = true,
		.done = carried,
		.owner = c,
	};
	c->is_sent = true;
	control->ops->call(control, &c->call);
}

void devices_carry_start(struct devices *ds)
{
	if (ds->carry)
		carry_next(ds->carry);
}

void devices_carry_done(struct devices *ds)
{
	if (ds->carry && ds->carry->is_sent)
		ds->control->ops->forget(ds->control, &ds->carry->call);
	ds->carry = NULL;
}
