"""The image of a container, run from a root that cannot be written to, by the user that it names."""

import json
import pathlib
import re
import shutil
import signal
import subprocess
import tarfile
import urllib.request

USER = 10001
CHROOT = shutil.which("chroot", path="/usr/sbin:/sbin:/usr/bin:/bin")


class Image:
    def __init__(self, file, folder):
        self.file, self.folder, self.root = file, folder, folder / "root"
        self.process, self.port, self.mounts = None, None, []
        folder.mkdir()

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for place in reversed(self.mounts):
            subprocess.run(["umount", "--lazy", place], check=False)

    def looks(self):
        return [
            ("a tool of containers reads it: user, command, health check", self.is_read),
            ("nothing is in it but the program, its libraries, time zones and certificates", self.opens),
            ("it serves from a root that cannot be written to, with a volume that has a lost+found", self.serves),
            ("its health check passes while it serves, and fails after it", self.health),
        ]

    def is_read(self):
        """As buildah reads it, into a store of its own."""
        store = ["--root", self.folder / "store", "--runroot", self.folder / "runroot", "--storage-driver", "vfs"]
        name = subprocess.run(["buildah", *store, "pull", "--quiet", f"docker-archive:{self.file}"], check=True, capture_output=True, text=True).stdout.strip()
        shown = subprocess.run(["buildah", *store, "inspect", "--type", "image", name], check=True, capture_output=True, text=True).stdout
        facts = json.loads(shown)["Docker"]
        config = facts["config"]
        assert config["User"] == f"{USER}:{USER}" and config["Volumes"] == {"/data": {}}, config
        assert config["Entrypoint"] == ["/usr/bin/watchwise"] and config["Cmd"][0] == "serve", config
        assert config["Healthcheck"]["Test"] == ["CMD", "/usr/bin/watchwise", "ready"], config
        self.command = config["Entrypoint"] + config["Cmd"]
        self.environment = dict(entry.split("=", 1) for entry in config["Env"])
        self.check = config["Healthcheck"]["Test"][1:]

    def opens(self):
        """Unpacks the layer, as a container has it."""
        with tarfile.open(self.file) as saved:
            manifest = json.load(saved.extractfile("manifest.json"))[0]
            for layer in manifest["Layers"]:
                with tarfile.open(fileobj=saved.extractfile(layer)) as opened:
                    opened.extractall(self.root, filter="fully_trusted", numeric_owner=True)
        found = {str(file.relative_to(self.root)) for file in self.root.rglob("*") if not file.is_dir() and "zoneinfo" not in str(file)}
        strange = [name for name in found if not re.search(r"\.so(\.|$)|^usr/bin/watchwise$|^etc/(passwd|group)$|^usr/share/doc/|ca-certificates", name)]
        assert not strange, f"it has {strange}"
        special = [file for file in self.root.rglob("*") if file.is_file() and file.stat().st_mode & 0o6002]
        assert not special, f"setuid, or for anybody to write: {special}"

    def serves(self):
        for place in ("proc", "dev"):
            (self.root / place).mkdir(exist_ok=True)
        self.mount("--bind", self.root, self.root)
        self.mount("-t", "proc", "proc", self.root / "proc")
        self.mount("-t", "tmpfs", "dev", self.root / "dev")
        subprocess.run(["mknod", "-m", "666", self.root / "dev/null", "c", "1", "3"], check=True)
        self.mount("-t", "tmpfs", "-o", f"uid={USER},gid={USER},mode=770", "data", self.root / "data")
        (self.root / "data/lost+found").mkdir(mode=0o700)
        subprocess.run(["mount", "-o", "remount,ro,bind", self.root], check=True)
        words = [word if word != "0.0.0.0:8080" else "127.0.0.1:0" for word in self.command]
        self.process = subprocess.Popen(self.inside(*words), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=self.environment, cwd="/")
        found = re.search(r"127\.0\.0\.1:(\d+)", self.process.stdout.readline())
        assert found, f"it does not listen: {self.process.stderr.read()}"
        self.port = int(found[1])
        assert self.run(*self.check, "--wait", "20", *self.there()).returncode == 0
        token = self.run("/usr/bin/watchwise", "token", "operator", "--admin")
        assert token.returncode == 0, token.stderr
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/v1/documents/films/603", b'{"title": "The Matrix"}', method="PUT")
        request.add_header("Authorization", f"Bearer {token.stdout.strip()}")
        with urllib.request.urlopen(request, timeout=10) as answer:
            assert answer.status in (200, 201), answer.status
        assert not (self.root / "data/watchwise.db").exists() and (self.root / "data/watchwise/watchwise.db").exists(), "the data lies elsewhere"

    def health(self):
        assert self.run(*self.check, *self.there()).returncode == 0
        self.process.send_signal(signal.SIGTERM)
        assert self.process.wait(timeout=60) == 0, self.process.stderr.read()
        assert self.run(*self.check, *self.there()).returncode == 1, "the health check passes, and no server is there"

    def there(self):
        return "--server", f"http://127.0.0.1:{self.port}"

    def inside(self, *words):
        return [CHROOT, f"--userspec={USER}:{USER}", "--groups=", str(self.root), *map(str, words)]

    def run(self, *words):
        return subprocess.run(self.inside(*words), capture_output=True, text=True, env=self.environment, cwd="/", timeout=60)

    def mount(self, *words):
        subprocess.run(["mount", *words], check=True)
        self.mounts.append(pathlib.Path(words[-1]))
