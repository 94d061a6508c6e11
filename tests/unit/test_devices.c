#include "serve/auth/devices.h"

#include "base/arena.h"
#include "lib/t.h"
#include "serve/auth/devices_carry.h"

/* Values by key, a clock that does not move, and a control that enrols every device and records calls. */
struct value {
	struct str key, text;
};

struct fixture {
	struct store store;
	struct control control;
	struct clock clock;
	struct arena *mem;
	struct value values[8];
	size_t value_count, sets;
	bool is_full, is_unreadable;
	int64_t now;
	struct control_channel channel;
	int enrolled, left;
	struct control_call *call; /* pending */
	struct str asked;          /* its arguments */
	unsigned calls;
	struct devices ds;
};

static struct value *find_value(struct fixture *r, struct str key)
{
	for (size_t i = 0; i < r->value_count; i++)
		if (str_eq(r->values[i].key, key))
			return &r->values[i];
	return NULL;
}

static enum err get_meta(struct store *s, struct arena *mem, struct str key, struct str *ret,
                         struct error *e)
{
	struct fixture *r = OWNER_OF(s, struct fixture, store);
	struct value *v = find_value(r, key);

	if (r->is_unreadable)
		return fail(e, ERR_IO, "unreadable");
	if (!v)
		return fail(e, ERR_NOT_FOUND, "nothing");
	*ret = arena_keep(mem, v->text);
	return OK;
}

static enum err set_meta(struct store *s, struct str key, struct str value, struct error *e)
{
	struct fixture *r = OWNER_OF(s, struct fixture, store);
	struct value *v = find_value(r, key);

	if (r->is_full)
		return fail(e, ERR_IO, "full");
	if (!v)
		v = &r->values[r->value_count++];
	*v = (struct value){ arena_keep(r->mem, key), arena_keep(r->mem, value) };
	r->sets++;
	return OK;
}

static struct control_channel *enrol(struct control *c, const struct control_enrol *e)
{
	struct fixture *r = OWNER_OF(c, struct fixture, control);

	r->enrolled++;
	CHECK(e->is_proven && str_is(e->channel_id));
	r->channel = (struct control_channel){ e->channel_id, STR("resume") };
	return &r->channel;
}

static void leave(struct control *c, struct control_channel *ch, enum disconnect_cause cause)
{
	OWNER_OF(c, struct fixture, control)->left++;
}

static void call(struct control *c, struct control_call *asked)
{
	struct fixture *r = OWNER_OF(c, struct fixture, control);

	CHECK(asked->is_own);
	CHECK_STR(asked->command, "change_device");
	r->call = asked;
	r->asked = arena_keep(r->mem, asked->params);
	r->calls++;
}

static void forget(struct control *c, struct control_call *asked)
{
	OWNER_OF(c, struct fixture, control)->call = NULL;
}

static int64_t wall_ms(struct clock *c)
{
	return OWNER_OF(c, struct fixture, clock)->now;
}

static void entropy(struct clock *c, uint8_t out[16])
{
	memset(out, 7, 16);
}

static const struct store_ops store_ops = { .get_meta = get_meta, .set_meta = set_meta };
static const struct control_ops control_ops = {
	.enrol = enrol, .leave = leave, .call = call, .forget = forget
};
static const struct clock_ops clock_ops = { .wall_ms = wall_ms, .entropy = entropy };

static void start(struct fixture *r, struct str token)
{
	struct error e;

	devices_done(&r->ds);
	CHECK_OK(devices_init(&r->ds, r->mem, &r->control, &r->store, &r->clock, token, &e), &e);
}

static struct fixture *fixture_new(void)
{
	struct arena *mem = arena_new();
	struct fixture *r = ARENA_NEW(mem, struct fixture);
	struct error e;

	r->mem = mem;
	r->store.ops = &store_ops;
	r->control.ops = &control_ops;
	r->clock.ops = &clock_ops;
	r->now = 1000000;
	CHECK_OK(devices_init(&r->ds, mem, &r->control, &r->store, &r->clock, STR("token"), &e),
	         &e);
	return r;
}

static void fixture_done(struct fixture *r)
{
	devices_done(&r->ds);
	arena_free(r->mem);
}

#define HOST STR("phone.example")
#define CODE STR("0123456789abcdef0123456789abcdef")

static struct rec_paired_device record(struct fixture *r, const char *id, const char *name,
                                       enum paired_device_state state)
{
	struct rec_paired_device d = { .device_id = str_from(id),
		                       .state = state,
		                       .name = str_from(name),
		                       .host = HOST,
		                       .paired_at = r->now,
		                       .channel_id = STR("chan_1") };

	rec_list_str_add(r->mem, &d.scopes, STR("read"));
	if (state == PAIRED_DEVICE_STATE_OFFERED) {
		d.code_hash = devices_hash_code(r->mem, CODE);
		d.expires_at = r->now + 1000;
	}
	return d;
}

static struct device *say(struct fixture *r, const char *id, const char *name,
                          enum paired_device_state state)
{
	struct rec_paired_device d = record(r, id, name, state);

	devices_changed(&r->ds, &d);
	return devices_by_id(&r->ds, d.device_id);
}

static struct str cookie_of(struct fixture *r, const struct device *d, struct str id)
{
	struct buf cookie = { 0 };
	struct str kept;

	signin_write_cookie(&cookie, d->key, id, r->now + 5000, (uint8_t[16]){ 1 });
	CHECK(cookie.len <= SIGNIN_COOKIE_MAX);
	kept = arena_keep(r->mem, buf_str(&cookie));
	buf_done(&cookie);
	return kept;
}

TEST(a_code_is_found_at_its_host_until_it_is_too_old_or_used)
{
	struct fixture *r = fixture_new();

	say(r, "dev_1", "phone", PAIRED_DEVICE_STATE_OFFERED);
	CHECK(devices_know_host(&r->ds, STR("Phone.Example"), r->now));
	CHECK(devices_find_offer(&r->ds, CODE, STR("Phone.Example"), r->now));
	CHECK(!devices_find_offer(&r->ds, CODE, STR("other.example"), r->now));
	CHECK(!devices_find_offer(&r->ds, STR("wrong"), HOST, r->now));
	CHECK(!devices_find_offer(&r->ds, STR(""), HOST, r->now));
	CHECK(!devices_find_offer(&r->ds, STR_NONE, HOST, r->now));
	CHECK(!devices_find_offer(&r->ds, CODE, HOST, r->now + 1000));
	CHECK(!devices_know_host(&r->ds, HOST, r->now + 1000));
	CHECK(say(r, "dev_1", "phone", PAIRED_DEVICE_STATE_PAIRED));
	CHECK(!devices_find_offer(&r->ds, CODE, HOST, r->now));
	CHECK(devices_know_host(&r->ds, HOST, r->now + 1000));
	fixture_done(r);
}

TEST(a_cookie_works_at_every_node_with_the_same_token_until_the_device_is_revoked)
{
	struct fixture *r = fixture_new();
	struct device *d = say(r, "dev_1", "phone", PAIRED_DEVICE_STATE_PAIRED);
	struct str cookie = cookie_of(r, d, d->id);
	int64_t until;

	CHECK(str_eq(d->principal, STR("device:phone")));
	start(r, STR("token"));
	CHECK(!devices_of_cookie(&r->ds, cookie, HOST, r->now, &until));
	d = say(r, "dev_1", "phone", PAIRED_DEVICE_STATE_PAIRED);
	CHECK(devices_of_cookie(&r->ds, cookie, HOST, r->now, &until) == d);
	CHECK_INT(d->scopes, SCOPE_BIT(SCOPE_READ));
	CHECK(!devices_of_cookie(&r->ds, cookie, STR("other.example"), r->now, &until));
	CHECK(!devices_of_cookie(&r->ds, cookie, HOST, r->now + 5000, &until));
	CHECK(!devices_of_cookie(&r->ds, cookie_of(r, d, STR("dev_2")), HOST, r->now, &until));
	CHECK(!say(r, "dev_1", "phone", PAIRED_DEVICE_STATE_REVOKED));
	CHECK(d->is_revoked && !devices_of_cookie(&r->ds, cookie, HOST, r->now, &until));
	CHECK(devices_is_gone(&r->ds, STR("device:phone")) &&
	      !devices_is_gone(&r->ds, STR("owner")));
	CHECK(!devices_know_host(&r->ds, HOST, r->now));
	start(r, STR("another token"));
	say(r, "dev_1", "phone", PAIRED_DEVICE_STATE_PAIRED);
	CHECK(!devices_of_cookie(&r->ds, cookie, HOST, r->now, &until));
	fixture_done(r);
}

/* Its cookie is older than the ids in them. */
TEST(a_cookie_without_an_id_counts_for_devices_of_an_earlier_version_only)
{
	struct fixture *r = fixture_new();
	struct rec_paired_device old = record(r, "dev_1", "old", PAIRED_DEVICE_STATE_PAIRED);
	struct device *d;
	int64_t until;

	old.is_carried = true;
	devices_changed(&r->ds, &old);
	d = devices_by_id(&r->ds, STR("dev_1"));
	CHECK(devices_of_cookie(&r->ds, cookie_of(r, d, STR_NONE), HOST, r->now, &until) == d);
	CHECK(devices_of_cookie(&r->ds, cookie_of(r, d, d->id), HOST, r->now, &until) == d);
	d = say(r, "dev_2", "new", PAIRED_DEVICE_STATE_PAIRED);
	CHECK(!devices_of_cookie(&r->ds, cookie_of(r, d, STR_NONE), HOST, r->now, &until));
	fixture_done(r);
}

TEST(a_thousand_devices_are_found_by_name_id_and_cookie)
{
	struct fixture *r = fixture_new();
	struct str last = STR_NONE;
	int64_t until;

	for (int i = 0; i < LIMIT_PAIRED_DEVICES; i++) {
		struct str id = arena_printf(r->mem, "dev_%d", i),
			   name = arena_printf(r->mem, "phone-%d", i);
		struct device *d = say(r, id.ptr, name.ptr, PAIRED_DEVICE_STATE_PAIRED);

		CHECK(d && devices_find(&r->ds, d->principal) == d);
		last = cookie_of(r, d, d->id);
	}
	CHECK(devices_of_cookie(&r->ds, last, HOST, r->now, &until) ==
	      devices_find(&r->ds, STR("device:phone-999")));
	for (int i = 0; i < LIMIT_PAIRED_DEVICES; i++)
		say(r, arena_printf(r->mem, "dev_%d", i).ptr, "x", PAIRED_DEVICE_STATE_REVOKED);
	CHECK(list_is_empty(&r->ds.all) && !devices_know_host(&r->ds, HOST, r->now));
	fixture_done(r);
}

TEST(what_the_log_has_replaces_what_was_known)
{
	struct fixture *r = fixture_new();
	struct rec_paired_device two = record(r, "dev_2", "two", PAIRED_DEVICE_STATE_PAIRED),
				 gone = record(r, "dev_3", "three", PAIRED_DEVICE_STATE_REVOKED);
	const struct rec_paired_device *items[] = { &two, &gone };
	struct device *one = say(r, "dev_1", "one", PAIRED_DEVICE_STATE_PAIRED);

	say(r, "dev_3", "three", PAIRED_DEVICE_STATE_PAIRED);
	say(r, "dev_4", "four", PAIRED_DEVICE_STATE_OFFERED);
	devices_seen(&r->ds, one);
	CHECK(one->channel);
	devices_taken(&r->ds, items, COUNT_OF(items));
	CHECK(one->is_revoked && !devices_by_id(&r->ds, STR("dev_1")));
	CHECK(devices_by_id(&r->ds, STR("dev_2")) && !devices_by_id(&r->ds, STR("dev_3")));
	CHECK(!devices_find_offer(&r->ds, CODE, HOST, r->now));
	CHECK_INT(r->left, 0);
	devices_end_gone(&r->ds);
	CHECK_INT(r->left, 1);
	CHECK(!one->channel && list_is_empty(&r->ds.gone));
	devices_taken(&r->ds, NULL, 0);
	CHECK(list_is_empty(&r->ds.all));
	fixture_done(r);
}

TEST(the_oldest_offer_makes_place)
{
	struct fixture *r = fixture_new();

	for (int i = 0; i <= LIMIT_PAIRING_CODES; i++) {
		struct rec_paired_device d = record(r, arena_printf(r->mem, "dev_%d", i).ptr,
		                                    "phone", PAIRED_DEVICE_STATE_OFFERED);

		d.code_hash = devices_hash_code(r->mem, arena_printf(r->mem, "code %d", i));
		devices_changed(&r->ds, &d);
	}
	CHECK(!devices_find_offer(&r->ds, STR("code 0"), HOST, r->now));
	CHECK(devices_find_offer(&r->ds, STR("code 1"), HOST, r->now));
	CHECK(devices_find_offer(&r->ds, arena_printf(r->mem, "code %d", LIMIT_PAIRING_CODES), HOST,
	                         r->now));
	fixture_done(r);
}

static int64_t shown(struct fixture *r, const char *id)
{
	struct rec_device d = { .device_id = str_from(id), .last_seen_at = 1 }, *items[] = { &d };

	devices_fill_seen(&r->ds, r->mem, items, COUNT_OF(items));
	return d.last_seen_at;
}

TEST(when_it_was_seen_is_kept_to_the_minute_for_all_nodes)
{
	struct fixture *r = fixture_new();
	struct device *d = say(r, "dev_1", "phone", PAIRED_DEVICE_STATE_PAIRED);
	struct error e;

	devices_seen(&r->ds, d);
	CHECK_INT(r->sets, 1);
	r->now += 59999;
	devices_seen(&r->ds, d);
	CHECK_INT(r->sets, 1);
	CHECK_INT(d->seen_ms, r->now);
	r->now += 1;
	devices_seen(&r->ds, d);
	CHECK_INT(r->sets, 2);
	/* Another node has seen it later. */
	CHECK_OK(set_meta(&r->store, STR("serve:seen"), STR("{\"dev_1\":1000000000000}"), &e), &e);
	CHECK_INT(shown(r, "dev_1"), 1000000000000);
	r->now += 60000;
	devices_seen(&r->ds, d);
	CHECK_INT(shown(r, "dev_1"), 1000000000000);
	/* What cannot be read or written is shown as far as it is known. */
	r->is_full = r->is_unreadable = true;
	r->now += 60000;
	devices_seen(&r->ds, d);
	CHECK_INT(shown(r, "dev_1"), r->now);
	CHECK_INT(shown(r, "dev_2"), 1);
	fixture_done(r);
}

static bool streams(void *arg, const struct device *d)
{
	return *(bool *)arg;
}

TEST(one_that_is_not_there_any_more_holds_no_channel)
{
	struct fixture *r = fixture_new();
	struct device *d = say(r, "dev_1", "phone", PAIRED_DEVICE_STATE_PAIRED);
	bool has_stream = false;

	devices_seen(&r->ds, d);
	r->now += DEVICE_PATIENCE_MS - 1;
	CHECK(devices_rest(&r->ds, r->now, streams, &has_stream) == 1 && d->channel);
	r->now += 1;
	has_stream = true;
	CHECK(devices_rest(&r->ds, r->now, streams, &has_stream) == 1 && d->channel);
	has_stream = false;
	CHECK(devices_rest(&r->ds, r->now, streams, &has_stream) == 0 && !d->channel);
	CHECK(r->left == 1 && r->enrolled == 1);
	devices_seen(&r->ds, d);
	CHECK(r->enrolled == 2 && d->channel && str_eq(d->channel_id, STR("chan_1")));
	fixture_done(r);
}

/* ---- devices of an earlier version ---- */

#define OLD_LIST                                                                                   \
	STR("{\"devices\":[{\"deviceId\":\"dev_1\",\"name\":\"one\",\"host\":\"phone.example\","   \
	    "\"scopes\":[\"read\"],\"pairedAt\":\"2026-01-01T00:00:00Z\","                         \
	    "\"lastSeenAt\":\"2026-01-02T00:00:00Z\",\"channelId\":\"chan_9\"},"                   \
	    "{\"deviceId\":\"dev_2\",\"name\":\"two\",\"host\":\"phone.example\","                 \
	    "\"scopes\":[\"read\"],\"pairedAt\":\"2026-01-01T00:00:00Z\","                         \
	    "\"lastSeenAt\":\"2026-01-01T00:00:00Z\"}],\"resumeTokens\":{\"dev_1\":\"x\"}}")

static void answer(struct fixture *r, enum error_code code)
{
	struct control_answer a = { .code = code, .body = STR("{}") };
	struct control_call *asked = r->call;

	r->call = NULL;
	asked->done(asked, &a);
}

static struct fixture *with_old_list(struct str text)
{
	struct fixture *r = fixture_new();
	struct error e;

	CHECK_OK(set_meta(&r->store, STR("serve:devices"), text, &e), &e);
	start(r, STR("token"));
	devices_carry_start(&r->ds);
	return r;
}

static struct str old_list(struct fixture *r)
{
	return find_value(r, STR("serve:devices"))->text;
}

TEST(devices_of_an_earlier_version_are_recorded_one_by_one)
{
	struct fixture *r = with_old_list(OLD_LIST);

	CHECK_INT(r->calls, 1);
	CHECK_HAS(r->asked, "\"deviceId\":\"dev_1\"");
	CHECK_HAS(r->asked, "\"channelId\":\"chan_9\"");
	CHECK_HAS(r->asked, "\"isCarried\":true");
	CHECK(!strstr(r->asked.ptr, "resume"));
	answer(r, 0);
	CHECK_INT(r->calls, 2);
	CHECK_HAS(r->asked, "\"deviceId\":\"dev_2\"");
	CHECK_HAS(r->asked, "\"channelId\":\"chan_");
	CHECK(str_eq(old_list(r), OLD_LIST));
	answer(r, 0);
	CHECK_STR(old_list(r), "{\"devices\":[]}");
	start(r, STR("token"));
	devices_carry_start(&r->ds);
	CHECK_INT(r->calls, 2);
	fixture_done(r);
}

TEST(a_device_that_cannot_be_recorded_now_is_tried_again_at_the_next_start)
{
	struct fixture *r = with_old_list(OLD_LIST);

	answer(r, 0);
	answer(r, ERROR_CODE_UNAVAILABLE);
	CHECK_INT(r->calls, 2);
	CHECK(str_eq(old_list(r), OLD_LIST));
	start(r, STR("token"));
	devices_carry_start(&r->ds);
	CHECK_INT(r->calls, 3);
	/* An end while one is under way. */
	devices_done(&r->ds);
	CHECK(!r->call);
	r->ds = (struct devices){ 0 };
	arena_free(r->mem);
}

TEST(one_too_many_is_left_out)
{
	struct fixture *r = with_old_list(OLD_LIST);

	answer(r, ERROR_CODE_TOO_MANY_OPEN);
	answer(r, 0);
	CHECK_STR(old_list(r), "{\"devices\":[]}");
	fixture_done(r);
}

TEST(an_old_list_that_cannot_be_read_is_an_error_and_not_an_empty_list)
{
	static const struct str bad[] = { STR("{\"devices\":"), STR("{\"devices\":[{}]}") };
	struct fixture *r = with_old_list(STR("{\"devices\":[]}"));
	struct error e = { 0 };

	CHECK_INT(r->calls, 0);
	for (size_t i = 0; i < COUNT_OF(bad); i++) {
		CHECK_OK(set_meta(&r->store, STR("serve:devices"), bad[i], &e), &e);
		devices_done(&r->ds);
		CHECK(devices_init(&r->ds, r->mem, &r->control, &r->store, &r->clock, STR("token"),
		                   &e) != OK);
		CHECK(str_eq(old_list(r), bad[i]));
	}
	r->is_unreadable = true;
	devices_done(&r->ds);
	CHECK_INT(devices_init(&r->ds, r->mem, &r->control, &r->store, &r->clock, STR("token"), &e),
	          ERR_IO);
	CHECK_STR(str_from(e.message), "unreadable");
	fixture_done(r);
}

TEST_MAIN()
