#ifndef BASE_SANITIZER_H
#define BASE_SANITIZER_H
/* HAS_ASAN: this program was built with the address sanitizer. */

#if defined(__SANITIZE_ADDRESS__)
#define HAS_ASAN
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_ASAN
#endif
#endif

#endif
