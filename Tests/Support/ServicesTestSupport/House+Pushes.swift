package import Model
package import Push
package import Services
import Store
import Testing

@testable import ClientProtocol

// Devices that are pushed, and the part of the sender.
extension House {
    /// The registration of a device for pushes by FCM.
    package func registration(of device: String = "phone", token: String = "token") throws -> RegisterDevice {
        var offer = PushOffer()
        offer.hasFCM = true
        let session = SessionDevice(name: device, language: nil, tokenID: "jti", tokenIssued: now)
        return try RegisterDevice(
            DeviceCommand.Registration(platform: .fcm, target: .fcmToken(token)), of: session, offer)
    }

    /// Registers a device of a user.
    package func addDevice(_ device: String = "phone", of name: String) throws {
        try write(registration(of: device, token: "\(name)-\(device)"), by: name)
    }

    /// The newest jobs, the oldest of them first.
    package var pushJobs: [PushJobEntry] {
        get throws { try look { try $0.pushJobs.list(state: nil, before: .max, limit: 100) }.reversed() }
    }

    /// The newest job.
    package var pushJob: PushJobEntry { get throws { try #require(try pushJobs.last) } }

    package func pushJob(_ id: Int64) throws -> PushJobEntry {
        try #require(try look { try $0.pushJobs.job(id) })
    }

    /// The next page of a job with one outcome for all its devices, as the sender would report it.
    package func page(
        of job: PushJobEntry, _ outcome: PushSettlement.Try.Outcome = .sent, judged: MessageNumber? = nil
    ) throws -> PushSettlement {
        let page = try look { try $0.pushJobs.nextPage(of: job) }
        var progress = PushSettlement.Progress(job, to: page.upTo, isEnded: page.isLast)
        progress.judged = judged
        switch outcome {
        case .sent: progress.pushed = page.devices.count
        case .skipped: progress.skipped = page.devices.count
        case .dropped, .dead, .expired: progress.failed = page.devices.count
        case .again: break
        }
        var settlement = PushSettlement()
        if job.kind == .withdrawal {
            progress.pushed = 0
            progress.gone = page.devices.map(\.id)
        } else {
            settlement.tries = page.devices.map { device in
                PushSettlement.Try(
                    job: job.id, device: device.id, number: 1, at: now, status: 200, answer: "200", outcome)
            }
        }
        settlement.progress = [progress]
        return settlement
    }

    package func settle(_ settlement: PushSettlement) throws { try write(SettlePushes(settlement), by: "server") }

    /// Sends the next page of a job to all its devices.
    package func push(_ job: PushJobEntry, judged: MessageNumber? = nil) throws {
        try settle(page(of: job, judged: judged))
    }

    /// The notifications and chats that a device is to take back.
    package func gone(fromDevice id: Int64 = 1) throws -> [PushGoneEntry.Subject] {
        try look { try $0.pushJobs.gone(ofDevice: id) }.map(\.subject)
    }

    /// The states of a job's tries, by device.
    package func states(ofTries job: Int64) throws -> [PushTryEntry.State] {
        try look { try $0.pushJobs.tries(of: job, limit: 100) }.map(\.state)
    }
}
