/*
 * The operator's log.  A line is built first and written with one call, so that lines of
 * several threads do not mix.  The lock protects the embedder's sink only.
 */
#include "base/os/log.h"

#include "base/os/clock.h"
#include "base/json.h"
#include "base/jw.h"
#include "base/utf8.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

#define MESSAGE_MAX 4096

static _Atomic enum log_level lowest_level = LOG_INFO;
static _Atomic enum log_form line_form = LOG_TEXT;

static pthread_mutex_t sink_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
	void (*fn)(void *arg, enum log_level level, const char *line);
	void *arg;
} sink;

void log_level(enum log_level lowest)
{
	lowest_level = lowest;
}

void log_format(enum log_form form)
{
	line_form = form;
}

void log_sink(void (*fn)(void *arg, enum log_level level, const char *line), void *arg)
{
	pthread_mutex_lock(&sink_lock);
	sink.fn = fn;
	sink.arg = arg;
	pthread_mutex_unlock(&sink_lock);
}

static const char *level_name(enum log_level level)
{
	static const char *const names[] = { "debug", "info", "warn", "error" };

	return (size_t)level < COUNT_OF(names) ? names[level] : "error";
}

static void add_json(struct buf *line, const char *time, enum log_level level, const char *topic,
                     struct str message)
{
	struct json_writer w;

	jw_init(&w, line);
	jw_obj(&w);
	JW_KSTR(&w, "time", str_from(time));
	JW_KSTR(&w, "level", str_from(level_name(level)));
	JW_KSTR(&w, "topic", str_from(topic));
	JW_KSTR(&w, "message", message);
	jw_obj_end(&w);
}

/* A message may quote outside text, so line breaks and control characters are escaped. */
static void add_text(struct buf *line, const char *time, enum log_level level, const char *topic,
                     struct str message)
{
	buf_add_c(line, time);
	buf_add_char(line, ' ');
	buf_add_c(line, level_name(level));
	buf_add_char(line, ' ');
	buf_add_c(line, topic);
	buf_add_c(line, ": ");
	utf8_add_safe(line, message, false);
}

/* One write for a whole line, so that threads and processes do not mix theirs. */
static void write_line(struct str line)
{
	while (write(STDERR_FILENO, line.ptr, line.len) < 0 && errno == EINTR)
		;
}

/* The sink runs outside the lock, because it may log itself. */
static void deliver(enum log_level level, struct buf *line)
{
	pthread_mutex_lock(&sink_lock);

	void (*fn)(void *arg, enum log_level level, const char *line) = sink.fn;
	void *arg = sink.arg;

	pthread_mutex_unlock(&sink_lock);
	buf_add_char(line, fn ? '\0' : '\n');
	if (fn)
		fn(arg, level, line->ptr);
	else
		write_line(buf_str(line));
}

/* A message above the limit is cut, not dropped, and not inside a character. */
void log_line(enum log_level level, const char *topic, const char *fmt, ...)
{
	int os_errno = errno; /* callers may still need it */
	char message[MESSAGE_MAX], time[TIME_TEXT_MAX];
	CLEANUP(buf_done) struct buf line = { 0 };
	va_list args;

	if (level < lowest_level)
		return;
	va_start(args, fmt);
	int len = vsnprintf(message, sizeof message, fmt, args);
	va_end(args);
	clock_time_write(clock_wall_ms(), time);

	struct str text = str_of(message, len < 0 ? 0 : MIN((size_t)len, sizeof message - 1));

	text.len -= (size_t)len >= sizeof message ? utf8_unfinished(text) : 0;
	if (line_form == LOG_JSON)
		add_json(&line, time, level, topic, text);
	else
		add_text(&line, time, level, topic, text);
	deliver(level, &line);
	errno = os_errno;
}
