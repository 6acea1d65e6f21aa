import EventLoop
import Glibc
import Synchronization

/// Where libnats reports on one connection: its own threads, and the loop that reads and writes for it.
/// - Confinement: any
final class ConnectionDoor: Sendable {
    private let number: Int
    private let inputs: Mailbox<LinkInput>
    /// A copy of the socket's descriptor, which the loop may watch until it closes it, whenever libnats closes its own;
    /// -1 without one.
    private let copy = Atomic<Int32>(-1)
    /// Whether the loop is publishing, and then writes by itself.
    private let isPublishing = Atomic<Bool>(false)

    init(number: Int, into inputs: Mailbox<LinkInput>) {
        self.number = number
        self.inputs = inputs
    }

    deinit {
        let descriptor = descriptor
        if descriptor >= 0 { Glibc.close(descriptor) }
    }

    /// The socket for the loop to watch; -1 without one.
    var descriptor: Int32 { copy.load(ordering: .acquiring) }

    /// The connection is open on this socket.
    /// - Returns: whether its descriptor could be copied.
    func attach(_ descriptor: Int32) -> Bool {
        let made = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        copy.store(made, ordering: .releasing)
        return made >= 0
    }

    /// Runs the loop's own publication.
    func publishing<Output>(_ body: () -> Output) -> Output {
        isPublishing.store(true, ordering: .sequentiallyConsistent)
        defer { isPublishing.store(false, ordering: .sequentiallyConsistent) }
        return body()
    }

    /// Bytes wait to be written, those of the loop, or a ping of a thread of libnats.
    func wantsWriting() {
        if !isPublishing.load(ordering: .sequentiallyConsistent) { inputs.post(.unwritten(connection: number)) }
    }

    func closed(_ reason: String) {
        inputs.post(.closed(connection: number, reason: reason.isEmpty ? "the server ended the connection" : reason))
    }

    func failed(_ reason: String) { inputs.post(.trouble(connection: number, reason: reason)) }
}
