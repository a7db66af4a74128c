------------------------------- MODULE Groups -------------------------------
(* Group commits as the Enforcer and the Mechanism make them, whatever the transport: the decisions of several CPUs are
   committed as one or not at all, and a member on a busy CPU is promised: the task waits for that CPU, and is nobody
   else's, not the fallback's either.  A transport brings the decisions one by one (Arrive), or takes back one that the
   host has not got yet (Reverse: the swap's reversed promise, a withdrawal).  One step of the host is one call under
   its lock. *)
EXTENDS Integers, FiniteSets, Sequences, TLC

CONSTANTS Cpus, Tasks, None,
          MaxMoves,      \* events of tasks in all
          MaxMade,       \* groups and single decisions in all
          Sizes,         \* sizes of groups
          Allows,        \* of ALLOW_ONCPU: {FALSE}, or BOOLEAN
          Queued,        \* mutant: a promised task stays runnable (as it was before issue 13)
          Twice,         \* mutant: nobody looks whether two members name one task
          Latches,       \* mutant: a promise may replace another one of its CPU
          Half,          \* mutant: each member is judged alone
          Relatch        \* mutant: a member whose task runs on its very CPU is promised as well

VARIABLES state, seq, at,            \* the host's truth about tasks: state, version, CPU
          queue,                     \* runnable tasks that are nobody's
          current, latched,          \* what each CPU runs, what it was promised
          slot, parked,              \* decisions on their way and taken, per CPU
          moves, made, fate          \* fate[g]: outcomes of the members of group g

vars == <<state, seq, at, queue, current, latched, slot, parked, moves, made, fate>>

Blocked == "blocked"
Runnable == "runnable"
OnCpu == "on CPU"

Init == /\ state = [t \in Tasks |-> Runnable]
        /\ seq = [t \in Tasks |-> 0]
        /\ at = [t \in Tasks |-> None]
        /\ queue = Tasks
        /\ current = [c \in Cpus |-> None]
        /\ latched = [c \in Cpus |-> None]
        /\ slot = [c \in Cpus |-> <<>>]
        /\ parked = [c \in Cpus |-> None]
        /\ moves = 0
        /\ made = 0
        /\ fate = [g \in 1..MaxMade |-> {}]

----------------------------------------------------------------------------
(* The agent: any decision that its view allows, also a wrong one. It knows the version of a task; what it stages is
   stale once the version moves on. *)
Single(c, t, allow) ==
    /\ made < MaxMade
    /\ made' = made + 1
    /\ slot' = [slot EXCEPT ![c] = Append(@, [task |-> t, seq |-> seq[t], group |-> 0, size |-> 1, allow |-> allow])]
    /\ UNCHANGED <<state, seq, at, queue, current, latched, parked, moves, fate>>

Group(members, targets, allow) ==
    /\ made < MaxMade
    /\ made' = made + 1
    /\ slot' = [c \in Cpus |-> IF c \notin members THEN slot[c]
                  ELSE Append(slot[c], [task |-> targets[c], seq |-> IF targets[c] = None THEN 0 ELSE seq[targets[c]], group |-> made + 1,
                                        size |-> Cardinality(members), allow |-> allow])]
    /\ UNCHANGED <<state, seq, at, queue, current, latched, parked, moves, fate>>

----------------------------------------------------------------------------
(* The transport. *)
Arrive(c) == /\ parked[c] = None /\ slot[c] /= <<>>
             /\ parked' = [parked EXCEPT ![c] = Head(slot[c])]
             /\ slot' = [slot EXCEPT ![c] = Tail(@)]
             /\ UNCHANGED <<state, seq, at, queue, current, latched, moves, made, fate>>

Refused(g) == IF g = 0 THEN fate ELSE [fate EXCEPT ![g] = @ \cup {"refused"}]

Reverse(c) == /\ slot[c] /= <<>>
              /\ fate' = Refused(Head(slot[c]).group)
              /\ slot' = [slot EXCEPT ![c] = Tail(@)]
              /\ UNCHANGED <<state, seq, at, queue, current, latched, parked, moves, made>>

----------------------------------------------------------------------------
(* The host: TaskTable.check, Enforcer, Mechanism. *)
Holds(c, d) == IF d.task = None THEN TRUE              \* "keep this CPU idle": a member like any other
               ELSE /\ seq[d.task] = d.seq
                    /\ CASE state[d.task] = OnCpu -> d.allow /\ at[d.task] = c
                         [] state[d.task] = Blocked -> FALSE
                         [] OTHER -> TRUE

Put(t, c) == /\ state' = [state EXCEPT ![t] = OnCpu]
             /\ at' = [at EXCEPT ![t] = c]
             /\ queue' = queue \ {t}
             /\ current' = [current EXCEPT ![c] = t]

(* decide: the CPU runs nothing; a promise comes first *)
TakePromise(c) == /\ current[c] = None /\ latched[c] /= None
                  /\ Put(latched[c], c)
                  /\ latched' = [latched EXCEPT ![c] = None]
                  /\ UNCHANGED <<seq, slot, parked, moves, made, fate>>

IsSingle(c) == parked[c] /= None /\ parked[c].size = 1

Decide(c) == /\ current[c] = None /\ latched[c] = None /\ IsSingle(c)
             /\ Holds(c, parked[c])
             /\ Put(parked[c].task, c)
             /\ parked' = [parked EXCEPT ![c] = None]
             /\ UNCHANGED <<seq, latched, slot, moves, made, fate>>

Refuse(c) == /\ IsSingle(c) /\ ~Holds(c, parked[c])
             /\ parked' = [parked EXCEPT ![c] = None]
             /\ UNCHANGED <<state, seq, at, queue, current, latched, slot, moves, made, fate>>

IsGroup(c) == parked[c] /= None /\ parked[c].size > 1
Members(g) == {c \in Cpus : IsGroup(c) /\ parked[c].group = g}

Valid(g) == \A c \in Members(g) :
              /\ Latches \/ latched[c] = None
              /\ Holds(c, parked[c])
              /\ Twice \/ \A d \in Members(g) \ {c} : parked[d].task /= parked[c].task \/ parked[c].task = None

(* the promise: the CPU may be busy; a task that it runs already goes on *)
Promised(g) == {c \in Members(g) : parked[c].task /= None /\ (Relatch \/ current[c] /= parked[c].task)}

Settle(g, promise) ==
    LET tasks == {parked[c].task : c \in promise}
    IN /\ latched' = [c \in Cpus |-> IF c \in promise THEN parked[c].task ELSE latched[c]]
       /\ IF Queued THEN UNCHANGED <<state, at, queue>>
          ELSE /\ state' = [t \in Tasks |-> IF t \in tasks THEN OnCpu ELSE state[t]]
               /\ at' = [t \in Tasks |-> IF t \in tasks THEN CHOOSE c \in promise : parked[c].task = t ELSE at[t]]
               /\ queue' = queue \ tasks
       /\ parked' = [c \in Cpus |-> IF c \in Members(g) THEN None ELSE parked[c]]
       /\ UNCHANGED <<seq, current, slot, moves, made>>

Commit(g) == /\ Members(g) /= {}
             /\ Cardinality(Members(g)) = parked[CHOOSE c \in Members(g) : TRUE].size
             /\ Valid(g)
             /\ Settle(g, Promised(g))
             /\ fate' = [fate EXCEPT ![g] = @ \cup {"committed"}]

(* invalid, or incomplete for too long *)
Poison(g) == /\ Members(g) /= {}
             /\ \/ ~Valid(g)
                \/ Cardinality(Members(g)) < parked[CHOOSE c \in Members(g) : TRUE].size
             /\ LET good == {c \in Members(g) : Half /\ Holds(c, parked[c]) /\ latched[c] = None /\ parked[c].task /= None}
                IN /\ Settle(g, good)
                   /\ fate' = [fate EXCEPT ![g] = @ \cup {IF c \in good THEN "committed" ELSE "refused" : c \in Members(g)}]

(* decideLocally: the fallback, for a CPU that runs nothing and was promised nothing *)
Fallback(c, t) == /\ current[c] = None /\ latched[c] = None /\ t \in queue
                  /\ Put(t, c)
                  /\ seq' = [seq EXCEPT ![t] = @ + 1]
                  /\ UNCHANGED <<latched, slot, parked, moves, made, fate>>

(* events of the task that a CPU runs, and of one that waits *)
Leave(c, to) == /\ moves < MaxMoves /\ current[c] /= None
                /\ LET t == current[c]
                   IN /\ state' = [state EXCEPT ![t] = to]
                      /\ seq' = [seq EXCEPT ![t] = @ + 1]
                      /\ queue' = IF to = Runnable THEN queue \cup {t} ELSE queue
                /\ current' = [current EXCEPT ![c] = None]
                /\ moves' = moves + 1
                /\ UNCHANGED <<at, latched, slot, parked, made, fate>>

Wakeup(t) == /\ moves < MaxMoves /\ state[t] = Blocked
             /\ state' = [state EXCEPT ![t] = Runnable]
             /\ seq' = [seq EXCEPT ![t] = @ + 1]
             /\ queue' = queue \cup {t}
             /\ moves' = moves + 1
             /\ UNCHANGED <<at, current, latched, slot, parked, made, fate>>

(* a new epoch voids what was not settled; what was promised was committed, and stays *)
Fence == /\ moves < MaxMoves
         /\ moves' = moves + 1
         /\ slot' = [c \in Cpus |-> <<>>]
         /\ parked' = [c \in Cpus |-> None]
         /\ UNCHANGED <<state, seq, at, queue, current, latched, made, fate>>

Next == \/ \E c \in Cpus, t \in Tasks, allow \in Allows : Single(c, t, allow)
        \/ \E members \in {m \in SUBSET Cpus : Cardinality(m) \in Sizes}, allow \in Allows :
             \E targets \in [members -> Tasks \cup {None}] : Group(members, targets, allow)
        \/ \E c \in Cpus : Arrive(c) \/ Reverse(c) \/ TakePromise(c) \/ Decide(c) \/ Refuse(c)
        \/ \E g \in 1..made : Commit(g) \/ Poison(g)
        \/ \E c \in Cpus, t \in Tasks : Fallback(c, t)
        \/ \E c \in Cpus : Leave(c, Blocked) \/ Leave(c, Runnable)
        \/ \E t \in Tasks : Wakeup(t)
        \/ Fence

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
OneCpu == \A c, d \in Cpus : c /= d /\ current[c] = current[d] => current[c] = None

(* a task is blocked, or runnable and nobody's, or on one CPU, or promised to one: just one of these *)
OneOwner == \A t \in Tasks :
    Cardinality({c \in Cpus : current[c] = t}) + Cardinality({c \in Cpus : latched[c] = t})
      + (IF t \in queue THEN 1 ELSE 0) + (IF state[t] = Blocked THEN 1 ELSE 0) = 1

AllOrNone == \A g \in 1..MaxMade : Cardinality(fate[g]) <= 1

Safety == OneCpu /\ OneOwner /\ AllOrNone

(* reached: the situations that the claims speak of *)
ProbePromise == \A c \in Cpus : current[c] = None \/ latched[c] = None
ProbePoison == \A g \in 1..MaxMade : "refused" \notin fate[g]
Sym == Permutations(Cpus) \cup Permutations(Tasks)
=============================================================================
