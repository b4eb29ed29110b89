"""`python up_child.py PARENT COMMAND ...`: a stand-in for the children of `bluestone up`.

It answers each HTTP request with its data folder, its process number and its environment as JSON.
The request /exit/N ends it with that status.
"""

import json
import os
import signal
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bot.runtime.children import end_with


class Answers(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path.startswith("/exit/"):
            os._exit(int(self.path.removeprefix("/exit/")))
        environ = {name: text for name, text in os.environ.items() if name.startswith("BLUESTONE_")}
        answer = {"pid": os.getpid(), "words": sys.argv[2:], "environ": environ}
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: Any) -> None:
        pass


class Server(ThreadingHTTPServer):
    allow_reuse_port = True
    daemon_threads = True


def option(name: str, otherwise: str) -> str:
    return sys.argv[sys.argv.index(name) + 1] if name in sys.argv else otherwise


def main() -> None:
    host, port = option("--host", "127.0.0.1"), int(option("--port", "0"))
    end_with(int(sys.argv[1]))
    server = Server((host, port), Answers)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    address = f"http://{host}:{server.server_address[1]}"
    if sys.argv[2] == "bot":
        health = {"event": "health", "level": "info", "addresses": [address]}
        print(json.dumps(health), flush=True)
    else:
        print(address, flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
