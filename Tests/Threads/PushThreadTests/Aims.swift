import Model
@testable import Push
@testable import PushThread
@testable import Log
@testable import Store

/// Jobs, devices and answers for tests.
enum Aims {
    static let now = Timestamp(milliseconds: 1_795_600_800_000)

    static func user(_ number: Int64) -> StreamID { StreamID(stored: number) }

    static func device(
        _ id: Int64, of user: Int64, _ platform: PushPlatform = .apns, target: String? = nil
    ) -> PushDeviceEntry {
        PushDeviceEntry(
            id: id, user: self.user(user), device: "device-\(id)",
            registration: PushRegistration(platform, target: target ?? "token-\(id)", .token), registered: now,
            used: now, succeeded: nil, failures: 0, problem: nil, withdrawn: nil)
    }

    static func job(
        _ id: Int64 = 1, _ kind: PushKind = .notification, level: InterruptionLevel = .active, isShared: Bool = false,
        chatFrom: MessageNumber? = nil, lifetime: Int64 = 3_600_000, settled: Int64 = 0
    ) -> PushJobEntry {
        PushJobEntry(
            id: id, kind: kind, position: Position(100 + id), stream: user(2), isShared: isShared, chatFrom: chatFrom,
            judged: nil, level: level, at: now, due: now, ends: now.adding(milliseconds: lifetime), previous: nil,
            isLarge: false, cursor: user(0), state: .waiting, pushed: settled, skipped: 0, failed: 0)
    }

    static func verdict(
        _ outcome: PushVerdict.Outcome, status: Int? = 200, device: PushVerdict.DeviceEffect = .kept,
        service: PushVerdict.ServiceEffect = .none
    ) -> PushVerdict {
        let answer = status.map { PushAnswer.answered(PushResponse(status: $0)) } ?? .unanswered(reason: "none")
        return PushVerdict(outcome, device: device, service: service, answer)
    }

    static func later(_ milliseconds: Int64) -> Timestamp { now.adding(milliseconds: milliseconds) }
}
