#ifndef LIB_TIMEZONES_H
#define LIB_TIMEZONES_H
/* Time zones of the system's database, each read once. */
#include "base/os/tz.h"

struct timezones;
struct timezones *timezones_new(void);
void timezones_free(struct timezones *z);
/* NULL: there is none of this name.  Lives as long as the zones do. */
const struct tz *timezones_find(void *timezones, struct str name);

#endif
