"""Pushes, from the running server to the screen: to the demo's service worker in Chromium, and the whole way to Firefox, by
a push service on loopback."""

import os
import pathlib

from computer import PEOPLE, Computer
from firefox import Firefox
from push_service import PushService
from server import DemoServer
from worker import Worker


def try_pushes(trial, binary, scratch):
    service = PushService(pathlib.Path(scratch))
    server = DemoServer(binary, os.path.join(scratch, "pushes"), os.path.join(trial.folder, "server.log"),
                        "--push-allow", "127.0.0.0/8", "--outbound-authorities", str(service.authorities))
    try:
        server.start()
        Worker(trial, server).run()
        firefox = Firefox(service.url)
        try:
            for person in PEOPLE:
                Computer(trial, server, firefox, service, person).run()
        finally:
            firefox.close()
    finally:
        if hasattr(server, "process"):
            server.stop()
        service.close()
