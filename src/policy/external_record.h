#ifndef POLICY_EXTERNAL_RECORD_H
#define POLICY_EXTERNAL_RECORD_H
/*
 * Records of Agent Policy: decisions of the host's policy engine, in its own
 * terms.  They come from a hook or from resolve_permission.
 *
 *	decision   allow  deny  ask  defer  escalate  waive  not_applicable  indeterminate
 *	approval   the answer to an action, given elsewhere
 *	grant      the same, with a scope
 *	waiver     a person accepts the risk of the call
 *
 * A record is one more source and overrides nothing: rules and modes still
 * apply.  Its obligations hold while the call runs; if they cannot be met, the
 * record does not allow the call.  An incomplete, expired or unknown record
 * allows nothing.
 * spec: agent-runtime-checklist#ECO-02, GAP-20; Agent Policy 0.1.4
 */
#include "catalog/catalog.h"

#define POLICY_RECORD_BYTES 65536
#define POLICY_RECORD_INLINE 4096

/* Is this such a record?  Is it meant as one, although a member is missing? */
bool external_record_is(struct json v);
bool external_record_is_meant(struct json v);

/* The record, without its ref. */
enum err external_record_read(struct arena *mem, struct json v, struct rec_policy_record *ret,
                              struct error *e) MUST_USE;

/* Appends a copy to a list of such records. */
void external_record_add(struct arena *mem, void *list, const struct rec_policy_record *r);

/*
 * The decision that follows from it now: allow, deny, ask, or 0 for none.  An allow with an
 * obligation that cannot be met becomes ask. ret_why is a sentence for people.
 */
enum approval_decision external_record_says(struct arena *mem, const struct rec_policy_record *r,
                                            int64_t now, struct str *ret_why);

/* The first obligation that cannot be met here; absent: all are met. */
struct str external_record_unkept(struct arena *mem, const struct rec_policy_record *r);

/* The narrowest sandbox that the records require; false: they require none. */
bool external_record_narrow(struct arena *mem, struct rec_policy_record *const *items,
                            uint32_t count, struct rec_sandbox_override *into);

#endif
