#ifndef LIB_ZONES_H
#define LIB_ZONES_H
/* Time zones of the system's database, each read once. */
#include "base/tz.h"

struct zones;
struct zones *zones_new(void);
void zones_free(struct zones *z);
/* NULL: there is none of this name.  Lives as long as the zones do. */
const struct tz *zones_find(void *zones, struct str name);

#endif
