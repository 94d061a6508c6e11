#ifndef LIB_REAL_CLOCK_H
#define LIB_REAL_CLOCK_H
/* The clock port over the loop: real time, real entropy. */
#include "net/loop.h"
#include "ports/clock.h"

struct clock *real_clock_new(struct loop *loop);
void real_clock_free(struct clock *c);

#endif
