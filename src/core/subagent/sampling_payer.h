#ifndef CORE_SAMPLING_PAYER_H
#define CORE_SAMPLING_PAYER_H
/* Who pays for a turn.  Apart from sampling.h, because budgets ask for it and sampling asks routing. */
#include "core/state.h"

/* The task whose budget pays for the turn: its own, or that of the turn whose tool asked. */
struct str sampling_payer(const struct state *w, const struct st_turn *t);

#endif
