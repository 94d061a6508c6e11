#ifndef LIB_KEYS_MACHINE_KEYS_H
#define LIB_KEYS_MACHINE_KEYS_H
/*
 * Keys of the role that a machine or a container has, from its metadata service:
 *
 *   AWS_CONTAINER_CREDENTIALS_RELATIVE_URI, AWS_CONTAINER_CREDENTIALS_FULL_URI   a container's
 *   otherwise http://169.254.169.254, or AWS_EC2_METADATA_SERVICE_ENDPOINT       a machine's, version 2
 *
 * They are temporary.  They are asked for once, kept in memory, and asked for again before they expire; while
 * the service does not answer, those that are still valid are used.
 */
#include "base/os/libcurl.h"
#include "store/bucket/bucket.h"

#include <pthread.h>

struct machine_keys {
	pthread_mutex_t lock;
	struct libcurl curl;
	bool is_loaded;
	struct bucket_keys keys;
	int64_t ends_ms;  /* wall; 0: there are none yet */
	int64_t again_ms; /* mono; the service is not asked before */
	struct error why; /* of the last attempt */
};

/* Fills memory that the caller owns. */
void machine_keys_init(struct machine_keys *k);
/* Wipes the keys. */
void machine_keys_done(struct machine_keys *k);

/*
 * Waits for the service for seconds at most; any thread.  ERR_UNAVAILABLE: it does not answer, which may pass.
 * ERR_NOT_FOUND, ERR_INVALID: there is no role, or no answer that has keys.
 */
enum err machine_keys_find(struct machine_keys *k, struct bucket_keys *ret,
                           struct error *e) MUST_USE;

#endif
