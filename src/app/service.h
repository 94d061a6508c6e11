#ifndef APP_SERVICE_H
#define APP_SERVICE_H
/*
 * The protocol of systemd between a service manager and the daemon: sockets
 * that were bound before the start (LISTEN_FDS), and datagrams to
 * $NOTIFY_SOCKET when the daemon is ready, when it stops, and as a watchdog
 * keepalive (WATCHDOG_USEC).  Without a service manager nothing is sent.
 */
#include <stdbool.h>

#define SERVICE_FDS_MAX 8

struct service {
	char *notify_path;    /* NULL: no service manager */
	int watchdog_ms;      /* interval of the watchdog keepalive; 0: none */
	char unix_socket[16]; /* "fd:3", or "" */
	char tcp_sockets[SERVICE_FDS_MAX][16];
	int tcp_count;
};

/*
 * Reads the environment and removes the variables that are for this process
 * only.  Returns false if a descriptor cannot be used for listening.
 */
bool service_begin(struct service *s);
void service_done(struct service *s);

/* "READY=1", "STOPPING=1", "WATCHDOG=1", "STATUS=...". */
void service_tell(const struct service *s, const char *text);

#endif
