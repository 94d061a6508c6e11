/*
 * change_device, list_devices and revoke_device: paired devices, recorded in the system session.
 *
 *	offered ──► paired ──► revoked
 *	   └─ its time is over, or newer offers push it out
 *
 * The owner of that session decides, so of two nodes that get one code at the same moment one pairs
 * the device, and a name is given once.  What is checked before (the address, who asks) is the
 * transport's: serve/auth/pair.c.
 */
#include "core/gen/inputs.h"
#include "core/runtime_events.h"
#include "engine/query/query.h"
#include "engine/session/apply.h"
#include "engine/engine_state.h"

#include <strings.h>

#define SYSTEM STR("sess_system")
#define USUAL_NAME STR("phone")

static int64_t now_of(const struct request *r)
{
	return r->engine->ports.clock->ops->wall_ms(r->engine->ports.clock);
}

static bool is_writable(struct request *r, const struct session *s)
{
	if (s && s->phase == SESSION_LIVE)
		return true;
	request_fail(r, ERROR_CODE_UNAVAILABLE, "the system session cannot be written now");
	request_reply(r);
	return false;
}

static void record(struct request *r, struct session *s, const struct rec_paired_device *device)
{
	struct decision *d = apply_begin(s, &r->command);

	input_runtime_events_device(d, device);
	apply_end(s, d);
	r->session = s;
}

/* ---- names ---- */

static bool starts_nocase(struct str name, struct str base)
{
	return name.len >= base.len && strncasecmp(name.ptr, base.ptr, base.len) == 0;
}

static const struct rec_paired_device *paired_at(const struct state *w, uint32_t at)
{
	const struct rec_paired_device *d = w->s->paired_devices.items[at];

	return d->state == PAIRED_DEVICE_STATE_PAIRED ? d : NULL;
}

static size_t count_paired(const struct state *w)
{
	size_t count = 0;

	for (uint32_t i = 0; w->s && i < w->s->paired_devices.count; i++)
		count += paired_at(w, i) != NULL;
	return count;
}

/* 0: another name; 1: the base itself; N: "base-N". */
static uint64_t number_of(struct str name, struct str base)
{
	uint64_t number;

	if (!starts_nocase(name, base))
		return 0;
	name = str_skip(name, base.len);
	if (!name.len)
		return 1;
	if (name.ptr[0] != '-' || !str_to_u64(str_skip(name, 1), &number))
		return 0;
	return number > 1 ? number : 0;
}

/* The base, or the base with the first number that is free. */
static struct str free_name(struct arena *mem, const struct state *w, struct str base)
{
	uint32_t count = w->s ? w->s->paired_devices.count : 0;
	bool *is_used = ARENA_ARRAY(mem, bool, count + 3);
	uint64_t number = 1;

	for (uint32_t i = 0; i < count; i++) {
		const struct rec_paired_device *d = paired_at(w, i);
		uint64_t n = d ? number_of(d->name, base) : 0;

		if (n && n < count + 2)
			is_used[n] = true;
	}
	while (is_used[number])
		number++;
	return number == 1
	               ? base
	               : arena_printf(mem, "%.*s-%llu", STR_ARG(base), (unsigned long long)number);
}

/* ---- change_device ---- */

/* 0: it may be recorded as `ret` says. */
static enum error_code offer(struct request *r, const struct state *w,
                             const struct rec_paired_device *asked, struct rec_paired_device *ret)
{
	*ret = *asked;
	ret->name = str_is(asked->name) ? asked->name : free_name(r->mem, w, USUAL_NAME);
	if (!str_eq(free_name(r->mem, w, ret->name), ret->name)) {
		request_fail(r, ERROR_CODE_ID_CONFLICT,
		             "a device is called %.*s already; revoke it first",
		             STR_ARG(ret->name));
		return ERROR_CODE_ID_CONFLICT;
	}
	return 0;
}

/* Another code with its name may have been used meanwhile. */
static enum error_code pair(struct request *r, const struct state *w,
                            const struct rec_paired_device *asked, struct rec_paired_device *ret)
{
	const struct rec_paired_device *old = runtime_events_find_device(w, asked->device_id);

	if (!old || old->state != PAIRED_DEVICE_STATE_OFFERED || old->expires_at <= now_of(r)) {
		request_fail(r, ERROR_CODE_UNAUTHORIZED, "the code is unknown, used or too old");
		return ERROR_CODE_UNAUTHORIZED;
	}
	*ret = *old;
	ret->state = PAIRED_DEVICE_STATE_PAIRED;
	ret->name = free_name(r->mem, w, old->name);
	ret->code_hash = STR_NONE;
	ret->expires_at = 0;
	ret->paired_at = now_of(r);
	return 0;
}

static enum error_code judge(struct request *r, const struct state *w,
                             struct rec_paired_device *ret)
{
	const struct rec_paired_device *asked = ((const struct cmd_change_device *)r->args)->device;

	if (count_paired(w) >= LIMIT_PAIRED_DEVICES) {
		request_fail(r, ERROR_CODE_TOO_MANY_OPEN, "%d devices are paired; revoke one first",
		             LIMIT_PAIRED_DEVICES);
		return ERROR_CODE_TOO_MANY_OPEN;
	}
	if (asked->state == PAIRED_DEVICE_STATE_OFFERED)
		return offer(r, w, asked, ret);
	if (!asked->is_carried)
		return pair(r, w, asked, ret);
	*ret = *asked;
	ret->name = free_name(r->mem, w, asked->name);
	return 0;
}

static void change_device(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct rec_paired_device *asked = ((const struct cmd_change_device *)r->args)->device;
	const struct rec_paired_device *old;
	struct rec_paired_device device;
	struct reply_change_device reply = { .device = &device };

	if (!is_writable(r, s))
		return;
	old = asked->is_carried ? runtime_events_find_device(s->state, asked->device_id) : NULL;
	if (!old && judge(r, s->state, &device)) {
		request_reply(r);
		return;
	}
	/* It was carried over before, and may have been revoked since. */
	if (old)
		device = *old;
	r->response.reply = rec_text(r->mem, &reply_change_device_desc, &reply);
	r->session = s;
	if (!old)
		record(r, s, &device);
	request_keep(r);
	request_wait(r);
}

void query_change_device(struct request *r, const struct cmd_change_device *c)
{
	if (c->device->state == PAIRED_DEVICE_STATE_REVOKED) {
		request_fail(r, ERROR_CODE_INVALID_VALUE, "state: revoke_device is for that");
		request_reply(r);
		return;
	}
	request_job_with(r->engine, SYSTEM, true, ELSEWHERE_FORWARD, change_device, r);
}

/* ---- list_devices ---- */

static void fill_device(struct arena *mem, const struct rec_paired_device *d,
                        struct rec_device *ret)
{
	*ret = (struct rec_device){ .device_id = arena_keep(mem, d->device_id),
		                    .name = arena_keep(mem, d->name),
		                    .host = arena_keep(mem, d->host),
		                    .paired_at = d->paired_at,
		                    .last_seen_at = d->paired_at,
		                    .channel_id = arena_keep(mem, d->channel_id) };
	for (uint32_t i = 0; i < d->scopes.count; i++)
		rec_list_str_add(mem, &ret->scopes, d->scopes.items[i]);
}

static void list_devices(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct control_device_watch *watch = &r->engine->device_watch;
	struct reply_list_devices reply = { 0 };
	const struct state *w = s ? s->state : NULL;
	uint32_t count = w && w->s ? w->s->paired_devices.count : 0;
	struct rec_device **items = ARENA_ARRAY(r->mem, struct rec_device *, count + 1);
	size_t paired = 0;

	for (uint32_t i = 0; i < count; i++) {
		const struct rec_paired_device *d = paired_at(w, i);

		if (!d)
			continue;
		items[paired] = rec_list_add(r->mem, &reply.devices, &rec_device_desc);
		fill_device(r->mem, d, items[paired++]);
	}
	if (watch->seen)
		watch->seen(watch->owner, r->mem, items, paired);
	r->response.reply = rec_text(r->mem, &reply_list_devices_desc, &reply);
	request_wait_for(r, s);
}

void query_list_devices(struct request *r, const struct cmd_list_devices *c)
{
	(void)c;
	request_job_with(r->engine, SYSTEM, false, ELSEWHERE_FORWARD, list_devices, r);
}

/* ---- revoke_device ---- */

static void revoke_device(struct session *s, void *arg)
{
	struct request *r = arg;
	const struct cmd_revoke_device *c = r->args;
	const struct control_device_watch *watch = &r->engine->device_watch;
	const struct rec_paired_device *old =
		s && s->state ? runtime_events_find_device(s->state, c->device_id) : NULL;
	struct rec_paired_device gone = { .state = PAIRED_DEVICE_STATE_REVOKED };
	struct reply_revoke_device reply = { .device_id = c->device_id };

	if (!old || old->state != PAIRED_DEVICE_STATE_PAIRED) {
		request_fail(r, ERROR_CODE_NOT_FOUND, "no device of this id is paired");
		request_reply(r);
		return;
	}
	if (!is_writable(r, s))
		return;
	gone.device_id = arena_keep(r->mem, old->device_id);
	gone.name = reply.name = arena_keep(r->mem, old->name);
	if (watch->streams)
		reply.streams = watch->streams(watch->owner, c->device_id);
	record(r, s, &gone);
	r->response.reply = rec_text(r->mem, &reply_revoke_device_desc, &reply);
	request_keep(r);
	request_wait(r);
}

void query_revoke_device(struct request *r, const struct cmd_revoke_device *c)
{
	(void)c;
	request_job_with(r->engine, SYSTEM, false, ELSEWHERE_FORWARD, revoke_device, r);
}
