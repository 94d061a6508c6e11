/* How long a permission decision takes: a command line of 200 characters under twenty rules. */
#include "bench_fixture.h"

#include "policy/shell/analyze.h"

#define TIMES 2000

static const char rules[] =
	"{\"rules\":["
	"{\"effect\":\"deny\",\"command\":[\"rm\",\"-rf\",\"/"
	"\"]},{\"effect\":\"deny\",\"path\":\"**/.env\"},"
	"{\"effect\":\"deny\",\"path\":\"~/.ssh\"},{\"effect\":\"deny\",\"command\":[\"sudo\"]},"
	"{\"effect\":\"deny\",\"command\":[\"git\",\"push\",\"--force\"]},{\"effect\":\"ask\","
	"\"command\":[\"git\",\"push\"]},"
	"{\"effect\":\"ask\",\"command\":[\"npm\",\"publish\"]},{\"effect\":\"ask\",\"path\":"
	"\"deploy/**\"},"
	"{\"effect\":\"allow\",\"command\":[\"make\",\"**\"]},{\"effect\":\"allow\",\"command\":["
	"\"npm\",\"test\"]},"
	"{\"effect\":\"allow\",\"command\":[\"npm\",\"run\",\"*\"]},{\"effect\":\"allow\","
	"\"command\":[\"cargo\",\"test\",\"**\"]},"
	"{\"effect\":\"allow\",\"command\":[\"go\",\"test\",\"**\"]},{\"effect\":\"allow\","
	"\"command\":[\"pytest\",\"**\"]},"
	"{\"effect\":\"allow\",\"path\":\"build/**\"},{\"effect\":\"allow\",\"path\":\"src/**\"},"
	"{\"effect\":\"allow\",\"host\":\"*.example.org\"},{\"effect\":\"allow\",\"command\":["
	"\"git\",\"commit\",\"**\"]},"
	"{\"effect\":\"allow\",\"command\":[\"git\",\"add\",\"**\"]},{\"effect\":\"allow\","
	"\"command\":[\"mkdir\",\"**\"]}]}";

static const struct {
	const char *name, *line;
} lines[] = {
	{ "a list of seven commands", "cd src && git status --short | head -20; grep -rn \"TODO\" "
	                              "lib include | wc -l && make -j4 test "
	                              "V=1 2>&1 | tail -50; for f in *.c; do wc -l \"$f\"; done; "
	                              "echo \"done with $(git rev-parse HEAD)\" > "
	                              "build/log" },
	{ "one command with many words",
	  "grep -rn --include=alpha.c --include=beta.c --include=gamma.c --include=delta.c -e one "
	  "-e two -e three "
	  "-e four -e five -e six src/alpha src/beta src/gamma src/delta src/epsilon include/zeta "
	  "doc/eta lib/t" },
};

static double measure(struct arena *mem, const struct rules *rs, const char *line)
{
	struct policy_call call = { .command = str_from(line),
		                    .place = { .cwd = STR("/ws"), .home = STR("/home/u") },
		                    .how = { .mode = PERMISSION_MODE_DEFAULT,
		                             .is_interactive = true } };
	static double took[TIMES];

	for (int i = 0; i < TIMES; i++) {
		struct rec_permission_decision d;
		int64_t start = now_ns();

		arena_reset(mem);
		evaluate_command(mem, rs, &call, &d);
		took[i] = (double)(now_ns() - start) / 1000;
		if (!d.decision)
			die("nothing was decided");
	}
	return median(took, TIMES);
}

int main(int argc, char **argv)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	CLEANUP(arena_freep) struct arena *step = arena_new();
	struct rules rs = { .mem = mem };
	struct error e;

	bench_fixture_begin(argc, argv);
	if (rules_add(&rs, str_from(rules), (struct rule_origin){ RULE_USER, true }, &e))
		die("%s", e.message);
	for (size_t i = 0; i < COUNT_OF(lines); i++) {
		double best = 1e9;

		for (int round = 0; round < ROUNDS; round++) {
			double p50 = measure(step, &rs, lines[i].line);

			best = p50 < best ? p50 : best;
		}
		ROW(.name = text("permission decision, %s", lines[i].name),
		    .measured = text("%.1f us", best), .target = "<= 50 us", .reached = best <= 50,
		    .note = text("%zu characters, %u rules", strlen(lines[i].line), rs.count));
	}
	return 0;
}
