import JSON
import Model
import Push
import Store

// The pushes of a notification or a message: the jobs, and the result for each device.
extension ExplainTrail {
    /// Adds the pushes of a notification to the devices of a person.
    mutating func addPushes(_ entry: NotificationEntry, to user: StreamID) throws {
        for job in try transaction.pushJobs.jobs(about: entry.position) { try addPush(job, to: user) }
    }

    /// Adds the counts of a notification's pushes to all its readers.
    mutating func addPushes(_ entry: NotificationEntry) throws {
        for job in try transaction.pushJobs.jobs(about: entry.position) {
            let says =
                job.state == .waiting
                ? "\(job.title) waits"
                : "\(job.title) · \(job.pushed) sent, \(job.skipped) skipped, \(job.failed) given up"
                    + (job.state == .begun ? ", and it goes on" : "")
            add("push", job.state == .waiting ? nil : job.pushed > 0, says, job.facts)
        }
    }

    /// Adds the pushes of a message to the devices of a member of its chat.
    mutating func addPush(ofMessage n: MessageNumber, in chat: ChatID, to user: StreamID) throws {
        guard let entry = try transaction.chats.find(chat),
            let job = try transaction.pushJobs.job(aboutMessage: n, in: entry.id)
        else { return }
        try addPush(job, to: user)
    }

    private mutating func addPush(_ job: PushJobEntry, to user: StreamID) throws {
        var tries: [PushTryEntry]
        if job.stream == user {
            tries = try transaction.pushJobs.tries(of: job.id, limit: PushLimits.explainedTriesMax)
        } else {
            tries = try transaction.pushDevices.all(of: user).compactMap { device in
                try transaction.pushJobs.find(job: job.id, device: device.id)
            }
        }
        tries.sort { $0.device < $1.device }
        for result in tries { try add(result, of: job) }
        guard tries.isEmpty else { return }
        switch job.state {
        case .waiting: add("push", nil, "\(job.title) waits", job.facts)
        case .begun where job.cursor < user: add("push", nil, "\(job.title) has not come to this user yet", job.facts)
        case .begun, .ended:
            let why = job.isLarge ? "it has too many devices to keep the result of each" : "nothing was sent"
            add("push", job.isLarge ? nil : false, "\(job.title) · \(why)", job.facts)
        }
    }

    private mutating func add(_ result: PushTryEntry, of job: PushJobEntry) throws {
        let device = try transaction.pushDevices.find(result.device)
        let name = device.map { "\($0.device) (\($0.registration.platform.rawValue))" }
        var facts = job.facts
        facts["device"] = .string(device?.device ?? String(result.device))
        facts["platform"] = device.map { .string($0.registration.platform.rawValue) }
        facts["state"] = .string(result.state.rawValue)
        facts["status"] = result.status.map { .integer($0) }
        facts["attempts"] = .integer(result.attempts)
        facts["answer"] = .string(result.answer)
        facts["at"] = .string(result.at.text)
        facts["due"] = result.due.map { .string($0.text) }
        add(
            "push", result.isSent,
            "\(job.title) · \(name ?? "device \(result.device), removed since") · \(result.sentence)", facts)
    }
}

extension PushJobEntry {
    fileprivate var title: String {
        switch kind {
        case .notification, .message: "push job \(id)"
        case .digest: "push job \(id) of a digest"
        case .quietUpdate: "push job \(id), which brings it up to date quietly"
        case .withdrawal: "push job \(id), which takes it back"
        }
    }

    fileprivate var facts: JSONObject {
        ["job": .string(String(id)), "kind": .string(kind.rawValue), "jobState": .string(state.rawValue)]
    }
}

extension PushTryEntry {
    /// Nil while it is open.
    fileprivate var isSent: Bool? {
        switch state {
        case .open: nil
        case .sent, .withdrawn: true
        case .skipped, .dropped, .dead, .expired: false
        }
    }

    fileprivate var sentence: String {
        switch state {
        case .open: "waits until \(due?.text ?? "its time"): \(answer)"
        case .sent: "sent \(answer), \(at.text)"
        case .skipped: "skipped: \(answer)"
        case .dropped: "given up: \(answer)"
        case .dead: "dead letter: \(answer)"
        case .expired: "its time was over: \(answer)"
        case .withdrawn: "sent \(answer), \(at.text), and taken back since"
        }
    }
}
