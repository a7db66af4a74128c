/* Wave's slots as WaveAgent and WaveHost keep them: decisions staged 1 to DEPTH deep in places that are used again,
 * withdrawals, and the millisecond ticks of both ends, which write again what a link may have lost.  A line is one
 * value (its digest is modelled in wave.pml): number * 2 + withdrawn.  A write stays in its line's buffer until it lands
 * or is lost; a later write to the line replaces it there.
 *   default     a withdrawn mark for each place, cleared by the decision that uses the place next
 *   -DONEMARK   one mark for a CPU, cleared by the next stage (as it was before issue 13)
 *   -DNOCLEAR   marks are never cleared
 *   -DA_NOTICK  the agent's tick writes nothing      -DH_NOTICK  the host's neither
 *   -DBLIND     the host takes a line without comparing its number with the one that is next
 *   -DLATE      late binding: staged only if the host wants just this decision
 *   -DPREFETCH  a decision may come from a copy fetched when the host asked
 *   -DNEWS=n    n messages a CPU tell of outcomes, in order, any of them lost; the mark has MARKS values (agent.region.
 *               ToldOutcomes);  -DTELLALL: of refusals, too;  -DTHAWED: of what follows one at once;  -DEARLY: too early
 * NC CPUs, MAXD decisions each, LOSSES writes lost in all.  pan -E */
#ifndef NC
#define NC 1
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#if DEPTH == 1
#define PLACES 1
#elif DEPTH == 2
#define PLACES 2
#else
#define PLACES 4
#endif
#ifndef MAXD
#define MAXD 4
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef MARKS
#define MARKS 4
#endif
#define RAN 1
#define REFUSED 2
#define ABORTED 3
#define AT(c, n) ((c) * PLACES + ((n) & (PLACES - 1)))
#define BIT(n) (1 << (n))

/* the agent */
byte staged[NC], settled[NC];
#ifdef ONEMARK
byte mark[NC];
#define ISMARKED(c, n) (mark[c] == (n))
#define MARK(c, n) mark[c] = (n)
#define UNMARK(c, n) mark[c] = 0
#else
byte mark[NC];                              /* a bit for each place */
#define ISMARKED(c, n) (mark[c] >> ((n) & (PLACES - 1)) & 1)
#define MARK(c, n) mark[c] = mark[c] | 1 << ((n) & (PLACES - 1))
#ifdef NOCLEAR
#define UNMARK(c, n) skip
#else
#define UNMARK(c, n) mark[c] = mark[c] & (255 - (1 << ((n) & (PLACES - 1))))
#endif
#endif
#define INTENDED(c, n) ((n) * 2 + ISMARKED(c, n))

/* the host */
byte next[NC], parked[NC], fetched[NC]; bit fetchedGone[NC];
byte answers[NC * PLACES];                  /* number * 4 + outcome */
#ifdef NEWS
byte told[NC], clean[NC], posts[NC];        /* up to where messages tell; from where the agent knows of all refusals */
byte count[NC];                             /* the agent's, of what it was told */
chan news[NC] = [2] of { byte };
#ifdef EARLY
#define WINDOW (DEPTH - 1)
#else
#define WINDOW DEPTH
#endif
#endif

/* lines in memory and on their way; 0: nothing */
byte line[NC * PLACES], lineSent[NC * PLACES];
byte out[NC * PLACES], outSent[NC * PLACES];
#ifdef LATE
byte asked[NC], want[NC], wantSent[NC];
#endif
byte losses = LOSSES;

/* ghosts, a bit for each number */
byte ran[NC], withdrawn[NC], gone[NC];      /* gone: its withdrawal was there before the host took it */

#define NUMBER(l) ((l) >> 1)
#define EFFECTIVE(sent, there) (sent -> sent : there)

#ifdef LATE
#define HASROOM (staged[c] < MAXD && staged[c] - settled[c] < DEPTH && want[c] == staged[c] + 1)
#else
#define HASROOM (staged[c] < MAXD && staged[c] - settled[c] < DEPTH)
#endif

/* the ticks write what is not there as it ought to be; they write the rest as well, which changes nothing */
#define TICK(k) :: atomic { settled[c] + k <= staged[c] \
  && EFFECTIVE(lineSent[AT(c, settled[c] + k)], line[AT(c, settled[c] + k)]) != INTENDED(c, settled[c] + k) -> \
  lineSent[AT(c, settled[c] + k)] = INTENDED(c, settled[c] + k) }
#define REPEAT(i) :: atomic { EFFECTIVE(outSent[c * PLACES + i], out[c * PLACES + i]) != answers[c * PLACES + i] -> \
  outSent[c * PLACES + i] = answers[c * PLACES + i] }

proctype Agent(byte c) {
  byte n, o;
  do
  :: atomic { HASROOM -> n = staged[c] + 1; staged[c] = n; UNMARK(c, n); lineSent[AT(c, n)] = n * 2; n = 0 }
  :: atomic { staged[c] != settled[c] && !ISMARKED(c, staged[c]) ->
       n = staged[c]; MARK(c, n); withdrawn[c] = withdrawn[c] | BIT(n); lineSent[AT(c, n)] = n * 2 + 1; n = 0 }
  :: atomic { staged[c] != settled[c] && out[AT(c, settled[c] + 1)] >> 2 == settled[c] + 1 ->
       n = settled[c] + 1; o = out[AT(c, n)] & 3; settled[c] = n;
       assert((o == RAN) == (ran[c] >> n & 1));           /* every outcome told is what happened */
       assert(o != ABORTED || (withdrawn[c] >> n & 1));    /* nothing is given up that was not withdrawn */
       n = 0; o = 0 }
#ifdef NEWS
  :: atomic { news[c]?n -> count[c] = count[c] + ((n + MARKS * 8 - count[c]) % MARKS); n = 0 }
  :: atomic { news[c]?n -> n = 0 }                          /* lost */
  :: atomic { staged[c] != settled[c] && count[c] > settled[c] ->
       settled[c] = settled[c] + 1;
       assert(ran[c] >> settled[c] & 1) }                   /* what messages tell is true */
#endif
#ifndef A_NOTICK
  TICK(1)
#if DEPTH > 1
  TICK(2)
#endif
#if DEPTH > 2
  TICK(3)
#endif
#if DEPTH > 3
  TICK(4)
#endif
#endif
  od
}

#define FETCH fetched[c] = line[AT(c, next[c])]; fetchedGone[c] = gone[c] >> next[c] & 1
#define FITS (NUMBER(fetched[c]) == next[c])

/* what was fetched is taken if its number is the next one */
inline take() {
  if
  :: (fetched[c] & 1) ->
     assert(withdrawn[c] >> next[c] & 1);
     answer(next[c], ABORTED)
  :: else ->
     assert(!fetchedGone[c]);                              /* no withdrawn decision runs */
     parked[c] = next[c]
  fi;
  next[c]++; fetched[c] = 0; fetchedGone[c] = 0 }

inline answer(n, how) {
  answers[AT(c, n)] = (n) * 4 + how; outSent[AT(c, n)] = (n) * 4 + how;
#ifdef NEWS
#if defined(TELLALL)
  told[c] = n;
#elif defined(THAWED)
  if :: how == RAN -> told[c] = n :: else fi;
#else
  if
  :: how == RAN && n >= clean[c] -> told[c] = n
  :: how == RAN && n < clean[c]
  :: how != RAN -> clean[c] = n + WINDOW
  fi;
#endif
#endif
  skip }

proctype Host(byte c) {
  do
#ifdef PREFETCH
  :: atomic { !parked[c] && line[AT(c, next[c])] != fetched[c] -> FETCH }
  :: atomic { !parked[c] && FITS -> take() }
#elif defined(BLIND)
  :: atomic { !parked[c] && line[AT(c, next[c])] && next[c] <= MAXD -> FETCH; take() }
#else
  :: atomic { !parked[c] && NUMBER(line[AT(c, next[c])]) == next[c] -> FETCH; take() }
#endif
  :: atomic { parked[c] ->                                 /* the Enforcer's verdict, now or when the CPU is free */
       if
       :: assert(!(ran[c] >> parked[c] & 1));              /* no decision runs twice */
          ran[c] = ran[c] | BIT(parked[c]); answer(parked[c], RAN)
       :: answer(parked[c], REFUSED)
       fi;
       parked[c] = 0 }
#ifdef NEWS
  :: atomic { posts[c] < NEWS && nfull(news[c]) -> posts[c]++; news[c]!(told[c] % MARKS) }
#endif
#ifdef LATE
  :: atomic { !parked[c] && next[c] <= MAXD && asked[c] != next[c] -> asked[c] = next[c]; wantSent[c] = next[c] }
#endif
#ifndef H_NOTICK
  REPEAT(0)
#if PLACES > 1
  REPEAT(1)
#endif
#if PLACES > 2
  REPEAT(2) REPEAT(3)
#endif
#ifdef LATE
  :: atomic { EFFECTIVE(wantSent[c], want[c]) != asked[c] -> wantSent[c] = asked[c] }
#endif
#endif
  od
}

/* carries or loses what was written to one place, and what was wanted */
proctype Link(byte c, p) {
  byte n;
  do
  :: atomic { lineSent[p] -> line[p] = lineSent[p]; n = NUMBER(lineSent[p]);
       if
       :: (lineSent[p] & 1) && next[c] <= n -> gone[c] = gone[c] | BIT(n)
       :: else
       fi;
       lineSent[p] = 0; n = 0 }
  :: atomic { lineSent[p] && losses -> lineSent[p] = 0; losses-- }
  :: atomic { outSent[p] -> out[p] = outSent[p]; outSent[p] = 0 }
  :: atomic { outSent[p] && losses -> outSent[p] = 0; losses-- }
#ifdef LATE
  :: atomic { wantSent[c] -> want[c] = wantSent[c]; wantSent[c] = 0 }
  :: atomic { wantSent[c] && losses -> wantSent[c] = 0; losses-- }
#endif
  od
}

init { byte c, p;
  atomic {
    do
    :: c < NC -> next[c] = 1; run Agent(c); run Host(c); p = 0;
       do :: p < PLACES -> run Link(c, c * PLACES + p); p++ :: else -> break od;
       c++
    :: else -> break
    od;
    c = 0; p = 0 }
  timeout ->
    do
    :: c < NC -> assert(settled[c] == MAXD); c++           /* every decision gets its outcome */
    :: else -> break
    od
}
