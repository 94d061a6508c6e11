#ifndef TEST_TASK_FIXTURE_H
#define TEST_TASK_FIXTURE_H
/*
 * A session without an engine: commands, time and model responses go in; every
 * event passes the schema and the order check.
 */
#include "core/step.h"
#include "core/decide.h"
#include "core/order_check.h"
#include "core/session/session.h"
#include "core/task/task.h"
#include "core/turn/turn.h"
#include "rng.h"
#include "t.h"

#define WRONG(...) t_fail(__FILE__, __LINE__, __VA_ARGS__)

struct bench {
	struct arena *mem;
	struct state *w;
	struct leases leases;
	struct settings settings;
	struct rng rng;
	int64_t now;
	uint64_t sequence;
	struct str tasks[64];
	int task_count;
	uint32_t seen; /* statuses that tasks have had */
	unsigned accepted, refused;
};

static struct decision *begin(struct bench *b, const struct command_call *call)
{
	struct decision *d = ARENA_NEW(b->mem, struct decision);
	uint8_t entropy[16];

	for (size_t i = 0; i < sizeof entropy; i++)
		entropy[i] = (uint8_t)rng_below(&b->rng, 256);
	d->mem = b->mem;
	d->w = b->w;
	d->leases = &b->leases;
	d->settings = &b->settings;
	d->call = call;
	d->session_id = STR("sess_1");
	d->now = d->wall = b->now;
	d->ids = ARENA_NEW(b->mem, struct id_source);
	id_source_init(d->ids, d->now, entropy);
	return d;
}

static void look(struct bench *b)
{
	for (uint32_t i = 0; i < b->w->s->tasks.count; i++) {
		const struct st_task *t = b->w->s->tasks.items[i];
		bool is_end = task_table_status_is_end(t->record->status);

		b->seen |= 1u << t->record->status;
		/* What a crash took may be resumed in its turn: it is lost, and not over. */
		if (is_end && (task_run(t) || (t->record->status != TASK_STATUS_LOST &&
		                               (!t->record->ended_at || task_turn(b->w, t, NULL)))))
			WRONG("%.*s has ended as %.*s and continues", STR_ARG(t->record->task_id),
			      STR_ARG(task_status_word(t->record->status)));
		if (!is_end && t->record->ended_at)
			WRONG("%.*s is open and has an end", STR_ARG(t->record->task_id));
		for (uint32_t n = 0; n + 1 < t->attempts.count; n++)
			if (!t->attempts.items[n]->ended_at)
				WRONG("an older attempt is open");
	}
}

static void apply(struct bench *b, struct decision *d)
{
	struct error err = { 0 };

	for (size_t i = 0; i < d->count; i++) {
		struct event *ev = d->events[i], *back = ARENA_NEW(b->mem, struct event);
		struct str line;
		struct json doc;

		ev->event_id = decision_new_id(d, "evt");
		ev->sequence = (int64_t)++b->sequence;
		ev->timestamp = d->now;
		ev->schema_version = SCHEMA_VERSION;
		ev->runtime_id = STR("rt_1");
		ev->session_id = STR("sess_1");
		if (catalog_event_check(ev, &err) != OK || order_check_event(b->w, ev, &err) != OK)
			WRONG("%s", err.message);
		line = rec_text(b->mem, &event_desc, ev);
		if (line.len > LIMIT_EVENT_BYTES)
			WRONG("%.*s takes %zu bytes", STR_ARG(event_type_word(ev->type)), line.len);
		if (json_read_trusted(b->mem, line, &doc, &err) != OK ||
		    rec_read(b->mem, doc, &event_desc, REC_TRUSTED, back, &err) != OK)
			WRONG("%s", err.message);
		lease_on_event(&b->leases, b->w, back);
		state_fold(b->w, back);
	}
	look(b);
}

static void settle(struct bench *b, struct decision *d)
{
	apply(b, d);
	for (int steps = 0; steps < 1000; steps++) {
		struct decision *next = begin(b, NULL);

		step_next(next);
		if (!next->count)
			return;
		apply(b, next);
	}
	WRONG("the steps do not end");
}

static bool send(struct bench *b, enum command command, const char *fmt, ...) PRINTF_LIKE(3, 4);

static bool send(struct bench *b, enum command command, const char *fmt, ...)
{
	struct command_call call = { .command = command,
		                     .caller = { .principal = STR("owner"), .via = STR("test") },
		                     .request_id = STR("req_1"),
		                     .body_hash = STR("00") };
	const struct rec_desc *desc = command_classes[command].args;
	void *args = arena_alloc(b->mem, desc->size);
	struct decision *d = begin(b, &call);
	struct error err = { 0 };
	struct json doc;
	char text[2048];
	va_list list;

	va_start(list, fmt);
	vsnprintf(text, sizeof text, fmt, list);
	va_end(list);
	if (json_read_trusted(b->mem, str_from(text), &doc, &err) != OK ||
	    rec_read(b->mem, doc, desc, REC_CALLER, args, &err) != OK)
		WRONG("%s: %s", text, err.message);
	decide_command(d, command, args);
	if (d->refusal) {
		b->refused++;
		return false;
	}
	if (d->beat.until)
		lease_set(&b->leases, str_from(d->beat.run_id), d->beat.until);
	b->accepted++;
	settle(b, d);
	return true;
}

static void bench_init(struct bench *b, uint64_t seed)
{
	static const struct model_info model = { .provider = { "p", 1 },
		                                 .model = { "m", 1 },
		                                 .capabilities = { "[]", 2 },
		                                 .has_credential = true,
		                                 .window_tokens = 100000,
		                                 .max_output_tokens = 1000 };
	static struct rec_network_profile network = { .mode = NETWORK_MODE_OFF };
	static struct rec_resource_limits limits;
	static struct rec_sandbox_profile sandbox = { .mode = SANDBOX_MODE_UNAVAILABLE,
		                                      .tier = { "none", 4 } };
	static struct rec_execution_environment env = {
		.environment_id = { "env_1", 5 },
		.workspace_id = { "ws", 2 },
		.cwd = { "/", 1 },
		.shell = { "none", 4 },
		.os = { "linux", 5 },
		.arch = { "x", 1 },
		.env_ref = { "out_1", 5 },
		.network_profile = &network,
		.resource_limits = &limits,
		.sandbox_profile = &sandbox,
	};

	*b = (struct bench){ .mem = arena_new(), .w = state_new(), .now = 1000000 };
	b->rng = rng_of(seed, 1);
	b->settings = (struct settings){ .config = &settings_config_defaults,
		                         .runtime_id = STR("rt_1"),
		                         .config_ref = STR("out_c"),
		                         .environment = &env,
		                         .models = &model,
		                         .model_count = 1,
		                         .mode = PERMISSION_MODE_DEFAULT,
		                         .retry_max = 2,
		                         .retry_base_ms = 1,
		                         .retry_wait_max_ms = 10,
		                         .max_steps = 20,
		                         .on_busy = DELIVERY_QUEUE };
	send(b, COMMAND_CREATE_SESSION, "{}");
}

static void bench_done(struct bench *b)
{
	lease_done(&b->leases);
	state_free(b->w);
	arena_free(b->mem);
}

#endif
