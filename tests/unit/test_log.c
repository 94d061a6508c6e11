#include "base/os/log.h"

#include "base/os/clock.h"
#include "base/json.h"
#include "lib/t.h"

#include <errno.h>
#include <pthread.h>
#include <unistd.h>

static char last[65536];
static int lines;
static enum log_level last_level;

static void keep(void *arg, enum log_level level, const char *line)
{
	CHECK(arg == &lines);
	last_level = level;
	lines++;
	snprintf(last, sizeof last, "%s", line);
}

static void begin(enum log_level lowest, enum log_form form)
{
	lines = 0;
	last[0] = '\0';
	log_level(lowest);
	log_format(form);
	log_sink(keep, &lines);
}

TEST(a_line_has_time_level_topic_and_message)
{
	int64_t ms;

	begin(LOG_INFO, LOG_TEXT);
	errno = EAGAIN;
	log_line(LOG_WARN, "store", "%d left", 3);
	CHECK(lines == 1 && last_level == LOG_WARN && errno == EAGAIN);
	CHECK(clock_time_read(str_head(str_from(last), 24), &ms));
	CHECK_STR(str_skip(str_from(last), 24), " warn store: 3 left");
}

TEST(lower_levels_are_silent)
{
	begin(LOG_WARN, LOG_TEXT);
	log_line(LOG_DEBUG, "a", "b");
	log_line(LOG_INFO, "a", "b");
	CHECK_INT(lines, 0);
	log_line(LOG_WARN, "a", "b");
	log_line(LOG_ERROR, "a", "b");
	CHECK_INT(lines, 2);
}

TEST(a_message_cannot_forge_a_line)
{
	begin(LOG_INFO, LOG_TEXT);
	log_line(LOG_INFO, "net", "a\nb\x1b[2J\xff");
	CHECK_STR(str_skip(str_from(last), 24), " info net: a^Jb^[[2J\xef\xbf\xbd");
}

TEST(as_json_every_line_is_an_object)
{
	CLEANUP(arena_freep) struct arena *mem = arena_new();
	struct error e;
	struct json v;

	begin(LOG_INFO, LOG_JSON);
	log_line(LOG_ERROR, "net", "a \"b\"\n%s", "\xff");
	CHECK_OK(json_read(mem, str_from(last), &v, &e), &e);
	CHECK_INT(json_count(v), 4);
	CHECK_STR(json_str(JSON_GET(v, "level")), "error");
	CHECK_STR(json_str(JSON_GET(v, "topic")), "net");
	CHECK_STR(json_str(JSON_GET(v, "message")), "a \"b\"\n\xef\xbf\xbd");
	CHECK_INT(json_str(JSON_GET(v, "time")).len, TIME_TEXT_MAX - 1);
}

TEST(a_long_message_is_cut_between_characters)
{
	begin(LOG_INFO, LOG_TEXT);
	for (int width = 4088; width < 4100; width++) {
		log_line(LOG_INFO, "t", "%*d😀", width, 1);
		CHECK(strlen(last) < 4200);
		CHECK(!strstr(last, "\xef\xbf\xbd"));
	}
}

static void *write_lines(void *arg)
{
	for (int i = 0; i < 50; i++)
		log_line(LOG_INFO, "thread", "%s", (const char *)arg);
	return NULL;
}

/* stderr becomes a pipe for a while; 200 lines fit into it. */
TEST(threads_do_not_mix_their_lines)
{
	char text[4][201], got[65536];
	int ends[2], old = dup(STDERR_FILENO), count = 0;
	pthread_t threads[4];

	begin(LOG_INFO, LOG_TEXT);
	log_sink(NULL, NULL);
	CHECK(pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
	for (int i = 0; i < 4; i++) {
		memset(text[i], 'a' + i, 200);
		text[i][200] = '\0';
		pthread_create(&threads[i], NULL, write_lines, text[i]);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	dup2(old, STDERR_FILENO);
	close(old);
	close(ends[1]);

	size_t len = 0;

	for (ssize_t n; (n = read(ends[0], got + len, sizeof got - len)) > 0;)
		len += (size_t)n;
	close(ends[0]);

	struct str rest = str_of(got, len);

	for (; rest.len; count++) {
		struct str line = str_cut(&rest, '\n');

		CHECK_HAS(line, " info thread: ");
		CHECK_INT(line.len, 24 + 14 + 200);
		for (size_t i = 38; i < line.len; i++)
			CHECK(line.ptr[i] == line.ptr[38]);
	}
	CHECK_INT(count, 200);
}

TEST_MAIN()
