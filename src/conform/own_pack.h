#ifndef CONFORM_OWN_PACK_H
#define CONFORM_OWN_PACK_H
/* Bytes that the build writes from conform/ (own_pack_table.c). */
#include <stddef.h>

extern const char own_pack_bytes[];
extern const size_t own_pack_size, own_pack_plain_size;

#endif
