package store_test

import (
	"encoding/binary"
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/uuid"
	"go.etcd.io/bbolt"

	"relay/store"
	"relay/store/storetest"
)

// damagedCopy is a closed database whose file is replaced for each try.
type damagedCopy struct {
	options store.Options
	whole   []byte
	catalog *store.Catalog
	events  []store.Event
	counted map[string]uint64
}

func newDamagedCopy(t *testing.T) *damagedCopy {
	o := inDir(newDir(t))
	db, m := mustOpen(t, o), newMeter()
	populate(t, db)
	db.StartUsage(m)
	for i := range 300 {
		e := fullEvent()
		e.At = firstDay.Add(time.Duration(i) * time.Second)
		db.RecordUsage(m.add("counter", 1), e.At, store.AppendEvent(nil, e), 0)
	}
	flush(t, db)
	c := &damagedCopy{options: o, catalog: db.Catalog(), events: events(t, db), counted: m.sums}
	mustClose(t, db)
	c.whole = usedBytes(t, filepath.Join(o.Dir, "relay.db"))
	return c
}

// try puts content in the place of the file, and reports whether the damage was
// found, or else did none.
func (c *damagedCopy) try(t *testing.T, content []byte) (noticed, harmless bool) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(c.options.Dir, "relay.db"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(c.options)
	if err != nil {
		if store.CodeOf(err) != store.CodeDamaged || strings.ContainsAny(err.Error(), "\n\t") ||
			!strings.Contains(err.Error(), "relay.db") || !strings.Contains(err.Error(), "relay restore") {
			t.Errorf("error %q", err)
		}
		return true, false
	}
	defer db.Close()
	if !sameRecords(c.catalog, db.Catalog()) {
		return false, false
	}
	page, _, err := db.Events(store.EventQuery{Limit: store.MaxEventLimit})
	counted, cerr := map[string]uint64{}, error(nil)
	cerr = db.Counters(func(name string, state []byte) error {
		counted[name] = binary.BigEndian.Uint64(state)
		return nil
	})
	harmless = errors.Join(err, cerr) == nil && reflect.DeepEqual(page, c.events) && maps.Equal(counted, c.counted)
	verr := db.Verify(func(string) { noticed = true })
	return noticed || errors.Join(err, cerr, verr) != nil, harmless
}

func sameRecords(a, b *store.Catalog) bool {
	for _, kind := range store.Kinds() {
		if !reflect.DeepEqual(recordsOf(a, kind), recordsOf(b, kind)) {
			return false
		}
	}
	return true
}

// No flipped byte changes what is served without being noticed.
func TestOpen_NoticesFlippedBytes(t *testing.T) {
	c := newDamagedCopy(t)
	random := rand.New(rand.NewPCG(3, 4))
	refused, verified, harmless := 0, 0, 0
	for range 100 {
		content := append([]byte(nil), c.whole...)
		offset := random.IntN(len(content))
		content[offset] ^= byte(1 + random.IntN(255))
		switch noticed, same := c.try(t, content); {
		case noticed && !same:
			refused++
		case noticed:
			verified++
		case same:
			harmless++
		default:
			t.Errorf("a flipped byte at %d passes in silence", offset)
		}
	}
	t.Logf("%d refused, %d found by Verify, %d in free room", refused, verified, harmless)
	if refused < 20 {
		t.Error("too few flips hit anything")
	}
}

func TestOpen_NoticesZeroedAndRandomPages(t *testing.T) {
	c := newDamagedCopy(t)
	random := rand.New(rand.NewPCG(5, 6))
	pages := len(c.whole) / 4096
	for i := range 40 {
		content := append([]byte(nil), c.whole...)
		for range 1 + i%16 {
			page := content[4096*random.IntN(pages):][:4096]
			clear(page)
			for j := range page {
				if i%2 == 1 {
					page[j] = byte(random.Uint32())
				}
			}
		}
		if noticed, same := c.try(t, content); !noticed && !same {
			t.Errorf("round %d passes in silence", i)
		}
	}
}

func TestOpen_NoticesARowThatIsGoneOrStandsForAnother(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	populate(t, db)
	a := db.Catalog().Hosts.ByName("up-1")
	former := rowOf(t, o, db, "hosts", a.Metadata.ID)
	changed := clone(a)
	changed.Metadata.DisplayName = "Changed"
	write(t, db, changed)
	key := string(idBytes(t, a.Metadata.ID))
	mustClose(t, db)

	tamper(t, o.Dir, func(tx *bbolt.Tx) { put(t, tx, "hosts", key, former) })
	wantRefusal(t, o, store.CodeDamaged, "does not match its checksum")
	tamper(t, o.Dir, func(tx *bbolt.Tx) { _ = tx.Bucket([]byte("hosts")).Delete([]byte(key)) })
	wantRefusal(t, o, store.CodeDamaged, "should hold")
	tamper(t, o.Dir, func(tx *bbolt.Tx) { _ = tx.DeleteBucket([]byte("policies")) })
	wantRefusal(t, o, store.CodeDamaged, "bucket policies is missing")
}

// rowOf reads a raw row from a copy of the open database.
func rowOf(t *testing.T, o store.Options, db *store.DB, bucket, id string) (row []byte) {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "copy"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Backup(file), file.Close()); err != nil {
		t.Fatal(err)
	}
	bolt, err := bbolt.Open(file.Name(), 0o600, &bbolt.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer bolt.Close()
	_ = bolt.View(func(tx *bbolt.Tx) error {
		row = append(row, tx.Bucket([]byte(bucket)).Get(idBytes(t, id))...)
		return nil
	})
	return row
}

// A file cut short under the running process is an error, never a crash, and
// does not keep the process from ending.
func TestDB_SurvivesItsFileBeingTruncated(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	populate(t, db)
	db.StartUsage(nil)
	for i := range 2000 {
		e := hourlyEvent(i)
		db.RecordUsage(0, e.At, store.AppendEvent(nil, e), 0)
	}
	flush(t, db)
	before := db.Catalog()
	if err := os.Truncate(filepath.Join(o.Dir, "relay.db"), 4*4096); err != nil {
		t.Fatal(err)
	}
	if _, _, err := db.Events(store.EventQuery{Limit: 1000}); store.CodeOf(err) != store.CodeDamaged {
		t.Errorf("events: %v", err)
	}
	if _, err := db.Write(func(e *store.Edit) error { return e.Put(host("new")) }); store.CodeOf(err) != store.CodeDamaged {
		t.Errorf("write: %v", err)
	}
	if db.Catalog() != before || db.Failure() == nil {
		t.Error("the catalog in memory is gone, or nothing tells of the failure")
	}
	db.RecordUsage(0, firstDay, store.AppendEvent(nil, hourlyEvent(0)), 0)
	if err := db.Close(); err == nil {
		t.Error("closed without a word about the event that is lost")
	}
	wantRefusal(t, o, store.CodeDamaged, "relay.db")
}

func TestBackup_IsAConsistentCopyWithoutTheMasterKey(t *testing.T) {
	o := inDir(newDir(t))
	db := mustOpen(t, o)
	populate(t, db)
	restored := inDir(t.TempDir())
	file, err := os.Create(filepath.Join(restored.Dir, "relay.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(db.Backup(file), file.Close()); err != nil {
		t.Fatal(err)
	}
	raw, _ := os.ReadFile(file.Name())
	if strings.Contains(string(raw), storetest.MasterKey) || strings.Contains(string(raw), "secret-of-") {
		t.Error("the backup holds secrets in clear")
	}
	if entries, _ := os.ReadDir(o.Dir); len(entries) != 2 {
		t.Errorf("left behind: %v", entries)
	}
	copied := mustOpen(t, restored)
	sameCatalog(t, db.Catalog(), copied.Catalog())
	wantValue(t, copied, copied.Catalog().HostKeys.ByName("key-up-3"), "secret-of-up-3-1234567890")

	failing := errors.New("client gone")
	if err := db.Backup(writerFunc(func([]byte) (int, error) { return 0, failing })); !errors.Is(err, failing) {
		t.Errorf("error %v", err)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(b []byte) (int, error) { return f(b) }

func idBytes(t *testing.T, id string) []byte {
	t.Helper()
	parsed, err := uuid.Parse(id)
	if err != nil {
		t.Fatal(err)
	}
	return parsed[:]
}
