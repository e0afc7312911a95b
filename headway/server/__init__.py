"""``headway serve``: parse over HTTP, through Headway's API or one that is compatible with UDPipe.

One process handles HTTP; worker processes hold the models in memory and parse. The packages needed here are installed
with ``headway[server]``; nothing else in Headway imports them.
"""
