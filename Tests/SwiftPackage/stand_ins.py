"""The files of the package that are for Apple platforms alone, compiled on Linux with stand-ins for Apple's modules.

It shows that they fit the rest of the library, its types and its isolation. It does not show that they fit Apple's modules: these are
written here after Apple's documentation, and URLSession is that of swift-corelibs-foundation.
"""

import re
import shutil
import subprocess

UIKIT = """\
@_exported public import Foundation
@_exported public import FoundationNetworking
import Dispatch
@_exported import func Glibc.open
@_exported import func Glibc.close

@MainActor public class UIApplication {
    nonisolated public static let didBecomeActiveNotification = Notification.Name("active")
    nonisolated public static let willResignActiveNotification = Notification.Name("inactive")
    nonisolated public static let willEnterForegroundNotification = Notification.Name("foreground")
    nonisolated public static let didEnterBackgroundNotification = Notification.Name("background")
}
public let O_EVTONLY: Int32 = 0x8000
extension DispatchSource {
    public class func makeFileSystemObjectSource(
        fileDescriptor: Int32, eventMask: FileSystemEvent, queue: DispatchQueue? = nil
    ) -> any DispatchSourceProtocol { fatalError() }
}
extension ProcessInfo {
    public func performExpiringActivity(withReason reason: String, using block: @escaping @Sendable (Bool) -> Void) {}
}
"""
NETWORK = """\
public import Dispatch

public struct NWPath: Sendable {
    public enum Status: Sendable { case satisfied, unsatisfied, requiresConnection }
    public let status: Status
}
public final class NWPathMonitor: Sendable {
    public init() {}
    public var pathUpdateHandler: (@Sendable (NWPath) -> Void)? { get { nil } set {} }
    public func start(queue: DispatchQueue) {}
    public func cancel() {}
}
"""
# A method that Apple's protocol leaves to be written or not.
OPTIONAL = """\
        func urlSession(
            _ session: URLSession, webSocketTask: URLSessionWebSocketTask,
            didCloseWith closeCode: URLSessionWebSocketTask.CloseCode, reason: Data?
        ) {}
"""
FEATURES = ("ExistentialAny", "InternalImportsByDefault", "MemberImportVisibility")


def compile_all(words):
    ended = subprocess.run(["swiftc", "-swift-version", "6", "-parse-as-library", *map(str, words)], capture_output=True, text=True,
                           check=False)
    if ended.returncode != 0:
        errors = [line for line in ended.stderr.splitlines() if re.search(r"^\S+: error:", line)]
        raise OSError(" | ".join(errors[:8]) or ended.stderr[-800:])


def as_on_apple(path):
    """A file as the compiler reads it there."""
    text = path.read_text().replace("canImport(Darwin)", "true").replace("#if os(Linux)", "#if false")
    if path.name in ("SystemTransport.swift", "SystemObserver.swift"):
        text = text.replace("import Foundation\n", "import Foundation\n    import UIKit\n", 1)
    if path.name in ("StoreLock.swift", "SystemObserver.swift"):
        text = "import Glibc\n" + text
    return text.replace("        func urlSession(", OPTIONAL + "        func urlSession(", 1)


def compile_library(clone, folder):
    """Compiles the module WatchWise of a clone that is built; raises OSError."""
    stand_ins, sources = folder / "stand-ins", folder / "apple"
    shutil.rmtree(folder, ignore_errors=True)
    stand_ins.mkdir(parents=True)
    for name, text in (("UIKit", UIKIT), ("Network", NETWORK)):
        (stand_ins / f"{name}.swift").write_text(text)
        compile_all(["-module-name", name, "-emit-module", "-emit-module-path", stand_ins / f"{name}.swiftmodule",
                     stand_ins / f"{name}.swift"])
    sources.mkdir()
    for path in (clone / "Sources/Device/WatchWise").rglob("*.swift"):
        (sources / path.name).write_text(as_on_apple(path))
    libraries = [clone / "Sources/Ground" / name for name in ("COpenSSL", "CUV", "CZlib")]
    seen = [clone / ".build/debug/Modules", clone / ".build/checkouts/GRDB.swift/Sources/GRDBSQLite", stand_ins, *libraries]
    # The name by which SwiftPM knows the package.
    compile_all(["-package-name", clone.name.replace("-", "_"), "-module-name", "WatchWise", "-c", "-wmo", "-o", folder / "library.o",
                 *(word for name in FEATURES for word in ("-enable-upcoming-feature", name)),
                 *(word for path in seen for word in ("-I", path)), *sorted(sources.glob("*.swift"))])
