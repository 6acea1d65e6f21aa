import ClientProtocol
import Configuration
import EventLoop
import Execution
import JSON
import Model
import Push
import Quotas
import Store
import Telemetry
import ThreadMessages

/// Pushes texts of operators at once, without a job: nothing is held, no preference is asked, nothing is stored but the
/// consequences of the answers for the devices.
///
/// - Confinement: loop (the thread of pushes)
final class PushTrials {
    private struct Running {
        var run: PushTrialRun
        let material: PushMaterial
    }

    private let configuration: PushConfiguration
    private let reader: Reader
    private let services: PushServices
    private let surroundings: PushSurroundings
    private let loop: Loop
    /// By number, in the order in which they began.
    private var running: [Int: Running] = [:]
    private var lastNumber = 0
    private var timer: LoopTimer?
    /// Called when a push has ended, with the changes of its device.
    var onEnd: ([PushSettlement.DeviceChange]) -> Void = { _ in }

    init(
        _ configuration: PushConfiguration, reader: Reader, services: PushServices,
        in surroundings: PushSurroundings, on loop: Loop
    ) {
        self.configuration = configuration
        self.reader = reader
        self.services = services
        self.surroundings = surroundings
        self.loop = loop
        timer = LoopTimer(on: loop) { [unowned self] in giveUp() }
    }

    func stop() {
        timer?.close()
        timer = nil
    }

    private var now: Timestamp { surroundings.clock.now() }

    /// Begins a test; the connection gets its answer after ``PushLimits/trialMilliseconds`` at the latest.
    func begin(_ trial: PushTrial, for address: ConnectionAddress) {
        guard running.count < PushLimits.trialsMax else {
            return tell(
                address,
                .failure(
                    Refusal(.tooMany, "too many tests of pushes are under way", retryAfterMilliseconds: 1_000)))
        }
        do {
            let (material, devices) = try read(trial)
            lastNumber += 1
            let run = PushTrialRun(devices, of: trial.user, for: address, tick: loop.now)
            running[lastNumber] = Running(run: run, material: material)
            pump()
            startTimer()
        } catch let refusal as Refusal {
            tell(address, .failure(refusal))
        } catch {
            surroundings.log.error("the devices of a user cannot be read", ["error": "\(error)"])
            tell(address, .failure(Refusal(.internal, "the devices cannot be read; the log says why")))
        }
    }

    private func read(_ trial: PushTrial) throws -> (PushMaterial, [PushDeviceEntry]) {
        try reader.read { transaction in
            guard let number = try transaction.users.number(of: trial.user),
                let user = try transaction.users.find(number)
            else { throw Refusal.noUser(trial.user) }
            let present = now
            // No entry has this position, and no topic is called like this, so the test replaces only tests.
            let entry = PushEntry(
                isMessage: false, position: .zero, level: trial.level,
                tag: surroundings.tags.tag(topic: "push-test", collapse: ""), kind: "push-test")
            let material = PushMaterial(
                kind: .notification, user: user, texts: .message(title: trial.title, body: trial.body), entry: entry,
                at: present, expires: nil,
                ends: PushLifetime.end(of: .notification, trial.level, expires: nil, committed: present),
                badge: configuration.badge.count(try transaction.unread(of: user)), epoch: surroundings.epoch)
            return (material, try transaction.pushDevices.all(of: number))
        }
    }
}

@available(*, unavailable)
extension PushTrials: Sendable {}

// MARK: - Sending

extension PushTrials {
    /// Sends what has room, and answers the tests that are over.
    func pump() {
        for number in running.keys.sorted() {
            for aim in running[number]?.run.ready ?? [] { pump(aim, of: number) }
            finish(number)
        }
    }

    private func pump(_ aim: PushTrialRun.Aim, of number: Int) {
        switch services.room(for: aim.device, aim.variant) {
        case .free: send(aim, of: number)
        case .later(let until, let reason): end(aim, of: number, .postponed(until: until, reason: reason))
        case .full: return
        }
    }

    private func send(_ aim: PushTrialRun.Aim, of number: Int) {
        guard let material = running[number]?.material else { return }
        running[number]?.run.begin(aim, tick: loop.now)
        let content = material.content(for: aim.device, gone: [], open: configuration.open)
        let order = PushOrder(device: aim.device, content: content, number: aim.number, variant: aim.variant)
        services.send(order) { [unowned self] result in
            end(aim, of: number, result)
            onEnd(changes(of: aim.device, result))
        }
    }

    /// The consequences for the device are those of any push, but a failure does not count: somebody who tests often
    /// must not end a device by it.
    private func changes(of device: PushDeviceEntry, _ end: PushEnd) -> [PushSettlement.DeviceChange] {
        guard case .judged(let verdict, _, _) = end else { return [] }
        return verdict.changes(of: device, at: now).filter { change in
            if case .failed(problem: nil, _) = change.effect { false } else { true }
        }
    }

    private func end(_ aim: PushTrialRun.Aim, of number: Int, _ result: PushEnd) {
        running[number]?.run.end(aim, result, at: now, tick: loop.now)
    }
}

// MARK: - Answering

extension PushTrials {
    private func finish(_ number: Int) {
        guard let run = running[number]?.run, run.isOver else { return }
        running[number] = nil
        tell(run.address, .success(EncodedAnswer(JSONValue.object(run.json).bytes)))
    }

    private func startTimer() {
        guard let first = running.values.map(\.run.endsAt).min() else { return }
        timer?.start(afterMilliseconds: max(1, first - loop.now))
    }

    private func giveUp() {
        for (number, test) in running where test.run.endsAt <= loop.now {
            running[number]?.run.giveUp(tick: loop.now)
            finish(number)
        }
        startTimer()
    }

    private func tell(_ address: ConnectionAddress, _ outcome: Outcome) {
        let loops = surroundings.mail.loops
        guard loops.indices.contains(address.loop) else { return }
        surroundings.metrics.peerMemory.sent(outcome.bodyBytes)
        loops[address.loop].post(.outcome(address, .request, outcome))
    }
}
