#ifndef EVIDENCE_PACK_REDACTION_H
#define EVIDENCE_PACK_REDACTION_H
/*
 * Is a line that the chain calls redacted or erased one from which text was removed?
 *
 * The digest of such a line is that of the original, so it proves nothing about the text
 * that is shown.  A pack says what was removed from it: by rule, all text, or every line.
 * A line must have the form that this leaves, and pack.json must count it.
 *
 * Without the catalogue of the version that wrote the pack, ids and words of the
 * vocabulary cannot be told from other words: a value without spaces counts as a word.
 */
#include "base/json.h"
#include "catalog/gen/vocab.h"
#include "evidence/pack_findings.h"

/* NULL, or what is wrong with the line of an event in this state; redaction: of pack.json. */
const char *pack_redaction_fault(struct json event, enum chain_state state, struct str redaction);
/* Does a pack with this redaction show the text of events in this state? */
bool pack_redaction_shows(enum chain_state state, struct str redaction);
/* Compares `redactions` of pack.json with the number of events in each state. */
void pack_redaction_count(struct pack_findings *f, struct json pack, const int64_t *states);

#endif
