/*
 * A product that decides itself what an agent's tools may do: the runtime asks this program before
 * every call, without waiting for it, and this program answers when it has made up its mind.
 * Here it forbids one tool, named on the command line.
 *
 *	cc examples/guard.c $(pkg-config --cflags --libs thole) -o guard && ./guard write_note
 */
#include <thole/thole.h>

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	struct thole_options options = {
		.data_dir = argc > 2 ? argv[2] : "./guard-data",
		.hooks = "{\"pre_tool_use\":[{\"name\":\"guard\"}],\"stop\":[{\"name\":\"end\"}]}",
	};
	struct thole_error err;
	struct thole *t = thole_open(&options, &err);
	unsigned long long id;
	char forbidden[256], *reply, *question;
	int is_over = 0;

	if (!t) {
		fprintf(stderr, "%s\n", err.message);
		return 1;
	}
	/* Enough JSON for an example; a product has a library for this. */
	snprintf(forbidden, sizeof forbidden, "\"toolName\":\"%s\"", argc > 1 ? argv[1] : "");
	if (thole_call(t, "submit_turn", "{\"input\":\"approve\"}", &reply) != THOLE_OK) {
		fprintf(stderr, "%s\n", reply ? reply : "the runtime is gone");
		return 1;
	}
	thole_free(reply);
	while (!is_over && thole_hook_next(t, 10000, &id, &question) == THOLE_OK) {
		const char *answer =
			"{}"; /* no decision: rules and people decide */

		if (strstr(question, "\"point\":\"stop\"")) {
			is_over = 1;
		} else if (strstr(question, forbidden)) {
			answer = "{\"decision\":\"deny\",\"reason\":\"not in this product\"}";
			printf("denied %s\n", argv[1]);
		}
		thole_free(question);
		thole_hook_answer(t, id, answer);
	}
	printf("%s\n", is_over ? "the turn is over" : "no more questions");
	thole_close(t);
	return !is_over;
}
