#ifndef APP_EVENT_READER_H
#define APP_EVENT_READER_H
/*
 * Reads a stream of events on a separate thread, so that the program can wait
 * for the next event, a key and a signal at the same time.
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
	atomic_size_t waiting; /* bytes that were not taken yet */
	bool is_running;
};

/*
 * Takes ownership of the stream.  patience_ms: how long event_reader_stop() may
 * wait for an idle stream; -1: the reader is not stopped before the stream ends.
 */
void event_reader_start(struct event_reader *p, struct thole_stream *stream, int patience_ms);
/* All received items, oldest first; free each with event_reader_free_item(). */
struct reader_item *event_reader_take(struct event_reader *p);
struct reader_item *event_reader_next_item(struct reader_item *m);
void event_reader_free_item(struct reader_item *m);
void event_reader_stop(struct event_reader *p);
/* The same without waiting: false while the thread still runs; call it again later. */
bool event_reader_try_stop(struct event_reader *p);

#endif
