"""A bare machine: a root of one release of Debian or Ubuntu, on which a person installs the package."""

import contextlib
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import typing
import urllib.request

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

from BrowserTests.browser import Browser

# From the first line that is typed to a message that a browser shows.
SECONDS_MAX = 60
UNIT = "usr/lib/systemd/system/watchwise.service"


class Release(typing.NamedTuple):
    name: str
    archive: str
    components: str


RELEASES = {
    "bookworm": Release("Debian 12", "http://deb.debian.org/debian", "main"),
    "trixie": Release("Debian 13", "http://deb.debian.org/debian", "main"),
    # libjemalloc2 is in `universe`, which every installation of Ubuntu has.
    "noble": Release("Ubuntu 24.04", "http://archive.ubuntu.com/ubuntu", "main universe"),
}


class Root:
    def __init__(self, release, cache, folder, packages):
        self.release, self.folder, self.packages = RELEASES[release], folder, packages
        bare = cache / release
        if not (bare / "etc/debian_version").exists():
            cache.mkdir(parents=True, exist_ok=True)
            self.bootstrap(release, bare)
        subprocess.run(["cp", "--archive", bare, folder], check=True)
        (folder / "etc/apt/sources.list").write_text(f"deb {self.release.archive} {release} {self.release.components}\n")
        shutil.copyfile("/etc/resolv.conf", folder / "etc/resolv.conf")
        self.mounts = []
        for kind, place in (("proc", "proc"), ("sysfs", "sys"), ("devpts", "dev/pts")):
            subprocess.run(["mount", "-t", kind, kind, folder / place], check=True)
            self.mounts.append(folder / place)
        for package in (packages.deb, packages.archive):
            shutil.copy(package, folder / "srv")

    def bootstrap(self, release, bare):
        """As `debootstrap` makes it; a root that is made by half is removed."""
        scripts = pathlib.Path("/usr/share/debootstrap/scripts")
        script = next(scripts / name for name in (release, "gutsy" if "ubuntu" in self.release.archive else "sid") if (scripts / name).exists())
        try:
            subprocess.run(["debootstrap", "--variant=minbase", release, bare, self.release.archive, script], check=True, stdout=subprocess.DEVNULL)
        except BaseException:
            shutil.rmtree(bare, ignore_errors=True)
            raise

    def close(self):
        for place in reversed(self.mounts):
            subprocess.run(["umount", "--lazy", place], check=False)

    # MARK: What a person types

    def command(self, *words, user=None):
        """A command line in the root."""
        as_user = [f"--userspec={user}", "--groups="] if user else []
        return ["chroot", *as_user, str(self.folder), *map(str, words)]

    def environment(self):
        return {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/", "LANG": "C.UTF-8"}

    def attempt(self, line, **more):
        return subprocess.run(self.command("sh", "-c", line), capture_output=True, text=True, env=self.environment() | more, cwd="/")

    def types(self, line, **more):
        """Types a line as root; returns what it prints."""
        done = self.attempt(line, **more)
        if done.returncode != 0:
            raise AssertionError(f"'{line}' ended with {done.returncode}: {(done.stdout + done.stderr).strip()[-1500:]}")
        return done.stdout

    @contextlib.contextmanager
    def starts(self, *words, user=None, line, **more):
        """A process that says a line when it is ready."""
        process = subprocess.Popen(self.command(*words, user=user), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                                   env=self.environment() | more, cwd="/")
        try:
            said = ""
            while not (found := re.search(line, said)):
                read = process.stdout.readline()
                assert read, f"'{shlex.join(words)}' ended: {said}"
                said += read
            yield process, found
        finally:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(timeout=60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    @contextlib.contextmanager
    def service(self):
        """The service as its unit starts it: no systemd runs in this root, so the lines of the unit are followed here."""
        unit = (self.folder / UNIT).read_text()
        settings = dict(re.findall(r"^(\w+)=(.*)$", unit, re.M))
        words = [word if word != "127.0.0.1:8080" else "127.0.0.1:0" for word in shlex.split(settings["ExecStart"])]
        variables = dict(re.findall(r"^(WATCHWISE_\w+)=(.*)$", (self.folder / settings["EnvironmentFile"].lstrip("-/")).read_text(), re.M))
        with self.starts(*words, user=f"{settings['User']}:{settings['Group']}", line=r"listening on 127\.0\.0\.1:(\d+)", **variables) as (process, found):
            yield process, int(found[1])

    # MARK: What is to be seen

    def looks(self):
        return [
            (f"one line installs it, one plays the demo, and a browser shows a message within {SECONDS_MAX} s", self.plays),
            ("user, folder, configuration, unit, completions and pages of the manual are there", self.is_complete),
            ("the service serves, with the settings of its file, and gives tokens to root", self.serves),
            ("a newer package keeps data and settings", self.upgrades),
            ("the archive runs beside the libraries", self.runs_archive),
            ("it is removed, and installed again, with its data", self.comes_back),
            ("purge keeps the data unless the operator says otherwise", self.purges),
        ]

    def plays(self):
        began = time.monotonic()
        lines = ["apt-get update", f"apt-get install --yes --no-install-recommends /srv/{self.packages.deb.name}", "watchwise demo"]
        for line in lines[:2]:
            self.types(line, DEBIAN_FRONTEND="noninteractive")
        installed = time.monotonic() - began
        with self.starts(*lines[2].split(), "--listen", "127.0.0.1:0", user="nobody:nogroup", line=r"page: (\S+)", HOME="/tmp") as (_, found):
            browser = Browser()
            try:
                page = browser.open(found[1] + "?user=anna")
                page.wait_for("[...document.querySelectorAll('li, article, .message')].some(one => one.innerText.trim().length > 3)", 30)
            finally:
                browser.close()
        took = time.monotonic() - began
        for line in lines:
            print(f"        # {line}")
        print(f"        installed after {installed:.0f} s, the message after {took:.0f} s")
        assert took <= SECONDS_MAX, f"it took {took:.0f} s"

    def is_complete(self):
        places = self.types(f"""
            stat -c '%n %U:%G %a' /var/lib/watchwise /etc/watchwise /etc/watchwise.env /usr/lib/watchwise/watchwise
            ls /usr/share/bash-completion/completions/watchwise /usr/share/zsh/vendor-completions/_watchwise \\
               /usr/share/fish/vendor_completions.d/watchwise.fish /usr/share/man/man1/watchwise-serve.1.gz /{UNIT} \\
               /usr/share/doc/watchwise/copyright /usr/share/doc/watchwise/examples/nginx.conf
            getent passwd watchwise
            systemctl --root=/ is-enabled watchwise 2>/dev/null || ls /etc/systemd/system/multi-user.target.wants/watchwise.service
        """)
        for line in ("/var/lib/watchwise watchwise:watchwise 700", "/etc/watchwise root:watchwise 750", "/etc/watchwise.env root:watchwise 640",
                     "/usr/lib/watchwise/watchwise root:root 755"):
            assert line in places.splitlines(), f"'{line}' is not in {places}"
        assert re.search(r"^watchwise:x:\d+:\d+:[^:]*:/var/lib/watchwise:/usr/sbin/nologin$", places, re.M), places

    def serves(self):
        with (self.folder / "etc/watchwise.env").open("a") as file:
            file.write("WATCHWISE_TRIGGERS=film-network\n")
        with self.service() as (process, port):
            there = f"--server http://127.0.0.1:{port} --data /var/lib/watchwise"
            self.types(f"watchwise ready --wait 20 --server http://127.0.0.1:{port}")
            assert "director-release" in self.types(f"watchwise trigger list {there}"), "the setting has no effect"
            self.types(f"watchwise put films/603 '{{\"title\": \"The Matrix\"}}' {there}")
            assert self.types("watchwise token alice --data /var/lib/watchwise").count(".") == 2, "no token"
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=10) as answer:
                assert answer.status == 200, "the first page"
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=60) == 0, f"it ended with {process.returncode}"

    def upgrades(self):
        newer = "/srv/newer.deb"
        self.types(f"""
            set -e
            dpkg-deb --raw-extract /srv/{self.packages.deb.name} /srv/newer
            sed -i 's/^Version: .*/&+trial1/' /srv/newer/DEBIAN/control
            dpkg-deb --root-owner-group --build /srv/newer {newer}
            apt-get install --yes {newer}
            dpkg-query --show watchwise | grep trial1
            grep -q ^WATCHWISE_TRIGGERS=film-network /etc/watchwise.env
        """, DEBIAN_FRONTEND="noninteractive")
        self.has_film()

    def has_film(self):
        with self.service() as (_, port):
            shown = self.types(f"watchwise get films/603 --server http://127.0.0.1:{port} --data /var/lib/watchwise")
            assert "The Matrix" in shown, shown

    def runs_archive(self):
        name = self.packages.archive.name
        said = self.types(f"cd /srv && tar -xzf /srv/{name} && ./{name.removesuffix('.tar.gz')}/bin/watchwise --version")
        assert "libnats" in said, said

    def comes_back(self):
        self.types("apt-get remove --yes watchwise", DEBIAN_FRONTEND="noninteractive")
        assert self.attempt("command -v watchwise").returncode != 0, "the program is still there"
        self.types(f"apt-get install --yes /srv/{self.packages.deb.name}", DEBIAN_FRONTEND="noninteractive")
        self.has_film()

    def purges(self):
        self.types("apt-get purge --yes watchwise", DEBIAN_FRONTEND="noninteractive")
        assert (self.folder / "var/lib/watchwise/watchwise.db").exists(), "the data is gone, and nobody was asked"
        assert not (self.folder / "etc/watchwise.env").exists(), "the configuration is still there"
        assert os.path.exists(self.folder / "usr/share/debconf/confmodule"), "this root has no debconf"
        self.types(f"""
            set -e
            apt-get install --yes /srv/{self.packages.deb.name}
            echo 'watchwise watchwise/purge-data boolean true' | debconf-set-selections
            apt-get purge --yes watchwise
        """, DEBIAN_FRONTEND="noninteractive")
        assert not (self.folder / "var/lib/watchwise").exists(), "the operator said that the data may go, and it is still there"


