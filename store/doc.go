// Package store keeps Relay's records at rest: their types and the rules each
// must follow, one bbolt file that holds them, and the sealing of secrets. It
// knows nothing of HTTP, and leaves to a Compiler what the records mean.
//
// # The data dir
//
//	relay.db    the database, mode 0600
//	relay.id    the marker: the id of the installation; it tells a new data dir
//	            from one that has lost its database
//	master.key  the master key, unless it is given another way
//	backups/    relay-TIME.db, what BackupTo has made, unless it is told another
//	            folder
//	relay.db.before-restore-TIME
//	            the database that a restore has replaced
//
// # Buckets
//
//	meta      schema, installation, key check, and what the catalog and the
//	          usage bucket hold as a whole
//	KINDS     one bucket for each kind under its plural name: key 16 bytes of
//	          id; value a frame of 8 bytes of generation and the record as JSON
//	secrets   key KIND 0 ID 0 FIELD; value sealed with the master key: host
//	          keys, hashes of passwords, the webhook's secret, and under the
//	          kind token-key what signs inference tokens
//	usage     key 8 bytes of nanoseconds since 1970 and 8 of the event's
//	          number; value an encoded Event, its checksum mixed with that of
//	          the key
//	counters  key the counter's name; value a frame of its state
//	sessions  key SHA-256 of a session's id; value a frame of a Session as JSON
//	tombstones
//	          key KIND 0 NAME 0 KIND OF SOURCE 0 SOURCE; value a frame of a
//	          Tombstone as JSON
//	revoked   key the id of an inference token; value a frame of the seconds
//	          since 1970 until which it is revoked
//	audit     key 8 bytes of nanoseconds since 1970 and 8 of a number; value a
//	          frame of an AuditEntry as JSON
//	shipped   key "shipped"; value a frame of Shipped as JSON
//
// Numbers are big-endian. A frame is a version byte, a CRC-32C over bucket, key
// and payload, and the payload. The digest of all records in meta finds those
// that a damaged page no longer shows.
//
// # What is durable, and when
//
// Write returns when the change is on disk and in use; it is done whole or not
// at all. Usage events are written in batches, each in one transaction with the
// counters that contain them: for any counter of tokens or money, and at any
// moment at which the process may die, what is stored of it equals the sum of
// the events stored. Each event is stored once, also when it is not known
// whether a first try took place. DurableThrough is the time before which all
// events and counters are safe; WaitUsage returns when one event is, and an
// AwaitedSource is told when its counters are. A run that ends without Close is
// told of by UncleanStop when the database is opened next, until the next run.
//
// What is served is what was read back: Write decodes the rows that it is about
// to write and serves these. Damage is refused, never repaired by starting anew.
package store
