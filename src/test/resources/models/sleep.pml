/* Sleep and wake with store buffers: a CPU says that it sleeps and looks once more at its slot; the agent writes a
 * decision and looks whether the CPU sleeps.  One of the two must see the other's store, or the CPU sleeps beside a
 * decision (here for ever: there is no time-out).
 *   Each CPU of the host and the agent have a store buffer (TSO: first in, first out, own stores seen, drained at any
 *   time and by a full fence).
 *   default     coherent memory: on-host; Wave and swap in process or between guests.  writeFence is a release: nothing
 *   -DPCIE      NIC memory behind a link: the buffers are write-combining, writeFence drains them into posted writes,
 *               and a read by the host pushes its posted writes ahead; a read's completion pushes the NIC's
 *   -DPUSH      the slot lies in host memory (Wave and swap, push); else in NIC memory (pull)
 *   -DMIRROR    with -DPCIE: each side has a copy of its own of both words.  A fence posts what was stored to the other's
 *               copy, in order; loads are local and push nothing.  A host that is to sleep READs the slot in the agent's
 *               copy, which its earlier WRITEs reach first; the answer comes apart from what the agent has posted
 *   -DPREFETCH  what the host sees may be a copy fetched early, once (swap: the second look of hasAnswer is a new one)
 *   -DH_NOWF -DH_NOREAD -DH_NOFULL   the host without writeFence, the read of the NIC or of the agent's copy, the full fence
 *   -DA_NOFULL                       the agent without the full fence
 *   -DONELOOK                        with -DPREFETCH: hasAnswer looks once
 * NC CPUs, MAXD decisions each, DEPTH staged ahead.  pan -E */
#ifndef NC
#define NC 1
#endif
#ifndef MAXD
#define MAXD 3
#endif
#ifndef DEPTH
#define DEPTH 1
#endif
mtype = { SLOT, IRQ, DONE };
bit flag[NC];                               /* the sleep word, NIC memory          */
byte slot[NC];                              /* number of the newest decision there, as the host sees it */
#ifdef MIRROR
byte own[NC];                               /* the same in the agent's copy        */
#endif
bit irq[NC], answered[NC];
byte taken[NC], staged[NC];
chan hb0 = [2] of { bit };                  /* host CPUs' store buffers            */
chan hb1 = [2] of { bit };
chan pq0 = [2] of { bit };                  /* posted writes, host to NIC          */
chan pq1 = [2] of { bit };
chan ab = [4] of { byte, byte };            /* the agent's store buffer            */
chan dq = [6] of { mtype, byte, byte };     /* posted writes, NIC to host          */

/* what the host reads of its slot */
#if defined(PCIE) && !defined(PUSH) && !defined(MIRROR)
#define LOOK(into) atomic { empty(pq) -> into = slot[c] }
#else
#define LOOK(into) into = slot[c]
#endif

proctype Cpu(byte c; chan hb; chan pq) {
  byte seen, copy;
#ifdef PREFETCH
  bit fetched;
#endif
  do
  :: /* poll */
#ifdef PREFETCH
     if
     :: LOOK(copy); fetched = 1             /* want: fetched early, the decision may come later */
     :: skip
     fi;
     if
     :: fetched -> atomic { seen = copy; fetched = 0 }
     :: !fetched -> LOOK(seen)
     fi;
#else
     LOOK(seen);
#endif
     if
     :: atomic { seen > taken[c] -> taken[c]++; seen = 0; copy = 0 }
     :: else ->
        hb!1;                               /* enterSleep */
#if defined(PCIE) && !defined(H_NOWF)
        empty(hb);
#endif
#if defined(MIRROR) && !defined(H_NOREAD)
        atomic { empty(pq) -> seen = own[c] }
        if
        :: seen > taken[c] -> goto awake     /* it is on its way */
        :: else -> seen = 0
        fi;
#endif
#if defined(PUSH) && defined(PCIE) && !defined(MIRROR) && !defined(H_NOREAD)
        atomic { empty(pq) -> dq!DONE,c,0 } /* the NIC answers the read; on coherent memory the buffer does */
        atomic { answered[c] -> answered[c] = 0 }
#endif
#ifndef H_NOFULL
        empty(hb);
#endif
#ifdef PREFETCH
        seen = copy;                        /* hasAnswer: the first look may be of the copy */
#ifndef ONELOOK
        if
        :: seen > taken[c]
        :: else -> LOOK(seen)
        fi;
#endif
        fetched = 0;
#else
        LOOK(seen);
#endif
        if
        :: seen > taken[c]
        :: else -> atomic { irq[c] -> irq[c] = 0 }   /* sleep */
        fi;
#ifdef MIRROR
awake:
#endif
        hb!0;                               /* leaveSleep */
#if defined(PCIE)
        empty(hb);
#endif
        atomic { seen = 0; copy = 0 }
     fi
  od
}

inline stage(k) { atomic { staged[k] < MAXD && staged[k] - taken[k] < DEPTH && nfull(ab) ->
  staged[k]++; ab!k,staged[k]; dirty[k] = 1 } }

proctype Agent() {
  bit dirty[NC]; byte c;
  do
  :: stage(0)
#if NC > 1
  :: stage(1)
#endif
  :: (dirty[0] || dirty[NC-1]) ->           /* commit */
#ifndef A_NOFULL
     empty(ab);
#endif
#ifdef MIRROR
     c = 0;
     do
     :: c < NC && dirty[c] -> atomic { nfull(dq) -> dq!SLOT,c,staged[c]; c++ }
     :: c < NC && !dirty[c] -> c++
     :: c == NC -> break
     od;
#endif
     c = 0;
     do
     :: c < NC && dirty[c] ->
        if
        :: atomic { flag[c] -> 
#ifdef PCIE
             dq!IRQ,c,0
#else
             irq[c] = 1
#endif
           }
        :: !flag[c]
        fi;
        dirty[c] = 0; c++
     :: c < NC && !dirty[c] -> c++
     :: c == NC -> break
     od;
     c = 0
  od
}

/* drains the buffers and carries the posted writes */
proctype Bus() {
  byte c, v; bit b;
  do
#ifdef PCIE
  :: atomic { nempty(hb0) && nfull(pq0) -> hb0?b; pq0!b }
  :: atomic { nempty(hb1) && nfull(pq1) -> hb1?b; pq1!b }
  :: atomic { pq0?b -> flag[0] = b; b = 0 }
  :: atomic { pq1?b -> flag[NC-1] = b; b = 0 }
#else
  :: atomic { hb0?b -> flag[0] = b; b = 0 }
  :: atomic { hb1?b -> flag[NC-1] = b; b = 0 }
#endif
#ifdef MIRROR
  :: atomic { ab?c,v -> own[c] = v; c = 0; v = 0 }
#elif defined(PCIE) && defined(PUSH)
  :: atomic { nempty(ab) && nfull(dq) -> ab?c,v; dq!SLOT,c,v; c = 0; v = 0 }
#else
  :: atomic { ab?c,v -> slot[c] = v; c = 0; v = 0 }
#endif
  :: atomic { dq?SLOT,c,v -> slot[c] = v; c = 0; v = 0 }
  :: atomic { dq?IRQ,c,v -> irq[c] = 1; c = 0 }
  :: atomic { dq?DONE,c,v -> answered[c] = 1; c = 0 }
  od
}

init { atomic { run Bus(); run Agent(); run Cpu(0, hb0, pq0);
#if NC > 1
  run Cpu(1, hb1, pq1);
#endif
  } 
  timeout -> assert(taken[0] == MAXD && taken[NC-1] == MAXD)  /* nobody sleeps beside a decision */
}
