#include "engine/evidence/erasures.h"
#include "catalog/catalog.h"

#include "lib/t.h"

static const char *fault_of(uint32_t type, const char *body)
{
	struct arena *mem = arena_new();
	struct erasures x = { .mem = mem, .session = STR("s") };
	struct event_row row = { .seq = 1, .type = type, .body = bytes_new(str_from(body)) };
	const char *fault = erasures_take(&x, &row);

	bytes_unref(row.body);
	arena_free(mem);
	return fault;
}

TEST(an_event_that_is_listed_under_another_class_is_named)
{
	CHECK(!fault_of(EV_TURN_COMPLETED, "{\"type\":\"turn.completed\",\"sequence\":1}"));
	CHECK(!fault_of(EV_TURN_COMPLETED, "{\"sequence\":1,\"type\":\"turn.completed\"}"));
	CHECK(fault_of(EV_TURN_FAILED, "{\"type\":\"turn.completed\",\"sequence\":1}"));
	CHECK(fault_of(EV_TURN_COMPLETED, "{\"type\":\"turn.completed.x\",\"sequence\":1}"));
	CHECK(fault_of(EV_TURN_COMPLETED, "{\"sequence\":1}"));
	CHECK(fault_of(EV_TURN_COMPLETED, "no JSON"));
	CHECK(fault_of(EV_COUNT + 7, "{\"type\":\"turn.completed\",\"sequence\":1}"));
}

TEST_MAIN()
