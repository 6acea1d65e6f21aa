"""A Debian package: program, unit, configuration, completions, manual pages and examples; its scripts make the user and the folder."""

import email.utils
import gzip
import pathlib
import re
import subprocess

import manual
import tree

HERE = pathlib.Path(__file__).resolve().parent / "debian"
MAINTAINER = "The WatchWise authors <packages@watchwise.invalid>"
SUMMARY = "Realtime notification and chat server"
DESCRIPTION = """\
 Applications write documents; clients hold one WebSocket. A write, the
 triggers that it fires and all notifications that result commit in one
 transaction. Every device then reads one log with one cursor, so no event is
 lost, doubled or reordered.
 .
 The package makes the user watchwise, the folder /var/lib/watchwise, and a
 service that listens on 127.0.0.1:8080."""
# The packages of the libraries as Debian 12, Debian 13 and Ubuntu 24.04 provide them.
DEPENDS = ("libc6 (>= 2.36), libcurl4, libexpat1, libgcc-s1, libjemalloc2, libprotobuf-c1, libsqlite3-0 (>= 3.40), libssl3, libstdc++6, libuv1, "
           "zlib1g, adduser, debconf (>= 0.5) | debconf-2.0")


def control(program, kilobytes):
    return (f"Package: watchwise\nVersion: {upstream(program)}\nArchitecture: {program.architecture}\nMaintainer: {MAINTAINER}\n"
            f"Installed-Size: {kilobytes}\nDepends: {DEPENDS}\nRecommends: ca-certificates, tzdata\nSection: net\nPriority: optional\n"
            f"Homepage: https://github.com/watchwise/watchwise\nDescription: {SUMMARY}\n{DESCRIPTION}\n")


def upstream(program):
    """A version to try sorts before the version: `1.0.0-rc.1` is `1.0.0~rc.1` here."""
    return program.version.replace("-", "~")


def unit():
    """The unit of `deploy`, for the places of a package."""
    text = (tree.ROOT / "deploy/watchwise.service").read_text()
    text = text[text.index("[Unit]"):].replace("/usr/local/bin/watchwise", "/usr/bin/watchwise")
    return "# Change settings in /etc/watchwise.env, or with 'systemctl edit watchwise'.\n" + text


def copyright_file():
    """In the form that Debian's tools read, with the notices of all that is linked in."""
    notice = (tree.ROOT / "NOTICE").read_text()

    def field(text):
        return "\n".join(" " + (line.rstrip() or ".") for line in text.strip().splitlines())

    return (f"Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\nUpstream-Name: WatchWise\n\nFiles: *\n"
            f"Copyright: 2026 The WatchWise authors\nLicense: Apache-2.0\nComment:\n{field(notice)}\n\n"
            f"Files: usr/lib/watchwise/*\nCopyright: The NATS Authors\nLicense: Apache-2.0\n\n"
            f"License: Apache-2.0\n On Debian systems, the text of the license is in\n /usr/share/common-licenses/Apache-2.0.\n")


def changelog(program):
    when = email.utils.formatdate(program.seconds)
    return f"watchwise ({upstream(program)}) stable; urgency=medium\n\n  * See NEWS.gz for what is new.\n\n -- {MAINTAINER}  {when}\n"


def compressed(text):
    return gzip.compress(text.encode(), 9, mtime=0)


def fill(program, folder):
    documents = "usr/share/doc/watchwise"
    program.put_binary(folder, "usr/")
    program.put(folder, "usr/lib/systemd/system/watchwise.service", unit())
    program.put(folder, "etc/watchwise.env", HERE / "watchwise.env")
    completions = program.completions()
    for file, place in {"watchwise.bash": "bash-completion/completions/watchwise", "_watchwise": "zsh/vendor-completions/_watchwise",
                        "watchwise.fish": "fish/vendor_completions.d/watchwise.fish"}.items():
        program.put(folder, f"usr/share/{place}", completions[file])
    for name, text in manual.pages(program).items():
        program.put(folder, f"usr/share/man/man1/{name}.gz", compressed(text))
    program.put(folder, f"{documents}/copyright", copyright_file())
    program.put(folder, f"{documents}/changelog.gz", compressed(changelog(program)))
    program.put(folder, f"{documents}/NEWS.gz", compressed((tree.ROOT / "CHANGELOG.md").read_text()))
    program.put(folder, f"{documents}/NOTICE", tree.ROOT / "NOTICE")
    program.put(folder, f"{documents}/README.md", tree.ROOT / "README.md")
    program.put_examples(folder, f"{documents}/examples")
    program.put(folder, "usr/share/lintian/overrides/watchwise", HERE / "lintian-overrides")


def package(program, to):
    folder = program.scratch / "deb"
    fill(program, folder)
    for place in [folder, *folder.rglob("*")]:
        if place.is_dir():
            place.chmod(0o755)
    size = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    sums = "".join(f"{re.split(' ', tree.output('md5sum', file))[0]}  {file.relative_to(folder)}\n"
                   for file in sorted(folder.rglob("*")) if file.is_file() and not file.is_symlink() and not str(file.relative_to(folder)).startswith("etc/"))
    program.put(folder, "DEBIAN/control", control(program, size // 1024))
    program.put(folder, "DEBIAN/conffiles", "/etc/watchwise.env\n")
    program.put(folder, "DEBIAN/md5sums", sums)
    program.put(folder, "DEBIAN/templates", HERE / "templates")
    for script in ("config", "postinst", "prerm", "postrm"):
        program.put(folder, f"DEBIAN/{script}", HERE / script, 0o755)
    (folder / "DEBIAN").chmod(0o755)
    target = to / f"watchwise_{upstream(program)}_{program.architecture}.deb"
    subprocess.run(["dpkg-deb", "--root-owner-group", "-Zxz", "--build", folder, target], check=True, stdout=subprocess.DEVNULL,
                   env={"PATH": "/usr/bin:/bin", "SOURCE_DATE_EPOCH": str(program.seconds)})
    return target
