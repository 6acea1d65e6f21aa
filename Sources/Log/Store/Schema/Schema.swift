package import Log

/// The database's tables, as a list of migrations that is only ever appended to.
///
/// Integers stand for names wherever a row is written per message: a user's number is the number of the stream that is
/// the user's inbox, and the sign of a stream's number says what it is (``StreamID``). Times are milliseconds since
/// 1970, JSON is compact text.
///
/// - Confinement: any
package enum Schema {
    /// In the order in which they are applied; a database remembers the names of those that it has.
    package static let migrations = shipped + TrialMigration.all

    private static let shipped = [
        Migration(
            "1 spine", LogSchema.log, PeopleSchema.people, ChatSchema.chats, NotificationSchema.notifications,
            DocumentSchema.documents),
        Migration("2 expiry", NotificationSchema.expiry),
        Migration("3 revocations", PeopleSchema.revocations),
        Migration("4 retention", LogSchema.retention),
        Migration("5 alerts", NotificationSchema.alerts),
        Migration("6 trigger state", TriggerSchema.triggerState),
        Migration("7 preferences", PeopleSchema.preferences),
        Migration("8 history", TriggerSchema.history),
        Migration("9 webhooks", WebhookSchema.webhooks),
        Migration("10 feeds", FeedSchema.feeds),
        Migration("11 chat streams", ChatSchema.chatStreams),
        Migration("12 history of chains", TriggerSchema.historyOfChains),
        Migration("13 inbox paths", NotificationSchema.inboxPaths),
        Migration("14 numbered entries", ChatSchema.numberedEntries),
        Migration("15 bounds", BoundsSchema.bounds),
        Migration("16 unseen recommendations", ChatSchema.unseenRecommendations),
        Migration("17 throttled subjects", TriggerSchema.throttledSubjects),
        Migration("18 lists of audiences", NotificationSchema.listsOfAudiences),
        Migration("19 clocks of recipients", NotificationSchema.clocksOfRecipients),
        Migration("20 topic kinds of before", TopicKindTable.migration),
        Migration("21 digests that stand", NotificationSchema.standingDigests),
        Migration("22 once across topics", NotificationSchema.onceAcrossTopics),
        Migration("23 push devices", PushSchema.devices),
        Migration("24 push jobs", PushSchema.jobs),
        Migration("25 node", NodeSchema.texts),
        Migration("26 changed messages", ChatSchema.changedMessages),
        Migration("27 audit", AuditSchema.audit),
        Migration("28 restraint", RestraintSchema.restraint),
        Migration("29 rooms", RoomSchema.rooms),
        Migration("30 broadcasts at a time", BroadcastSchema.timed),
        Migration("31 erasure", ErasureSchema.erasures),
        Migration("32 archived notifications", NotificationSchema.archived),
        Migration("33 restraints of those who left", RoomSchema.keptRestraints),
        Migration("34 willing members", RoomSchema.willingMembers),
        Migration("35 kinds of actors", AuditSchema.kinds),
        Migration("36 invitations", RoomSchema.invitations, RoomSchema.asking),
        Migration("37 waiting invitations", RoomSchema.waiting),
        Migration("38 people of broadcasts", BroadcastSchema.people),
        Migration("39 counted keys that go", BoundsSchema.countedKeysThatGo),
        Migration("40 sealed journal", "INSERT INTO meta(name, value) VALUES ('sealed', '1');"),
        Migration("41 kept refusals", "ALTER TABLE keys ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;"),
    ]
}
