"""A real HTTP endpoint: it keeps what is posted and answers as it is told to."""
import http.server
import json
import os
import ssl
import subprocess
import threading
import time

from servers import free_port


class Post:
    def __init__(self, path, headers, body, status, port):
        self.path, self.headers, self.body = path, headers, body
        self.status, self.port, self.arrived = status, port, time.monotonic()

    def json(self):
        try:
            return json.loads(self.body)
        except ValueError:
            return None


class Endpoint:
    """`answer(post)` gives (status, body, headers); None: no answer at all, for as long as it lives."""

    def __init__(self, port=None, certificate=None):
        self.port = port or free_port()
        self.posts, self.answer = [], lambda post: (200, b"[]", {})
        self._certificate, self._server, self._lock = certificate, None, threading.Lock()
        self._hanging = threading.Event()
        self.start()

    @property
    def url(self):
        return "http%s://127.0.0.1:%d/pub" % ("s" if self._certificate else "", self.port)

    def start(self):
        endpoint = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 60

            def do_POST(self):
                endpoint._posted(self)

            do_GET = do_POST

            def log_message(self, *_):
                pass

        class Server(http.server.ThreadingHTTPServer):
            daemon_threads, allow_reuse_address = True, True

            def handle_error(self, *_):
                pass  # the client went away in the middle of a word

        self._hanging.clear()
        self._server = Server(("127.0.0.1", self.port), Handler)
        self._connections = []
        if self._certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(*self._certificate)
            # The handshake is the handler's thread's: a client that is slow at it holds up nobody.
            self._server.socket = context.wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False)
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def stop(self):
        """Nobody listens any more, and connections that stand are closed."""
        if self._server is None:
            return
        self._hanging.set()
        self._server.shutdown()
        self._server.server_close()
        for connection in self._connections:
            try:
                connection.shutdown(2)
            except OSError:
                pass
        self._server = None

    def _posted(self, handler):
        body = handler.rfile.read(int(handler.headers.get("Content-Length", 0)))
        post = Post(handler.path, handler.headers, body, None, handler.client_address[1])
        with self._lock:
            self._connections.append(handler.connection)
            answer = self.answer(post)
            post.status = answer and answer[0]
            self.posts.append(post)
        if answer is None:
            self._hanging.wait()
            handler.close_connection = True
            return
        status, text, headers = answer
        handler.send_response(status)
        for name, value in {"Content-Length": str(len(text)), **headers}.items():
            handler.send_header(name, value)
        handler.end_headers()
        handler.wfile.write(text)

    # What was posted

    def taken(self, kind="location"):
        """Objects of one _type in what was answered with success."""
        values = [post.json() for post in list(self.posts) if post.status and 200 <= post.status < 300]
        return [value for value in values if value and value.get("_type") == kind]


def certificate(folder, name):
    """(certificate, key) for a host of this name, signed by itself."""
    paths = [os.path.join(folder, "%s.%s" % (name, end)) for end in ("pem", "key")]
    kind = "IP" if name[0].isdigit() else "DNS"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
         "-subj", "/CN=" + name, "-addext", "subjectAltName=%s:%s" % (kind, name),
         "-out", paths[0], "-keyout", paths[1]], check=True, capture_output=True)
    return tuple(paths)
