/* Loads libcrypto once; a machine without it keeps everything that signs nothing. */
#include "base/os/libcrypto.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>

static struct libcrypto loaded;
static bool is_loaded;

static void load_once(void)
{
	static const char *const names[] = { "libcrypto.so.3", "libcrypto.so.1.1" };
	void *handle = NULL;

	for (size_t i = 0; !handle && i < COUNT_OF(names); i++)
		handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return;
#define LOAD(type, name, args)                                                                     \
	*(void **)&loaded.name = dlsym(handle, #name);                                             \
	if (!loaded.name)                                                                          \
		return;
	LIBCRYPTO_FUNCTIONS(LOAD)
#undef LOAD
	is_loaded = true;
}

const struct libcrypto *libcrypto_load(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, load_once);
	return is_loaded ? &loaded : NULL;
}
