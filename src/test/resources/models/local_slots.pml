/* On-host slots as LocalAgent, LocalHost and Slot keep them, in coherent memory: a line that the agent writes, a word
 * that both race for by compare-and-swap (who takes the decision), a word with the outcome.  A withdrawn decision's place
 * is used again at once, before the host has looked.
 *   default      the host that meets a later decision in the place goes on behind the withdrawn ones; neither end
 *                replaces a word of the same decision, nor the host that of a later one
 *   -DWAITS      the host waits for the number that is next, whatever lies in its place (as it was before issue 13)
 *   -DCLAIMANY   the host's claim replaces the word of a later decision, too (as it was)
 *   -DNOCAS      the agent withdraws by a look and a store
 *   -DSKIPS      the host that meets a later decision goes on with it, past those staged before it
 * One CPU, MAXD decisions, DEPTH staged ahead.  pan -E */
#ifndef DEPTH
#define DEPTH 1
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
#define P(n) ((n) & (PLACES - 1))
#define BIT(n) (1 << (n))
#define RAN 1
#define REFUSED 2
#define CLAIMED 0
#define WITHDRAWN 1

byte body[PLACES], head[PLACES];            /* the line: content, then the number, ready */
byte claim[PLACES];                         /* number * 2 + who */
byte outcome[PLACES];                       /* number * 4 + outcome */
byte staged, settled, mark;                 /* the agent's */
byte next = 1;                              /* the host's */
byte ran, withdrawn;                        /* ghosts, a bit for each number */

active proctype Agent() {
  byte n, before;
  do
  :: atomic { staged < MAXD && staged - settled < DEPTH -> n = staged + 1; body[P(n)] = n }
     atomic { head[P(n)] = n; staged = n; n = 0 }
  :: atomic { staged != settled && staged < MAXD -> n = staged; before = claim[P(n)] }   /* the last one stays */
     if
     :: atomic { before >> 1 != n && claim[P(n)] == before ->
          claim[P(n)] = n * 2 + WITHDRAWN; mark = mark | BIT(P(n)); withdrawn = withdrawn | BIT(n) }
#ifdef NOCAS
     :: atomic { before >> 1 != n && claim[P(n)] != before ->
          claim[P(n)] = n * 2 + WITHDRAWN; mark = mark | BIT(P(n)); withdrawn = withdrawn | BIT(n) }
#else
     :: before >> 1 != n && claim[P(n)] != before
#endif
     :: before >> 1 == n
     fi;
     atomic { n = 0; before = 0 }
  :: atomic { staged != settled && (mark >> P(settled + 1) & 1) ->
       settled++; mark = mark & (255 - BIT(P(settled)));
       assert(!(ran >> settled & 1)) }                     /* told withdrawn: it did not run */
  :: atomic { staged != settled && !(mark >> P(settled + 1) & 1) && outcome[P(settled + 1)] >> 2 == settled + 1 ->
       settled++;
       assert(((outcome[P(settled)] & 3) == RAN) == (ran >> settled & 1)) }
  od
}

#ifdef SKIPS
#define ONWARD h
#else
#define ONWARD h - DEPTH + 1
#endif
#ifdef WAITS
#define SEES (head[P(next)] == next)
#else
#define SEES (head[P(next)] == next || head[P(next)] >= next + PLACES)
#endif

active proctype Host() {
  byte h, n, before;
  do
  :: atomic { SEES -> h = head[P(next)] }
     if
     :: atomic { h >= next + PLACES -> next = ONWARD; h = 0 }
     :: atomic { h == next -> n = next; next++; before = claim[P(n)] }
        if
#ifdef CLAIMANY
        :: atomic { before >> 1 != n && claim[P(n)] == before ->
#else
        :: atomic { before >> 1 < n && claim[P(n)] == before ->
#endif
             claim[P(n)] = n * 2 + CLAIMED;
             assert(!(withdrawn >> n & 1)) }               /* no withdrawn decision runs */
           atomic { assert(body[P(n)] == n);               /* nor another one in its place */
             if
             :: assert(!(ran >> n & 1)); ran = ran | BIT(n); before = RAN
             :: before = REFUSED
             fi }
           outcome[P(n)] = n * 4 + before
        :: claim[P(n)] != before
#ifdef CLAIMANY
        :: before >> 1 == n
#else
        :: before >> 1 >= n
#endif
        fi;
        atomic { n = 0; before = 0; h = 0 }
     fi
  od
}

init {
  timeout -> assert(settled == MAXD)                       /* every decision gets its outcome */
}
