/*
 * What a request accepts: media types, byte ranges, trace ids.
 */
#include "serve/http/content_negotiation.h"

#include <strings.h>

static bool eq_nocase(struct str a, struct str b)
{
	return a.len == b.len && (!a.len || strncasecmp(a.ptr, b.ptr, a.len) == 0);
}

static struct str media_of(struct str item)
{
	return str_trim(str_cut(&item, ';'));
}

/* In thousandths; 1000 without one.  0: the type is not wanted; so is one that is malformed. */
static int quality_of(struct str item)
{
	int value = 0, unit = 1000;

	(void)str_cut(&item, ';');
	while (str_is(item)) {
		struct str weight = str_trim(str_cut(&item, ';')), name = str_cut(&weight, '=');

		if (!eq_nocase(str_trim(name), STR("q")))
			continue;
		weight = str_is(weight) ? str_trim(weight) : STR("");
		for (size_t i = 0; i < weight.len && i < 5; i++) {
			if (weight.ptr[i] == '.')
				continue;
			if (weight.ptr[i] < '0' || weight.ptr[i] > '9')
				return 0;
			value += (weight.ptr[i] - '0') * unit;
			unit /= 10;
		}
		return MIN(value, 1000);
	}
	return 1000;
}

/* The type of the highest quality; of several, the one that is listed first. */
enum media content_negotiation_events(struct str accept)
{
	static const struct {
		const char *name;
		enum media media;
	} known[] = {
		{ "text/event-stream", MEDIA_SSE },
		{ "application/x-ndjson", MEDIA_NDJSON },
		{ "application/ndjson", MEDIA_NDJSON },
		{ "application/json", MEDIA_JSON },
		{ "application/*", MEDIA_JSON },
		{ "*/*", MEDIA_JSON },
		{ "", MEDIA_JSON },
	};
	enum media found = MEDIA_NONE;
	int best = 0;

	if (!accept.len)
		return MEDIA_JSON;
	while (str_is(accept)) {
		struct str item = str_cut(&accept, ','), name = media_of(item);
		int quality = quality_of(item);

		for (size_t i = 0; quality > best && i < COUNT_OF(known); i++)
			if (eq_nocase(name, str_from(known[i].name))) {
				found = known[i].media;
				best = quality;
			}
	}
	return found;
}

enum media content_negotiation_stream(struct str accept)
{
	enum media media = content_negotiation_events(accept);

	return media == MEDIA_JSON ? MEDIA_NDJSON : media;
}

bool content_negotiation_open_metrics(struct str accept)
{
	bool is_open = false;
	int best = 0;

	while (str_is(accept)) {
		struct str item = str_cut(&accept, ','), name = media_of(item);
		bool names_open = eq_nocase(name, STR("application/openmetrics-text"));
		int quality = quality_of(item);

		if (quality <= best ||
		    !(names_open || eq_nocase(name, STR("text/plain")) ||
		      eq_nocase(name, STR("text/*")) || eq_nocase(name, STR("*/*"))))
			continue;
		is_open = names_open;
		best = quality;
	}
	return is_open;
}

bool content_negotiation_is_json(struct str content_type)
{
	return !str_is(content_type) || eq_nocase(media_of(content_type), STR("application/json"));
}

/*
 * One range only.  RFC 9110 lets a server ignore a Range that it does not support, and
 * the whole output is returned then.
 */
bool content_negotiation_range(struct str value, struct range *ret)
{
	int64_t first, last;
	struct str unit = str_cut(&value, '=');

	if (!eq_nocase(str_trim(unit), STR("bytes")) || !str_is(value) ||
	    str_find_char(value, ',') >= 0)
		return false;
	value = str_trim(value);
	if (value.len && value.ptr[0] == '-') {
		if (!str_to_i64(str_skip(value, 1), &last) || last <= 0)
			return false;
		*ret = (struct range){ .first = -last, .count = last };
		return true;
	}

	struct str from = str_cut(&value, '-');

	if (!str_is(value) || !str_to_i64(from, &first) || first < 0)
		return false;
	*ret = (struct range){ .first = first, .count = -1 };
	if (!value.len)
		return true;
	if (!str_to_i64(value, &last) || last < first || last == INT64_MAX)
		return false;
	ret->count = last - first + 1;
	return true;
}
