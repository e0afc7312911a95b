"""``headway serve``: trees over HTTP, by UDPipe's interface and by Headway's own.

One process speaks HTTP; worker processes have the models in memory and parse. The extra ``headway[server]`` has what
this room needs; nothing else in Headway imports it.
"""
