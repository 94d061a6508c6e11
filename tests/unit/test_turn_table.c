/* The table of a turn's stages, pair by pair. */
#include "core/turn/turn_table.h"
#include "t.h"

#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* Written out a second time, one word per pair, so that a change of the table is seen twice. */
static const char *const allowed[TURN_STAGE_COUNT] = {
	[TURN_STAGE_ABSENT] = "accepted queued merging",
	[TURN_STAGE_MERGING] = "queued ended",
	[TURN_STAGE_QUEUED] = "accepted ended",
	[TURN_STAGE_ACCEPTED] = "preparing stopping failing lost ended",
	[TURN_STAGE_PREPARING] =
		"acting preparing sampling waiting compacting ended stopping failing lost",
	[TURN_STAGE_SAMPLING] = "preparing acting finishing stopping failing lost",
	[TURN_STAGE_ACTING] = "ended sampling waiting compacting stopping failing lost",
	[TURN_STAGE_WAITING] = "preparing sampling waiting compacting stopping failing lost",
	[TURN_STAGE_BACKING_OFF] = "sampling waiting compacting stopping failing lost",
	[TURN_STAGE_COMPACTING] =
		"preparing sampling waiting compacting backing_off ended stopping failing lost",
	[TURN_STAGE_FINISHING] = "sampling waiting compacting ended stopping failing lost",
	[TURN_STAGE_FAILING] =
		"preparing waiting compacting backing_off ended stopping failing lost",
	[TURN_STAGE_STOPPING] = "stopping failing ended",
	[TURN_STAGE_LOST] = "preparing stopping failing ended",
	[TURN_STAGE_ENDED] = "",
};

static bool is_allowed(enum turn_stage from, enum turn_stage to)
{
	struct str rest = str_from(allowed[from]), word = turn_stage_word(to);

	for (size_t at = 0; at < rest.len;) {
		size_t end = at;

		while (end < rest.len && rest.ptr[end] != ' ')
			end++;
		if (str_eq(str_of(rest.ptr + at, end - at), word))
			return true;
		at = end + 1;
	}
	return false;
}

/* Does a strict state take the move?  A broken assertion ends the child. */
static bool strict_takes(enum turn_stage from, enum turn_stage to)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		struct state w = { .is_strict = true };
		struct st_turn t = { .stage = from };

		signal(SIGABRT, SIG_DFL);
		if (!freopen("/dev/null", "w", stderr))
			_exit(2);
		turn_table_move(&w, &t, to);
		_exit(t.stage == to ? 0 : 3);
	}
	waitpid(child, &status, 0);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST(every_pair_of_stages_is_allowed_or_refused_as_written)
{
	for (int from = 0; from < TURN_STAGE_COUNT; from++)
		for (int to = 1; to < TURN_STAGE_COUNT; to++) {
			CHECK(turn_table_may(from, to) == is_allowed(from, to));
			CHECK(strict_takes(from, to) == is_allowed(from, to));
		}
}

TEST(a_state_that_is_not_strict_takes_every_move)
{
	struct state w = { 0 };

	for (int from = 0; from < TURN_STAGE_COUNT; from++)
		for (int to = 1; to < TURN_STAGE_COUNT; to++) {
			struct st_turn t = { .stage = from };

			turn_table_move(&w, &t, to);
			CHECK(t.stage == (enum turn_stage)to);
		}
}

/* The stages that can be reached from one, by any number of moves. */
static unsigned reachable(enum turn_stage from)
{
	unsigned seen = 0, before;

	for (int to = 0; to < TURN_STAGE_COUNT; to++)
		seen |= turn_table_may(from, to) ? 1u << to : 0;
	do {
		before = seen;
		for (int via = 0; via < TURN_STAGE_COUNT; via++)
			for (int to = 0; (before >> via & 1) && to < TURN_STAGE_COUNT; to++)
				seen |= turn_table_may(via, to) ? 1u << to : 0;
	} while (seen != before);
	return seen;
}

TEST(a_new_turn_can_reach_every_stage_and_every_stage_ends)
{
	for (int s = 1; s < TURN_STAGE_COUNT; s++) {
		CHECK(reachable(TURN_STAGE_ABSENT) >> s & 1);
		CHECK(s == TURN_STAGE_ENDED || (reachable(s) >> TURN_STAGE_ENDED & 1));
	}
	CHECK(!reachable(TURN_STAGE_ENDED));
}

TEST_MAIN()
