/*
 * The whole runtime in one process: a turn and its answer as it comes.  JSON is read and written by
 * json-c; any JSON library does.
 *
 *	cc examples/embed.c $(pkg-config --cflags --libs thole json-c) -o embed && ./embed "hello"
 */
#include <json-c/json.h>
#include <thole/thole.h>

#include <stdio.h>
#include <string.h>

/* The text of a member, "" if it has none. */
static const char *text(struct json_object *object, const char *key)
{
	struct json_object *value = json_object_object_get(object, key);

	return value ? json_object_get_string(value) : "";
}

int main(int argc, char **argv)
{
	struct thole_error err;
	struct thole *t = thole_open(&(struct thole_options){ .data_dir = "./embed-data" }, &err);
	struct json_object *params = json_object_new_object(), *reply;
	char *answer, *event, type[64] = "";

	if (!t)
		return fprintf(stderr, "%s\n", err.message), 1;
	json_object_object_add(params, "input",
	                       json_object_new_string(argc > 1 ? argv[1] : "hello"));
	if (thole_call(t, "submit_turn", json_object_to_json_string(params), &answer) != THOLE_OK)
		return fprintf(stderr, "%s\n", answer ? answer : "the runtime is gone"), 1;
	reply = json_tokener_parse(answer);
	json_object_object_del(params, "input");
	json_object_object_add(params, "sessionId",
	                       json_object_new_string(text(reply, "sessionId")));
	json_object_object_add(params, "turnId", json_object_new_string(text(reply, "turnId")));
	struct thole_stream *s = thole_subscribe(t, json_object_to_json_string(params), NULL);

	while (s && strcmp(type, "turn.completed") && strcmp(type, "turn.failed") &&
	       thole_next(s, 10000, &event, NULL) == THOLE_OK) {
		struct json_object *e = json_tokener_parse(event);

		snprintf(type, sizeof type, "%s", text(e, "type"));
		if (!strcmp(type, "model.delta"))
			printf("%s", text(json_object_object_get(e, "payload"), "text"));
		json_object_put(e);
		thole_free(event);
	}
	printf("\n%s\n", type);
	thole_free(answer);
	json_object_put(params);
	json_object_put(reply);
	thole_unsubscribe(s);
	thole_close(t);
	return strcmp(type, "turn.completed") != 0;
}
