#ifndef APP_DOCTOR_H
#define APP_DOCTOR_H
/* Shared by doctor's files: doctor.c checks the machine, doctor_ask.c ports and the daemon. */
#include "app/cli/cli.h"
#include "base/jw.h"

#include <sys/stat.h>

enum health { HEALTH_OK, HEALTH_NOTE, HEALTH_BAD };

struct doctor {
	struct cli *c;
	struct json_writer w;
	struct buf out;
	int bad;
	bool has_data;
	struct stat data;
};

/* Adds a result.  remedy may be NULL; it is not shown for HEALTH_OK. */
void doctor_tell(struct doctor *d, enum health h, const char *id, const char *text,
                 const char *remedy);
/* Formats a text in c->mem. */
const char *doctor_text(struct doctor *d, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Checks the addresses that a daemon would listen on. */
void doctor_ask_ports(struct doctor *d);
/* Checks providers, tool servers and the log of a running daemon, or of one that --online starts. */
void doctor_ask_all(struct doctor *d);

/* Whether PATH has a program of this name. */
bool doctor_is_in_path(struct doctor *d, const char *program);
/* Checks thole-grpc at the address that the card names; nothing if it names none. */
void doctor_grpc(struct doctor *d);
/* doctor_startup.c */
void doctor_startup(struct doctor *d);
/* Checks the PostgreSQL of the settings; nothing if the log is in the data directory. */
void doctor_store(struct doctor *d);

#endif
