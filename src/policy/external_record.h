#ifndef POLICY_EXTERNAL_RECORD_H
#define POLICY_EXTERNAL_RECORD_H
/*
 * Records of Agent Policy: what a policy engine of the host decided, in its
 * own words.  They come as the answer of a hook or of resolve_permission.
 *
 *	decision   allow  deny  ask  defer  escalate  waive  not_applicable  indeterminate
 *	approval   the answer to a question of ours, given elsewhere
 *	grant      the same, and how far it reaches
 *	waiver     somebody takes the risk of what was asked
 *
 * A record is one more voice, never an override: rules and modes are heard as
 * ever.  What it obliges to holds while the call runs, or the call does not
 * run on its word.  What is incomplete, over, or not understood allows nothing.
 * spec: agent-runtime-checklist#ECO-02, GAP-20; Agent Policy 0.1.4
 */
#include "catalog/catalog.h"

#define POLICY_RECORD_BYTES 65536
#define POLICY_RECORD_INLINE 4096

/* Is this such a record?  And is it meant as one, though something is missing? */
bool external_record_is(struct json v);
bool external_record_is_meant(struct json v);

/* The record, without where it is kept. */
enum err external_record_read(struct arena *mem, struct json v, struct rec_policy_record *ret,
                              struct error *e) MUST_USE;

/* A copy of it at the end of a list of such records. */
void external_record_add(struct arena *mem, void *list, const struct rec_policy_record *r);

/*
 * What follows from it now: allow, deny, ask, or 0 when it has nothing to say.  An allow with an
 * obligation that nothing here can keep is a question.  ret_why is a sentence for people.
 */
enum approval_decision external_record_says(struct arena *mem, const struct rec_policy_record *r,
                                            int64_t now, struct str *ret_why);

/* The first obligation that nothing here can keep; absent: all are kept. */
struct str external_record_unkept(struct arena *mem, const struct rec_policy_record *r);

/* The narrowest cage that the records oblige to; false: they oblige to none. */
bool external_record_narrow(struct arena *mem, struct rec_policy_record *const *items,
                            uint32_t count, struct rec_sandbox_override *into);

#endif
