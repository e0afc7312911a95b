"""Fuzzing: made-up inputs that try to crash Headway, to hang it, or to make it lose something.

    python -m fuzz --minutes 60 --inputs 100000

A *kind* of input (`kinds.py`) is a class with three methods: make a fresh input, change one, check one. An input is a
string of bytes. Checking it runs Headway on it and raises where something is wrong: any exception but Headway's own,
a lost sentence, a tree that is none. It returns what happened, in a word or two; an input with which something new
happens, or which reaches new lines of code, is changed further. Those inputs, and all that ever found a defect, are
kept in ``corpus/``, which ``tests/fuzz/test_corpus.py`` checks again.
"""
