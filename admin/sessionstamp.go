package admin

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"

	"relay/store"
)

// stampOf recognises what a user is and may do. A session keeps the stamp of
// its sign-in and ends with it: a change of the user, of its password or of its
// roles signs it out.
func stampOf(c *store.Catalog, user *store.User) string {
	var parts []string
	for _, g := range c.AccessOfUser(user).Grants() {
		parts = append(parts, fmt.Sprintf("%s %d %s %s", g.Role.Metadata.ID, g.Role.Metadata.Generation, g.Scope.Kind, g.Scope.ID))
	}
	slices.Sort(parts)
	text := fmt.Sprintf("%s %d\n%s", user.Metadata.ID, user.Metadata.Generation, strings.Join(slices.Compact(parts), "\n"))
	sum := sha256.Sum256([]byte(text))
	return base64.RawURLEncoding.EncodeToString(sum[:12])
}
