#ifndef BASE_UTIL_H
#define BASE_UTIL_H
/* The few macros every file uses. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <assert.h> /* static_assert */

#define MUST_USE __attribute__((warn_unused_result))
#define PRINTF_LIKE(fmt_at, args_at) __attribute__((format(printf, fmt_at, args_at)))
#define CLEANUP(fn) __attribute__((cleanup(fn)))
#define NORETURN __attribute__((noreturn))

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

/* From a member of a struct to the struct around it. */
#define OWNER_OF(ptr, type, member) ((type *)((char *)(ptr)-offsetof(type, member)))

#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))

#endif
