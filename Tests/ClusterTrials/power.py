"""Power cuts: each journal server and each node has a file system of its own in a file. While everything is frozen the files
are copied: what a program has not flushed is not in them. Then all processes are killed, and start again on the copies."""

import asyncio
import os
import pathlib
import subprocess

from cluster_parts.processes import Problem

MEGABYTES = 512


def run(*words):
    answer = subprocess.run(list(map(str, words)), stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if answer.returncode != 0:
        raise Problem(f"'{' '.join(map(str, words))}' failed: {answer.stderr.strip()}")


class Disks:
    def __init__(self, folder, servers, nodes, megabytes=MEGABYTES):
        self.mounts = {}
        for name in [*(f"journal-{server}" for server in servers), *(f"node-{node}" for node in nodes)]:
            image, mount = pathlib.Path(folder, f"{name}.img"), pathlib.Path(folder, name)
            with open(image, "wb") as file:
                file.truncate(megabytes << 20)
            run("mkfs.ext4", "-q", "-m", "0", "-E", "lazy_itable_init=0", image)
            mount.mkdir()
            run("mount", "-o", "loop", image, mount)
            self.mounts[name] = (image, mount)

    @staticmethod
    def settle():
        """The files that an operator has copied before are on the disks; what comes later the programs must flush."""
        os.sync()

    async def cut(self, cluster):
        """The power of everything goes at one moment, and comes again."""
        members = [*cluster.nodes, *cluster.servers]
        for member in members:
            member.freeze()
        for image, _ in self.mounts.values():
            run("cp", "--sparse=always", image, f"{image}.cut")
        for member in members:
            member.kill()
        for image, mount in self.mounts.values():
            run("umount", mount)
            pathlib.Path(f"{image}.cut").rename(image)
            run("mount", "-o", "loop", image, mount)
        await asyncio.sleep(0.5)
        for member in [*cluster.servers, *cluster.nodes]:
            member.start()

    def end(self):
        for _, mount in self.mounts.values():
            subprocess.run(["umount", "-l", str(mount)], stdin=subprocess.DEVNULL, capture_output=True)
