/* Sizes of parts: by number alone, so that every node that continues an output finds the same borders. */
#include "store/bucket/bucket_parts.h"

#define DOUBLES_EVERY 1000

uint64_t bucket_parts_size(int64_t no)
{
	return BUCKET_PARTS_FIRST << ((no - 1) / DOUBLES_EVERY);
}

/* An output that fits into one part is sent whole when it is sealed, and needs none. */
bool bucket_parts_is_due(int64_t no, uint64_t bytes, bool is_last)
{
	return bytes >= bucket_parts_size(no) || (is_last && bytes && no > 1);
}
