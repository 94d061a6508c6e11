#ifndef CORE_PLACEMENT_H
#define CORE_PLACEMENT_H
/*
 * Where the directory of a session is, when several nodes share the store, and what waits for it.
 *
 * A session whose caller named a directory belongs to the node that has it: by its name, by its
 * machine, or by a shared workspace.  On any other node it is read, answers are taken and turns are
 * stopped; but no turn takes a step there, because its instructions, rules, hooks and tools come
 * from the directory.  It waits, and the event says for which node.  As soon as a node owns the
 * session that has its directory, the turn continues where it was.
 *
 *   turn, not at its place ──► run.status (waiting_resource, for: node) ──► a node with the place
 *          ▲                                                                 owns the session
 *          └───────── task.resumed, or run.status before its start ◄────────────┘
 *
 * A session without a placement is at its place everywhere, and so is every session of a store for
 * one node.
 */
#include "core/decision.h"

/* Has this node the directory?  p NULL: every node has.  own NULL: there are no others. */
bool placement_fits(const struct rec_placement *p, struct str cwd,
                    const struct rec_node_place *own);
/* The same for what a caller asks for; the directory may be absent. */
bool placement_is_met(const struct rec_placement_choice *c, struct str cwd,
                      const struct rec_node_place *own);
/* A name of a node, a workspace or a label. */
bool placement_is_name(struct str text);
/* Of what a caller asks for the first one that is none; absent: all are. */
struct str placement_bad_name(const struct rec_placement_choice *c);
/* What a caller asks for, in words. */
struct str placement_text(struct arena *mem, const struct rec_placement_choice *c);
/* Who continues what waits: words of which a node that fits has one. */
#define PLACEMENT_KEYS 2
size_t placement_keys(struct arena *mem, const struct rec_placement *p,
                      struct str ret[PLACEMENT_KEYS]);
/* The same for a node: what it has.  Sessions that wait for one of them may be its own. */
size_t placement_keys_of_node(struct arena *mem, const struct rec_node_place *own,
                              const struct str **ret);

/*
 * Of a session that is created: what the caller asks for, which this node has; NULL: it asks for
 * nothing.  False: refused.
 */
bool placement_take(struct decision *d, const struct rec_placement_choice *c, struct str cwd,
                    struct rec_placement **ret);
/* The directory of a session that is created: the one that is given, or that of the workspace. */
struct str placement_dir(const struct rec_node_place *own, const struct rec_placement_choice *c,
                         struct str cwd);
/* Without a choice: where this node has the directory that was given; NULL: any node. */
struct rec_placement *placement_of_directory(struct decision *d, struct str cwd);
/* Of a session that exists; NULL: unchanged.  False: refused. */
bool placement_move(struct decision *d, const struct rec_placement_choice *c, struct str cwd,
                    struct rec_placement **ret);
/* Has this node the directory of the session? */
bool placement_is_here(const struct decision *d);
/* It has not: an event says that the turn waits, if none has.  Whether there is one. */
bool placement_await(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* It has: an event says that the wait is over, if there was one. */
bool placement_arrive(struct decision *d, const struct st_thread *th, const struct st_turn *t);
/* Does one of its turns wait for another node? */
bool placement_is_awaited(const struct state *w);

#endif
