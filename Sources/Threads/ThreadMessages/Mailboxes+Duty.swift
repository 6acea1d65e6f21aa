import EventLoop

extension Mailboxes {
    /// Tells the threads that work for all nodes whether this one is to do that: feeds, webhooks and pushes.
    ///
    /// The writer's thread calls it on a member of a cluster: with true when the node leads and its first writes are
    /// committed, with false as soon as it leads no more. On a member the threads begin without the duty.
    package func tellDuty(isOn: Bool) {
        feeds?.post(.duty(isOn: isOn))
        webhooks?.post(.duty(isOn: isOn))
        push?.post(.duty(isOn: isOn))
    }
}
