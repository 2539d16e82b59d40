package store

import (
	"fmt"

	"go.etcd.io/bbolt"
)

// schema is the number of the format that this version reads and writes.
const schema = 1

// checkSchema refuses a database that another version has to open.
func (db *DB) checkSchema(tx *bbolt.Tx) error {
	found, err := readSchema(tx)
	switch {
	case err != nil:
		return err
	case found == schema:
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
