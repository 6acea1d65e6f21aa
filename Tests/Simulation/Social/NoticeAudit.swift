import ClientProtocol
import JSON
import Model
import SimulatedKernel

/// Checks that each broadcast came once to its audience, at its time, and that one that was taken back is gone.
/// - Confinement: any
struct NoticeAudit {
    let world: World
    let replays: [UserID: Replay]
    /// Broadcasts that are due within this time are not checked, in milliseconds: the server looks each second.
    private static let blur: Int64 = 3000

    /// - Throws: ``Broken``
    func run() throws {
        for notice in world.ledger.notices where notice.id != nil || notice.isUncertain {
            for (user, replay) in replays { try check(notice, user, replay) }
            try checkState(of: notice)
        }
    }

    private func check(_ notice: Ledger.Notice, _ user: UserID, _ replay: Replay) throws {
        let found = replay.notifications.filter { $0.kind == "broadcast" && $0.title == notice.title }
        let possible = possible(notice, user, replay)
        guard possible.contains(found.count) else {
            throw Broken(
                "\(user) got the broadcast \(notice.title) for \(notice.audience) at \(notice.at ?? "once") "
                    + "\(found.count) times, not \(possible)")
        }
        let visible = Set(replay.visible.map(\.id))
        if notice.isWithdrawn, let left = found.first(where: { visible.contains($0.id) }) {
            throw Broken("\(user) still has \(left.id) of the broadcast \(notice.title), which was taken back")
        }
    }

    /// How many notifications of it are possible.
    private func possible(_ notice: Ledger.Notice, _ user: UserID, _ replay: Replay) -> ClosedRange<Int> {
        let isForUser = notice.audience == "user:" + user.text
        if notice.audience.hasPrefix("user:"), !isForUser { return 0...0 }
        var least = notice.isUncertain ? 0 : 1
        if let at = notice.at {
            let due = Timestamp(at)?.milliseconds ?? World.zone(of: user).time(of: at) ?? 0
            let isEven = world.ledger.ages.moves == 0
            if isEven, due > sim_wall() + Self.blur { return 0...0 }
            if !isEven || due > sim_wall() - Self.blur || notice.isWithdrawn { least = 0 }
        }
        // One for everyone comes to those whom the server knew by then.
        let welcomed = world.devices.filter { $0.user == user }.compactMap(\.welcomedAt).min()
        if notice.audience == "everyone", let seq = position(of: notice), seq <= welcomed ?? .max { least = 0 }
        // A topic's notification comes to those who follow it at that moment, which is another one in each zone.
        if !isForUser, notice.audience != "everyone" {
            let isForAll = notice.at.map { $0.hasSuffix("Z") } ?? true
            guard isForAll, let seq = position(of: notice), let since = replay.follows[notice.audience], since < seq
            else {
                return 0...1
            }
        }
        return least...1
    }

    /// Where somebody got it.
    private func position(of notice: Ledger.Notice) -> Int64? {
        replays.values.lazy.compactMap { replay in
            replay.notifications.first { $0.kind == "broadcast" && $0.title == notice.title }?.seq
        }.first
    }

    /// Checks the state of one that has waited for a moment.
    private func checkState(of notice: Ledger.Notice) throws {
        guard let id = notice.id, let at = notice.at.flatMap({ Timestamp($0) })?.milliseconds, !notice.isWithdrawn,
            world.ledger.ages.moves == 0, at < sim_wall() - Self.blur
        else { return }
        let question = Feed.Question("broadcasts/" + id)
        world.feed.add(.question(question))
        try world.run(until: sim_now() + 60_000) { question.answer != nil }
        guard question.answer?["state"] == "sent" else {
            throw Broken("the broadcast \(notice.title) was due, and is \(question.answer?.text ?? "")")
        }
    }
}
