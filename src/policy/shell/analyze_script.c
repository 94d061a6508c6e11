/*
 * Does a line change the code that it runs?
 *
 * A grant for a script is bound to what the file holds when the call is evaluated.  If another part
 * of the line may write, move or remove the file before it runs, that content says nothing, so no
 * grant covers the act (ACT_STEERED).
 */
#include "policy/shell/analyze_internal.h"

#include "base/path/path.h"

/* The directory in which the first wildcard of a pattern is. */
static struct str plain_part(struct str path)
{
	size_t end = 0;

	while (end < path.len && !strchr("*?[", path.ptr[end]))
		end++;
	while (end > 1 && path.ptr[end - 1] != '/')
		end--;
	return end > 1 ? str_head(path, end - 1) : STR("/");
}

static bool is_at_or_above(struct str path, unsigned flags, struct str file)
{
	return path_is_under(file, flags & ACT_PATH_PATTERN ? plain_part(path) : path);
}

/* May it replace the file, or a directory above it? */
static bool may_replace(const struct act_path *p, struct str file)
{
	if (!(p->use & (ACT_WRITES | ACT_DELETES)) || p->flags & ACT_PATH_HARMLESS)
		return false;
	return p->flags & ACT_PATH_UNKNOWN || is_at_or_above(p->path, p->flags, file) ||
	       is_at_or_above(p->real, p->flags, file);
}

/* chmod +x and mkdir -p leave the content of files alone. */
static bool leaves_content(const struct act *a)
{
	return a->flags & ACT_COMPLETE && a->word_count &&
	       (str_eq(a->words[0].text, STR("chmod")) || str_eq(a->words[0].text, STR("mkdir")));
}

static bool replaces(struct judge *j, const struct act *a, bool is_itself, struct str file)
{
	if (leaves_content(a))
		return false;
	for (uint32_t i = 0; i < a->path_count; i++) {
		/* The program writes after it has started, the shell before. */
		if (is_itself && !(a->paths[i].flags & ACT_PATH_REDIRECTED))
			continue;
		if (!spend(j, 1) || may_replace(&a->paths[i], file))
			return true;
	}
	return false;
}

/* Acts are listed in the order in which they run, except these. */
static bool may_come_first(const struct act *other, bool is_before, const struct act *a)
{
	const unsigned together = SHELL_IN_LOOP | SHELL_IN_PIPE;

	return is_before || other->context & a->context & together ||
	       a->context & SHELL_IN_BACKGROUND ||
	       other->context & (SHELL_IN_FUNCTION | SHELL_IN_TRAP);
}

static bool runs(const struct shell_acts *all, uint32_t wrapper, const struct act *a)
{
	int at = a->outer;

	while (at >= 0 && (uint32_t)at != wrapper)
		at = all->items[at]->outer;
	return at >= 0;
}

/* Its effects are not all known, so the file may be among them. */
static bool is_unknown(const struct act *a)
{
	return !(a->flags & (ACT_COMPLETE | ACT_READ_ONLY | ACT_NEUTRAL));
}

static bool is_changed_before(struct judge *j, uint32_t i, struct str file)
{
	const struct shell_acts *all = j->out;
	const struct act *a = all->items[i];

	for (uint32_t k = 0; k < all->count; k++) {
		const struct act *other = all->items[k];

		if (!spend(j, 1))
			return true;
		if (k != i && !may_come_first(other, k < i, a))
			continue;
		if (replaces(j, other, k == i, file) ||
		    (k != i && is_unknown(other) && !runs(all, k, a)))
			return true;
	}
	return false;
}

static struct str real_script(struct judge *j, struct str script)
{
	if (!j->place->real)
		return script;
	return spend(j, REAL_STEPS) ? j->place->real(j->place->owner, j->mem, script) : STR_NONE;
}

void analyze_script_note_changes(struct judge *j)
{
	for (uint32_t i = 0; i < j->out->count; i++) {
		struct act *a = j->out->items[i];
		struct str real;

		if (!str_is(a->script) || a->flags & ACT_STEERED)
			continue;
		real = real_script(j, a->script);
		if (!str_is(real) || is_changed_before(j, i, a->script) ||
		    (!str_eq(real, a->script) && is_changed_before(j, i, real)))
			a->flags |= ACT_STEERED;
	}
}
