import Configuration
import EventLoop
import Model
import Push
import Store
import Telemetry

/// Sends the pushes that are decided, as far as their services have room.
///
/// A push whose service waits, fails or is slow is left for a later try, so that its page is not held up by it.
///
/// - Confinement: store (the thread of pushes)
final class PushDispatch {
    private let configuration: PushConfiguration
    private let services: PushServices
    private let clock: WallClock
    private let metrics: PushMetrics
    private let loop: Loop
    private var backlog = PushBacklog()
    /// How often the duty has ended: answers to requests of an earlier duty are not used.
    private var duties = 0
    /// Gets the end of each push.
    var onEnd: (PushBacklog.Item, PushEnd) -> Void = { _, _ in }
    /// Called when a request has ended.
    var onRoom: () -> Void = {}

    init(
        _ configuration: PushConfiguration, _ services: PushServices, _ clock: WallClock, _ metrics: PushMetrics,
        on loop: Loop
    ) {
        self.configuration = configuration
        self.services = services
        self.clock = clock
        self.metrics = metrics
        self.loop = loop
    }

    /// Whether no push waits for room.
    var isEmpty: Bool { backlog.count == 0 }

    func add(_ item: PushBacklog.Item, to service: PushServiceName) { backlog.add(item, to: service) }

    /// The duty of this node ends.
    func forget() {
        duties += 1
        backlog = PushBacklog()
    }

    /// Sends what has room.
    func pump() {
        for service in backlog.services { pump(service) }
    }

    private func pump(_ service: PushServiceName) {
        while let item = backlog.first(for: service) {
            switch services.room(for: item.aim.device, item.aim.variant) {
            case .free:
                backlog.removeFirst(of: service)
                send(item)
            case .later(let until, let reason):
                backlog.removeFirst(of: service)
                onEnd(item, .postponed(until: until, reason: reason))
            case .full:
                guard loop.now - item.since >= PushLimits.readyMilliseconds else { return }
                backlog.removeFirst(of: service)
                let until = clock.now().adding(milliseconds: PushLimits.readyMilliseconds)
                onEnd(item, .postponed(until: until, reason: "the service is busy"))
            }
        }
    }

    private func send(_ item: PushBacklog.Item) {
        let content = item.material.content(for: item.aim.device, gone: item.gone.tags, open: configuration.open)
        let order = PushOrder(
            device: item.aim.device, content: content, number: item.aim.number, variant: item.aim.variant)
        services.send(order) { [unowned self, duties] result in
            guard duties == self.duties else { return }
            if case .judged(let verdict, _, _) = result, verdict.outcome == .sent, item.aim.number == 1 {
                metrics.delay.observe(clock.now().milliseconds - item.aim.job.due.milliseconds)
            }
            onEnd(item, result)
            onRoom()
        }
    }
}

@available(*, unavailable)
extension PushDispatch: Sendable {}
