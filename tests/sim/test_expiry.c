/* Stored outputs are kept as long as the settings say, across sleep and restart. */
#include "lib/t.h"
#include "sim.h"

#include <unistd.h>

#define DAY ((int64_t)86400000)

static const char script[] =
	"{ \"version\": 1, \"tools\": ["
	"    { \"name\": \"print\", \"result\": { \"text\": { \"repeat\": \"same \", \"bytes\": "
	"80000 } } },"
	"    { \"name\": \"other\", \"result\": { \"text\": { \"repeat\": \"other \", \"bytes\": "
	"80000 } } } ],"
	"  \"rules\": [ { \"when\": { \"request\": 1 }, \"reply\": { \"toolCalls\": ["
	"    { \"name\": \"print\", \"args\": {} }, { \"name\": \"print\", \"args\": {} },"
	"    { \"name\": \"other\", \"args\": {} } ] } } ],"
	"  \"default\": { \"text\": \"done\" } }";

static struct sim *open_sim(const char *dir)
{
	return sim_new(&(struct sim_options){
		.dir = dir, .script = str_from(script), .seed = 3, .output_keep_ms = 30 * DAY });
}

static struct str first_ref(struct sim *s, size_t skip)
{
	for (size_t i = 0; i < sim_log(s)->count; i++) {
		struct json v;

		if (!str_starts(sim_log(s)->lines[i], STR("{\"type\":\"output.spilled\"")) ||
		    skip-- > 0)
			continue;
		CHECK_INT(json_read_trusted(sim_mem(s), sim_log(s)->lines[i], &v, NULL), OK);
		CHECK(json_is(JSON_GET(JSON_GET(v, "output"), "expiresAt")));
		return json_str(JSON_GET(v, "outputRef"));
	}
	CHECK(!"a spilled output");
	return STR_NONE;
}

static int status_of(struct sim *s, struct str ref)
{
	char params[160];
	struct sim_answer *a;

	snprintf(params, sizeof params, "{\"outputRef\":\"%.*s\",\"length\":10}", STR_ARG(ref));
	a = sim_send(s, "get_output", params, NULL);
	sim_run(s, 1000);
	CHECK(a->is_done);
	return a->http;
}

static size_t count_of(struct sim *s, const char *type)
{
	char want[64];
	size_t n = 0;

	snprintf(want, sizeof want, "{\"type\":\"%s\"", type);
	for (size_t i = 0; i < sim_log(s)->count; i++)
		n += str_starts(sim_log(s)->lines[i], str_from(want));
	return n;
}

TEST(an_output_is_there_until_its_day_and_then_told_as_gone)
{
	char dir[] = "/tmp/thole-expiry-XXXXXX", command[96];
	struct sim *s;
	struct str ref;

	CHECK(mkdtemp(dir));
	s = open_sim(dir);
	CHECK_INT(sim_call(s, "submit_turn", "{\"input\":\"go\"}")->http, 202);
	sim_run(s, 60000);
	CHECK_INT(count_of(s, "output.spilled"), 3);
	ref = first_ref(s, 0);
	CHECK_INT(status_of(s, ref), 200);
	sim_leap(s, 29 * DAY);
	sim_run(s, 60000);
	CHECK_INT(status_of(s, ref), 200);
	CHECK_INT(count_of(s, "output.expired"), 0);
	sim_leap(s, 2 * DAY);
	sim_run(s, 60000);
	CHECK_INT(count_of(s, "output.expired"), 3);
	CHECK_INT(status_of(s, ref), 410);
	CHECK_INT(status_of(s, first_ref(s, 2)), 410);
	sim_free(s);
	/* Nothing of it is left but the directories. */
	snprintf(command, sizeof command,
	         "test -z \"$(find %s/blobs -type f -not -name log.id -o -type l)\"", dir);
	CHECK_INT(system(command), 0);
	snprintf(command, sizeof command, "rm -rf %s", dir);
	CHECK_INT(system(command), 0);
}

TEST_MAIN()
