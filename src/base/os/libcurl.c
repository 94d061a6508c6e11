/* Loads libcurl; a machine without it keeps everything that needs no network. */
#include "base/os/libcurl.h"

#include "base/memory.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

static enum err load_symbols(void *handle, struct libcurl *ret, struct error *e)
{
#define LOAD(name)                                                                                 \
	*(void **)&ret->name = dlsym(handle, "curl_" #name);                                       \
	if (!ret->name)                                                                            \
		return fail(e, ERR_UNSUPPORTED, "libcurl lacks curl_%s; 7.68 or later is needed",  \
		            #name);
	LIBCURL_FUNCTIONS(LOAD)
#undef LOAD
	return OK;
}

static void *open_library(const char *name, struct error *e)
{
	static const char *const names[] = { "libcurl.so.4", "libcurl-gnutls.so.4" };
	void *handle = name ? dlopen(name, RTLD_NOW | RTLD_LOCAL) : NULL;

	for (size_t i = 0; !name && !handle && i < COUNT_OF(names); i++)
		handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		fail(e, ERR_UNSUPPORTED,
		     "%s could not be loaded; install libcurl4 to reach the network",
		     name ? name : names[0]);
	return handle;
}

/* Before 7.84 libcurl's initialisation is not thread-safe. */
enum err libcurl_load(const char *name, struct libcurl *ret, struct error *e)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	enum err err = ERR_UNSUPPORTED;

	pthread_mutex_lock(&lock);

	void *handle = open_library(name, e);

	if (handle)
		err = load_symbols(handle, ret, e);
	if (err == OK && ret->global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		err = fail(e, ERR_UNSUPPORTED, "libcurl could not be initialised");
	pthread_mutex_unlock(&lock);
	return err;
}

/*
 * One file and no directory: only then do libcurl's handles share the store of certificates.
 */
char *libcurl_ca_file(struct str configured)
{
	static const char *const places[] = {
		"/etc/ssl/certs/ca-certificates.crt", /* Debian, Alpine */
		"/etc/pki/tls/certs/ca-bundle.crt",   /* Fedora */
		"/etc/ssl/ca-bundle.pem",             /* SUSE */
		"/etc/ssl/cert.pem",
	};
	const char *named = getenv("SSL_CERT_FILE");

	if (configured.len)
		return memory_strdup(configured.ptr);
	if (named && *named)
		return memory_strdup(named);
	for (size_t i = 0; i < COUNT_OF(places); i++)
		if (access(places[i], R_OK) == 0)
			return memory_strdup(places[i]);
	return NULL;
}
