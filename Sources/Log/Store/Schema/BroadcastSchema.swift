/// Broadcasts that wait for their time.
///
/// - Confinement: any
enum BroadcastSchema {
    /// `due` is when the next of it is to be sent, NULL when nothing waits; `sent` when the newest of it was sent, NULL when
    /// nothing was. `wanted` is the JSON of what it says and of its time; rows of before have none. `seq` is the position of
    /// its newest notification, and `earlier` has those of the others, with a space between: by the recipients' clocks there is one
    /// for each group of time zones. Where there is no notification, `seq` is the position of its write.
    static let timed = """
        ALTER TABLE broadcasts ADD COLUMN due INTEGER;
        ALTER TABLE broadcasts ADD COLUMN sent INTEGER;
        ALTER TABLE broadcasts ADD COLUMN wanted TEXT;
        ALTER TABLE broadcasts ADD COLUMN earlier TEXT;
        UPDATE broadcasts SET sent = at;
        CREATE INDEX broadcasts_due ON broadcasts(due) WHERE due IS NOT NULL;
        CREATE INDEX broadcasts_unwritten ON broadcasts(seq) WHERE audience = 'online' OR sent IS NULL;
        """

    /// Of broadcasts to several audiences. `part` is 1 for an exception; `seq` is a person's notification, `gone` if taken back.
    static let people =
        Migration.table(
            .broadcastPeople,
            """
            broadcast INTEGER NOT NULL, user INTEGER NOT NULL, part INTEGER NOT NULL,
            seq INTEGER, gone INTEGER NOT NULL DEFAULT 0, PRIMARY KEY(broadcast, user)
            """) + "CREATE INDEX broadcast_people_user ON broadcast_people(user);"
}
