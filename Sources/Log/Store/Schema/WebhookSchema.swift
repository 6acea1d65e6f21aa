/// Jobs of webhooks with their endpoints, and dead letters of both kinds under numbers that are never given twice:
/// a retry of one must not hit another.
///
/// `tries` grows with each attempt of a job and with each time it is sent again, and never goes back; `attempts`
/// counts those since it was queued, or replayed. A dead job lives as long as its letter.
///
/// - Confinement: any
enum WebhookSchema {
    static let webhooks = """
        CREATE TABLE webhook_endpoints(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            url TEXT NOT NULL UNIQUE,
            disabled INTEGER,
            failures INTEGER NOT NULL DEFAULT 0,
            tried INTEGER,
            status INTEGER,
            answer TEXT
        ) STRICT;
        CREATE TABLE webhook_jobs(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            trigger TEXT NOT NULL,
            change INTEGER NOT NULL,
            endpoint INTEGER NOT NULL,
            name TEXT NOT NULL,
            path TEXT NOT NULL,
            event TEXT NOT NULL,
            chain TEXT NOT NULL,
            data TEXT NOT NULL,
            at INTEGER NOT NULL,
            state TEXT NOT NULL DEFAULT 'pending',
            due INTEGER NOT NULL,
            attempts INTEGER NOT NULL DEFAULT 0,
            tries INTEGER NOT NULL DEFAULT 0,
            tried INTEGER,
            status INTEGER,
            answer TEXT,
            UNIQUE(trigger, change)
        ) STRICT;
        CREATE INDEX webhook_jobs_due ON webhook_jobs(endpoint, due, id) WHERE state = 'pending';
        CREATE INDEX webhook_jobs_delivered ON webhook_jobs(tried) WHERE state = 'delivered';
        ALTER TABLE schedules ADD COLUMN webhook TEXT;
        CREATE TABLE dead_letters(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            trigger TEXT NOT NULL,
            path TEXT NOT NULL,
            change INTEGER NOT NULL,
            reason TEXT NOT NULL,
            at INTEGER NOT NULL,
            job INTEGER
        ) STRICT;
        INSERT INTO dead_letters(id, trigger, path, change, reason, at)
            SELECT id, trigger, path, change, reason, at FROM dead;
        DROP TABLE dead;
        ALTER TABLE dead_letters RENAME TO dead;
        CREATE INDEX dead_changes ON dead(change) WHERE job IS NULL;
        CREATE INDEX dead_jobs ON dead(job) WHERE job IS NOT NULL;
        CREATE INDEX dead_times ON dead(at) WHERE job IS NOT NULL;
        CREATE TRIGGER dead_job AFTER DELETE ON dead WHEN OLD.job IS NOT NULL BEGIN
            DELETE FROM webhook_jobs WHERE id = OLD.job AND state = 'dead';
        END;
        """
}
