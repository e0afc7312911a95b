"""Fuzzing: generated inputs that try to crash Headway, to hang it, or to make it lose data.

    python -m fuzz --minutes 60 --inputs 100000

A *kind* of input (`kinds.py`) is a class with methods that make a new input, mutate one, shrink one and check one. An
input is a string of bytes. The check runs Headway on it and raises an exception if something is wrong: any exception
except Headway's own, a lost sentence, an invalid tree. It returns the behaviour in a word or two; inputs that show a
new behaviour, or reach new lines of code, are mutated further. These inputs, and all that ever found a defect, are kept
in ``corpus/``, which ``tests/fuzz/test_corpus.py`` checks again.
"""
