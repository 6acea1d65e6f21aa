package import Log
package import Model
import Store

/// The devices that are pushed: one registration for each device of a user, and one for each target.
///
/// - Confinement: store
package struct PushDeviceTable<Access: ReadAccess>: StoredTable {
    package let access: Access

    /// The device that has registered the target of a registration, and its user; nil when none has.
    package func registrant(of other: PushRegistration) throws -> (user: StreamID, device: String)? {
        try access.first(
            "SELECT user, device FROM push_devices WHERE platform = ? AND target = ?",
            [other.platform.rawValue, other.target]
        ) { (try $0[0], try $0[1]) }
    }

    /// All devices of a user, the longest used last.
    package func all(of user: StreamID) throws -> [PushDeviceEntry] {
        try access.all(
            PushDeviceEntry.query + " WHERE user = ? ORDER BY used DESC, id DESC", [user.value], PushDeviceEntry.init)
    }

    /// The device of a number; nil when there is none.
    package func find(_ id: Int64) throws -> PushDeviceEntry? {
        try access.first(PushDeviceEntry.query + " WHERE id = ?", [id], PushDeviceEntry.init)
    }

    /// The registration of a device; nil when it has none.
    package func find(_ device: String, of user: StreamID) throws -> PushDeviceEntry? {
        try access.first(
            PushDeviceEntry.query + " WHERE user = ? AND device = ?", [user.value, device], PushDeviceEntry.init)
    }

    /// The last use of a device that says `hello`; nil when it is not registered.
    package func use(of device: String, of user: StreamID) throws -> PushDeviceUse? {
        try access.first(
            "SELECT used, language FROM push_devices WHERE user = ? AND device = ?", [user.value, device],
            PushDeviceUse.init)
    }

    /// Whether a user has a registered device.
    package func exists(of user: StreamID) throws -> Bool {
        try access.number("SELECT EXISTS (SELECT 1 FROM push_devices WHERE user = ?)", [user.value]) > 0
    }

    /// Whether any device is registered.
    package func hasAny() throws -> Bool { try access.hasAnyPushDevice() }

    /// A page of all devices, newest first.
    ///
    /// - Parameter number: the number before which the page begins; nil for the first.
    package func page(before number: Int64?, limit: Int) throws -> [PushDeviceEntry] {
        try access.all(
            PushDeviceEntry.query + " WHERE id < ? ORDER BY id DESC LIMIT ?", [number ?? .max, limit],
            PushDeviceEntry.init)
    }

    /// The number of registered devices of each platform that has some.
    package func counts() throws -> [PushPlatform: Int64] {
        let counted: [(String, Int64)] = try access.all(
            "SELECT platform, count(*) FROM push_devices GROUP BY platform"
        ) { (try $0[0], try $0[1]) }
        return counted.reduce(into: [:]) { counts, row in
            if let platform = PushPlatform(rawValue: row.0) { counts[platform] = row.1 }
        }
    }
}

extension PushDeviceTable where Access == WriteAccess {
    /// Registers a device of a user. An earlier registration of the device, and one of the same target by another user or
    /// device, ends.
    ///
    /// A registration that changes nothing of how the device is reached keeps its number, its time, its history and the
    /// server's key: the browser's subscription is still the one that was made with that key.
    ///
    /// - Returns: the device's number.
    @discardableResult
    package func put(
        _ registration: PushRegistration, as device: String, of user: StreamID, at now: Timestamp
    ) throws -> Int64 {
        if let earlier = try find(device, of: user), earlier.registration.reaches(like: registration) {
            try update(earlier.id, registration, at: now)
            return earlier.id
        }
        access.forgetPushDevices()
        try remove("user = ? AND device = ?", [user.value, device])
        try remove("platform = ? AND target = ?", [registration.platform.rawValue, registration.target])
        try access.run(
            """
            INSERT INTO push_devices(user, device, platform, target, target_kind, public_key, secret, topic, environment,
                privacy, open, language, server_key, token_id, token_issued, registered, used)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """,
            [
                user.value, device, registration.platform.rawValue, registration.target,
                registration.targetKind.rawValue, registration.keys?.publicKey, registration.keys?.secret,
                registration.topic, registration.environment?.rawValue, registration.privacy.rawValue,
                registration.open,
                registration.language?.text, registration.serverKey, registration.tokenID,
                registration.tokenIssued?.milliseconds, now.milliseconds, now.milliseconds,
            ])
        return access.lastInsertedRowID
    }

    private func update(_ id: Int64, _ registration: PushRegistration, at now: Timestamp) throws {
        try access.run(
            """
            UPDATE push_devices SET privacy = ?, open = ?, language = ?, token_id = ?, token_issued = ?, used = ?
            WHERE id = ?
            """,
            [
                registration.privacy.rawValue, registration.open, registration.language?.text, registration.tokenID,
                registration.tokenIssued?.milliseconds, now.milliseconds, id,
            ])
    }

    /// Ends all registrations of a user but the ones used last.
    ///
    /// - Returns: how many ended.
    @discardableResult
    package func deleteSurplus(of user: StreamID, kept: Int) throws -> Int {
        try remove(
            "id IN (SELECT id FROM push_devices WHERE user = ? ORDER BY used DESC, id DESC LIMIT -1 OFFSET ?)",
            [user.value, kept])
    }

    /// Ends the registration of a device; harmless when it has none.
    ///
    /// - Returns: whether it had one.
    @discardableResult
    package func delete(_ device: String, of user: StreamID) throws -> Bool {
        try remove("user = ? AND device = ?", [user.value, device]) > 0
    }

    /// Ends the registration of a number; harmless when there is none.
    ///
    /// - Returns: whether there was one.
    @discardableResult
    package func delete(_ id: Int64) throws -> Bool {
        try remove("id = ?", [id]) > 0
    }

    /// Ends the registrations that were made with revoked tokens: those of one token, or those of the tokens that
    /// a user got up to a time.
    package func deleteRevoked(_ subject: Revocation.Subject) throws {
        switch subject {
        case .token(let id): try remove("token_id = ?", [id])
        case .user(let user, let time):
            guard let number = try UserTable(access: access).number(of: user) else { return }
            try remove("user = ? AND coalesce(token_issued, 0) <= ?", [number.value, time.milliseconds])
        }
    }

    /// Notes that a device was used.
    ///
    /// - Parameter language: that it named; nil leaves the one that it has.
    package func setUsed(_ device: String, of user: StreamID, language: LanguageTag?, at now: Timestamp) throws {
        try access.run(
            "UPDATE push_devices SET used = ?, language = coalesce(?, language) WHERE user = ? AND device = ?",
            [now.milliseconds, language?.text, user.value, device])
    }

    /// Ends at most `limit` registrations of devices that were not used since a time.
    ///
    /// - Returns: how many ended.
    @discardableResult
    package func deleteUnused(since time: Timestamp, limit: Int) throws -> Int {
        try remove(
            "id IN (SELECT id FROM push_devices WHERE used < ? ORDER BY used, id LIMIT ?)", [time.milliseconds, limit])
    }

    /// Ends registrations. The devices forget the pushes that were to be taken back, and their open tries are skipped.
    @discardableResult
    private func remove(_ condition: String, _ arguments: [(any StatementArgument)?]) throws -> Int {
        access.forgetPushDevices()
        return try access.change("DELETE FROM push_devices WHERE " + condition, arguments)
    }

    /// Notes the consequence of a push for the device; nothing when it has registered again since.
    package func note(_ change: PushSettlement.DeviceChange) throws {
        let isSame = "id = ? AND registered = ?"
        let same: [(any StatementArgument)?] = [change.device, change.registered.milliseconds]
        switch change.effect {
        case .sent(let time):
            try access.run(
                "UPDATE push_devices SET succeeded = ?, failures = 0, problem = NULL WHERE " + isSame,
                [time.milliseconds] + same)
        case .failed(let problem, let time):
            try access.run(
                "UPDATE push_devices SET failures = failures + 1, problem = coalesce(?, problem) WHERE " + isSame,
                [problem] + same)
            try remove(
                isSame + " AND failures >= ? AND coalesce(succeeded, registered) <= ?",
                same + [
                    PushLimits.failuresMax, time.adding(milliseconds: -PushLimits.failedMilliseconds).milliseconds,
                ])
        case .removed: try remove(isSame, same)
        case .corrected(let environment):
            try access.run(
                "UPDATE push_devices SET environment = ? WHERE " + isSame, [environment.rawValue] + same)
        }
    }
}

extension PushRegistration {
    /// Whether another registration reaches the same device in the same way.
    fileprivate func reaches(like other: PushRegistration) -> Bool {
        platform == other.platform && target == other.target && targetKind == other.targetKind && keys == other.keys
            && topic == other.topic && environment == other.environment
    }
}
