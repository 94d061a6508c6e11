/* Usage: buckets of durations, quantiles from their counts, and sums over sessions. */
#include "engine/query/figures/usage_sum.h"
#include "lib/t.h"

TEST(bounds_ascend_and_hold_their_values)
{
	for (size_t i = 0; i + 1 < USAGE_BUCKETS; i++) {
		int64_t bound = usage_bucket_bound(i);

		CHECK(bound < usage_bucket_bound(i + 1) || i == 0);
		CHECK(usage_bucket_bound(usage_bucket_of(bound)) == bound);
		CHECK(usage_bucket_of(bound + 1) > usage_bucket_of(bound));
	}
	CHECK_INT(usage_bucket_of(0), 0);
	CHECK(usage_bucket_bound(usage_bucket_of(INT64_MAX - 1)) == INT64_MAX);
}

/* A thousand values from 1 to 1000 ms: a quantile is off by less than half. */
TEST(a_quantile_is_as_exact_as_its_bucket)
{
	struct usage_histogram h = { 0 };

	CHECK_INT(usage_histogram_quantile(&h, 50), -1);
	for (int64_t ms = 1; ms <= 1000; ms++) {
		h.counts[usage_bucket_of(ms)]++;
		h.total++;
	}
	for (int percent = 1; percent <= 100; percent++) {
		int64_t got = usage_histogram_quantile(&h, percent), want = percent * 10;

		CHECK(got >= want / 2 && got <= want + want / 2);
	}
}

static struct st_usage *hour(struct arena *mem, int64_t at, int64_t completed, const char *model,
                             int64_t spent)
{
	struct st_usage *u = ARENA_NEW(mem, struct st_usage);
	struct st_usage_model *m;

	u->hour = at * USAGE_HOUR_MS;
	u->completed = completed;
	u->failed = 1;
	m = rec_list_add(mem, &u->models, &st_usage_model_desc);
	m->provider = STR("p");
	m->model = str_from(model);
	m->requests = 1;
	m->spent_usd = spent;
	return u;
}

static struct json sums_of(struct arena *mem, enum usage_group by, size_t limit)
{
	CLEANUP(buf_done) struct buf out = { 0 };
	struct usage_sums s;
	struct json_writer w;
	struct json doc;
	struct error e;

	usage_sum_init(&s, mem, by);
	for (int i = 0; i < 3000; i++)
		usage_sum_add(&s, arena_printf(mem, "sess_%d", i % 1000), STR("tenant:ann"),
		              hour(mem, 24 + i / 1000, 2, i % 2 ? "a" : "b", 1000000 + i % 1000));
	jw_init(&w, &out);
	jw_obj(&w);
	usage_sum_write(&s, limit, &w);
	jw_obj_end(&w);
	usage_sum_done(&s);
	CHECK_OK(json_read(mem, arena_keep(mem, buf_str(&out)), &doc, &e), &e);
	return doc;
}

static struct json row_at(struct json doc, int64_t n)
{
	struct json_iter it = json_iter(JSON_GET(doc, "rows"));
	struct json row = { 0 };
	struct str key;

	while (n-- >= 0 && json_next(&it, &key, &row))
		;
	return row;
}

TEST(sums_are_the_same_however_they_are_grouped)
{
	static const enum usage_group groups[] = { USAGE_GROUP_DAY, USAGE_GROUP_HOUR,
		                                   USAGE_GROUP_MODEL, USAGE_GROUP_TENANT,
		                                   USAGE_GROUP_SESSION };
	static const int64_t counts[] = { 1, 3, 2, 1, 1000 };

	for (size_t i = 0; i < COUNT_OF(groups); i++) {
		CLEANUP(arena_freep) struct arena *mem = arena_new();
		struct json doc = sums_of(mem, groups[i], 1000);
		struct json total = JSON_GET(doc, "total");

		CHECK_INT(json_count(JSON_GET(doc, "rows")), counts[i]);
		CHECK_INT(json_int(JSON_GET(doc, "sessions"), 0), 1000);
		CHECK_INT(json_int(JSON_GET(total, "completed"), 0), 6000);
		CHECK_INT(json_int(JSON_GET(total, "requests"), 0), 3000);
	}
}

TEST(rows_have_names_that_people_know)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();

	CHECK_SAME(json_str(JSON_GET(row_at(sums_of(mem, USAGE_GROUP_DAY, 9), 0), "key")),
	           STR("1970-01-02"));
	CHECK_SAME(json_str(JSON_GET(row_at(sums_of(mem, USAGE_GROUP_HOUR, 9), 2), "key")),
	           STR("1970-01-02T02:00Z"));
	CHECK_SAME(json_str(JSON_GET(row_at(sums_of(mem, USAGE_GROUP_MODEL, 9), 0), "key")),
	           STR("p/a"));
	CHECK_SAME(json_str(JSON_GET(row_at(sums_of(mem, USAGE_GROUP_TENANT, 9), 0), "key")),
	           STR("ann"));
}

/* Sessions with the largest cost come first; of hours the last ones stay. */
TEST(rows_beyond_the_limit_are_counted)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct json by_session = sums_of(mem, USAGE_GROUP_SESSION, 10);
	struct json by_hour = sums_of(mem, USAGE_GROUP_HOUR, 1);

	CHECK_INT(json_int(JSON_GET(by_session, "omitted"), 0), 990);
	CHECK_SAME(json_str(JSON_GET(row_at(by_session, 0), "key")), STR("sess_999"));
	CHECK_INT(json_int(JSON_GET(by_hour, "omitted"), 0), 2);
	CHECK_SAME(json_str(JSON_GET(row_at(by_hour, 0), "key")), STR("1970-01-02T02:00Z"));
}

TEST_MAIN()
