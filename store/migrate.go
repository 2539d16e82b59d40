package store

import (
	"context"
	"fmt"
	"math"
	"slices"

	"go.etcd.io/bbolt"
)

// schema is the number of the format that this version reads and writes.
//
//	1  as it began
//	2  users, groups, roles, role bindings, admin tokens, settings; sessions,
//	   revocations, the audit log
//	3  tombstones, the texts of the shipped catalogue
const schema = 3

// migrations bring a database from each schema to the next, the first from 1.
func migrations() []func(tx *bbolt.Tx) error {
	return []func(tx *bbolt.Tx) error{
		func(tx *bbolt.Tx) error { return addBuckets(tx, bucketsOf(2)) },
		func(tx *bbolt.Tx) error { return addBuckets(tx, []string{tombstonesBucket, shippedBucket}) },
	}
}

// bucketsOf lists the buckets that a database of the schema holds.
func bucketsOf(number int) []string {
	switch {
	case number >= schema:
		return bucketNames()
	case number == 2:
		return slices.DeleteFunc(bucketNames(), func(name string) bool { return name == tombstonesBucket || name == shippedBucket })
	}
	return append(pluralsOf(
		KindProvider, KindModel, KindHost, KindPricing, KindHostBinding, KindHostAccount, KindHostKey, KindRateLimit, KindPolicy,
		KindOrganization, KindTeam, KindProject, KindServiceAccount, KindPolicyBinding, KindRelayKey,
	), metaBucket, secretsBucket, usageBucket, countersBucket)
}

func addBuckets(tx *bbolt.Tx, names []string) error {
	for _, name := range names {
		if _, err := tx.CreateBucketIfNotExists([]byte(name)); err != nil {
			return err
		}
	}
	return nil
}

// checkSchema refuses a database that another version has to open.
func (db *DB) checkSchema(tx *bbolt.Tx) error {
	found, err := readSchema(tx)
	switch {
	case err != nil:
		return err
	case found >= 1 && found <= schema:
		return nil
	case found > schema:
		return &Error{
			Code: CodeDamaged,
			Message: fmt.Sprintf("%s was written by a newer version of Relay (schema %d, this one reads %d) and has been left as it is: install that version, or restore a backup made before the upgrade",
				db.called(), found, schema),
		}
	}
	return fmt.Errorf("it has the schema %d, which has never existed", found)
}

// upgrade brings a database of an older schema to the present one, in one
// transaction and after a backup.
func (db *DB) upgrade(found int) error {
	if found == schema {
		return nil
	}
	made, err := db.BackupTo(context.Background(), db.options.BackupDir, math.MaxInt)
	if err != nil {
		return err
	}
	err = db.update("upgrade the database", func(tx *bbolt.Tx) error {
		for _, step := range migrations()[found-1:] {
			if err := step(tx); err != nil {
				return err
			}
		}
		return putMeta(tx, metaSchema, schema)
	})
	if err != nil {
		return err
	}
	db.log.Info().Int("from", found).Int("to", schema).Str("backup", made.Path).Msg("database upgraded")
	return nil
}
