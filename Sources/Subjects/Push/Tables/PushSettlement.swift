package import Model

/// Results of the sender, which are noted in one write. Noting them again changes nothing.
///
/// - Confinement: any
package struct PushSettlement: Sendable, Hashable {
    /// Users of a job that are settled.
    package struct Progress: Sendable, Hashable {
        package var job: Int64
        /// The notification that the page was rendered from: ``PushJobEntry/position`` when the job was read.
        package var position: Position
        /// The job's cursor when the page was read. If it is another now, nothing of this job is noted: not this, and none of
        /// the job's tries in the same settlement.
        package var from: StreamID
        package var to: StreamID
        /// Whether the job is over.
        package var isEnded: Bool
        /// Devices of the page that were pushed. First tries (number 1) count here, and later ones count by themselves.
        package var pushed = 0
        /// Devices of the page that were skipped.
        package var skipped = 0
        /// Devices of the page that were given up.
        package var failed = 0
        /// Of a message job the newest message that was decided about. When the chat has newer ones, a job for them is made.
        package var judged: MessageNumber?
        /// Whether the job has more devices than ``PushLimits/triesKeptMax``, so that only some tries are kept.
        package var isLarge = false
        /// Of a withdrawal the devices from which the notification is to be taken back.
        package var gone: [Int64] = []

        package init(_ job: PushJobEntry, to: StreamID, isEnded: Bool) {
            self.job = job.id
            position = job.position
            from = job.cursor
            self.to = to
            self.isEnded = isEnded
        }
    }

    /// The result of one push to one device.
    package struct Try: Sendable, Hashable {
        /// How the job stands for the device after the try.
        package enum Outcome: Sendable, Hashable {
            case sent
            /// It is sent (again) at a time.
            ///
            /// - Parameter variant: a name of `PushVariant`.
            case again(at: Timestamp, variant: String)
            case skipped
            case dropped
            /// It becomes a dead letter with the answer as its reason.
            case dead
            case expired
        }

        package var job: Int64
        package var device: Int64
        /// One more than the attempts that are noted: 1 for the first.
        package var number: Int64
        package var at: Timestamp
        /// Nil when there was no answer.
        package var status: Int?
        /// One line: the answer, or why there was none; for ``Outcome/skipped`` the reason in one word.
        package var answer: String
        package var outcome: Outcome

        package init(
            job: Int64, device: Int64, number: Int64, at: Timestamp, status: Int? = nil, answer: String,
            _ outcome: Outcome
        ) {
            self.job = job
            self.device = device
            self.number = number
            self.at = at
            self.status = status
            self.answer = answer
            self.outcome = outcome
        }
    }

    /// The consequence of an answer for a device. It counts only if one of the settlement's tries or withdrawals of the
    /// device is noted now, or there are none.
    package struct DeviceChange: Sendable, Hashable {
        /// The change of the device's row.
        package enum Effect: Sendable, Hashable {
            /// A push service took a push: the problem is over.
            case sent(at: Timestamp)
            /// - Parameter problem: stored as it is; nil keeps the one that is noted.
            case failed(problem: String?, at: Timestamp)
            case removed(reason: String)
            case corrected(APNsEnvironment)
        }

        package var device: Int64
        /// ``PushDeviceEntry/registered`` when the push was sent: the answer says nothing about a later registration.
        package var registered: Timestamp
        package var effect: Effect

        package init(_ device: PushDeviceEntry, _ effect: Effect) {
            self.device = device.id
            registered = device.registered
            self.effect = effect
        }
    }

    /// Rows of ``PushGoneEntry`` that a device knows now, or that are over.
    package struct Told: Sendable, Hashable {
        package var device: Int64
        package var rows: [Int64]
        /// When the device got a push of its own for them; nil when they went with another push, or are over.
        package var withdrawalAt: Timestamp?

        package init(device: Int64, rows: [Int64], withdrawalAt: Timestamp? = nil) {
            self.device = device
            self.rows = rows
            self.withdrawalAt = withdrawalAt
        }
    }

    package var progress: [Progress] = []
    package var tries: [Try] = []
    package var devices: [DeviceChange] = []
    package var told: [Told] = []

    package init() {}
}
