/* The swap's decisions as LineHostExchange, LineAgentExchange and Staged keep them: staged at home, promised in batches for an
 * open offer, committed or reversed by the host, answered in the host's next line; withdrawn while at home; repeated by
 * the ticks of both ends, since a link may lose what was written.  The promise's decisions lie in lines of their own,
 * whose digest the agent's line carries.
 *   default      ahead: the host's next offer carries the answers (swap1, batches)
 *   -DLATE       swap0: one decision, staged when asked for; a line of its own carries the answer
 *   -DGROUP      two cells; decision 1 of each is a member of one group, all or none
 *   -DTAKEBACK   a promised decision can be withdrawn, too
 *   -DEARLY      the host offers anew before all decisions of the promise are settled
 *   -DNODIGEST   the host takes a promise whose decisions may not have arrived
 *   -DNOLAST     the agent takes any later line for a commit
 *   -DA_NOTICK, -DH_NOTICK   no ticks
 *   -DALONE      a member whose group stays incomplete runs alone
 * NC cells, MAXD decisions each, CAP staged at a time, BATCH in a promise, LOSSES writes lost in all, REVERSALS offers
 * taken back in all.  pan -E */
#ifdef GROUP
#define NC 2
#endif
#ifndef NC
#define NC 1
#endif
#ifndef CAP
#define CAP 2
#endif
#ifndef BATCH
#define BATCH CAP
#endif
#ifndef MAXD
#define MAXD 3
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef REVERSALS
#define REVERSALS 1
#endif
#define BIT(n) (1 << (n))
#define IS(set, n) ((set) >> (n) & 1)
#define ABORTED 0
#define RAN 1
#define REFUSED 2
mtype = { IDLE, PENDING, REFLECTED };
typedef HostLine { byte n; bit offer; byte last; byte answers };
typedef AgentLine { byte n; byte b0; byte b1 };          /* the digest: the decisions promised */

typedef Cell {
  /* memory, and writes on their way */
  HostLine h, hs; bit hSent;
  AgentLine a, as; bit aSent;
  byte area0, area1, areaSent0, areaSent1; bit sent0, sent1;
  /* the host */
  HostLine mine; byte n; bit open; byte last; byte got0, got1, count, taken, settled, answers, parked; bit owes;
  /* the agent */
  byte seenN; bit seenOffer; byte an; mtype phase; byte b0, b1;
  byte newest, over; byte promised, ended;                 /* bits for each number: in escrow; outcome known */
  byte outRan;                                             /* of those: ran */
  /* ghosts */
  byte ran, home, told
};
Cell x[NC];
byte losses = LOSSES, reversals = REVERSALS;

/* ---- the agent: number over + 1 is the oldest whose outcome it has not told its policy */
#define ISOPEN(c) (x[c].newest != x[c].over && !IS(x[c].ended, x[c].newest))
#ifdef LATE
#define HASROOM(c) (x[c].phase == PENDING && !ISOPEN(c) && x[c].newest - x[c].over < CAP)
#else
#define HASROOM(c) (x[c].newest - x[c].over < CAP)
#endif
#define ATHOME(c, k) (k <= x[c].newest && !IS(x[c].promised, k) && !IS(x[c].ended, k))

inline end(c, k, how) { x[c].promised = x[c].promised & (255 - BIT(k)); x[c].ended = x[c].ended | BIT(k);
  if :: how == RAN -> x[c].outRan = x[c].outRan | BIT(k) :: else fi }

inline resolve(c) {
  if
  :: x[c].phase == REFLECTED ->
     if
#ifdef NOLAST
     :: true ->
#else
     :: x[c].h.last == x[c].an ->
#endif
        if :: IS(x[c].promised, x[c].b0) -> end(c, x[c].b0, (x[c].h.answers & 3)) :: else fi;
        if :: x[c].b1 && IS(x[c].promised, x[c].b1) -> end(c, x[c].b1, (x[c].h.answers >> 2)) :: else fi
#ifndef NOLAST
     :: else ->
        if :: IS(x[c].promised, x[c].b0) -> end(c, x[c].b0, ABORTED) :: else fi;
        if :: x[c].b1 && IS(x[c].promised, x[c].b1) -> end(c, x[c].b1, ABORTED) :: else fi
#endif
     fi;
     x[c].b0 = 0; x[c].b1 = 0
  :: else
  fi }

inline sendPromise(c) { x[c].as.n = x[c].an; x[c].as.b0 = x[c].b0; x[c].as.b1 = x[c].b1; x[c].aSent = 1;
  x[c].areaSent0 = x[c].b0; x[c].sent0 = 1;
  if :: x[c].b1 -> x[c].areaSent1 = x[c].b1; x[c].sent1 = 1 :: else fi }

#define A_HAS(c) ((x[c].aSent -> x[c].as.n : x[c].a.n) == x[c].an \
  && (x[c].sent0 -> x[c].areaSent0 : x[c].area0) == x[c].b0 \
  && (!x[c].b1 || (x[c].sent1 -> x[c].areaSent1 : x[c].area1) == x[c].b1))

proctype Agent(byte c) {
  byte k;
  do
  :: atomic { HASROOM(c) && x[c].newest < MAXD -> x[c].newest++ }
  :: atomic { ISOPEN(c) && !IS(x[c].promised, x[c].newest) ->   /* withdraw at home */
       k = x[c].newest; x[c].home = x[c].home | BIT(k); end(c, k, ABORTED); k = 0 }
#ifdef TAKEBACK
  :: atomic { ISOPEN(c) && IS(x[c].promised, x[c].newest) -> k = x[c].newest; end(c, k, ABORTED); k = 0 }
#endif
  :: atomic { x[c].over != x[c].newest && IS(x[c].ended, x[c].over + 1) ->
       x[c].over++; x[c].told = x[c].told | BIT(x[c].over);
       assert(IS(x[c].outRan, x[c].over) == IS(x[c].ran, x[c].over)) }   /* every outcome is what happened */
  :: atomic { x[c].h.offer && x[c].h.n > x[c].an ->              /* look: an offer */
       resolve(c); x[c].an = x[c].h.n; x[c].phase = PENDING }
  :: atomic { !x[c].h.offer && x[c].h.n && x[c].h.n >= x[c].an && x[c].phase != IDLE ->
       resolve(c); x[c].an = x[c].h.n; x[c].phase = IDLE }
  :: atomic { x[c].phase == PENDING && (ATHOME(c, x[c].over + 1) || CAP > 1 && ATHOME(c, x[c].over + 2)) ->
       k = x[c].over + 1;                                        /* promise the oldest that are at home */
       if :: ATHOME(c, k) :: else -> k++ fi;
       x[c].b0 = k; x[c].promised = x[c].promised | BIT(k); k++;
       if
       :: BATCH > 1 && k <= x[c].over + CAP && ATHOME(c, k) -> x[c].b1 = k; x[c].promised = x[c].promised | BIT(k)
       :: else
       fi;
       x[c].phase = REFLECTED; sendPromise(c); k = 0 }
#ifndef A_NOTICK
  :: atomic { x[c].phase == REFLECTED && !A_HAS(c) -> sendPromise(c) }
#endif
  od
}

/* ---- the host */
inline tell(c, isOffer) { x[c].mine.n = x[c].n; x[c].mine.offer = isOffer; x[c].mine.last = x[c].last;
  x[c].mine.answers = x[c].answers; sendHost(c); x[c].owes = 0 }
inline sendHost(c) { x[c].hs.n = x[c].mine.n; x[c].hs.offer = x[c].mine.offer; x[c].hs.last = x[c].mine.last;
  x[c].hs.answers = x[c].mine.answers; x[c].hSent = 1 }
inline makeOffer(c) { x[c].n++; x[c].open = 1; tell(c, 1) }
inline answer(c, how) { x[c].answers = x[c].answers | how << 2 * x[c].settled; x[c].settled++;
  if :: how == RAN -> assert(!IS(x[c].ran, x[c].parked));        /* none runs twice */
        assert(!IS(x[c].home, x[c].parked) && !IS(x[c].told, x[c].parked));   /* nor one that the agent has back */
        x[c].ran = x[c].ran | BIT(x[c].parked)
     :: else fi;
  x[c].parked = 0;
  if :: x[c].settled == x[c].count -> x[c].count = 0; x[c].taken = 0; x[c].settled = 0; x[c].owes = 1 :: else fi }

#ifdef NODIGEST
#define WHOLE(c) true
#else
#define WHOLE(c) (x[c].area0 == x[c].a.b0 && (!x[c].a.b1 || x[c].area1 == x[c].a.b1))
#endif
#ifdef EARLY
#define MAYOFFER(c) (!x[c].open && !x[c].parked && x[c].n < 2 * MAXD)
#else
#define MAYOFFER(c) (!x[c].open && x[c].count == 0)
#endif
#define H_HAS(c) ((x[c].hSent -> x[c].hs.n : x[c].h.n) == x[c].mine.n \
  && (x[c].hSent -> x[c].hs.offer : x[c].h.offer) == x[c].mine.offer)
#ifdef GROUP
#define MEMBER(c) (x[c].parked == 1)
#else
#define MEMBER(c) false
#endif

proctype Host(byte c) {
  do
#ifdef LATE
  :: atomic { MAYOFFER(c) && !x[c].owes -> makeOffer(c) }            /* want */
  :: atomic { x[c].owes && !x[c].open -> tell(c, 0) }            /* close */
#else
  :: atomic { MAYOFFER(c) -> makeOffer(c) }                          /* want; write */
#endif
  :: atomic { x[c].open && x[c].a.n == x[c].n && WHOLE(c) ->     /* the commit */
       x[c].open = 0; x[c].last = x[c].n; x[c].got0 = x[c].area0; x[c].got1 = x[c].area1;
       x[c].count = (x[c].a.b1 -> 2 : 1); x[c].taken = 0; x[c].settled = 0; x[c].answers = 0 }
  :: atomic { x[c].taken < x[c].count && !x[c].parked ->
       x[c].parked = (x[c].taken -> x[c].got1 : x[c].got0); x[c].taken++ }
  :: atomic { x[c].parked && !MEMBER(c) ->
       if :: answer(c, RAN) :: answer(c, REFUSED) fi }
#ifdef GROUP
  :: atomic { c == 0 && MEMBER(0) && MEMBER(1) ->
       if
       :: answer(0, RAN); answer(1, RAN)
       :: answer(0, REFUSED); answer(1, REFUSED)
       fi }
  :: atomic { MEMBER(c) && !MEMBER(1 - c) ->                     /* the group stays incomplete: poisoned */
#ifdef ALONE
       answer(c, RAN) }
#else
       answer(c, REFUSED) }
#endif
#endif
  :: atomic { x[c].open && reversals -> reversals--; x[c].open = 0; x[c].owes = 1 }   /* abandon, expire */
#ifndef H_NOTICK
  :: atomic { x[c].mine.n && !H_HAS(c) -> sendHost(c) }
#endif
  od
}

proctype Link(byte c) {
  do
  :: atomic { x[c].hSent -> x[c].h.n = x[c].hs.n; x[c].h.offer = x[c].hs.offer; x[c].h.last = x[c].hs.last;
       x[c].h.answers = x[c].hs.answers; x[c].hSent = 0 }
  :: atomic { x[c].aSent -> x[c].a.n = x[c].as.n; x[c].a.b0 = x[c].as.b0; x[c].a.b1 = x[c].as.b1; x[c].aSent = 0 }
  :: atomic { x[c].sent0 -> x[c].area0 = x[c].areaSent0; x[c].sent0 = 0; x[c].areaSent0 = 0 }
  :: atomic { x[c].sent1 -> x[c].area1 = x[c].areaSent1; x[c].sent1 = 0; x[c].areaSent1 = 0 }
  :: atomic { x[c].hSent && losses -> x[c].hSent = 0; losses-- }
  :: atomic { x[c].aSent && losses -> x[c].aSent = 0; losses-- }
  :: atomic { x[c].sent0 && losses -> x[c].sent0 = 0; losses-- }
  :: atomic { x[c].sent1 && losses -> x[c].sent1 = 0; losses-- }
  od
}

init { byte c;
  atomic {
    do
    :: c < NC -> x[c].phase = IDLE; run Agent(c); run Host(c); run Link(c); c++
    :: else -> break
    od;
    c = 0 }
  timeout ->
#ifdef GROUP
    assert(IS(x[0].ran, 1) == IS(x[1].ran, 1));                  /* all or none */
#endif
    do
    :: c < NC -> assert(x[c].over == MAXD); c++                  /* every decision gets its outcome */
    :: else -> break
    od
}
