#ifndef APP_SERVICE_H
#define APP_SERVICE_H
/*
 * What a service manager and its daemon say to each other, as systemd has it:
 * sockets that were bound before the start (LISTEN_FDS), a word when the
 * daemon is ready and when it stops, and a sign of life (WATCHDOG_USEC), as
 * datagrams to $NOTIFY_SOCKET.  Without a service manager nothing is said.
 */
#include <stdbool.h>

#define SERVICE_FDS_MAX 8

struct service {
	char *notify_path;    /* NULL: nobody listens */
	int watchdog_ms;      /* how often to give a sign of life; 0: never */
	char unix_socket[16]; /* "fd:3", or "" */
	char tcp_sockets[SERVICE_FDS_MAX][16];
	int tcp_count;
};

/*
 * Reads the environment and removes from it what is for this process alone.
 * false: there are descriptors that cannot be listened on.
 */
bool service_begin(struct service *s);
void service_done(struct service *s);

/* "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=...". */
void service_tell(const struct service *s, const char *text);

#endif
