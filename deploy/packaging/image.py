"""A container image from nothing: the program, its libraries, time zones, certificates of authorities, one user.

It is written as `docker save` writes one, so that it needs no program of containers to make, and has a check of its health.
"""

import hashlib
import json
import pathlib
import shutil
import tarfile
import time

import tree

USER = 10001
OF_DOCKER = {"amd64": "amd64", "arm64": "arm64"}
# The folder lies in the volume: a volume may have files of the system in it, such as lost+found.
DATA = "/data/watchwise"


def root(program):
    """The files of the image."""
    folder = program.scratch / "image"
    program.put(folder, "usr/bin/watchwise", program.binary, 0o755)
    loader = next(pathlib.Path("/").glob("lib*/ld-linux-*.so.*"))
    for path in [path for _, path in program.libraries()] + [str(loader)]:
        program.put(folder, path.lstrip("/"), pathlib.Path(path).resolve(), 0o755)
    shutil.copytree("/usr/share/zoneinfo", folder / "usr/share/zoneinfo", symlinks=True)
    program.put(folder, "etc/ssl/certs/ca-certificates.crt", pathlib.Path("/etc/ssl/certs/ca-certificates.crt"))
    program.put(folder, "etc/passwd", f"watchwise:x:{USER}:{USER}::/data:/usr/bin/watchwise\n")
    program.put(folder, "etc/group", f"watchwise:x:{USER}:\n")
    program.put(folder, "usr/share/doc/watchwise/NOTICE", tree.ROOT / "NOTICE")
    program.put(folder, "usr/share/doc/watchwise/LICENSE", tree.ROOT / "LICENSE")
    program.put(folder, "usr/share/doc/watchwise/NOTICE-libnats", tree.nats_notice())
    (folder / "tmp").mkdir()
    return folder


def image(program, to):
    layer = program.scratch / "layer.tar"
    tree.pack(root(program), layer, program.seconds)
    with tarfile.open(layer, "a", format=tarfile.GNU_FORMAT) as archive:
        volume = tarfile.TarInfo("data")
        volume.type, volume.mode, volume.uid, volume.gid, volume.mtime = tarfile.DIRTYPE, 0o700, USER, USER, program.seconds
        archive.addfile(volume)
    digest = hashlib.sha256(layer.read_bytes()).hexdigest()
    made = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(program.seconds))
    settings = {
        "architecture": OF_DOCKER[program.architecture], "os": "linux", "created": made,
        "config": {
            "User": f"{USER}:{USER}", "Entrypoint": ["/usr/bin/watchwise"],
            "Cmd": ["serve", "--listen", "0.0.0.0:8080", "--data", DATA], "ExposedPorts": {"8080/tcp": {}}, "Volumes": {"/data": {}},
            "WorkingDir": "/data", "StopSignal": "SIGTERM",
            "Env": ["PATH=/usr/bin", f"WATCHWISE_DATA={DATA}", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt"],
            "Healthcheck": {"Test": ["CMD", "/usr/bin/watchwise", "ready"], "Interval": 30_000_000_000,
                            "Timeout": 5_000_000_000, "StartPeriod": 30_000_000_000, "Retries": 3},
            "Labels": {"org.opencontainers.image.title": "WatchWise", "org.opencontainers.image.version": program.version,
                       "org.opencontainers.image.licenses": "Apache-2.0"}},
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{digest}"]}, "history": [{"created": made, "created_by": "deploy/package"}]}
    text = json.dumps(settings, sort_keys=True)
    folder = program.scratch / "saved"
    name = f"{hashlib.sha256(text.encode()).hexdigest()}.json"
    program.put(folder, name, text)
    program.put(folder, f"{digest}/layer.tar", layer)
    program.put(folder, "manifest.json", json.dumps([
        {"Config": name, "RepoTags": [f"watchwise:{program.version}"], "Layers": [f"{digest}/layer.tar"]}]))
    target = to / f"watchwise-{program.version}-{program.architecture}.image.tar"
    tree.pack(folder, target, program.seconds)
    return target
