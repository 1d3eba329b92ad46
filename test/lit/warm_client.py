"""Stands for a tool in the lit tests: has `warm_server.py` run it with what this process was given.

`lit.cfg.py` puts a copy in front of the PATH for each tool, behind a line that starts Python without its
`site`: all that this imports is built in.
"""

import _socket
import marshal
import posix
import sys

VARIABLE = b"AUTOSPLIT_LIT_SERVER"
environment = dict(posix.environ)
server = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
server.connect(environment.pop(VARIABLE))
streams = b"".join(number.to_bytes(4, sys.byteorder) for number in (0, 1, 2))
request = marshal.dumps((sys.argv, posix.getcwd(), environment))
sent = server.sendmsg([request], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
server.sendall(request[sent:])
server.shutdown(_socket.SHUT_WR)
code = server.recv(1)
if not code:
    sys.exit(f"{sys.argv[0]}: the process ended without an exit code")
sys.exit(code[0])
