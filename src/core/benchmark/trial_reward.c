/* Reads the file of a verifier.  What it wrote is the score; nothing is rounded or repaired. */
#include "core/benchmark/trial.h"

#include "base/json.h"

static bool is_number(struct json v)
{
	enum json_type type = json_type(v);

	return type == JSON_INT || type == JSON_UINT || type == JSON_REAL;
}

/* The named number of an object, else `reward`, else its only number. */
static const char *read_object(struct json doc, struct str key, double *ret)
{
	struct json_iter it = json_iter(doc);
	struct json v = json_get(doc, str_is(key) ? key : STR("reward"));
	size_t count = 0;
	struct json each;
	struct str name;

	if (!json_is(v) && !str_is(key)) {
		while (json_next(&it, &name, &each)) {
			v = each;
			count++;
		}
		if (count != 1)
			return "it has no member reward; name the one that counts with key";
	}
	if (!json_is(v))
		return "it has no member of that name";
	if (!is_number(v))
		return "that member is not a number";
	*ret = json_real(v, 0);
	return NULL;
}

const char *trial_reward_read(struct arena *mem, struct str text, struct str key, double *ret)
{
	struct json doc;

	if (json_read(mem, str_trim(text), &doc, NULL) != OK)
		return "it is neither a number nor JSON";
	if (json_type(doc) == JSON_OBJ)
		return read_object(doc, key, ret);
	if (!is_number(doc))
		return "it is not a number";
	if (str_is(key))
		return "it is one number and has no members; leave key out";
	*ret = json_real(doc, 0);
	return NULL;
}

/* False for what is not a number, too. */
bool trial_reward_is_bounded(double value)
{
	return value >= -TRIAL_REWARD_MAX && value <= TRIAL_REWARD_MAX;
}
