----------------------------- MODULE Lauberhorn -----------------------------
(* Lauberhorn's lines over the messages of a coherent interconnect that keeps no order between lines.  A thread loads a
   control line; the NIC holds the load back until its process has a request, and takes the line before back (clean
   invalidate) before it answers.  Caches may evict a line at any time and read it again.  A policy gives cores to threads
   as it likes; a kernel carries it out; processes, kernels and the NIC die at any step.  The production machines
   (NicEndpoint, CpuEndpoint, NicDispatch) are explored by themselves; this model is about what lies below them, and about
   liveness. *)
EXTENDS Integers, FiniteSets, Sequences, TLC

CONSTANTS Cores, Threads, Requests, None,
          Owner,         \* process of each thread
          Target,        \* process of each request
          QueueEntries,  \* requests that a process may have queued
          MaxDeaths, MaxKernelDeaths, MaxRestarts, MaxEvictions,
          MaxGifts,      \* decisions of the policy; 0: any number, as liveness needs
          NextOnReread,  \* mutant: any read is taken for a load of the next line
          NoInvalidate,  \* mutant: the load is answered before the line before came back
          Redeliver,     \* mutant: what was with a dead process is queued again
          OneLife,       \* mutant: endpoints have no epoch
          AnyLife,       \* mutant: a kernel lets a thread run by a decision from before its process died
          NoDebt,        \* mutant: a thread that was just dispatched may have to yield before it got a request
          p1, p2, t1, t2, r1, r2   \* names for configurations

VARIABLES kern, cur,                   \* the kernel of each core: what it does; the thread it lets run
          kload, kanswer,              \* its generic endpoint: a load on its way or held, an answer on its way
          thr, line, cache, life,      \* each thread: what it does, its line, its cache, the life it knows
          link,                        \* messages of its endpoint, in no order
          nph, nline, ncont, nlife, mem, serving,   \* the NIC's side of its endpoint
          running, next, fresh,        \* what the NIC knows and wants of each core; whether its thread has not loaded yet
          queue, status, ran,
          deaths, kdeaths, restarts, evictions, gifts

os == <<kern, cur, kload, kanswer>>
cpu == <<thr, line, cache, life>>
nic == <<nph, nline, ncont, nlife, mem, serving>>
table == <<running, next, fresh>>
reqs == <<queue, status, ran>>
bounds == <<deaths, kdeaths, restarts, evictions, gifts>>
vars == <<os, cpu, link, nic, table, reqs, bounds>>

Processes == {Owner[t] : t \in Threads}
Lines == {0, 1}
Nothing == [kind |-> "nothing", req |-> None]
Retiring == "retiring"

Init == /\ kern = [c \in Cores |-> "load"] /\ cur = [c \in Cores |-> None]
        /\ kload = [c \in Cores |-> "none"] /\ kanswer = [c \in Cores |-> None]
        /\ thr = [t \in Threads |-> "off"] /\ line = [t \in Threads |-> 0]
        /\ cache = [t \in Threads |-> [l \in Lines |-> Nothing]]
        /\ life = [t \in Threads |-> 1] /\ link = [t \in Threads |-> {}]
        /\ nph = [t \in Threads |-> "idle"] /\ nline = [t \in Threads |-> 1]
        /\ ncont = [t \in Threads |-> Nothing] /\ nlife = [t \in Threads |-> 1]
        /\ mem = [t \in Threads |-> [l \in Lines |-> Nothing]]
        /\ serving = [t \in Threads |-> None]
        /\ running = [c \in Cores |-> None] /\ next = [c \in Cores |-> None]
        /\ fresh = [c \in Cores |-> FALSE]
        /\ queue = [p \in Processes |-> <<>>]
        /\ status = [r \in Requests |-> "unsent"] /\ ran = [r \in Requests |-> 0]
        /\ deaths = 0 /\ kdeaths = 0 /\ restarts = 0 /\ evictions = 0 /\ gifts = 0

Settled(r) == status[r] \in {"answered", "refused"}
CoreOf(t) == IF \E c \in Cores : running[c] = t THEN CHOOSE c \in Cores : running[c] = t ELSE None
Bound(t) == \E c \in Cores : next[c] = t
OnCore(t) == \E c \in Cores : cur[c] = t /\ kern[c] = "run"

Answer(kind, t) == [kind |-> kind, thread |-> t, life |-> IF t = None THEN 0 ELSE nlife[t]]
Msg(kind, l, what, t) == [kind |-> kind, l |-> l, what |-> what, life |-> nlife[t]]
Own(kind, l, what, t) == [kind |-> kind, l |-> l, what |-> what, life |-> life[t]]

----------------------------------------------------------------------------
(* Requests. *)
Send(r) == /\ status[r] = "unsent"
           /\ LET p == Target[r] IN
              IF Len(queue[p]) < QueueEntries
              THEN /\ queue' = [queue EXCEPT ![p] = Append(@, r)]
                   /\ status' = [status EXCEPT ![r] = "sent"]
              ELSE /\ status' = [status EXCEPT ![r] = "refused"] /\ UNCHANGED queue
           /\ UNCHANGED <<os, cpu, link, nic, table, ran, bounds>>

----------------------------------------------------------------------------
(* The kernel of a core. *)
KernelLoad(c) == /\ kern[c] = "load"
                 /\ kern' = [kern EXCEPT ![c] = "wait"]
                 /\ kload' = [kload EXCEPT ![c] = "sent"]
                 /\ UNCHANGED <<cur, kanswer, cpu, link, nic, table, reqs, bounds>>

(* Decided before a death or a restart: the kernel knows better.  It learns of a new life before the NIC tells it of any. *)
Outdated(a) == OnCore(a.thread) \/ (a.life /= nlife[a.thread] /\ ~AnyLife)

KernelReads(c) ==
    /\ kern[c] = "wait" /\ kanswer[c] /= None
    /\ kanswer' = [kanswer EXCEPT ![c] = None]
    /\ LET a == kanswer[c] IN
       CASE a.kind = "tryagain" -> kern' = [kern EXCEPT ![c] = "load"] /\ UNCHANGED <<cur, thr>>
         [] a.kind = "retire" -> kern' = [kern EXCEPT ![c] = "retired"] /\ UNCHANGED <<cur, thr>>
         [] OTHER -> IF Outdated(a)
                     THEN kern' = [kern EXCEPT ![c] = "load"] /\ UNCHANGED <<cur, thr>>
                     ELSE /\ kern' = [kern EXCEPT ![c] = "run"]
                          /\ cur' = [cur EXCEPT ![c] = a.thread]
                          /\ thr' = [thr EXCEPT ![a.thread] = IF @ = "off" THEN "load" ELSE @]
    /\ UNCHANGED <<kload, line, cache, life, link, nic, table, reqs, bounds>>

(* An interrupt takes a core from a thread that serves; one that waits is stalled, and is told to yield. *)
Interrupt(c) == /\ kern[c] = "run" /\ cur[c] /= None /\ next[c] /= None /\ running[c] = cur[c]
                /\ thr[cur[c]] \in {"run", "done"}
                /\ kern' = [kern EXCEPT ![c] = "load"] /\ cur' = [cur EXCEPT ![c] = None]
                /\ UNCHANGED <<kload, kanswer, cpu, link, nic, table, reqs, bounds>>

(* The thread is gone: the core is the kernel's again. *)
TakeBack(c) == /\ kern[c] = "run" /\ cur[c] = None
               /\ kern' = [kern EXCEPT ![c] = "load"]
               /\ UNCHANGED <<cur, kload, kanswer, cpu, link, nic, table, reqs, bounds>>

Return(c) == /\ kern[c] = "retired"
             /\ kern' = [kern EXCEPT ![c] = "load"]
             /\ UNCHANGED <<cur, kload, kanswer, cpu, link, nic, table, reqs, bounds>>

----------------------------------------------------------------------------
(* A thread, on its core. *)
Load(t) == /\ OnCore(t) /\ thr[t] = "load"
           /\ thr' = [thr EXCEPT ![t] = "wait"]
           /\ link' = [link EXCEPT ![t] = @ \cup {Own("read", line[t], Nothing, t)}]
           /\ UNCHANGED <<os, line, cache, life, nic, table, reqs, bounds>>

Filled(t) == \E m \in link[t] :
    /\ m.kind = "fill" /\ m.life = life[t]
    /\ link' = [link EXCEPT ![t] = @ \ {m}]
    /\ CASE thr[t] = "wait" /\ m.l = line[t] /\ OnCore(t) ->
              (CASE m.what.kind = "request" ->
                      /\ cache' = [cache EXCEPT ![t][m.l] = m.what]
                      /\ thr' = [thr EXCEPT ![t] = "run"] /\ UNCHANGED <<line, kern, cur>>
                [] m.what.kind = "yield" ->
                      /\ thr' = [thr EXCEPT ![t] = "load"] /\ line' = [line EXCEPT ![t] = 1 - @]
                      /\ LET c == CHOOSE c \in Cores : cur[c] = t IN
                         kern' = [kern EXCEPT ![c] = "load"] /\ cur' = [cur EXCEPT ![c] = None]
                      /\ UNCHANGED cache
                [] OTHER ->
                      /\ thr' = [thr EXCEPT ![t] = "load"] /\ line' = [line EXCEPT ![t] = 1 - @]
                      /\ UNCHANGED <<cache, kern, cur>>)
         [] thr[t] \in {"run"} /\ m.l = line[t] ->     \* read again after an eviction
              cache' = [cache EXCEPT ![t][m.l] = m.what] /\ UNCHANGED <<thr, line, kern, cur>>
         [] OTHER -> UNCHANGED <<cache, thr, line, kern, cur>>
    /\ UNCHANGED <<kload, kanswer, life, nic, table, reqs, bounds>>

Handle(t) == /\ OnCore(t) /\ thr[t] = "run" /\ cache[t][line[t]].kind = "request"
             /\ LET r == cache[t][line[t]].req IN
                /\ ran' = [ran EXCEPT ![r] = @ + 1]
                /\ cache' = [cache EXCEPT ![t][line[t]] = [kind |-> "reply", req |-> r]]
             /\ thr' = [thr EXCEPT ![t] = "done"]
             /\ UNCHANGED <<os, line, life, link, nic, table, queue, status, bounds>>

Next(t) == /\ OnCore(t) /\ thr[t] = "done"
           /\ thr' = [thr EXCEPT ![t] = "load"] /\ line' = [line EXCEPT ![t] = 1 - @]
           /\ UNCHANGED <<os, cache, life, link, nic, table, reqs, bounds>>

(* A cache drops a line when it likes, and reads it again when it needs it; the interconnect keeps the order of one line. *)
Evict(t, l) == /\ evictions < MaxEvictions /\ cache[t][l] /= Nothing
               /\ evictions' = evictions + 1
               /\ cache' = [cache EXCEPT ![t][l] = Nothing]
               /\ link' = [link EXCEPT ![t] = @ \cup {Own("back", l, cache[t][l], t)}]
               /\ UNCHANGED <<os, thr, line, life, nic, table, reqs, deaths, kdeaths, restarts, gifts>>

InFlight(t, l) == \E m \in link[t] : m.l = l /\ m.life = life[t] /\ m.kind \in {"back", "read", "fill", "inv"}

Reread(t) == /\ OnCore(t) /\ thr[t] = "run" /\ cache[t][line[t]] = Nothing /\ ~InFlight(t, line[t])
             /\ link' = [link EXCEPT ![t] = @ \cup {Own("read", line[t], Nothing, t)}]
             /\ UNCHANGED <<os, cpu, nic, table, reqs, bounds>>

Invalidated(t) == \E m \in link[t] :
    /\ m.kind = "inv" /\ m.life = life[t]
    /\ link' = [link EXCEPT ![t] = (@ \ {m}) \cup {Own("ack", m.l, cache[t][m.l], t)}]
    /\ cache' = [cache EXCEPT ![t][m.l] = Nothing]
    /\ UNCHANGED <<os, thr, line, life, nic, table, reqs, bounds>>

Stale(t) == \E m \in link[t] : /\ m.life < life[t]
                               /\ link' = [link EXCEPT ![t] = @ \ {m}]
                               /\ UNCHANGED <<os, cpu, nic, table, reqs, bounds>>

(* Its NIC was restarted: the thread begins its new life, once its old work is done or lost.  It gives back its core, which
   the NIC does not know of any more. *)
Attach(t) == /\ life[t] < nlife[t]
             /\ thr[t] = "off" \/ (thr[t] \in {"load", "wait"} /\ OnCore(t))
             /\ life' = [life EXCEPT ![t] = nlife[t]]
             /\ line' = [line EXCEPT ![t] = 0]
             /\ cache' = [cache EXCEPT ![t] = [l \in Lines |-> Nothing]]
             /\ thr' = [thr EXCEPT ![t] = IF @ = "off" THEN "off" ELSE "load"]
             /\ kern' = [c \in Cores |-> IF kern[c] = "run" /\ cur[c] = t THEN "load" ELSE kern[c]]
             /\ cur' = [c \in Cores |-> IF kern[c] = "run" /\ cur[c] = t THEN None ELSE cur[c]]
             /\ UNCHANGED <<kload, kanswer, link, nic, table, reqs, bounds>>

----------------------------------------------------------------------------
(* The NIC: loads, and lines that come back. *)
Written(t) == \E m \in link[t] :
    /\ m.kind = "back" /\ m.life = nlife[t]
    /\ link' = [link EXCEPT ![t] = @ \ {m}]
    /\ mem' = [mem EXCEPT ![t][m.l] = m.what]
    /\ UNCHANGED <<os, cpu, nph, nline, ncont, nlife, serving, table, reqs, bounds>>

NoBack(t, l) == ~\E m \in link[t] : m.kind = "back" /\ m.l = l /\ m.life = nlife[t]

Read(t) == \E m \in link[t] :
    /\ m.kind = "read" /\ m.life = nlife[t] /\ NoBack(t, m.l)
    /\ IF m.l = nline[t] /\ ~NextOnReread
       THEN /\ link' = [link EXCEPT ![t] = (@ \ {m}) \cup {Msg("fill", m.l, mem[t][m.l], t)}]
            /\ UNCHANGED nph
       ELSE /\ nph[t] = "idle"
            /\ IF ncont[t].kind = "request" /\ ~NoInvalidate
               THEN /\ nph' = [nph EXCEPT ![t] = "inv"]
                    /\ link' = [link EXCEPT ![t] = (@ \ {m}) \cup {Msg("inv", nline[t], Nothing, t)}]
               ELSE /\ nph' = [nph EXCEPT ![t] = "held"]
                    /\ link' = [link EXCEPT ![t] = @ \ {m}]
    /\ UNCHANGED <<os, cpu, nline, ncont, nlife, mem, serving, table, reqs, bounds>>

Back(t) == \E m \in link[t] :
    /\ m.kind = "ack" /\ m.life = nlife[t] /\ nph[t] = "inv" /\ NoBack(t, m.l)
    /\ LET found == IF m.what = Nothing THEN mem[t][m.l] ELSE m.what
           good == found.kind = "reply" /\ found.req = serving[t]
       IN status' = [status EXCEPT ![serving[t]] = IF good THEN "answered" ELSE "refused"]
    /\ link' = [link EXCEPT ![t] = @ \ {m}]
    /\ nph' = [nph EXCEPT ![t] = "held"]
    /\ serving' = [serving EXCEPT ![t] = None]
    /\ ncont' = [ncont EXCEPT ![t] = Nothing]
    /\ UNCHANGED <<os, cpu, nline, nlife, mem, table, queue, ran, bounds>>

Fill(t, what) == /\ nph' = [nph EXCEPT ![t] = "idle"]
                 /\ nline' = [nline EXCEPT ![t] = 1 - @]
                 /\ ncont' = [ncont EXCEPT ![t] = what]
                 /\ mem' = [mem EXCEPT ![t][1 - nline[t]] = what]
                 /\ link' = [link EXCEPT ![t] = @ \cup {Msg("fill", 1 - nline[t], what, t)}]
                 /\ UNCHANGED nlife

(* One that was just dispatched gets a request first, so that no policy stops all work. *)
Loaded(t) == fresh' = IF CoreOf(t) = None THEN fresh ELSE [fresh EXCEPT ![CoreOf(t)] = FALSE]
Owed(t) == CoreOf(t) /= None /\ ~NoDebt /\ fresh[CoreOf(t)] /\ queue[Owner[t]] /= <<>>

Deliver(t) == /\ nph[t] = "held" /\ CoreOf(t) /= None /\ (next[CoreOf(t)] = None \/ Owed(t))
              /\ Loaded(t)
              /\ queue[Owner[t]] /= <<>>
              /\ LET r == Head(queue[Owner[t]]) IN
                 /\ Fill(t, [kind |-> "request", req |-> r])
                 /\ serving' = [serving EXCEPT ![t] = r]
              /\ queue' = [queue EXCEPT ![Owner[t]] = Tail(@)]
              /\ UNCHANGED <<os, cpu, running, next, status, ran, bounds>>

Yield(t) == /\ nph[t] = "held"
            /\ IF CoreOf(t) = None THEN TRUE ELSE next[CoreOf(t)] /= None /\ ~Owed(t)
            /\ Loaded(t)
            /\ Fill(t, [kind |-> "yield", req |-> None])
            /\ UNCHANGED <<os, cpu, serving, running, next, reqs, bounds>>

(* Only when there is nothing better to say. *)
TryAgain(t) == /\ nph[t] = "held"
               /\ CoreOf(t) /= None /\ next[CoreOf(t)] = None /\ queue[Owner[t]] = <<>>
               /\ Loaded(t)
               /\ Fill(t, [kind |-> "tryagain", req |-> None])
               /\ UNCHANGED <<os, cpu, serving, running, next, reqs, bounds>>

----------------------------------------------------------------------------
(* The NIC: the kernels' loads, and what the policy decides. *)
KernelHeld(c) == /\ kload[c] = "sent"
                 /\ kload' = [kload EXCEPT ![c] = "held"]
                 /\ running' = [running EXCEPT ![c] = None]
                 /\ UNCHANGED <<kern, cur, kanswer, cpu, link, nic, next, fresh, reqs, bounds>>

Perform(c) == /\ kload[c] = "held" /\ next[c] /= None
              /\ kload' = [kload EXCEPT ![c] = "none"]
              /\ kanswer' = [kanswer EXCEPT ![c] = IF next[c] = Retiring THEN Answer("retire", None)
                                                                          ELSE Answer("dispatch", next[c])]
              /\ running' = [running EXCEPT ![c] = IF next[c] = Retiring THEN None ELSE next[c]]
              /\ next' = [next EXCEPT ![c] = None]
              /\ fresh' = [fresh EXCEPT ![c] = TRUE]
              /\ UNCHANGED <<kern, cur, cpu, link, nic, reqs, bounds>>

KernelTryAgain(c) == /\ kload[c] = "held" /\ next[c] = None
                     /\ kload' = [kload EXCEPT ![c] = "none"]
                     /\ kanswer' = [kanswer EXCEPT ![c] = Answer("tryagain", None)]
                     /\ UNCHANGED <<kern, cur, cpu, link, nic, table, reqs, bounds>>

Decides == IF MaxGifts = 0 THEN UNCHANGED gifts ELSE gifts < MaxGifts /\ gifts' = gifts + 1

Give(c, t) == /\ next[c] = None /\ CoreOf(t) = None /\ ~Bound(t)
              /\ Decides
              /\ next' = [next EXCEPT ![c] = t]
              /\ UNCHANGED <<os, cpu, link, nic, running, fresh, reqs, deaths, kdeaths, restarts, evictions>>

(* A policy that does not let a process wait for ever: liveness asks no more of it. *)
Wanted(t) == \/ queue[Owner[t]] /= <<>> /\ \A u \in Threads : Owner[u] = Owner[t] => CoreOf(u) = None /\ ~Bound(u)
             \/ serving[t] /= None /\ CoreOf(t) = None

GiveWanted(c, t) == Wanted(t) /\ Give(c, t)

Retire(c) == /\ next[c] = None /\ MaxGifts > 0 /\ Decides
             /\ next' = [next EXCEPT ![c] = Retiring]
             /\ UNCHANGED <<os, cpu, link, nic, running, fresh, reqs, deaths, kdeaths, restarts, evictions>>

Withdraw(c) == /\ next[c] /= None /\ MaxGifts > 0 /\ Decides
               /\ next' = [next EXCEPT ![c] = None]
               /\ UNCHANGED <<os, cpu, link, nic, running, fresh, reqs, deaths, kdeaths, restarts, evictions>>

----------------------------------------------------------------------------
(* Deaths. *)
With(p) == {serving[t] : t \in {u \in Threads : Owner[u] = p}} \ {None}
Range(s) == {s[i] : i \in DOMAIN s}
SeqOf(S) == IF S = {} THEN <<>> ELSE <<CHOOSE x \in S : TRUE>>

(* of a process: the kernel tells the NIC, takes its cores back and starts it again *)
Death(p) == /\ deaths < MaxDeaths /\ deaths' = deaths + 1
            /\ LET mine == {t \in Threads : Owner[t] = p}
                   gone == With(p) \cup Range(queue[p])
                   newLife(t) == IF OneLife THEN nlife[t] ELSE nlife[t] + 1
               IN /\ IF Redeliver
                     THEN /\ queue' = [queue EXCEPT ![p] = @ \o SeqOf(With(p))] /\ UNCHANGED status
                     ELSE /\ status' = [r \in Requests |-> IF r \in gone THEN "refused" ELSE status[r]]
                          /\ queue' = [queue EXCEPT ![p] = <<>>]
                  /\ thr' = [t \in Threads |-> IF t \in mine THEN "off" ELSE thr[t]]
                  /\ line' = [t \in Threads |-> IF t \in mine THEN 0 ELSE line[t]]
                  /\ cache' = [t \in Threads |-> IF t \in mine THEN [l \in Lines |-> Nothing] ELSE cache[t]]
                  /\ nlife' = [t \in Threads |-> IF t \in mine THEN newLife(t) ELSE nlife[t]]
                  /\ life' = [t \in Threads |-> IF t \in mine THEN newLife(t) ELSE life[t]]
                  /\ nph' = [t \in Threads |-> IF t \in mine THEN "idle" ELSE nph[t]]
                  /\ nline' = [t \in Threads |-> IF t \in mine THEN 1 ELSE nline[t]]
                  /\ ncont' = [t \in Threads |-> IF t \in mine THEN Nothing ELSE ncont[t]]
                  /\ mem' = [t \in Threads |-> IF t \in mine THEN [l \in Lines |-> Nothing] ELSE mem[t]]
                  /\ serving' = [t \in Threads |-> IF t \in mine THEN None ELSE serving[t]]
                  /\ cur' = [c \in Cores |-> IF cur[c] \in mine THEN None ELSE cur[c]]
                  /\ running' = [c \in Cores |-> IF running[c] \in mine THEN None ELSE running[c]]
                  /\ next' = [c \in Cores |-> IF next[c] \in mine THEN None ELSE next[c]]
            /\ UNCHANGED <<kern, kload, kanswer, link, fresh, ran, kdeaths, restarts, evictions, gifts>>

(* of a kernel: another begins with a load; what was answered to the old one is lost *)
KernelDeath(c) == /\ kdeaths < MaxKernelDeaths /\ kern[c] \in {"load", "wait"}
                  /\ kdeaths' = kdeaths + 1
                  /\ kern' = [kern EXCEPT ![c] = "load"]
                  /\ kload' = [kload EXCEPT ![c] = "none"] /\ kanswer' = [kanswer EXCEPT ![c] = None]
                  /\ UNCHANGED <<cur, cpu, link, nic, table, reqs, deaths, restarts, evictions, gifts>>

(* of the NIC: what it had is refused; kernels and threads find out by their loads *)
Restart == /\ restarts < MaxRestarts /\ restarts' = restarts + 1
           /\ status' = [r \in Requests |-> IF status[r] = "sent" THEN "refused" ELSE status[r]]
           /\ queue' = [p \in Processes |-> <<>>]
           /\ nlife' = [t \in Threads |-> nlife[t] + 1]
           /\ nph' = [t \in Threads |-> "idle"] /\ nline' = [t \in Threads |-> 1]
           /\ ncont' = [t \in Threads |-> Nothing] /\ serving' = [t \in Threads |-> None]
           /\ mem' = [t \in Threads |-> [l \in Lines |-> Nothing]]
           /\ running' = [c \in Cores |-> None] /\ next' = [c \in Cores |-> None]
           /\ kload' = [c \in Cores |-> "none"] /\ kanswer' = [c \in Cores |-> None]
           /\ kern' = [c \in Cores |-> IF kern[c] = "wait" THEN "load" ELSE kern[c]]
           /\ UNCHANGED <<cur, cpu, link, fresh, ran, deaths, kdeaths, evictions, gifts>>

----------------------------------------------------------------------------
Step == \/ \E r \in Requests : Send(r)
        \/ \E c \in Cores : KernelLoad(c) \/ KernelReads(c) \/ Interrupt(c) \/ TakeBack(c) \/ Return(c)
                            \/ KernelHeld(c) \/ Perform(c) \/ KernelTryAgain(c) \/ Retire(c) \/ Withdraw(c)
                            \/ KernelDeath(c)
        \/ \E t \in Threads : Load(t) \/ Filled(t) \/ Handle(t) \/ Next(t) \/ Reread(t) \/ Invalidated(t) \/ Stale(t)
                              \/ Attach(t) \/ Written(t) \/ Read(t) \/ Back(t) \/ Deliver(t) \/ Yield(t) \/ TryAgain(t)
        \/ \E t \in Threads, l \in Lines : Evict(t, l)
        \/ \E c \in Cores, t \in Threads : Give(c, t)
        \/ \E p \in Processes : Death(p)
        \/ Restart

Spec == Init /\ [][Step]_vars

(* Who is there goes on; the policy lets nobody wait for ever. *)
Kernel(c) == KernelLoad(c) \/ KernelReads(c) \/ Interrupt(c) \/ TakeBack(c)
NicOfKernel(c) == KernelHeld(c) \/ Perform(c)
Thread(t) == Load(t) \/ Filled(t) \/ Handle(t) \/ Next(t) \/ Reread(t) \/ Attach(t)
NicOfThread(t) == Written(t) \/ Read(t) \/ Back(t) \/ Deliver(t) \/ Yield(t)

Fair == /\ \A c \in Cores : WF_vars(Kernel(c)) /\ WF_vars(NicOfKernel(c))
        /\ \A t \in Threads : SF_vars(Thread(t)) /\ WF_vars(Invalidated(t)) /\ WF_vars(NicOfThread(t))
                              /\ SF_vars(\E c \in Cores : GiveWanted(c, t))

LiveSpec == Spec /\ Fair

----------------------------------------------------------------------------
TypeOk == /\ \A c \in Cores : kern[c] \in {"load", "wait", "run", "retired"} /\ kload[c] \in {"none", "sent", "held"}
                              /\ cur[c] \in Threads \cup {None} /\ running[c] \in Threads \cup {None}
                              /\ next[c] \in Threads \cup {None, Retiring}
                              /\ (kanswer[c] = None \/ kanswer[c].kind \in {"dispatch", "retire", "tryagain"})
          /\ \A t \in Threads : thr[t] \in {"off", "load", "wait", "run", "done"} /\ line[t] \in Lines
                                /\ nph[t] \in {"idle", "inv", "held"} /\ nline[t] \in Lines
                                /\ life[t] <= nlife[t] /\ serving[t] \in Requests \cup {None}
                                /\ \A l \in Lines : cache[t][l].kind \in {"nothing", "request", "reply"}
          /\ \A r \in Requests : status[r] \in {"unsent", "sent", "answered", "refused"}

Mine(t) == {m \in link[t] : m.life = nlife[t]}

(* A line with a request is the CPU's until it has come back: the NIC fills the other one only then, and no line twice. *)
LinesAreExclusive == \A t \in Threads :
    /\ Cardinality({m \in Mine(t) : m.kind = "fill"}) <= 1
    /\ life[t] = nlife[t] => Cardinality({l \in Lines : cache[t][l] /= Nothing}) <= 1
    /\ \A m \in Mine(t) : m.kind = "fill" /\ life[t] = nlife[t] => cache[t][m.l] = Nothing /\ cache[t][1 - m.l] = Nothing

(* Nothing is on its way to a thread that lost its core; it sees none of what the next one gets. *)
Preempted == \A t \in Threads : \A m \in Mine(t) :
    m.kind = "fill" /\ m.what.kind = "request" /\ m.l = nline[t] /\ life[t] = nlife[t] /\ thr[t] = "wait"
        => CoreOf(t) /= None

(* The NIC knows of every core that a thread is on in its newest life. *)
CoresAreKnown == \A c \in Cores :
    cur[c] /= None /\ kern[c] = "run" => life[cur[c]] < nlife[cur[c]] \/ running[c] = cur[c]

Isolation == \A t \in Threads :
    /\ \A l \in Lines : cache[t][l].req /= None => Target[cache[t][l].req] = Owner[t]
    /\ \A m \in link[t] : m.what.req /= None => Target[m.what.req] = Owner[t]
    /\ serving[t] /= None => Target[serving[t]] = Owner[t]

AtMostOnce == \A r \in Requests : ran[r] <= 1
AnsweredWasRun == \A r \in Requests : status[r] = "answered" => ran[r] = 1
OneCoreEach == \A c, d \in Cores : c /= d /\ cur[c] /= None => cur[c] /= cur[d]
NoneLost == \A r \in Requests : status[r] = "sent" =>
    \/ \E i \in DOMAIN queue[Target[r]] : queue[Target[r]][i] = r
    \/ \E t \in Threads : serving[t] = r

Safety == TypeOk /\ LinesAreExclusive /\ Preempted /\ CoresAreKnown /\ Isolation /\ AtMostOnce /\ AnsweredWasRun
          /\ OneCoreEach /\ NoneLost

EveryRequestSettles == \A r \in Requests : (status[r] = "sent") ~> Settled(r)

(* For configurations: whose threads and requests are. *)
TwoProcesses == [t \in Threads |-> IF t = t1 THEN p1 ELSE p2]
OneProcess == [t \in Threads |-> p1]
EachToOne == [r \in Requests |-> IF r = r2 THEN p2 ELSE p1]
AllToOne == [r \in Requests |-> p1]

(* Cores are alike, and so are two processes that each have a thread and a request: one state stands for all that differ in
   names only.  Of use for invariants alone. *)
Names == {p1, p2, t1, t2, r1, r2}
Other(x) == CASE x = p1 -> p2 [] x = p2 -> p1 [] x = t1 -> t2 [] x = t2 -> t1 [] x = r1 -> r2 [] x = r2 -> r1
Alike == {[x \in Cores \cup Names |-> IF x \in Cores THEN cores[x] ELSE IF swapped THEN Other(x) ELSE x] :
              cores \in Permutations(Cores), swapped \in BOOLEAN}

(* Probes: states that must be reachable. *)
ProbeTwoServed == ~\A r \in Requests : status[r] = "answered"
ProbePreempted == ~\E t \in Threads : thr[t] = "run" /\ ~OnCore(t)
ProbeEvicted == ~\E t \in Threads : thr[t] = "run" /\ \E m \in link[t] : m.kind = "read" /\ m.l = nline[t]
=============================================================================
