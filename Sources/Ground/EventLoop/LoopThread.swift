import CUV
import Glibc
import Synchronization

/// An OS thread that runs one loop; or, on a ``LoopStage``, a loop that the owner of the stage turns.
/// - Confinement: any
package final class LoopThread: Sendable {
    /// Stack of a loop thread: loop code is shallow, parsers are bounded in depth, SQLite asks for little.
    package static let stackBytesDefault = 2 << 20

    private enum Order: Sendable { case stop }

    private let orders: Mailbox<Order>
    /// The thread, until it was joined. Protected by its lock.
    private let thread: Mutex<pthread_t?>

    private init(thread: pthread_t?, orders: Mailbox<Order>) {
        self.thread = Mutex(thread)
        self.orders = orders
    }

    /// Starts a thread with a loop, waits for its setup, then lets it run until it is stopped.
    /// - Parameters:
    ///   - name: shown by `top -H` and debuggers; the kernel keeps 15 bytes.
    ///   - stackBytes: The size of the thread's stack.
    ///   - stage: Holds the loop instead of a thread.
    ///   - setup: Runs on the new thread before the loop: it makes the objects on the loop and returns what other
    ///     threads need, for example mailboxes.
    /// - Returns: the thread, and the result of `setup`.
    /// - Throws: the error of `setup`, after the thread has ended; `UVError` when there is no thread or descriptor.
    package static func start<Output: Sendable>(
        named name: String,
        stackBytes: Int = stackBytesDefault,
        on stage: LoopStage? = nil,
        setup: @escaping @Sendable (Loop) throws -> Output
    ) throws -> (thread: LoopThread, output: Output) {
        if let stage {
            let loop = try stage.makeLoop()
            let orders = try Mailbox<Order>(on: loop) { [unowned loop] _ in loop.stop() }
            return (LoopThread(thread: nil, orders: orders), try setup(loop))
        }
        let started = StartSlot<(Mailbox<Order>, Output)>()
        let thread = try spawn(stackBytes: stackBytes) {
            let shortName = String(decoding: name.utf8.prefix(15), as: UTF8.self)
            unsafe _ = pthread_setname_np(pthread_self(), shortName)
            let loop: Loop
            do {
                loop = try Loop()
            } catch {
                return started.fill(.failure(error))
            }
            do {
                let orders = try Mailbox<Order>(on: loop) { [unowned loop] _ in loop.stop() }
                started.fill(.success((orders, try setup(loop))))
            } catch {
                loop.stop()
                loop.run()
                return started.fill(.failure(error))
            }
            loop.run()
        }
        do {
            let (orders, output) = try started.wait()
            return (LoopThread(thread: thread, orders: orders), output)
        } catch {
            pthread_join(thread, nil)
            throw error
        }
    }

    /// Starts a thread whose setup returns nothing.
    package static func start(
        named name: String,
        setup: @escaping @Sendable (Loop) throws -> Void
    ) throws -> LoopThread {
        try start(named: name, stackBytes: stackBytesDefault, setup: setup).thread
    }

    /// Ends the loop, as `Loop.stop()`; on any thread, returns at once.
    package func stop() {
        orders.post(.stop)
    }

    /// Waits until the thread has ended; it must have been stopped, here or by its own work.
    package func join() {
        let joined = thread.withLock { thread in
            defer { thread = nil }
            return thread
        }
        if let joined { pthread_join(joined, nil) }
    }

    /// Runs a function on a new thread.
    private static func spawn(stackBytes: Int, _ body: @escaping @Sendable () -> Void) throws(UVError) -> pthread_t {
        var attributes = pthread_attr_t()
        unsafe pthread_attr_init(&attributes)
        defer { unsafe pthread_attr_destroy(&attributes) }
        unsafe pthread_attr_setstacksize(&attributes, stackBytes)
        let argument = unsafe Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
        var thread = pthread_t()
        let result = unsafe pthread_create(
            &thread,
            &attributes,
            { argument in
                guard let argument = unsafe argument else { return nil }
                unsafe Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            },
            argument
        )
        if result != 0 {
            unsafe Unmanaged<ThreadBody>.fromOpaque(argument).release()
            throw UVError(errno: result)
        }
        return thread
    }
}

/// A closure as a C argument.
/// - Confinement: any
private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) {
        self.run = run
    }
}

/// The result of a new thread's setup, for which its maker waits; set once.
/// - Confinement: any
@safe
private final class StartSlot<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)
    /// The kernel's semaphore may be shared by threads.
    private nonisolated(unsafe) let filled: UnsafeMutablePointer<sem_t>

    init() {
        unsafe filled = .allocate(capacity: 1)
        unsafe sem_init(filled, 0, 0)
    }

    deinit {
        unsafe sem_destroy(filled)
        unsafe filled.deallocate()
    }

    func fill(_ value: Result<Value, any Error>) {
        result.withLock { $0 = value }
        unsafe sem_post(filled)
    }

    func wait() throws -> Value {
        while true {
            if let result = result.withLock({ $0 }) { return try result.get() }
            unsafe sem_wait(filled)
        }
    }
}
