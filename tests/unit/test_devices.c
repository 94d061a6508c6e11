#include "serve/auth/devices.h"

#include "base/arena.h"
#include "lib/t.h"

/* One value, a clock that does not move, and a control that enrols every device. */
struct fixture {
	struct store store;
	struct control control;
	struct clock clock;
	struct arena *mem;
	struct str kept;
	bool is_full, is_unreadable;
	int64_t now;
	uint8_t next;
	struct control_channel channel;
	int enrolled, left;
	struct devices ds;
};

static enum err get_meta(struct store *s, struct arena *mem, struct str key, struct str *ret,
                         struct error *e)
{
	struct fixture *r = OWNER_OF(s, struct fixture, store);

	if (r->is_unreadable)
		return fail(e, ERR_IO, "unreadable");
	if (!str_is(r->kept))
		return fail(e, ERR_NOT_FOUND, "nothing");
	*ret = arena_keep(mem, r->kept);
	return OK;
}

static enum err set_meta(struct store *s, struct str key, struct str value, struct error *e)
{
	struct fixture *r = OWNER_OF(s, struct fixture, store);

	if (r->is_full)
		return fail(e, ERR_IO, "full");
	r->kept = arena_keep(r->mem, value);
	return OK;
}

static struct control_channel *enrol(struct control *c, const struct control_enrol *e)
{
	struct fixture *r = OWNER_OF(c, struct fixture, control);

	r->enrolled++;
	r->channel = (struct control_channel){ STR("chan_1"), STR("resume") };
	return &r->channel;
}

static void leave(struct control *c, struct control_channel *ch, enum disconnect_cause cause)
{
	OWNER_OF(c, struct fixture, control)->left++;
}

static int64_t wall_ms(struct clock *c)
{
	return OWNER_OF(c, struct fixture, clock)->now;
}

static void entropy(struct clock *c, uint8_t out[16])
{
	memset(out, ++OWNER_OF(c, struct fixture, clock)->next, 16);
}

static const struct store_ops store_ops = { .get_meta = get_meta, .set_meta = set_meta };
static const struct control_ops control_ops = { .enrol = enrol, .leave = leave };
static const struct clock_ops clock_ops = { .wall_ms = wall_ms, .entropy = entropy };

static void start(struct fixture *r, struct str token)
{
	struct error e;

	CHECK(devices_init(&r->ds, r->mem, &r->control, &r->store, &r->clock, token, &e) == OK);
}

static struct fixture *fixture_new(void)
{
	struct arena *mem = arena_new();
	struct fixture *r = ARENA_NEW(mem, struct fixture);

	r->mem = mem;
	r->store.ops = &store_ops;
	r->control.ops = &control_ops;
	r->clock.ops = &clock_ops;
	r->now = 1000000;
	start(r, STR("token"));
	return r;
}

#define HOST STR("phone.example")

static struct device *pair(struct fixture *r, struct error *e)
{
	struct str code = devices_mint(&r->ds, STR("phone"), HOST, SCOPE_BIT(SCOPE_READ), r->now);

	return devices_pair(&r->ds, arena_keep(r->mem, code), STR("Phone.Example"), r->now, e);
}

TEST(a_code_works_until_it_is_too_old)
{
	struct fixture *r = fixture_new();
	struct error e;
	struct str code = arena_keep(r->mem, devices_mint(&r->ds, STR("phone"), HOST, 1, r->now));

	CHECK(devices_know_host(&r->ds, HOST, r->now));
	r->now += LIMIT_PAIRING_CODE_S * 1000;
	CHECK(!devices_know_host(&r->ds, HOST, r->now));
	CHECK(!devices_pair(&r->ds, code, HOST, r->now, &e) && !e.code);
	CHECK(devices_pair(&r->ds, code, HOST, r->now - 1, &e));
	CHECK(!devices_pair(&r->ds, code, HOST, r->now - 1, &e) && !e.code);
	CHECK(r->ds.count == 1 && r->enrolled == 1);
	arena_free(r->mem);
}

TEST(a_place_without_a_code_takes_none)
{
	struct fixture *r = fixture_new();
	struct error e;

	CHECK(!devices_pair(&r->ds, str_of((char[SIGNIN_CODE_LEN]){ 0 }, SIGNIN_CODE_LEN), STR(""),
	                    0, &e));
	arena_free(r->mem);
}

TEST(what_cannot_be_kept_is_not_paired_and_the_code_stays_good)
{
	struct fixture *r = fixture_new();
	struct error e;
	struct str code = arena_keep(r->mem, devices_mint(&r->ds, STR("phone"), HOST, 1, r->now));

	r->is_full = true;
	CHECK(!devices_pair(&r->ds, code, HOST, r->now, &e) && e.code);
	CHECK(r->ds.count == 0 && r->left == 1);
	r->is_full = false;
	CHECK(devices_pair(&r->ds, code, HOST, r->now, &e));
	r->is_full = true;
	CHECK(devices_revoke(&r->ds, r->ds.items[0], &e) != OK && r->ds.count == 1);
	CHECK(!r->ds.items[0]->is_revoked);
	arena_free(r->mem);
}

TEST(a_list_that_cannot_be_read_is_an_error_and_not_an_empty_list)
{
	struct fixture *r = fixture_new();
	struct error e = { 0 };

	CHECK(pair(r, &e));
	r->is_unreadable = true;
	CHECK_INT(devices_init(&r->ds, r->mem, &r->control, &r->store, &r->clock, STR("token"), &e),
	          ERR_IO);
	CHECK_STR(str_from(e.message), "unreadable");
	arena_free(r->mem);
}

TEST(a_device_outlives_the_process_but_not_the_token)
{
	struct fixture *r = fixture_new();
	struct error e;
	struct device *d = pair(r, &e);
	struct buf cookie = { 0 };
	int64_t until;

	CHECK(d && str_eq(d->principal, STR("device:phone")));
	signin_write_cookie(&cookie, d->key, r->now + 5000, (uint8_t[16]){ 1 });
	start(r, STR("token"));
	d = devices_of_cookie(&r->ds, buf_str(&cookie), HOST, r->now, &until);
	CHECK(d && d->scopes == SCOPE_BIT(SCOPE_READ) && str_eq(d->resume_token, STR("resume")));
	CHECK(!devices_of_cookie(&r->ds, buf_str(&cookie), STR("other.example"), r->now, &until));
	CHECK(!devices_of_cookie(&r->ds, buf_str(&cookie), HOST, r->now + 5000, &until));
	devices_seen(&r->ds, d);
	CHECK(r->enrolled == 2 && str_eq(d->channel_id, STR("chan_1")));
	start(r, STR("another token"));
	CHECK(!devices_of_cookie(&r->ds, buf_str(&cookie), HOST, r->now, &until));
	buf_done(&cookie);
	arena_free(r->mem);
}

TEST(when_it_was_seen_is_kept_to_the_minute)
{
	struct fixture *r = fixture_new();
	struct error e;
	struct device *d = pair(r, &e);
	struct str before = r->kept;

	r->now += 59999;
	devices_seen(&r->ds, d);
	CHECK(str_eq(before, r->kept) && d->seen_ms == r->now);
	r->now += 1;
	devices_seen(&r->ds, d);
	CHECK(!str_eq(before, r->kept));
	arena_free(r->mem);
}

static bool streams(void *arg, const struct device *d)
{
	return *(bool *)arg;
}

TEST(one_that_is_not_there_any_more_holds_no_channel)
{
	struct fixture *r = fixture_new();
	struct error e;
	struct device *d = pair(r, &e);
	bool has_stream = false;

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
	arena_free(r->mem);
}

TEST(names_that_are_taken_get_a_number)
{
	struct fixture *r = fixture_new();
	struct error e;

	CHECK(str_eq(pair(r, &e)->name, STR("phone")));
	CHECK(str_eq(pair(r, &e)->name, STR("phone-2")));
	CHECK(devices_revoke(&r->ds, r->ds.items[0], &e) == OK);
	CHECK(devices_is_gone(&r->ds, STR("device:phone")));
	CHECK(str_eq(pair(r, &e)->name, STR("phone")));
	CHECK(!devices_is_gone(&r->ds, STR("device:phone")) &&
	      !devices_is_gone(&r->ds, STR("owner")));
	arena_free(r->mem);
}

TEST_MAIN()
