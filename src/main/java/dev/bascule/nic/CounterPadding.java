package dev.bascule.nic;

/** Two cache lines in front of the fields of a subclass, so that the object before it is not on their lines. */
abstract class CounterPadding {
    long pad0;
    long pad1;
    long pad2;
    long pad3;
    long pad4;
    long pad5;
    long pad6;
    long pad7;
    long pad8;
    long pad9;
    long pad10;
    long pad11;
    long pad12;
    long pad13;
    long pad14;
    long pad15;
}
