/* A status word in a mirrored region: a line of three words (first, content, last) that the host writes over and over, and
 * an RDMA WRITE carries to the agent's copy, where its words become visible in any order, a word at a time.  The agent
 * reads word by word, too.
 *   default     the last word is a digest of the others (here: it names the version they are of)
 *   -DENDS      the first and the last word belong together and the first is read again at the end (as it was before RDMA)
 *   -DORDERED   the words of a WRITE become visible in the order in which the host stored them: last, content, first
 * Two versions may share their first word: another field changed.  MAXV versions. */
#ifndef MAXV
#define MAXV 3
#endif
#define FIRST(v) ((v) == 3 -> 2 : (v))      /* versions 2 and 3 share it */
byte there[3];                              /* the agent's copy: version of each word */
byte wanted;                                /* the version that is under way */
bit left[3];                                /* its words that are still to come */

active proctype Host() {
  do
  :: atomic { wanted < MAXV && !left[0] && !left[1] && !left[2] -> wanted++; left[0] = 1; left[1] = 1; left[2] = 1 }
#ifdef ORDERED
  :: atomic { left[2] -> left[2] = 0; there[2] = wanted }
  :: atomic { left[1] && !left[2] -> left[1] = 0; there[1] = wanted }
  :: atomic { left[0] && !left[1] && !left[2] -> left[0] = 0; there[0] = wanted }
#else
  :: atomic { left[0] -> left[0] = 0; there[0] = wanted }
  :: atomic { left[1] -> left[1] = 0; there[1] = wanted }
  :: atomic { left[2] -> left[2] = 0; there[2] = wanted }
#endif
  od
}

active proctype Agent() {
  byte a, b, c, again;
  do
  :: a = there[0];
     b = there[1];
     c = there[2];
     again = there[0];
     atomic {
       if
#ifdef ENDS
       :: FIRST(a) == FIRST(c) && FIRST(again) == FIRST(a) ->
#else
       :: c == b && FIRST(c) == FIRST(a) ->
#endif
          assert(FIRST(a) == FIRST(b))       /* the content is of a version with this first word */
       :: else
       fi;
       a = 0; b = 0; c = 0; again = 0 }
  od
}
