import Foundation

/// A server to be measured, and how to start it.
struct MeasuredSystem {
    let name: String
    let dialect: Dialect
    /// How to start it in a folder of its own.
    let plan: (_ folder: String) throws -> ServedProcess.Plan
    /// Whether it chooses its port; other servers get a free one.
    var choosesPort = true
}

/// The paths of the programs that the suite starts.
struct Programs {
    let watchwise: String
    let floor: String
    /// The folder with the settings and scripts of the peers.
    let peers: String
    let python: String
    var serveArguments: [String] = []

    /// The systems that are available here; for each of the others, a sentence that says why it is not.
    func systems() -> (found: [MeasuredSystem], missing: [(name: String, reason: String)]) {
        var found = [own]
        var missing: [(name: String, reason: String)] = []
        if FileManager.default.isExecutableFile(atPath: floor) {
            found += [bareLoop(Goal.floor, []), bareLoop(Goal.floorInBatches, ["--batches"])]
        } else {
            missing.append((Goal.floor, "there is no \(floor); 'swift build' makes it"))
        }
        for (program, make) in [("nats-server", nats), ("mosquitto", mosquitto)] {
            if let path = Self.find(program) {
                found.append(make(path))
            } else {
                missing.append((program, "it is not installed: apt-get install \(program)"))
            }
        }
        for module in ["socketify", "picows"] {
            if hasModule(module) {
                found.append(script(module))
            } else {
                missing.append((module, "\(python) does not know it: Load/Peers/prepare makes one that does"))
            }
        }
        return (found, missing)
    }

    var own: MeasuredSystem {
        MeasuredSystem(name: "watchwise", dialect: .watchwise) { [watchwise, serveArguments] folder in
            ServedProcess.Plan(
                program: watchwise,
                arguments: {
                    ["serve", "--listen", "127.0.0.1:\($0)", "--data", folder + "/data", "--debug-echo"]
                        + ServedProcess.filmNetwork + serveArguments
                },
                log: folder + "/log")
        }
    }

    /// WatchWise over TLS, with a certificate of its own.
    var ownOverTLS: MeasuredSystem {
        MeasuredSystem(name: "watchwise", dialect: .watchwise) { [watchwise, serveArguments] folder in
            let certificate = try TestCertificate(in: folder)
            return ServedProcess.Plan(
                program: watchwise,
                arguments: {
                    [
                        "serve", "--listen", "127.0.0.1:\($0)", "--data", folder + "/data", "--tls-certificate",
                        certificate.path, "--tls-key", certificate.keyPath,
                    ] + ServedProcess.filmNetwork + serveArguments
                },
                log: folder + "/log", authorities: certificate.path)
        }
    }

    private func bareLoop(_ name: String, _ arguments: [String]) -> MeasuredSystem {
        MeasuredSystem(name: name, dialect: .plain) { [floor] folder in
            ServedProcess.Plan(
                program: floor, arguments: { ["serve", "--port", "\($0)"] + arguments }, log: folder + "/log")
        }
    }

    private func script(_ module: String) -> MeasuredSystem {
        MeasuredSystem(name: module, dialect: .plain) { [python, peers] folder in
            ServedProcess.Plan(
                program: python, arguments: { ["\(peers)/\(module)_server.py", "\($0)"] }, log: folder + "/log")
        }
    }

    private func nats(_ path: String) -> MeasuredSystem {
        let plan: (String) throws -> ServedProcess.Plan = { [peers] folder in
            ServedProcess.Plan(
                program: path,
                arguments: { port in
                    ["-c", Self.settings("\(peers)/nats.conf", port: port, in: folder)]
                },
                log: folder + "/log", saysWhenReady: false)
        }
        return MeasuredSystem(name: "nats", dialect: .nats, plan: plan, choosesPort: false)
    }

    private func mosquitto(_ path: String) -> MeasuredSystem {
        let plan: (String) throws -> ServedProcess.Plan = { [peers] folder in
            ServedProcess.Plan(
                program: path,
                arguments: { port in
                    ["-c", Self.settings("\(peers)/mosquitto.conf", port: port, in: folder)]
                },
                log: folder + "/log", saysWhenReady: false)
        }
        return MeasuredSystem(name: "mosquitto", dialect: .mqtt, plan: plan, choosesPort: false)
    }

    /// A copy of a settings file with the port in it.
    private static func settings(_ path: String, port: Int, in folder: String) -> String {
        let copy = folder + "/settings.conf"
        let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
        let settings = text.replacing("PORT", with: "\(port)").replacing("FOLDER", with: folder)
        try? Terminal.save(settings, to: copy)
        return copy
    }

    private static func find(_ program: String) -> String? {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
        return (path.split(separator: ":").map(String.init) + ["/usr/sbin", "/usr/local/sbin"])
            .map { "\($0)/\(program)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    private func hasModule(_ module: String) -> Bool {
        guard FileManager.default.isExecutableFile(atPath: python) else { return false }
        let asked = Process()
        asked.executableURL = URL(filePath: python)
        asked.arguments = ["-c", "import \(module)"]
        asked.standardError = FileHandle.nullDevice
        guard (try? Remains.own.start(asked)) != nil else { return false }
        asked.waitUntilExit()
        Remains.own.ended(asked)
        return asked.terminationStatus == 0
    }
}
