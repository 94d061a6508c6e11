#ifndef APP_SETTLE_H
#define APP_SETTLE_H
/*
 * After the start: pages of the program and its libraries that only starting
 * needed leave memory.  What is used again comes back from the page cache.
 */
void settle(void);

#endif
