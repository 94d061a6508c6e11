#ifndef APP_EVENT_READER_H
#define APP_EVENT_READER_H
/*
 * A stream of events read on a thread of its own, so that the program can
 * wait for the next event, a key and a signal at the same time.
 */
#include "base/os/mailbox.h"
#include "thole/thole.h"

#include <stdatomic.h>

struct reader_item {
	struct mail mail;
	int code; /* THOLE_OK: text is an event; else the stream is over */
	char *text;
	size_t len;
};

struct event_reader {
	struct thole_stream *stream;
	struct mailbox box;
	int fd; /* readable when there is something */
	int patience_ms;
	pthread_t thread;
	atomic_bool is_stopping;
	bool is_running;
};

/*
 * The stream is the pump's from now on.  patience_ms: how long event_reader_stop()
 * may have to wait for a stream in which nothing happens; -1: the pump is
 * not stopped before the stream is over.
 */
void event_reader_start(struct event_reader *p, struct thole_stream *stream, int patience_ms);
/* All that has come, oldest first; free each with event_reader_free_item(). */
struct reader_item *event_reader_take(struct event_reader *p);
struct reader_item *event_reader_next_item(struct reader_item *m);
void event_reader_free_item(struct reader_item *m);
void event_reader_stop(struct event_reader *p);

#endif
