#ifndef APP_DOCTOR_H
#define APP_DOCTOR_H
/* One visit of the doctor: doctor.c looks at the machine, doctor_ask.c at ports and at what the daemon says. */
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

/* The remedy may be NULL; it is not shown when all is well. */
void doctor_tell(struct doctor *d, enum health h, const char *id, const char *text,
                 const char *remedy);
/* In c->mem. */
const char *doctor_text(struct doctor *d, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Addresses that a daemon would listen on. */
void doctor_ask_ports(struct doctor *d);
/* Providers, tool servers and the log, of a daemon that runs, or of one that --online starts. */
void doctor_ask_all(struct doctor *d);

/* Is a program of that name in PATH? */
bool doctor_is_in_path(struct doctor *d, const char *program);
/* doctor_startup.c */
void doctor_startup(struct doctor *d);

#endif
