/*
 * The whole runtime in one process: a turn, its answer as it comes, its cost.
 *
 *	cc examples/embed.c -Iinclude -Lbuild -lthole -o embed && ./embed "hello"
 */
#include <thole/thole.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Enough JSON for an example; a product has a library for this. */
static char *member(const char *json, const char *key)
{
	char name[64];
	const char *at, *end;

	snprintf(name, sizeof name, "\"%s\":\"", key);
	at = strstr(json, name);
	if (!at || !(end = strchr(at += strlen(name), '"')))
		return NULL;
	return strndup(at, (size_t)(end - at));
}

int main(int argc, char **argv)
{
	struct thole_error err;
	struct thole *t = thole_open(&(struct thole_options){ .data_dir = "./embed-data" }, &err);
	char params[1024], *reply, *event, *session, *turn;

	if (!t) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	snprintf(params, sizeof params, "{\"input\":\"%s\"}", argc > 1 ? argv[1] : "hello");
	if (thole_call(t, "submit_turn", params, &reply) != THOLE_OK) {
		fprintf(stderr, "%s\n", reply ? reply : "the runtime is gone");
		return 1;
	}
	session = member(reply, "sessionId");
	turn = member(reply, "turnId");
	snprintf(params, sizeof params, "{\"sessionId\":\"%s\",\"turnId\":\"%s\"}", session, turn);
	struct thole_stream *s = thole_subscribe(t, params, NULL);

	while (s && thole_next(s, 10000, &event, NULL) == THOLE_OK) {
		char *type = member(event, "type"), *text = member(event, "text");
		int is_end = !strcmp(type, "turn.completed") || !strcmp(type, "turn.failed");

		fprintf(stderr, "%s\n", type);
		if (!strcmp(type, "model.delta") && text)
			printf("%s", text);
		free(type);
		free(text);
		thole_free(event);
		if (is_end)
			break;
	}
	printf("\n");
	thole_unsubscribe(s);
	thole_free(reply);
	free(session);
	free(turn);
	thole_close(t);
	return 0;
}
