------------------------------ MODULE Credits ------------------------------
(* Streams through a fabric: an item holds a buffer of the switch from its admission to its end, a stream has at most
   Window of them, and the switch gives an item to a device when there is room in its input buffer.  So nothing is lost,
   and a device that stops or is gone holds up the streams that pass it and no other, also where two graphs pass two
   devices in opposite orders.  Mutants show what each rule is for. *)
EXTENDS Integers, Sequences, FiniteSets

CONSTANTS Case,          \* which streams there are: see Paths
          Window,        \* items of a stream in the fabric
          Items,         \* items each source has
          Room,          \* items an input buffer holds
          Failures,      \* devices that may stop or be taken out
          Shared,        \* mutant: one pool of buffers for all streams
          Direct,        \* mutant: a device's result goes straight into the next input buffer and waits for room there
          Early          \* mutant: the source gets its credit back when the first device has the item

Paths == CASE Case = 1 -> << <<1, 2>> >>
           [] Case = 2 -> << <<1, 2>>, <<2, 1>> >>
           [] Case = 3 -> << <<1, 2>>, <<3>> >>
           [] Case = 4 -> << <<1, 2>>, <<2, 1>>, <<1, 3>> >>

Streams == 1..Len(Paths)
Devices == {1, 2, 3}
Hops(s) == Len(Paths[s])

VARIABLES left, credit, up, inside, back,   \* at the source, on the way up, in the switch, on the way back; per stream
          waiting, input, output,           \* items <<stream, hop>> before, in and behind each device
          done, lost, refused, state        \* per stream; what each device does: "works", "stands", "gone"

vars == <<left, credit, up, inside, back, waiting, input, output, done, lost, refused, state>>

Init == /\ left = [s \in Streams |-> Items]
        /\ credit = [s \in Streams |-> Window]
        /\ up = [s \in Streams |-> 0]
        /\ inside = [s \in Streams |-> 0]
        /\ back = [s \in Streams |-> 0]
        /\ waiting = [d \in Devices |-> <<>>]
        /\ input = [d \in Devices |-> <<>>]
        /\ output = [d \in Devices |-> <<>>]
        /\ done = [s \in Streams |-> 0]
        /\ lost = [s \in Streams |-> 0]
        /\ refused = [s \in Streams |-> 0]
        /\ state = [d \in Devices |-> "works"]

RECURSIVE Sum(_, _)
Sum(f, S) == IF S = {} THEN 0 ELSE LET x == CHOOSE x \in S : TRUE IN f[x] + Sum(f, S \ {x})

HasBuffer(s) == IF Shared THEN Sum(inside, Streams) < Window ELSE inside[s] < Window

Push(s) == /\ left[s] > 0 /\ credit[s] > 0
           /\ left' = [left EXCEPT ![s] = @ - 1]
           /\ credit' = [credit EXCEPT ![s] = @ - 1]
           /\ up' = [up EXCEPT ![s] = @ + 1]
           /\ UNCHANGED <<inside, back, waiting, input, output, done, lost, refused, state>>

(* With one pool, the item waits on its source's link until there is a buffer. *)
Admit(s) == /\ up[s] > 0
            /\ Shared => HasBuffer(s)
            /\ up' = [up EXCEPT ![s] = @ - 1]
            /\ IF ~HasBuffer(s)
               THEN /\ refused' = [refused EXCEPT ![s] = @ + 1]
                    /\ UNCHANGED <<inside, waiting, lost, back>>
               ELSE /\ UNCHANGED refused
                    /\ IF state[Paths[s][1]] = "gone"
                       THEN /\ lost' = [lost EXCEPT ![s] = @ + 1]
                            /\ back' = [back EXCEPT ![s] = @ + 1]
                            /\ UNCHANGED <<inside, waiting>>
                       ELSE /\ inside' = [inside EXCEPT ![s] = @ + 1]
                            /\ waiting' = [waiting EXCEPT ![Paths[s][1]] = Append(@, <<s, 1>>)]
                            /\ UNCHANGED <<lost, back>>
            /\ UNCHANGED <<left, credit, input, output, done, state>>

Dispatch(d) == /\ waiting[d] /= <<>> /\ Len(input[d]) < Room
               /\ LET item == Head(waiting[d]) IN
                  /\ input' = [input EXCEPT ![d] = Append(@, item)]
                  /\ back' = IF Early /\ item[2] = 1 THEN [back EXCEPT ![item[1]] = @ + 1] ELSE back
               /\ waiting' = [waiting EXCEPT ![d] = Tail(@)]
               /\ UNCHANGED <<left, credit, up, inside, output, done, lost, refused, state>>

(* An unfinished result stands behind the device; a device has one at a time. *)
Work(d) == /\ state[d] = "works" /\ input[d] /= <<>> /\ output[d] = <<>>
           /\ output' = [output EXCEPT ![d] = <<Head(input[d])>>]
           /\ input' = [input EXCEPT ![d] = Tail(@)]
           /\ UNCHANGED <<left, credit, up, inside, back, waiting, done, lost, refused, state>>

Ended(s) == /\ inside' = [inside EXCEPT ![s] = @ - 1]
            /\ back' = IF Early THEN back ELSE [back EXCEPT ![s] = @ + 1]

Result(d) == /\ output[d] /= <<>>
             /\ LET item == Head(output[d])
                    s == item[1]
                    hop == item[2]
                IN IF hop = Hops(s)
                   THEN /\ Ended(s)
                        /\ done' = [done EXCEPT ![s] = @ + 1]
                        /\ UNCHANGED <<waiting, input, lost>>
                   ELSE LET next == Paths[s][hop + 1] IN
                        IF state[next] = "gone"
                        THEN /\ Ended(s)
                             /\ lost' = [lost EXCEPT ![s] = @ + 1]
                             /\ UNCHANGED <<waiting, input, done>>
                        ELSE /\ UNCHANGED <<inside, back, done, lost>>
                             /\ IF Direct
                                THEN /\ Len(input[next]) < Room
                                     /\ input' = [input EXCEPT ![next] = Append(@, <<s, hop + 1>>)]
                                     /\ UNCHANGED waiting
                                ELSE /\ waiting' = [waiting EXCEPT ![next] = Append(@, <<s, hop + 1>>)]
                                     /\ UNCHANGED input
             /\ output' = [output EXCEPT ![d] = <<>>]
             /\ UNCHANGED <<left, credit, up, refused, state>>

CreditBack(s) == /\ back[s] > 0
                 /\ back' = [back EXCEPT ![s] = @ - 1]
                 /\ credit' = [credit EXCEPT ![s] = @ + 1]
                 /\ UNCHANGED <<left, up, inside, waiting, input, output, done, lost, refused, state>>

Stop(d) == /\ state[d] = "works" /\ d \in Failures
           /\ state' = [state EXCEPT ![d] = "stands"]
           /\ UNCHANGED <<left, credit, up, inside, back, waiting, input, output, done, lost, refused>>

Of(s, items) == Cardinality({i \in 1..Len(items) : items[i][1] = s})

(* What the device had, and what waited for it, ends. *)
Remove(d) == /\ state[d] /= "gone" /\ d \in Failures
             /\ state' = [state EXCEPT ![d] = "gone"]
             /\ LET held == [s \in Streams |-> Of(s, waiting[d]) + Of(s, input[d]) + Of(s, output[d])] IN
                /\ lost' = [s \in Streams |-> lost[s] + held[s]]
                /\ inside' = [s \in Streams |-> inside[s] - held[s]]
                /\ back' = [s \in Streams |-> IF Early THEN back[s] ELSE back[s] + held[s]]
             /\ waiting' = [waiting EXCEPT ![d] = <<>>]
             /\ input' = [input EXCEPT ![d] = <<>>]
             /\ output' = [output EXCEPT ![d] = <<>>]
             /\ UNCHANGED <<left, credit, up, done, refused>>

Step == \/ \E s \in Streams : Push(s) \/ Admit(s) \/ CreditBack(s)
        \/ \E d \in Devices : Dispatch(d) \/ Work(d) \/ Result(d)

Next == Step \/ \E d \in Devices : Stop(d) \/ Remove(d)

Spec == Init /\ [][Next]_vars

----------------------------------------------------------------------------
NothingRefused == \A s \in Streams : refused[s] = 0

WithinWindow == \A s \in Streams : inside[s] <= Window

Conserved == \A s \in Streams : /\ left[s] + up[s] + inside[s] + done[s] + lost[s] + refused[s] = Items
                                /\ Early \/ credit[s] + up[s] + inside[s] + back[s] = Window

Sound(s) == \A i \in 1..Hops(s) : state[Paths[s][i]] = "works"

(* When nothing can happen any more, every stream whose devices all work has all its items through. *)
Isolated == ~ENABLED Step => \A s \in Streams : Sound(s) => done[s] = Items

Safety == NothingRefused /\ WithinWindow /\ Conserved /\ Isolated

(* Probes: these must be violated, or the model reaches less than it claims. *)
ProbeLost == \A s \in Streams : lost[s] = 0
ProbeStuck == ENABLED Step \/ \A s \in Streams : inside[s] = 0
=============================================================================
