/*
 * What a shared library gives to an agent on a card's own cores, where the card's memory can only be had through its
 * vendor's library (cores.memory: library, cores.path: the library). Results: 0, or an errno.
 */
#ifndef BASCULE_CARD_H
#define BASCULE_CARD_H
#include <stdint.h>

/*
 * argument: cores.argument of the configuration, which says which card, or is empty. The card's memory that the host sees in its BAR, mapped into this process for good. cached: 1 if these cores cache it
 * coherently with what the host writes, else 0.
 */
int bascule_card_memory(const char *argument, void **address, uint64_t *bytes, int *cached);

/* May be left out: maps the host's memory at a device address, as the host offers it in the region. */
int bascule_card_host(uint64_t iova, uint64_t bytes, void **address);

/* May be left out: raises an interrupt vector of the host. Called by the agent's thread; must not block. */
void bascule_card_interrupt(uint32_t vector);

#endif
