import Model

// Replies, tallies, and bytes that may stand among the arguments already.
extension [UInt8] {
    /// 0 and the bytes, or 1 and the place of an argument with the same bytes.
    mutating func append(bytes: [UInt8], of statements: StatementRecord) {
        if let reference = statements.find(text: bytes) {
            append(1)
            append(reference: reference)
        } else {
            append(0)
            append(count: bytes.count)
            append(contentsOf: bytes)
        }
    }

    mutating func append(reply: JournalReply, of statements: StatementRecord) {
        append(text: reply.node)
        append(varint: reply.ticket)
        append(count: reply.stepCount)
        switch reply.outcome {
        case .answer(let json, let version):
            append(version == nil ? 0 : 2)
            if let version { append(signed: version) }
            append(bytes: json, of: statements)
        case .refusal(let json):
            append(1)
            append(bytes: json, of: statements)
        }
    }

    mutating func append(tally: WebhookTally) {
        for count in [tally.queued, tally.delivered, tally.failed, tally.dead, tally.disabled] { append(count: count) }
        append(isTrue: tally.isTouched)
    }

    mutating func append(tally: PushTally) {
        for count in [tally.queued, tally.pushed, tally.skipped, tally.failed, tally.dead, tally.gone] {
            append(count: count)
        }
        append(isTrue: tally.isTouched)
    }
}

extension FieldReader {
    mutating func position(_ field: String) throws(JournalProblem) -> Position {
        let value = try varint(field)
        guard value < UInt64(Position.bound) else { throw .value(field: field) }
        return Position(Int64(value))
    }

    mutating func bytes(_ field: String, of statements: StatementList) throws(JournalProblem) -> [UInt8] {
        switch try byte(field) {
        case 0: return Array(bytes[try range(field)])
        case 1:
            guard let bytes = statements.bytes(of: try reference(field)) else {
                throw .value(field: field + "'s reference")
            }
            return bytes
        default: throw .value(field: field)
        }
    }

    mutating func reply(of statements: StatementList, steps: Int) throws(JournalProblem) -> JournalReply {
        let node = try text("reply's node")
        let ticket = try varint("reply's ticket")
        let stepCount = try count("reply's steps")
        guard stepCount <= steps else { throw .value(field: "reply's steps") }
        let outcome: JournalReply.Outcome
        switch try byte("reply's outcome") {
        case 0: outcome = .answer(try bytes("reply", of: statements))
        case 1: outcome = .refusal(try bytes("reply", of: statements))
        case 2:
            let version = try signed("reply's version")
            outcome = .answer(try bytes("reply", of: statements), version: version)
        default: throw .value(field: "reply's outcome")
        }
        return JournalReply(node: node, ticket: ticket, stepCount: stepCount, outcome: outcome)
    }

    mutating func webhookTally() throws(JournalProblem) -> WebhookTally {
        var tally = WebhookTally()
        tally.queued = try count("webhooks queued")
        tally.delivered = try count("webhooks delivered")
        tally.failed = try count("webhooks failed")
        tally.dead = try count("webhooks dead")
        tally.disabled = try count("webhooks disabled")
        tally.isTouched = try isTrue("webhooks touched")
        return tally
    }

    mutating func pushTally() throws(JournalProblem) -> PushTally {
        var tally = PushTally()
        tally.queued = try count("pushes queued")
        tally.pushed = try count("pushes pushed")
        tally.skipped = try count("pushes skipped")
        tally.failed = try count("pushes failed")
        tally.dead = try count("pushes dead")
        tally.gone = try count("pushes gone")
        tally.isTouched = try isTrue("pushes touched")
        return tally
    }
}
