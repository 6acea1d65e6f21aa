extension Rule {
    static let ownership = [
        Rule(
            name: "no file is empty",
            bad: SourceFile(path: "Sources/Words/Wire/A.swift", text: "// Only a comment.\nimport Model\n"),
            good: SourceFile(path: "Sources/Words/Wire/A.swift", text: "enum Frame {}\n"),
            findings: { file in
                let isEmpty = file.tokens.count <= 2 * file.imports.count
                return isEmpty ? [Finding(file, 1, "there is nothing in this file")] : []
            }
        ),
        Rule(
            name: "no placeholder is left",
            bad: SourceFile(path: "Sources/Words/Wire/Placeholder.swift", text: "enum Frame {}\n"),
            good: SourceFile(path: "Sources/Words/Wire/Frame.swift", text: "enum Frame {}\n"),
            findings: { file in
                let isPlaceholder = file.folders.last?.contains("Placeholder") == true
                return isPlaceholder ? [Finding(file, 1, "a placeholder: its room is built or it is not")] : []
            }
        ),
        Rule(
            name: "every file stands in a room of the house or in the tests of one",
            bad: SourceFile(path: "Sources/Misc/Frame.swift", text: "enum Frame {}\n"),
            good: SourceFile(path: "Tests/Words/WireTests/Frame.swift", text: "enum Frame {}\n"),
            findings: { file in
                let tests = Set(
                    Arrows.current.rooms.map { "\($0.name)Tests" } + [
                        "CommandLineTests", "LoadTests", "ServicesTestSupport", "StoreTestSupport", "TestSupport",
                        "IntegrationTests",
                        "StyleTests", "Fuzz", "FuzzTests", "Simulation", "SimulationTests", "InstructionTests",
                        "SealingTests", "DeviceKills",
                    ]
                )
                let owned =
                    if let room = file.room { Arrows.current[room] != nil } else if file.isTest {
                        file.folders.count > 2 && tests.contains(String(file.folders[1]))
                    } else { file.path == "Package.swift" }
                return owned ? [] : [Finding(file, 1, "no room owns this file")]
            }
        ),
    ]
}
