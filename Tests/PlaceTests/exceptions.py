"""What stands at fewer places than the rules say, each with its reason."""

# Commands that are no use case of the writer or a reader: loops do them.
COMMANDS_OF_LOOPS = {}

# Commands for which the library for browsers and Node has no function.
WITHOUT_SCRIPT_WORD = {
    "search": "an application asks with request({ type: \"search\", … }), as the demo does",
}

# Commands for which the library for Swift has no function.
WITHOUT_SWIFT_WORD = {
    "ack": "the session of Sources/Device/Session makes it as a type",
    "blocks": "an application asks with request",
    "devices": "an application asks with request",
    "followers": "an application asks with request",
    "hello": "the session of Sources/Device/Session makes it as a type",
    "ping": "the session of Sources/Device/Session makes it as a type",
    "search": "an application asks with request",
}

# Calls that are no GET, and that no node hands to the one that leads.
NOT_HANDED = {
    "backup.make": "a copy on the node that is asked",
    "cluster.step-down": "an effect on the node that is asked",
    "cluster.verify": "an effect on the node that is asked",
    "feed.test": "it writes nothing",
    "push.test": "it writes nothing",
    "trigger.test": "it writes nothing",
}

EVENTS_NOT_SENT = {"drain": "a name that the contract keeps free; the page says so"}

# Settings that other tests than those of ConfigurationTests give a value.
TRIED_ELSEWHERE = {
}

# Groups of settings that are not of `watchwise serve` alone.
GROUPS_ELSEWHERE = {"JournalSettings": "the settings are also options of `watchwise cluster`; ClusterSettings has them for `serve`"}

# Labels of metrics that are made where they are shown.
LABELS = {
    "http_responses_total": "status",
    "build_info": "version, commit, swift, …",
    "byes_total": "code", "retention_last_run_timestamp_seconds": "kind", "retention_overdue_seconds": "kind",
    "retention_removed_total": "kind", "silenced_total": "reason", "trigger_changes_total": "trigger, outcome",
    "trigger_notifications_total": "trigger",
}

# Tables that the tests of use cases try, and no test by their property.
TRIED_ABOVE = {
    "blocks": "ServerTests and ServicesTests block people",
    "entryStreams": "TriggerExecutionTests notify for several topics",
    "personLimits": "ServerTests give people limits of their own",
}
