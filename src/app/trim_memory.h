#ifndef APP_TRIM_MEMORY_H
#define APP_TRIM_MEMORY_H
/*
 * After the start: pages of the program and its libraries that only starting
 * needed leave memory.  What is used again comes back from the page cache.
 */
void trim_memory(void);

#endif
