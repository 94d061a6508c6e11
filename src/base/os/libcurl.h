#ifndef BASE_LIBCURL_H
#define BASE_LIBCURL_H
/*
 * libcurl, loaded with the first request and never linked.  libcurl.c is the only file that loads
 * it.
 *
 * Any thread may load it; a handle belongs to one thread at a time.  The library stays loaded,
 * because OpenSSL does not support unloading.
 */
#include "base/err.h"

#include <curl/curl.h>

#define LIBCURL_FUNCTIONS(X)                                                                       \
	X(global_init)                                                                             \
	X(easy_init)                                                                               \
	X(easy_setopt)                                                                             \
	X(easy_getinfo)                                                                            \
	X(easy_cleanup)                                                                            \
	X(easy_pause)                                                                              \
	X(easy_perform)                                                                            \
	X(easy_reset)                                                                              \
	X(easy_strerror)                                                                           \
	X(slist_append)                                                                            \
	X(slist_free_all)                                                                          \
	X(multi_init)                                                                              \
	X(multi_setopt)                                                                            \
	X(multi_add_handle)                                                                        \
	X(multi_remove_handle)                                                                     \
	X(multi_socket_action)                                                                     \
	X(multi_info_read)                                                                         \
	X(multi_assign)                                                                            \
	X(multi_cleanup)

#ifdef curl_easy_setopt /* the type checks are macros of the functions' names */
#undef curl_easy_setopt
#undef curl_easy_getinfo
#undef curl_multi_setopt
#endif

struct libcurl {
#define FIELD(name) __typeof__(&curl_##name) name;
	LIBCURL_FUNCTIONS(FIELD)
#undef FIELD
};

/* name: what to load instead of the system's, for tests; NULL: the system's. */
enum err libcurl_load(const char *name, struct libcurl *ret, struct error *e) MUST_USE;
/*
 * The file of certificates: the configured one, SSL_CERT_FILE, or a usual place; freed with free().
 * NULL: what libcurl was built with.
 */
char *libcurl_ca_file(struct str configured);

#endif
