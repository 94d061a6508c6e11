/*
 * The prices of a model: what its provider or the catalogue says, then the table
 * of the settings (docs/how-to/money.md).
 */
#include "core/settings/model_prices.h"

#include "base/os/clock.h"

#include <string.h>

/* A date means its first moment, in UTC. */
static bool read_day(struct str text, int64_t *ret)
{
	char whole[40];

	if (clock_time_read(text, ret))
		return true;
	if (text.len != 10)
		return false;
	memcpy(whole, text.ptr, 10);
	memcpy(whole + 10, "T00:00:00Z", sizeof "T00:00:00Z");
	return clock_time_read(str_from(whole), ret);
}

/* In billionths of a dollar.  otherwise below 0: the member is required. */
static bool take_price(struct json v, const char *key, int64_t otherwise, int64_t *ret)
{
	struct json n = json_get(v, str_from(key));

	if (!json_is(n)) {
		*ret = otherwise;
		return otherwise >= 0;
	}
	*ret = json_nano(n, -1);
	return *ret >= 0;
}

/* "above": {"inputTokens": 200000, "inputPerMTok": …}: the prices of requests with more input. */
static bool take_above(struct json v, struct model_price *ret)
{
	struct json above = JSON_GET(v, "above");

	if (!json_is(above))
		return true;
	ret->above_tokens = json_int(JSON_GET(above, "inputTokens"), -1);
	return ret->above_tokens > 0 && take_price(above, "inputPerMTok", -1, &ret->above_input) &&
	       take_price(above, "outputPerMTok", -1, &ret->above_output) &&
	       take_price(above, "cachedInputPerMTok", ret->above_input,
	                  &ret->above_cached_input) &&
	       take_price(above, "cacheWritePerMTok", ret->above_input, &ret->above_cache_write);
}

/*
 * Reading from and writing to a cache cost the normal input price unless the table says
 * otherwise.
 */
static enum err read_price(struct str name, struct json v, struct model_price *ret,
                           struct error *err)
{
	struct str from = json_str(JSON_GET(v, "effectiveFrom"));

	*ret = (struct model_price){ .source = PRICE_SOURCE_TABLE, .from = from };
	if (json_type(v) != JSON_OBJ || !take_price(v, "inputPerMTok", -1, &ret->input) ||
	    !take_price(v, "outputPerMTok", -1, &ret->output) ||
	    !take_price(v, "cachedInputPerMTok", ret->input, &ret->cached_input) ||
	    !take_price(v, "cacheWritePerMTok", ret->input, &ret->cache_write))
		return fail(err, ERR_INVALID,
		            "prices: %.*s: needs inputPerMTok and outputPerMTok in dollars",
		            STR_ARG(name));
	if (!take_above(v, ret))
		return fail(err, ERR_INVALID,
		            "prices: %.*s: above needs inputTokens above 0, and inputPerMTok and "
		            "outputPerMTok in dollars",
		            STR_ARG(name));
	if (str_is(from) && !read_day(from, &ret->from_ms))
		return fail(err, ERR_INVALID, "prices: %.*s: effectiveFrom is not a date",
		            STR_ARG(name));
	return OK;
}

/*
 * By their day; for the same day the order in which they came.  qsort() does not keep that
 * order, and the last price of a day counts.
 */
static void sort_prices(struct model_price *prices, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct model_price each = prices[i];
		size_t at = i;

		for (; at && prices[at - 1].from_ms > each.from_ms; at--)
			prices[at] = prices[at - 1];
		prices[at] = each;
	}
}

enum err model_prices_take(struct arena *mem, struct json prices, const struct model_info *info,
                           struct model_info *m, struct error *err)
{
	struct str name =
		arena_printf(mem, "%.*s/%.*s", STR_ARG(info->provider), STR_ARG(info->model));
	struct json table = json_get(prices, name);
	bool is_list = json_type(table) == JSON_ARR;
	size_t rows = is_list ? json_count(table) : json_is(table);
	struct model_price *out =
		ARENA_ARRAY(mem, struct model_price, info->price_count + rows + 1);
	struct json_iter it = json_iter(table);
	struct str key;
	struct json row;
	enum err code = OK;

	/* A price of the settings replaces that of the catalogue or of the server, whatever its day. */
	m->price_count = 0;
	for (size_t i = 0; i < info->price_count; i++) {
		struct model_price *p = &out[m->price_count];
		bool is_given = info->prices[i].source != PRICE_SOURCE_CATALOG &&
		                info->prices[i].source != PRICE_SOURCE_PROVIDER;

		if (rows && !is_given)
			continue;
		*p = info->prices[i];
		if (!is_given || (str_is(p->from) && !read_day(p->from, &p->from_ms)))
			p->from_ms = 0;
		m->price_count++;
	}
	if (json_is(table) && !is_list)
		code = read_price(name, table, &out[m->price_count++], err);
	while (!code && is_list && json_next(&it, &key, &row))
		code = read_price(name, row, &out[m->price_count++], err);
	sort_prices(out, m->price_count);
	m->prices = out;
	return code;
}
