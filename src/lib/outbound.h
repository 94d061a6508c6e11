#ifndef LIB_OUTBOUND_H
#define LIB_OUTBOUND_H
/* How requests leave: the proxy and the certificates of settings and environment. */
#include "lib/config.h"
#include "net/http/http_client.h"

/* Fills proxy, http_proxy, no_proxy and ca_file.  Settings count before the environment. */
void outbound_options(struct arena *mem, const struct config_values *values,
                      struct http_client_options *o);

#endif
