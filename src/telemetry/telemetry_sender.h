#ifndef TELEMETRY_SENDER_H
#define TELEMETRY_SENDER_H
/*
 * Sends one signal, spans or log records, to the collector.
 *
 *   reading ──► batch full or one second old ──► sending ──► accepted: cursor moves, reading
 *                                                  │  ▲
 *                                                  ▼  │ after a pause
 *                                                refused, away
 *
 * Each signal has its own reader and cursor, so a collector that does not take
 * one of them does not hold up the other.
 */
#include "telemetry/telemetry.h"

struct telemetry_sender;

/* The options live longer. */
struct telemetry_sender *telemetry_sender_new(const struct telemetry_options *o,
                                              enum otlp_signal signal);
void telemetry_sender_free(struct telemetry_sender *t); /* NULL is fine */

/* Sends the batch now.  False: there is nothing left to send, or it failed. */
bool telemetry_sender_flush(struct telemetry_sender *t);
void telemetry_sender_write_metrics(const struct telemetry_sender *t, struct buf *out);

#endif
