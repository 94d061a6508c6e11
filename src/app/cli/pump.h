#ifndef APP_PUMP_H
#define APP_PUMP_H
/*
 * A stream of events read on a thread of its own, so that the program can
 * wait for the next event, a key and a signal at the same time.
 */
#include "base/mailbox.h"
#include "thole/thole.h"

#include <stdatomic.h>

struct pumped {
	struct mail mail;
	int code; /* THOLE_OK: text is an event; else the stream is over */
	char *text;
	size_t len;
};

struct pump {
	struct thole_stream *stream;
	struct mailbox box;
	int fd; /* readable when there is something */
	int patience_ms;
	pthread_t thread;
	atomic_bool is_stopping;
	bool is_running;
};

/*
 * The stream is the pump's from now on.  patience_ms: how long pump_stop()
 * may have to wait for a stream in which nothing happens; -1: the pump is
 * not stopped before the stream is over.
 */
void pump_start(struct pump *p, struct thole_stream *stream, int patience_ms);
/* All that has come, oldest first; free each with pumped_free(). */
struct pumped *pump_take(struct pump *p);
struct pumped *pumped_next(struct pumped *m);
void pumped_free(struct pumped *m);
void pump_stop(struct pump *p);

#endif
