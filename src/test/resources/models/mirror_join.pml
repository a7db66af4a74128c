/* An agent's copy that comes while a CPU of the host stores: at the end it has what the host's copy has.
 *   A store goes through the CPU's store buffer into the host's copy and, if the connection is known by then, is posted to
 *   the newcomer with its value.  Whoever connects makes the connection known and then posts the whole copy, whose bytes
 *   are read as late as they are sent.  What is posted on one connection arrives in order.
 *   -DNOFULL    no full fence between the store and the look for connections (MirrorWriter.fence)
 *   -DLATE      the whole copy is posted before the connection is known
 *   -DPULL      the newcomer READs the host's copy; the answer comes apart from what the host has posted meanwhile
 *   -DQUIET     with -DPULL: the other side stores nothing until the answer is there (a host that takes over from a dead
 *               one reads the copy of an agent that has lost its connection)
 * MAXV stores of one word. */
#ifndef MAXV
#define MAXV 3
#endif
mtype = { INLINE, WHOLE };
byte host, agent;
bit known, ready;
chan buffer = [1] of { byte };              /* the CPU's store buffer              */
chan posted = [8] of { mtype, byte };
#ifdef QUIET
#define MAYSTORE (ready)
#else
#define MAYSTORE (true)
#endif

active proctype Cpu() {
  byte v;
  do
  :: v < MAXV && MAYSTORE -> v++; buffer!v;
#ifndef NOFULL
     empty(buffer);
#endif
     if
     :: known -> posted!INLINE,v
     :: !known
     fi
  :: v == MAXV -> break
  od
}

active proctype Bus() {
  byte v;
  do
  :: atomic { buffer?v -> host = v; v = 0 }
  :: atomic { posted?INLINE,v -> agent = v; v = 0 }
  :: atomic { posted?WHOLE,_ -> agent = host; ready = 1 }
  od
}

active proctype Connect() {
#ifdef PULL
  byte answer;
  known = 1;
  answer = host;                           /* taken there                         */
  atomic { agent = answer; ready = 1 }       /* placed here                         */
#elif defined(LATE)
  posted!WHOLE,0;
  ready;
  known = 1
#else
  known = 1;
  posted!WHOLE,0
#endif
}

init { timeout -> assert(agent == host && host == MAXV) }
