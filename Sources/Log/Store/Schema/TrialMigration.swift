import Log

/// The migration of the trial of upgrades (`Tests/ClusterTrials/run upgrade`): it makes a program with newer tables. A program
/// has it only when it is built with `-Xswiftc -DTRIAL_MIGRATION`.
///
/// - Confinement: any
enum TrialMigration {
    #if TRIAL_MIGRATION
        /// The rows say at which position a node ran it, and count what was written since: they differ when two nodes ran it at
        /// different places. It takes some tenths of a second, so that a node can be killed in the middle.
        static let all = [
            Migration(
                "trial",
                """
                CREATE TABLE trial(name TEXT PRIMARY KEY, value INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                INSERT INTO trial SELECT 'head', coalesce(max(seq), 0) FROM changes;
                INSERT INTO trial VALUES ('since', 0);
                INSERT INTO trial WITH RECURSIVE slow(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM slow WHERE n < 2000000)
                    SELECT 'slow', max(n) FROM slow;
                ALTER TABLE users ADD COLUMN trial INTEGER NOT NULL DEFAULT 0;
                UPDATE users SET trial = length(name);
                CREATE TRIGGER trial_since AFTER INSERT ON changes BEGIN
                    UPDATE trial SET value = value + 1 WHERE name = 'since';
                END;
                """)
        ]
    #else
        static let all: [Migration] = []
    #endif
}
