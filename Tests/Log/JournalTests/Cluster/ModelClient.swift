import Journal

/// A client with a session on one of the nodes. It gives one command after the other, and repeats one that is not
/// answered, with the same key, on any node.
struct ModelClient {
    var node: Int
    /// Of the newest command.
    var number = 0
    var waiting: ModelCommand?
    /// Grows with each plan of the client; an event of an earlier one is void.
    var round = 0
    /// The answers, by the command's id.
    var answers: [Int: Int] = [:]
    /// Whether it has an answer to a command that it gave after the last fault.
    var isDone = false
    var startedAt = 0

    init(node: Int) { self.node = node }
}

extension Cluster {
    /// The client's time has come: for a new command, or for the same again.
    func act(_ client: Int, _ round: Int) {
        guard clients[client].round == round, !clients[client].isDone else { return }
        if let command = clients[client].waiting {
            var node = dice.below(3)
            // A node that knows that it is cut off sends its sessions away.
            if nodes[node].link == .unreachable { node = (node + 1) % 3 }
            clients[client].node = node
            clients[client].waiting = ModelCommand(id: command.id, register: command.register, origin: node)
        } else {
            clients[client].number += 1
            clients[client].startedAt = now
            clients[client].waiting = ModelCommand(
                id: client * 1000 + clients[client].number, register: dice.below(ModelDatabase.registers),
                origin: clients[client].node)
        }
        if let command = clients[client].waiting, nodes[command.origin].isAlive {
            queue.plan(.command(node: command.origin, command), at: now + dice.below(3))
        }
        plan(client, after: dice.within(600...1200))
    }

    /// The sessions of a node go to the others.
    func moveClients(from node: Int) {
        for client in clients.indices where clients[client].node == node {
            clients[client].node = (node + dice.within(1...2)) % 3
        }
    }

    private func plan(_ client: Int, after milliseconds: Int) {
        clients[client].round += 1
        queue.plan(.client(client, round: clients[client].round), at: now + milliseconds)
    }

    /// The answers of an entry to the sessions of a node.
    func replyAll(_ effects: [ModelEffect], _ node: Int) {
        for effect in effects where effect.command.origin == node { reply(effect.command, effect.result, node) }
    }

    func reply(_ command: ModelCommand, _ result: Int, _ node: Int) {
        let other = command.origin
        guard node == other || !(weather.losesOut(node, &dice) || weather.losesIn(other, &dice)) else { return }
        guard clients[command.client].node == other, nodes[other].isAlive else { return }
        queue.plan(.reply(id: command.id, result: result), at: now + dice.below(4))
    }

    func takeReply(_ id: Int, _ result: Int) {
        let client = id / 1000
        guard clients[client].waiting?.id == id else { return }
        note("client \(client) has the answer to \(id): \(result)")
        clients[client].waiting = nil
        clients[client].answers[id] = result
        if clients[client].startedAt > quietAt { clients[client].isDone = true }
        plan(client, after: dice.below(500))
    }
}
