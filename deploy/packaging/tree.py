"""The files that every package has, and the archive of them."""

import gzip
import json
import pathlib
import re
import shutil
import subprocess
import tarfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Beside the program: files and folders of the checkout.
DOCUMENTS = ("LICENSE", "NOTICE", "README.md", "CHANGELOG.md", "SECURITY.md")
EXAMPLES = ("apps", "triggers", "prometheus", "grafana", "nginx.conf", "Caddyfile", "haproxy.cfg", "litestream.yml", "litestream.service", "watchwise.service", "compose.yml", "kubernetes.yaml",
            "Metrics.md")
SHELLS = {"bash": "watchwise.bash", "zsh": "_watchwise", "fish": "watchwise.fish"}


class Program:
    """The program, stripped, and libnats, which it finds beside itself."""

    def __init__(self, binary, scratch, seconds):
        self.scratch, self.seconds = scratch, seconds
        self.version = json.loads(output(binary, "--version", "--json"))["version"]
        self.architecture = output("dpkg", "--print-architecture").strip()
        self.binary = scratch / "watchwise"
        subprocess.run(["strip", "-o", self.binary, binary], check=True)
        if own := [name for name, _ in self.libraries() if re.search("swift|Foundation", name)]:
            raise SystemExit(f"package: the program needs {own[0]}; build it with deploy/build")
        self.nats = next(path for name, path in self.libraries() if name.startswith("libnats."))

    def libraries(self):
        """Names and paths of the libraries that it needs here."""
        return re.findall(r"(\S+) => (/\S+) \(0x", output("ldd", self.binary))

    def completions(self):
        """By file. That of bash is read by a shell, and is no program."""
        return {name: output(self.binary, "--generate-completion-script", shell).removeprefix("#!/bin/bash\n") for shell, name in SHELLS.items()}

    def put(self, folder, place, content, mode=0o644):
        """A file of a package: a path, bytes or a text."""
        file = folder / place
        file.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, pathlib.Path):
            shutil.copyfile(content, file)
        else:
            file.write_bytes(content if isinstance(content, bytes) else content.encode())
        file.chmod(mode)

    def put_binary(self, folder, prefix):
        """The program looks for libraries beside itself, so the two share a folder, and its place among the programs is a link."""
        self.put(folder, f"{prefix}lib/watchwise/watchwise", self.binary, 0o755)
        self.put(folder, f"{prefix}lib/watchwise/{pathlib.Path(self.nats).name}", pathlib.Path(self.nats))
        (folder / f"{prefix}bin").mkdir(parents=True)
        (folder / f"{prefix}bin/watchwise").symlink_to("../lib/watchwise/watchwise")

    def put_examples(self, folder, place):
        for name in EXAMPLES:
            source = ROOT / "deploy" / name
            for file in sorted(source.rglob("*")) if source.is_dir() else [source]:
                if file.is_file():
                    self.put(folder, f"{place}/{file.relative_to(ROOT / 'deploy')}", file)


def output(*words):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, check=True).stdout


def nats_notice():
    """The licence of the library that is taken along."""
    return next(pathlib.Path("/usr/share/doc").glob("libnats3*/copyright")).read_text()


def pack(folder, target, seconds, prefix=""):
    """An archive of a folder whose bytes depend on nothing but the files."""
    def plain(entry):
        entry.uid = entry.gid = 0
        entry.uname = entry.gname = "root"
        entry.mtime = seconds
        return entry

    with tarfile.open(target, "w", format=tarfile.GNU_FORMAT) as archive:
        for file in sorted(folder.rglob("*")):
            archive.add(file, arcname=f"{prefix}{file.relative_to(folder)}", recursive=False, filter=plain)


def archive(program, to):
    name = f"watchwise-{program.version}-linux-{program.architecture}"
    folder = program.scratch / "archive"
    program.put_binary(folder, "")
    program.put(folder, "NOTICE-libnats", nats_notice())
    for document in DOCUMENTS:
        program.put(folder, document, ROOT / document)
    for file, text in program.completions().items():
        program.put(folder, f"completions/{file}", text)
    program.put_examples(folder, "examples")
    plain, target = program.scratch / f"{name}.tar", to / f"{name}.tar.gz"
    pack(folder, plain, program.seconds, f"{name}/")
    target.write_bytes(gzip.compress(plain.read_bytes(), 9, mtime=program.seconds))
    return target
