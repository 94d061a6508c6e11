/* queue: lists the queued turns of a thread and changes their order. */
#include "app/cli/connection.h"
#include "app/cli/print/out.h"
#include "app/cli/print/table.h"
#include "app/cli/ref.h"

static int read_queue(struct cli *c, const struct ref *r, struct json *ret)
{
	struct params p;

	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	params_str(&p, "threadId", r->thread);
	return connection_call(c, "list_queue", &p, ret);
}

/* Finds a turn by its id, a beginning of it, or its position. */
static int find_turn(struct cli *c, struct json queue, const char *text, struct str *ret)
{
	struct json_iter it = json_iter(JSON_GET(queue, "queuedTurns"));
	int64_t place = 0;
	struct json v;
	struct str key, found = STR_NONE;
	int count = 0;

	if (!str_to_i64(str_from(text), &place))
		place = 0;
	while (json_next(&it, &key, &v)) {
		struct str id = json_str(JSON_GET(v, "turnId"));

		if (str_starts(id, str_from(text)) ||
		    json_int(JSON_GET(v, "position"), -1) == place) {
			found = id;
			count++;
		}
	}
	if (count == 1) {
		*ret = found;
		return CODE_DONE;
	}
	out_error(c,
	          count ? "%s is the beginning of several waiting turns."
	                : "No waiting turn is called %s.",
	          out_safe(c->mem, str_from(text)));
	return count ? CODE_USAGE : CODE_FAILED;
}

static int change(struct cli *c, const struct ref *r, struct json queue, const char *command,
                  const char *text, const char *place)
{
	struct params p;
	struct json reply;
	struct str turn;
	int64_t position = 0;
	int code = find_turn(c, queue, text, &turn);

	if (code)
		return code;
	if (place && !str_to_i64(str_from(place), &position))
		return opt_usage(c, "--move wants a turn and a place, not \"%s\".", place);
	params_begin(&p);
	params_str(&p, "sessionId", r->session);
	params_str(&p, "queuedTurnId", turn);
	if (place)
		params_int(&p, "position", position);
	params_key(c, &p);
	return connection_call(c, command, &p, &reply);
}

static void put_queue(struct cli *c, struct json queue)
{
	static const char *const heads[] = { "PLACE", "TURN", "SINCE", "PROMPT", NULL };
	struct json_iter it = json_iter(JSON_GET(queue, "queuedTurns"));
	struct table t;
	struct json v;
	struct str key;

	if (!json_count(JSON_GET(queue, "queuedTurns"))) {
		out_note(c, TONE_DIM, "nothing waits there");
		return;
	}
	table_begin(&t, c, heads);
	while (json_next(&it, &key, &v)) {
		const char *cells[] = {
			arena_printf(c->mem, "%lld",
			             (long long)json_int(JSON_GET(v, "position"), 0))
				.ptr,
			out_id(c, json_str(JSON_GET(v, "turnId"))),
			out_ago(c->mem, json_str(JSON_GET(v, "queuedAt"))),
			out_safe(c->mem, json_str(JSON_GET(v, "preview"))),
		};

		table_row(&t, TONE_PLAIN, cells);
	}
	table_print(&t, stdout);
	if (str_eq(json_str(JSON_GET(JSON_GET(queue, "queue"), "resumeState")), STR("held")))
		out_note(c, TONE_ASK, "the queue is held; `thole resume` releases it");
}

/*
 * Changes are applied first, then the queue is read again, so that the output shows the result.
 */
int verb_queue(struct cli *c)
{
	const struct opts *o = &c->opts;
	struct json queue;
	struct ref r;
	int code = connection_open(c);

	if (!code)
		code = ref_find(c, c->args[0], &r);
	if (!code)
		code = read_queue(c, &r, &queue);
	if (!code && o->remove)
		code = change(c, &r, queue, "remove_queued_turn", o->remove, NULL);
	if (!code && o->promote)
		code = change(c, &r, queue, "promote_queued_turn", o->promote, NULL);
	if (!code && o->move.count)
		code = change(c, &r, queue, "move_queued_turn", o->move.items[0], o->move.items[1]);
	if (!code && (o->remove || o->promote || o->move.count))
		code = read_queue(c, &r, &queue);
	if (code)
		return code;
	if (o->json)
		out_json(queue);
	else
		put_queue(c, queue);
	return CODE_DONE;
}
