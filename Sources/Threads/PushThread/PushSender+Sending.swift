import Configuration
import EventLoop
import Model
import Push
import Store
import Telemetry
import ThreadMessages

extension PushSender {
    /// Decides for some users of an errand, in one snapshot.
    func decide(_ number: Int, _ users: [StreamID], _ answer: PushQuestions.Answer) {
        do {
            try reader.read { transaction in
                var deciding = decider.deciding(in: transaction, at: now)
                for user in users {
                    let screen = PushScreen(answer.sessions[user] ?? [])
                    try decide(number, user, screen, &deciding)
                }
            }
        } catch {
            // The errand is dropped without a result, so the database still has it to be found again.
            log.error("a push could not be decided", ["error": "\(error)"])
            errands[number] = nil
        }
        finish(number)
    }

    private func decide(
        _ number: Int, _ user: StreamID, _ screen: PushScreen, _ deciding: inout PushDeciding
    ) throws {
        guard let aims = errands[number]?.aims(of: user) else { return }
        errands[number]?.decided(user)
        var decisions: [Int64: PushDecision] = [:]
        for aim in aims {
            let upTo = try judged(number, aim, deciding)
            let decision = try decisions[aim.job.id] ?? deciding.decide(aim.job, for: user, upTo: upTo)
            decisions[aim.job.id] = decision
            let device = try deciding.transaction.pushDevices.find(aim.device.id)
            guard device?.registered == aim.device.registered else {
                skip(number, aim, .noDevice)
                continue
            }
            switch decision {
            case .skip(let reason): skip(number, aim, reason)
            case .wait(let until):
                errands[number]?.postpone(aim, until: until, reason: PushSkip.quietHours.rawValue, at: now)
            case .push(let material):
                let position = material.entry?.position ?? aim.job.position
                if screen.hides(position, aim.job.level, from: aim.device.device) {
                    skip(number, aim, .onScreen)
                } else {
                    try enqueue(number, aim, material, deciding)
                }
            }
        }
    }

    private func judged(_ number: Int, _ aim: PushAim, _ deciding: PushDeciding) throws -> MessageNumber? {
        guard errands[number]?.page != nil, case .chat(let chat) = aim.job.stream.kind else { return nil }
        let newest = try deciding.transaction.chats.find(number: chat)?.last ?? 0
        return errands[number]?.judge(upTo: newest)
    }

    private func skip(_ number: Int, _ aim: PushAim, _ reason: PushSkip) {
        surroundings.metrics.push.skipped(reason.rawValue)
        errands[number]?.skip(aim, reason, at: now)
    }

    private func enqueue(
        _ number: Int, _ aim: PushAim, _ material: PushMaterial, _ deciding: PushDeciding
    ) throws {
        let rows = try deciding.transaction.pushJobs.gone(ofDevice: aim.device.id)
            .map { PushGoneRows.Row(id: $0.id, tag: try deciding.tag(of: $0.subject)) }
        let item = PushBacklog.Item(
            errand: number, aim: aim, material: material, gone: PushGoneRows(rows, beside: material.entry?.tag),
            since: loop.now)
        let isOther = aim.variant == .otherEnvironment
        guard let service = PushServiceName(of: aim.device.registration, isOther: isOther) else {
            return end(item, .unsendable(reason: "its endpoint is not an address"))
        }
        dispatch.add(item, to: service)
    }
}

// MARK: - Sending

extension PushSender {
    /// Sends what has room.
    func pump() {
        trials.pump()
        dispatch.pump()
    }

    func end(_ item: PushBacklog.Item, _ result: PushEnd) {
        errands[item.errand]?.end(item.aim, result, gone: item.gone, at: now)
        finish(item.errand)
        lookSoon()
    }
}
