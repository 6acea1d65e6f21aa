import Glibc

/// The program; three lines, for closures made here would be confined to the main actor.
@main
enum Bench {
    static func main() {
        exit(Program.run(Array(CommandLine.arguments.dropFirst())))
    }
}
