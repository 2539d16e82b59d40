package store

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"
)

const (
	leastTokenTTL  = time.Minute
	leastRetention = time.Hour
	mostRetention  = 100 * 366 * 24 * time.Hour
	maxThresholds  = 16
	maxWebhookURL  = 2000
	mostCount      = 1 << 50
)

func (f *faults) setting(m *Metadata, s *SettingSpec) {
	if m.Name != "" && !slices.Contains(SettingSections(), m.Name) {
		f.add("metadata.name", "must be the name of a section: %s", strings.Join(SettingSections(), ", "))
		return
	}
	f.ownMembers(m.Name, s)
	f.settingRanges(s)
	if m.Name == SettingWebhook {
		f.webhook(s)
	}
}

// ownMembers refuses what belongs to another section.
func (f *faults) ownMembers(section string, s *SettingSpec) {
	v := reflect.ValueOf(s).Elem()
	for i := range v.NumField() {
		field, value := v.Type().Field(i), v.Field(i)
		if value.IsZero() {
			continue
		}
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		sections := strings.Split(field.Tag.Get("section"), ",")
		if !slices.Contains(sections, section) {
			f.add("spec."+name, "belongs to another section: %s", strings.Join(sections, ", "))
		}
	}
}

func (f *faults) settingRanges(s *SettingSpec) {
	f.ttl("spec.defaultTTL", s.DefaultTTL)
	f.ttl("spec.maxTTL", s.MaxTTL)
	if s.MaxTTL != 0 && s.DefaultTTL > s.MaxTTL {
		f.add("spec.defaultTTL", "must not be longer than maxTTL")
	}
	if d := time.Duration(s.Retention); d != 0 && (d < leastRetention || d > mostRetention) {
		f.add("spec.retention", "must be between 1h and 36600d")
	}
	f.setCount("spec.maxBytes", s.MaxBytes)
	f.setCount("spec.maxSize", s.MaxSize)
	f.setCount("spec.defaultOutputTokens", s.DefaultOutputTokens)
	if s.Timezone != "" {
		f.addIf("spec.timezone", checkTimezone(s.Timezone))
	}
}

func (f *faults) setCount(field string, n *int64) {
	if n != nil && (*n < 0 || *n > mostCount) {
		f.add(field, "must be between 0 and %d", int64(mostCount))
	}
}

func checkTimezone(name string) string {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" {
		return "must be a time zone such as UTC or Europe/Berlin"
	}
	return ""
}

func (f *faults) ttl(field string, d Duration) {
	if d != 0 && (time.Duration(d) < leastTokenTTL || time.Duration(d) > mostTokenTTL) {
		f.add(field, "must be between 1m and 24h")
	}
}

func (f *faults) webhook(s *SettingSpec) {
	u, err := url.Parse(s.URL)
	switch {
	case s.URL == "":
	case err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" || u.User != nil || len(s.URL) > maxWebhookURL:
		f.add("spec.url", "must be an http or https URL without credentials")
	default:
		f.addIf("spec.url", checkHostName(u.Hostname()))
	}
	if len(s.Thresholds) > maxThresholds {
		f.add("spec.thresholds", "must be at most %d", maxThresholds)
	}
	for i, share := range s.Thresholds {
		if share <= 0 || share > 10 {
			f.add(item("spec.thresholds", i), "must be a share above 0, such as 0.8")
		}
	}
}
