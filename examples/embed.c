/*
 * The whole runtime in one process: a turn and its answer as it comes.
 *
 *	cc examples/embed.c $(pkg-config --cflags --libs thole) -o embed && ./embed "hello"
 */
#include <thole/thole.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough JSON for an example; a product has a library for this. */
static int member(const char *json, const char *key, char *out, size_t size)
{
	char name[64];
	const char *at;

	snprintf(name, sizeof name, "\"%s\":\"", key);
	at = strstr(json, name);
	snprintf(out, size, "%.*s", at ? (int)strcspn(at + strlen(name), "\"") : 0,
	         at ? at + strlen(name) : "");
	return at != NULL;
}

int main(int argc, char **argv)
{
	struct thole_error err;
	struct thole *t = thole_open(&(struct thole_options){ .data_dir = "./embed-data" }, &err);
	char params[1024], session[256], turn[256], type[64] = "", text[4096];
	char *reply, *event;

	if (!t) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	snprintf(params, sizeof params, "{\"input\":\"%s\"}", argc > 1 ? argv[1] : "hello");
	if (thole_call(t, "submit_turn", params, &reply) != THOLE_OK) {
		fprintf(stderr, "%s\n", reply ? reply : "the runtime is gone");
		return 1;
	}
	member(reply, "sessionId", session, sizeof session);
	member(reply, "turnId", turn, sizeof turn);
	thole_free(reply);
	snprintf(params, sizeof params, "{\"sessionId\":\"%s\",\"turnId\":\"%s\"}", session, turn);
	struct thole_stream *s = thole_subscribe(t, params, NULL);

	while (s && strcmp(type, "turn.completed") && strcmp(type, "turn.failed") &&
	       thole_next(s, 10000, &event, NULL) == THOLE_OK) {
		member(event, "type", type, sizeof type);
		if (!strcmp(type, "model.delta") && member(event, "text", text, sizeof text))
			printf("%s", text);
		thole_free(event);
	}
	printf("\n%s\n", type);
	thole_unsubscribe(s);
	thole_close(t);
	return strcmp(type, "turn.completed") != 0;
}
