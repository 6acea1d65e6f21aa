"""The damages: each does something to files or to the stream, and says what it did. The trial waits for calm afterwards."""

from databasedamages import DatabaseDamages
from entrydamages import EntryDamages
from faults import Fault
from streamdamages import StreamDamages


class Damages(EntryDamages, StreamDamages, DatabaseDamages):
    def all(self):
        """Where NATS or the nodes can mend it by themselves, writes stand for an election at most; else until the nodes are
        sure (15 s), and an operator has made the journal again."""
        by_itself, by_hand = 35, 120
        return [
            Fault("a bit of an entry, on the journal's leader", self.bit_on_leader, 10, by_itself),
            Fault("a bit of an entry, on a journal follower", self.bit_on_follower, 10, by_itself),
            Fault("a bit of an old entry, on the journal's leader", self.old_bit_on_leader, 10, by_itself),
            Fault("a bit of an old entry, on two servers", self.old_bit_on_two, 10, by_itself),
            Fault("a bit of an old entry's length, on two servers", self.old_length_on_two, 10, by_hand),
            Fault("a bit of an entry, on two servers", self.bit_on_two, 10, by_hand),
            Fault("a bit of an entry's length, on a journal follower", self.length_on_follower, 10, by_hand),
            Fault("a bit of an entry's length, on the journal's leader", self.length_on_leader, 10, by_hand),
            Fault("a bit of an entry's length, on two servers", self.length_on_two, 30, by_hand),
            Fault("a bit of the stream's Raft log", self.bit_of_raft, 10, by_hand),
            Fault("the Raft snapshot of the stream cut short", self.short_snapshot, 10, by_hand),
            Fault("the Raft snapshot of all streams cut short", self.short_meta_snapshot, 10, by_hand),
            Fault("the stream's index and description cut short", self.short_files, 10, by_hand),
            Fault("a server's folder emptied", self.empty_one, 10, by_itself),
            Fault("the folder of the journal's leader emptied", self.empty_leader, 10, by_itself),
            Fault("an entry is deleted by hand", self.delete_entry, 1, by_itself),
            Fault("the stream is purged while a node is away", self.purge, 1, by_itself),
            Fault("the stream is full while a node is frozen", self.full_stream, 1, by_itself),
            Fault("the stream is deleted", self.delete_stream, 30, by_hand),
            Fault("the stream is deleted and made again by hand", self.remake_stream, 40, by_hand),
            Fault("all folders of the journal emptied", self.empty_all, 30, by_hand),
            Fault("a bit of a row in a node's database", self.bit_of_row, 1, by_itself),
            Fault("a bit of a page's head in a node's database", self.bit_of_page, 1, by_itself),
            Fault("a bit of a row in the leading node's database", self.bit_of_leaders_row, 5, by_itself),
            Fault("a node's log file cut short", self.short_wal, 1, by_itself),
        ]
