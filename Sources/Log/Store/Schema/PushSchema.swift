/// Devices that are pushed.
///
/// - Confinement: any
enum PushSchema {
    /// One registration for each device of a user, and one for each target: a target that another user or device registers
    /// moves there.
    ///
    /// `target_kind` says what `target` is: `endpoint`, `token` or `fid`. `public_key` and `secret` are the device's own keys
    /// for encryption. `server_key` is the public key of the server with which a browser has subscribed. `token_id` and
    /// `token_issued` are the `jti` and the `iat` of the token that registered it.
    static let devices = """
        CREATE TABLE push_devices(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            user INTEGER NOT NULL,
            device TEXT NOT NULL,
            platform TEXT NOT NULL,
            target TEXT NOT NULL,
            target_kind TEXT NOT NULL,
            public_key TEXT,
            secret TEXT,
            topic TEXT,
            environment TEXT,
            privacy TEXT NOT NULL,
            open TEXT,
            language TEXT,
            server_key TEXT,
            token_id TEXT,
            token_issued INTEGER,
            registered INTEGER NOT NULL,
            used INTEGER NOT NULL,
            succeeded INTEGER,
            failures INTEGER NOT NULL DEFAULT 0,
            problem TEXT,
            UNIQUE(platform, target),
            UNIQUE(user, device)
        ) STRICT;
        CREATE INDEX push_devices_used ON push_devices(used);
        CREATE INDEX push_devices_token ON push_devices(token_id) WHERE token_id IS NOT NULL;
        """

    /// Jobs, the tries for each device, and what is to be taken back from the screens of devices.
    ///
    /// `push_jobs.seq` is the notification, or a chat's first message that the job is about, whose number is `chat_from`;
    /// `judged` is the newest message of the chat that the job has decided about. `shared` is 1 where many read the stream.
    /// `large` is 1 where too many devices are pushed to keep a row for each: then only rows that are open or failed stay.
    /// `cursor` is the number of the last user that is settled.
    ///
    /// A row of `push_gone` names a notification by `seq`, or the messages of a `chat`.
    static let jobs = """
        CREATE TABLE push_jobs(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            kind TEXT NOT NULL,
            seq INTEGER NOT NULL,
            stream INTEGER NOT NULL,
            shared INTEGER NOT NULL,
            chat_from INTEGER,
            judged INTEGER,
            level TEXT NOT NULL,
            at INTEGER NOT NULL,
            due INTEGER NOT NULL,
            ends INTEGER NOT NULL,
            previous INTEGER,
            large INTEGER NOT NULL DEFAULT 0,
            cursor INTEGER NOT NULL DEFAULT 0,
            state TEXT NOT NULL DEFAULT 'waiting',
            pushed INTEGER NOT NULL DEFAULT 0,
            skipped INTEGER NOT NULL DEFAULT 0,
            failed INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE INDEX push_jobs_open ON push_jobs(shared, due, id) WHERE state <> 'ended';
        CREATE INDEX push_jobs_ended ON push_jobs(at) WHERE state = 'ended';
        CREATE INDEX push_jobs_ends ON push_jobs(ends) WHERE state <> 'ended';
        CREATE INDEX push_jobs_seq ON push_jobs(seq);
        CREATE INDEX push_jobs_chat ON push_jobs(stream, chat_from) WHERE kind = 'message';
        CREATE UNIQUE INDEX push_jobs_waiting ON push_jobs(stream) WHERE state = 'waiting' AND kind = 'message';
        CREATE TABLE push_tries(
            job INTEGER NOT NULL,
            device INTEGER NOT NULL,
            attempts INTEGER NOT NULL,
            due INTEGER,
            variant TEXT,
            status INTEGER,
            answer TEXT NOT NULL,
            state TEXT NOT NULL,
            at INTEGER NOT NULL,
            PRIMARY KEY(job, device)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX push_tries_open ON push_tries(due) WHERE state = 'open';
        CREATE INDEX push_tries_device ON push_tries(device, state);
        CREATE TABLE push_gone(
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            device INTEGER NOT NULL,
            seq INTEGER,
            chat INTEGER,
            at INTEGER NOT NULL
        ) STRICT;
        CREATE INDEX push_gone_device ON push_gone(device);
        ALTER TABLE push_devices ADD COLUMN withdrawn INTEGER;
        CREATE TRIGGER push_device_removed AFTER DELETE ON push_devices BEGIN
            DELETE FROM push_gone WHERE device = OLD.id;
            UPDATE push_tries SET state = 'skipped', due = NULL, answer = 'no-device'
                WHERE device = OLD.id AND state = 'open';
        END;
        ALTER TABLE dead ADD COLUMN push_job INTEGER;
        ALTER TABLE dead ADD COLUMN device INTEGER;
        CREATE INDEX dead_pushes ON dead(push_job, device) WHERE push_job IS NOT NULL;
        """
}
