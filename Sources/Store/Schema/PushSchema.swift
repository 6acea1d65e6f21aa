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
}
