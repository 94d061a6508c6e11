#ifndef BASE_LOG_H
#define BASE_LOG_H
/*
 * The operator's log: one line per happening on stderr (not the event log).
 * As text "2026-11-15T14:00:00.000Z warn store: message" or, with
 * log_format(LOG_JSON), one JSON object per line.
 */
#include "base/util.h"

enum log_level { LOG_DEBUG, LOG_INFO, LOG_WARN, LOG_ERROR };
enum log_form { LOG_TEXT, LOG_JSON };

void log_level(enum log_level lowest);
void log_format(enum log_form form);
void log_line(enum log_level level, const char *topic, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* An embedder may take the lines instead. */
void log_sink(void (*sink)(void *arg, enum log_level level, const char *line), void *arg);

#endif
