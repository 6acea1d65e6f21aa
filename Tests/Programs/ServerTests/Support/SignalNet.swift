import Cluster
import EventLoop
import Synchronization
import ThreadMessages

/// The network between the nodes of a test: it carries signals from each to all others, or loses them.
///
/// - Confinement: any
final class SignalNet: Sendable {
    private struct State {
        var nodes: [String: Mailbox<[UInt8]>] = [:]
        /// Senders whose messages are lost.
        var silenced: Set<String> = []
    }

    private let state = Mutex(State())

    /// - Parameter mailbox: gets the messages of the other nodes.
    func join(_ name: String, _ mailbox: Mailbox<[UInt8]>) { state.withLock { $0.nodes[name] = mailbox } }

    /// Loses the messages of a node, or carries them again.
    func silence(_ name: String, _ isSilent: Bool) {
        state.withLock { state in
            if isSilent { state.silenced.insert(name) } else { state.silenced.remove(name) }
        }
    }

    /// A node publishes. Every other node gets it, whatever its subject: a node uses only what is for it.
    func publish(_ message: SignalRelay.Publication, from name: String) {
        let receivers = state.withLock { state in
            state.silenced.contains(name) ? [] : state.nodes.filter { $0.key != name }.map(\.value)
        }
        for receiver in receivers { receiver.post(message.bytes) }
    }
}

/// The thread of one node that stands for the cluster's: its relay is connected to a ``SignalNet`` in place of a journal.
///
/// - Confinement: loop
final class SignalDriver {
    private let relay: SignalRelay
    private let name: String
    private let net: SignalNet
    private let loop: Loop
    private var timer: LoopTimer?

    init(_ relay: SignalRelay, of name: String, on net: SignalNet, _ loop: Loop) {
        self.relay = relay
        self.name = name
        self.net = net
        self.loop = loop
        let timer = LoopTimer(on: loop) { [unowned self] in tick() }
        timer.start(afterMilliseconds: 10, repeatingMilliseconds: 10)
        self.timer = timer
    }

    func receive(_ messages: [ClusterMessage]) {
        for message in messages {
            switch message {
            case .signal(let signal): relay.take(signal, at: loop.now)
            case .prepareToStop:
                timer?.close()
                timer = nil
                net.publish(relay.goodbye(), from: name)
            default: break
            }
        }
        publish()
    }

    func hear(_ messages: [[UInt8]]) {
        for bytes in messages { relay.receive(bytes, at: loop.now) }
        publish()
    }

    private func tick() {
        relay.tick(at: loop.now)
        publish()
    }

    private func publish() {
        guard timer != nil else { return }
        for message in relay.takePublications(at: loop.now) { net.publish(message, from: name) }
    }
}
