#ifndef LIB_TELEMETRY_OPTIONS_H
#define LIB_TELEMETRY_OPTIONS_H
/*
 * Where telemetry is sent: settings, and the variables that OpenTelemetry
 * defines for every program.  A variable counts before the setting.
 */
#include "lib/config.h"
#include "telemetry/telemetry.h"

/* Is anything sent at all? */
bool telemetry_options_are_on(const struct config_values *values);
/* The sampler of OpenTelemetry's variables; not set: telemetry.sample_ratio counts. */
enum err telemetry_options_sampler(bool *ret_is_set, double *ret_ratio, struct error *e) MUST_USE;
/*
 * Fills addresses, headers, form and names.  An address that is none, or a protocol that is not
 * supported, is an error that names the variable.
 */
enum err telemetry_options_read(struct arena *mem, const struct config_values *values,
                                struct telemetry_options *ret, struct error *e) MUST_USE;

/* Redacts content with all rules and known secrets; scrub lives longer. */
struct scrub;
struct span_redactor telemetry_options_redactor(struct scrub *scrub);

#endif
