#ifndef APP_TRIM_MEMORY_H
#define APP_TRIM_MEMORY_H
/*
 * Drops code pages of the program and its libraries after the start.  Pages that
 * are used again come back from the page cache.
 */
void trim_memory(void);

#endif
