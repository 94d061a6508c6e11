#ifndef TELEMETRY_POST_H
#define TELEMETRY_POST_H
/* One request to the collector, with the headers and the compression of the options. */
#include "telemetry/telemetry.h"

/* The body is copied.  The sink gets head, body and end as http_client.h says. */
struct http_client_call *telemetry_post(const struct telemetry_options *o, enum otlp_signal signal,
                                        struct str body, const struct http_client_sink *sink,
                                        void *owner);

/* The address without name, password and query, for messages. */
struct str telemetry_post_address(struct arena *mem, const struct telemetry_options *o,
                                  enum otlp_signal signal);

#endif
