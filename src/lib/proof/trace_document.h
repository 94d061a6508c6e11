#ifndef LIB_PROOF_TRACE_DOCUMENT_H
#define LIB_PROOF_TRACE_DOCUMENT_H
/* Writes the spans of a scope for evidence packs. */
#include "ports/trace.h"

extern const struct trace_documents trace_document_ops;

#endif
