import Configuration
import EventLoop
import ThreadMessages
import Model
import Push
import Store
import Telemetry

extension PushSender {
    /// Decides for some users of an errand, in one snapshot.
    func decide(_ number: Int, _ users: [StreamID], _ answer: PushQuestions.Answer) {
        do {
            try reader.read { transaction in
                var deciding = deciding(in: transaction, at: now)
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
        backlog.add(item, to: service)
    }
}

// MARK: - Sending

extension PushSender {
    /// Sends what has room. A push whose service waits, fails or is slow is left for a later try, so that its page is not
    /// held up by it.
    func pump() {
        trials.pump()
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
                end(item, .postponed(until: until, reason: reason))
            case .full:
                guard loop.now - item.since >= PushLimits.readyMilliseconds else { return }
                backlog.removeFirst(of: service)
                let until = now.adding(milliseconds: PushLimits.readyMilliseconds)
                end(item, .postponed(until: until, reason: "the service is busy"))
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
                surroundings.metrics.push.delay.observe(now.milliseconds - item.aim.job.due.milliseconds)
            }
            end(item, result)
            pumpSoon()
        }
    }

    private func end(_ item: PushBacklog.Item, _ result: PushEnd) {
        errands[item.errand]?.end(item.aim, result, gone: item.gone, at: now)
        finish(item.errand)
        lookSoon()
    }
}
