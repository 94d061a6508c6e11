#ifndef BASE_SECRET_H
#define BASE_SECRET_H
#include "base/str.h"

/* In constant time, for tokens.  An absent secret equals nothing, itself included. */
bool secret_eq(struct str a, struct str b);

#endif
