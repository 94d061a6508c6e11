/* Trials: the number of a verifier's file, what makes two sides comparable, their numbers, and the matrix. */
#include "core/benchmark/compare.h"
#include "core/benchmark/matrix.h"
#include "core/benchmark/trial.h"
#include "lib/t.h"

/* ---- rewards ---- */

static bool reads(const char *text, const char *key, double wanted)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	double value = -1;
	const char *why =
		trial_reward_read(mem, str_from(text), key ? str_from(key) : STR_NONE, &value);

	return !why && value == wanted;
}

static bool refuses(const char *text, const char *key)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	double value = -1;

	return trial_reward_read(mem, str_from(text), key ? str_from(key) : STR_NONE, &value) &&
	       value == -1;
}

TEST(a_reward_is_the_number_of_the_file)
{
	CHECK(reads("1", NULL, 1));
	CHECK(reads(" 0.25\n", NULL, 0.25));
	CHECK(reads("-3e2", NULL, -300));
	CHECK(reads("{\"reward\": 0.5}", NULL, 0.5));
	CHECK(reads("{\"reward\": 0.5, \"speed\": 2}", NULL, 0.5));
	CHECK(reads("{\"reward\": 0.5, \"speed\": 2}", "speed", 2));
	CHECK(reads("{\"accuracy\": 0.75}", NULL, 0.75));
}

/* Two rewards of 1e308 have no finite sum, and an event cannot hold another. */
TEST(a_reward_can_be_added)
{
	CHECK(trial_reward_is_bounded(0) && trial_reward_is_bounded(-TRIAL_REWARD_MAX));
	CHECK(!trial_reward_is_bounded(1e200) && !trial_reward_is_bounded(-1e13));
}

TEST(what_is_no_number_is_not_a_reward)
{
	static const char *const texts[] = { "",
		                             "good",
		                             "NaN",
		                             "Infinity",
		                             "1e999",
		                             "0x1",
		                             "1,5",
		                             "1 2",
		                             "true",
		                             "null",
		                             "\"1\"",
		                             "[1]",
		                             "{}",
		                             "{\"reward\": null}",
		                             "{\"reward\": \"1\"}",
		                             "{\"a\": 1, \"b\": 2}",
		                             "{\"reward\": 1, \"reward\": 2}" };

	for (size_t i = 0; i < COUNT_OF(texts); i++)
		CHECK(refuses(texts[i], NULL));
	CHECK(refuses("{\"reward\": 1}", "speed"));
	CHECK(refuses("1", "speed"));
}

/* ---- comparisons ---- */

#define SIDE_MAX 16

struct bench {
	struct rec_trial_row rows[SIDE_MAX];
	struct rec_benchmark benchmarks[SIDE_MAX];
	struct rec_reward rewards[SIDE_MAX];
	struct rec_trial_configuration configurations[SIDE_MAX];
	const struct rec_trial_row *list[SIDE_MAX];
	char ids[SIDE_MAX][8];
	size_t count;
};

static struct rec_trial_row *add(struct bench *b, const char *configuration, const char *task,
                                 double reward)
{
	size_t i = b->count++;

	snprintf(b->ids[i], sizeof b->ids[i], "t-%zu", i);
	b->benchmarks[i] = (struct rec_benchmark){ .dataset_id = STR("demo"),
		                                   .dataset_version = STR("1"),
		                                   .task_id = str_from(task),
		                                   .configuration_id = str_from(configuration) };
	b->rewards[i] = (struct rec_reward){ .value = reward, .has_value = true };
	b->configurations[i] = (struct rec_trial_configuration){ .model = STR("m") };
	b->rows[i] = (struct rec_trial_row){ .trial_id = str_from(b->ids[i]),
		                             .benchmark = &b->benchmarks[i],
		                             .configuration = &b->configurations[i],
		                             .reward = &b->rewards[i],
		                             .verifier_ref = STR("v"),
		                             .status = STATUS_COMPLETED,
		                             .cost_usd = 1000,
		                             .has_cost_usd = true };
	b->list[i] = &b->rows[i];
	return &b->rows[i];
}

static struct compare sides(const struct bench *b)
{
	return (struct compare){ b->list, b->count, STR("a"), STR("b") };
}

static enum error_code check(const struct bench *b)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct compare c = sides(b);
	struct str why;

	return compare_check(mem, &c, &why);
}

static bool is_near(double a, double b)
{
	return a - b < 1e-9 && b - a < 1e-9;
}

TEST(the_mean_is_that_of_each_task_first)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bench b = { 0 };
	struct rec_comparison r;
	struct compare c;

	add(&b, "a", "easy", 1);
	add(&b, "a", "easy", 1);
	add(&b, "a", "easy", 1);
	add(&b, "a", "hard", 0);
	add(&b, "b", "easy", 1);
	add(&b, "b", "hard", 0.5)->cost_usd = 3000;
	add(&b, "other", "easy", 0);
	CHECK_INT(check(&b), 0);
	c = sides(&b);
	compare_result(mem, &c, &r);
	CHECK(is_near(r.baseline_mean_reward, 0.5));
	CHECK(is_near(r.candidate_mean_reward, 0.75));
	CHECK(is_near(r.mean_reward_delta, 0.25));
	CHECK(is_near(r.baseline_reward_std_dev, 0.5));
	CHECK(is_near(r.mean_reward_delta_std_err * r.mean_reward_delta_std_err,
	              0.25 / 4 + 0.125 / 2));
	CHECK_INT(r.tasks, 2);
	CHECK_INT(r.baseline_trials, 4);
	CHECK_INT(r.candidate_trials, 2);
	CHECK_INT(r.cost_delta_usd, 1000);
	CHECK(!r.has_tokens_delta);
	CHECK_INT(r.changed_variables.count, 0);
}

TEST(trials_without_a_score_are_counted_and_in_no_mean)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bench b = { 0 };
	struct rec_comparison r;
	struct compare c;
	struct rec_trial_row *t;

	add(&b, "a", "x", 1);
	add(&b, "b", "x", 1);
	t = add(&b, "b", "x", 0);
	t->reward = NULL;
	t->has_cost_usd = false;
	t->status = STATUS_FAILED;
	t->timed_out = true;
	CHECK_INT(check(&b), 0);
	c = sides(&b);
	compare_result(mem, &c, &r);
	CHECK(is_near(r.mean_reward_delta, 0));
	CHECK_INT(r.candidate_unscored, 1);
	CHECK(is_near(r.timeout_rate_delta, 0.5) && is_near(r.failure_rate_delta, 0.5));
	CHECK(!r.has_cost_delta_usd && !r.has_mean_reward_delta_std_err);
}

TEST(sides_that_cannot_be_compared_are_refused)
{
	struct bench b = { 0 };

	CHECK_INT(check(&b), ERROR_CODE_TRIAL_NOT_FOUND);
	add(&b, "a", "x", 1);
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_NOT_FOUND);
	add(&b, "b", "x", 1);
	b.rewards[1].has_value = false;
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_NOT_FOUND);
	b.rewards[1].has_value = true;
	CHECK_INT(check(&b), 0);
	b.benchmarks[1].dataset_version = STR("2");
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_MISMATCH);
	b.benchmarks[1].dataset_version = STR("1");
	b.rows[1].verifier_ref = STR_NONE;
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_MISMATCH);
	b.rows[0].verifier_ref = STR_NONE;
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_MISMATCH); /* two that are not named may be two */
	b.rows[0].verifier_ref = b.rows[1].verifier_ref = STR("v");
	b.benchmarks[1].task_id = STR("y");
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_MISMATCH);
	b.benchmarks[1].task_id = STR("x");
	b.rows[1].status = STATUS_RUNNING;
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_RUNNING);
	b.rows[1].status = STATUS_COMPLETED;
	b.rows[1].trial_id = b.rows[0].trial_id;
	CHECK_INT(check(&b), ERROR_CODE_INVALID_VALUE);
}

TEST(numbers_of_rows_are_bounded)
{
	struct bench b = { 0 };
	struct rec_tokens tokens = { .input_tokens = INT64_MAX };

	add(&b, "a", "x", 1);
	add(&b, "b", "x", 1);
	b.rows[1].cost_usd = INT64_MAX;
	CHECK_INT(check(&b), ERROR_CODE_INVALID_VALUE);
	b.rows[1].cost_usd = -1;
	CHECK_INT(check(&b), ERROR_CODE_INVALID_VALUE);
	b.rows[1].cost_usd = 1;
	b.rows[1].duration_ms = INT64_MAX;
	CHECK_INT(check(&b), ERROR_CODE_INVALID_VALUE);
	b.rows[1].duration_ms = 0;
	b.rows[1].tokens = &tokens;
	CHECK_INT(check(&b), ERROR_CODE_INVALID_VALUE);
	tokens.input_tokens = 7;
	CHECK_INT(check(&b), 0);
}

static enum error_code check_named(const struct bench *b, const char *said)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct compare c = sides(b);
	struct str why;

	return compare_check_named(mem, &c, str_from(said), &why);
}

TEST(the_named_variable_is_the_one_that_differs)
{
	struct bench b = { 0 };

	add(&b, "a", "x", 1);
	add(&b, "b", "x", 1);
	CHECK_INT(check_named(&b, "the weather"), 0); /* nothing that is compared differs */
	CHECK_INT(check_named(&b, "model"), ERROR_CODE_TRIAL_MISMATCH);
	b.configurations[1].fallback = STR("deny");
	CHECK_INT(check(&b), 0);
	CHECK_INT(check_named(&b, "fallback"), 0);
	CHECK_INT(check_named(&b, "model"), ERROR_CODE_TRIAL_MISMATCH);
	CHECK_INT(check_named(&b, "the weather"), ERROR_CODE_TRIAL_MISMATCH);
	b.configurations[1].model = STR("n");
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_MISMATCH);
}

TEST(one_variable_may_differ_and_not_two)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bench b = { 0 };
	struct compare c;
	struct list_str changes;

	add(&b, "a", "x", 1);
	add(&b, "b", "x", 1);
	add(&b, "b", "x", 1);
	b.configurations[1].model = b.configurations[2].model = STR("n");
	c = sides(&b);
	changes = compare_changes(mem, &c);
	CHECK_INT(changes.count, 1);
	CHECK(str_eq(changes.items[0], STR("model")));
	CHECK_INT(check(&b), 0);
	b.rows[2].timeout_sec = 5;
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_MISMATCH);
	b.rows[2].timeout_sec = 0;
	b.rows[2].permission_mode = PERMISSION_MODE_BYPASS;
	CHECK_INT(check(&b), ERROR_CODE_TRIAL_MISMATCH);
}

/* ---- the document ---- */

TEST(gaps_of_a_pack_are_named)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bench b = { 0 };
	struct trial_pack p = { .trial = add(&b, "a", "x", 1), .runtime_id = STR("rt_1") };
	struct list_str gaps = trial_pack_gaps(mem, &p);

	CHECK(rec_list_str_find(&gaps, STR("trajectoryRef")) >= 0);
	CHECK(rec_list_str_find(&gaps, STR("harborJobRef")) >= 0);
	CHECK(rec_list_str_find(&gaps, STR("reward")) < 0);
	CHECK(!trial_pack_is_complete(&gaps));
	trial_emit_put_ref(mem, &p.refs, STR("trajectoryRef"), STR("a"));
	trial_emit_put_ref(mem, &p.refs, STR("rewardRef"), STR("b"));
	trial_emit_put_ref(mem, &p.refs, STR("rewardDetailsRef"), STR("c"));
	trial_emit_put_ref(mem, &p.refs, STR("artifactManifestRef"), STR("d"));
	trial_emit_put_ref(mem, &p.refs, STR("rewardRef"), STR("e"));
	gaps = trial_pack_gaps(mem, &p);
	CHECK(trial_pack_is_complete(&gaps));
	CHECK_INT(p.refs.count, 4);
	CHECK(str_eq(rec_dict_get(&p.refs, STR("rewardRef")), STR("e")));
	b.rows[0].reward = NULL;
	gaps = trial_pack_gaps(mem, &p);
	CHECK(!trial_pack_is_complete(&gaps));
}

/* ---- the matrix ---- */

static void add_all(struct matrix *m, const struct bench *b)
{
	for (size_t i = 0; i < b->count; i++) {
		CLEANUP(arena_freep) struct arena *scratch = arena_new();

		matrix_add(m, scratch, b->list[i]);
	}
}

TEST(a_cell_has_mean_spread_and_what_was_not_scored)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bench b = { 0 };
	const struct rec_trial_cell *cell;
	struct matrix m;

	add(&b, "a", "t", 1)->duration_ms = 30;
	add(&b, "a", "t", 0)->duration_ms = 10;
	add(&b, "a", "t", 5)->reward = NULL;
	add(&b, "a", "t", 9)->status = STATUS_RUNNING;
	b.rows[2].status = STATUS_FAILED;
	b.rows[2].has_cost_usd = false;
	matrix_init(&m, mem, 10);
	add_all(&m, &b);
	cell = matrix_cell_row(m.first);
	CHECK_INT(m.trials, 4);
	CHECK_INT(cell->trials, 4);
	CHECK_INT(cell->scored, 2);
	CHECK_INT(cell->unscored, 1);
	CHECK_INT(cell->running, 1);
	CHECK_INT(cell->failed, 1);
	CHECK_INT(cell->newest.count, 4);
	CHECK(is_near(cell->mean_reward, 0.5) && cell->has_mean_reward);
	CHECK(cell->has_reward_std_dev && is_near(cell->reward_std_dev, compare_root(0.5)));
	CHECK(cell->has_mean_duration_ms && is_near(cell->mean_duration_ms, 40.0 / 3));
	CHECK(!cell->has_mean_cost_usd); /* one is unknown */
	matrix_done(&m);
}

TEST(one_score_has_no_spread_and_no_score_no_mean)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bench b = { 0 };
	struct matrix m;

	add(&b, "a", "t", 1);
	add(&b, "b", "t", 1)->reward = NULL;
	matrix_init(&m, mem, 10);
	add_all(&m, &b);
	CHECK(m.first->row.has_mean_reward && !matrix_cell_row(m.first)->has_reward_std_dev);
	CHECK(!matrix_cell_row(m.first->next)->has_mean_reward);
	CHECK_INT(matrix_cell_row(m.first)->mean_cost_usd, 1000);
	matrix_done(&m);
}

/* Names may hold anything: the ends of one never meet the beginning of the other. */
TEST(tasks_and_configurations_are_not_mixed_up)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bench b = { 0 };
	struct matrix m;

	add(&b, "c", "ab", 1);
	add(&b, "bc", "a", 1);
	matrix_init(&m, mem, 10);
	add_all(&m, &b);
	CHECK_INT(m.by_key.count, 2);
	matrix_done(&m);
}

TEST(a_matrix_is_of_one_dataset_and_bounded)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct bench b = { 0 };
	struct matrix m;

	add(&b, "a", "t", 1);
	add(&b, "a", "u", 1);
	add(&b, "b", "t", 1);
	add(&b, "a", "t", 1);
	b.benchmarks[3].dataset_version = STR("2");
	matrix_init(&m, mem, 2);
	add_all(&m, &b);
	CHECK_INT(m.by_key.count, 2);
	CHECK_INT(m.omitted, 1);
	CHECK_INT(m.set_count, 2);
	CHECK_INT(m.sets[0]->trials, 3);
	CHECK(str_eq(m.dataset_version, STR("1")));
	matrix_done(&m);
	matrix_init(&m, mem, 2);
	m.dataset_id = STR("demo");
	m.dataset_version = STR("2");
	add_all(&m, &b);
	CHECK_INT(m.by_key.count, 1);
	CHECK_INT(m.omitted, 0);
	matrix_done(&m);
}

TEST_MAIN()
