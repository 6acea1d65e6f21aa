import Log
package import Model
import Store

/// The next users of a job, with their devices.
///
/// - Confinement: any
package struct PushAudiencePage: Sendable, Hashable {
    /// Whole users in the order of their numbers.
    package let devices: [PushDeviceEntry]
    /// The cursor after this page: every user up to this number is on it or has no device.
    package let upTo: StreamID
    /// Whether no further page follows.
    package let isLast: Bool
}

extension PushJobTable {
    /// The next users of a job, with their devices; see ``PushAudience/nextPage(of:)``.
    package func nextPage(of job: PushJobEntry) throws -> PushAudiencePage {
        try PushAudience(access: access).nextPage(of: job)
    }
}

/// The people whose devices a job is for.
///
/// - Confinement: store
struct PushAudience<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The users after a job's cursor, at most ``PushLimits/pageDevicesMax`` devices, and all devices of each user.
    ///
    /// A page has everybody who reads the stream now, and did so when the notification was written. Whether the notification is
    /// for the user by their time zone, and whether they still want it, is for the sender to decide.
    ///
    /// A quiet update or a withdrawal goes to the devices that got the job before it, if the database still knows them.
    func nextPage(of job: PushJobEntry) throws -> PushAudiencePage {
        if let previous = job.previous, try PushJobTable(access: access).job(previous)?.isLarge != true {
            return page(try devices(sent: previous, after: job.cursor), after: job.cursor)
        }
        switch job.stream.kind {
        case .nobody: return page([], after: job.cursor)
        case .chat(let chat):
            let members = try ChatTable(access: access).members(of: chat).map(\.user).filter { $0 > job.cursor }
            return page(try devices(of: members), after: job.cursor)
        case .everyone, .named:
            guard job.isShared else { return page(try devices(of: [job.stream]), after: job.cursor) }
            let entry = try NotificationTable(access: access).findWritten(at: job.position)
            let streams = try entry.map(NotificationTable(access: access).streams) ?? [job.stream]
            if streams.contains(.everyone) { return page(try devicesOfAll(job), after: job.cursor) }
            return try page(ofFollowersOf: streams, job)
        }
    }

    /// Cuts devices that were read to whole users.
    ///
    /// - Parameters:
    ///   - devices: One more than fits when there may be more.
    ///   - bound: Every user up to this number was looked at; nil when there are no others.
    private func page(
        _ devices: [PushDeviceEntry], after cursor: StreamID, upTo bound: StreamID? = nil
    ) -> PushAudiencePage {
        guard devices.count > PushLimits.pageDevicesMax, let last = devices.last?.user else {
            let upTo = bound ?? devices.last?.user ?? cursor
            return PushAudiencePage(devices: devices, upTo: upTo, isLast: bound == nil)
        }
        let whole = devices.filter { $0.user != last }
        return PushAudiencePage(devices: whole, upTo: whole.last?.user ?? cursor, isLast: false)
    }

    private var readCount: Int { PushLimits.pageDevicesMax + 1 }

    private func devices(sent job: Int64, after cursor: StreamID) throws -> [PushDeviceEntry] {
        try access.all(
            """
            SELECT \(PushDeviceEntry.columns("d.")) FROM push_tries t JOIN push_devices d ON d.id = t.device
            WHERE t.job = ? AND t.state = 'sent' AND d.user > ? ORDER BY d.user, d.id LIMIT ?
            """,
            [job, cursor.value, readCount],
            PushDeviceEntry.init
        )
    }

    /// Devices of everybody who was known when the job's notification was written.
    private func devicesOfAll(_ job: PushJobEntry) throws -> [PushDeviceEntry] {
        try access.all(
            """
            SELECT \(PushDeviceEntry.columns("d.")) FROM push_devices d JOIN users u ON u.id = d.user
            WHERE d.user > ? AND u.since < ? ORDER BY d.user, d.id LIMIT ?
            """,
            [job.cursor.value, job.position.value, readCount],
            PushDeviceEntry.init
        )
    }

    private func devices(of users: [StreamID]) throws -> [PushDeviceEntry] {
        try access.all(
            """
            SELECT \(PushDeviceEntry.columns("d.")) FROM push_devices d
            WHERE d.user IN (SELECT value FROM json_each(?)) ORDER BY d.user, d.id LIMIT ?
            """,
            ["[\(users.map { String($0.value) }.joined(separator: ","))]", readCount],
            PushDeviceEntry.init
        )
    }

    /// Looks at a bounded number of followers, however few of them have a device.
    private func page(ofFollowersOf streams: [StreamID], _ job: PushJobEntry) throws -> PushAudiencePage {
        let limit = PushLimits.followersLookedAt
        var bound: StreamID?
        var readers: Set<StreamID> = []
        for stream in streams {
            let followers: [(id: StreamID, since: Position)] = try access.all(
                "SELECT follower, since FROM follows WHERE stream = ? AND follower > ? ORDER BY follower LIMIT ?",
                [stream.value, job.cursor.value, limit]
            ) { (try $0[0], try $0[1]) }
            if followers.count == limit, let last = followers.last?.id { bound = bound.map { min($0, last) } ?? last }
            for follower in followers where follower.since < job.position { readers.insert(follower.id) }
        }
        let users = readers.filter { user in bound.map { user <= $0 } ?? true }
        return page(try devices(of: users.sorted()), after: job.cursor, upTo: bound)
    }
}
