/* Chooses the word or the number of tokens that a model accepts for an effort. */
#include "provider/models/effort.h"

#include "base/gen/words.h"

/* For models that take a number; below every output limit that we request of them. */
static const int64_t tokens[] = {
	[EFFORT_MINIMAL] = 1024, [EFFORT_LOW] = 2048,    [EFFORT_MEDIUM] = 8192,
	[EFFORT_HIGH] = 16384,   [EFFORT_XHIGH] = 24576, [EFFORT_MAX] = 24576,
};

static bool accepts(struct str words, enum effort effort)
{
	while (str_is(words))
		if (str_eq(str_cut(&words, ' '), effort_word(effort)))
			return true;
	return false;
}

/* The nearest below, else the nearest above. */
static enum effort nearest(struct str words, enum effort wish)
{
	for (unsigned e = wish; e >= EFFORT_MINIMAL; e--)
		if (accepts(words, (enum effort)e))
			return (enum effort)e;
	for (unsigned e = wish; e <= EFFORT_MAX; e++)
		if (accepts(words, (enum effort)e))
			return (enum effort)e;
	return 0;
}

void effort_choose(enum effort wish, const struct model_info *m, struct body_options *o)
{
	static const struct str usual =
		STR(WORD_EFFORT_LOW " " WORD_EFFORT_MEDIUM " " WORD_EFFORT_HIGH);
	bool has_words = m && str_is(m->efforts);
	enum effort chosen = has_words ? nearest(m->efforts, wish) : nearest(usual, wish);

	o->effort = STR_NONE;
	o->effort_tokens = 0;
	if (!wish || !chosen)
		return;
	o->effort = effort_word(chosen);
	if (m && m->reasons && !has_words)
		o->effort_tokens = tokens[wish];
}
