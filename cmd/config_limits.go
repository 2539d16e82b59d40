package cmd

import "cmp"

// LimitsConfig holds the process-wide switches of limits. Those that the profile
// sets are empty where they are not written.
type LimitsConfig struct {
	Profile       string `mapstructure:"profile" oneof:"default,aligned,strict" doc:"What the next five are where they are left empty: default (off, sliding, admit, actual, local), aligned (all, fixed, refuse, actual, local) or strict (rejections, sliding, refuse, reserve, refuse, and no limits but those that shared_state allows); setting limits changes the profile and the five at run time unless the profile is written here."`
	Headers       string `mapstructure:"headers" oneof:"off,rejections,all" doc:"X-RateLimit headers about Relay's own limits: off, on rejections, or on all answers; empty: as the profile says; setting limits changes it at run time unless it, or the profile, is written here."`
	KeyWindows    string `mapstructure:"key_windows" oneof:"sliding,fixed" doc:"How limits that stand on relay keys and models count: sliding windows, or fixed ones that begin with the minute and the day in UTC; empty and setting limits likewise."`
	AtCap         string `mapstructure:"at_cap" oneof:"admit,refuse" doc:"Whether a request passes when tokens stand exactly at the amount: admit or refuse; empty and setting limits likewise."`
	Charge        string `mapstructure:"charge" oneof:"actual,reserve" doc:"When tokens count: actual, once the answer has told them; reserve, an estimate before the request is sent, corrected afterwards; empty and setting limits likewise."`
	OnOutage      string `mapstructure:"on_outage" oneof:"local,refuse,allow" doc:"What holds while shared counters cannot be reached: local, each process counts by itself; refuse, 503; allow, nothing is counted; empty and setting limits likewise."`
	DefaultOutput int64  `mapstructure:"default_output_tokens" doc:"Tokens of output that charge reserve books for a request that does not cap its output; 0: such a request is refused; setting limits changes it at run time unless it is written here."`
	Timezone      string `mapstructure:"timezone" doc:"The zone in which days, weeks and months of budgets begin; setting limits changes it likewise."`
	Restart       string `mapstructure:"restart" oneof:"normal,never-over" doc:"What a crash may make limits forget: normal, what was admitted since the last write; never-over, no request, as each waits for the disk before it is sent on; setting limits changes it for the next start."`
}

// SharedStateConfig is about what several processes have in common.
type SharedStateConfig struct {
	AllowLocal bool `mapstructure:"allow_process_local_throttling" doc:"Under limits.profile strict, whether limits may be made that one process counts for itself: true says that there is one Relay on purpose."`
}

// profileSwitches are the five switches that a profile sets.
func profileSwitches(profile string) LimitsConfig {
	switch profile {
	case "aligned":
		return LimitsConfig{Headers: "all", KeyWindows: "fixed", AtCap: "refuse", Charge: "actual", OnOutage: "local"}
	case "strict":
		return LimitsConfig{Headers: "rejections", KeyWindows: "sliding", AtCap: "refuse", Charge: "reserve", OnOutage: "refuse"}
	}
	return LimitsConfig{Headers: "off", KeyWindows: "sliding", AtCap: "admit", Charge: "actual", OnOutage: "local"}
}

const profileKey = "limits.profile"

// profileSwitchKeys are the keys of the five switches that a profile sets.
func profileSwitchKeys() []string {
	return []string{"limits.headers", "limits.key_windows", "limits.at_cap", "limits.charge", "limits.on_outage"}
}

// orElse returns l with the switches of the profile that it leaves empty as they
// are in other.
func (l LimitsConfig) orElse(other LimitsConfig) LimitsConfig {
	l.Headers = cmp.Or(l.Headers, other.Headers)
	l.KeyWindows = cmp.Or(l.KeyWindows, other.KeyWindows)
	l.AtCap = cmp.Or(l.AtCap, other.AtCap)
	l.Charge = cmp.Or(l.Charge, other.Charge)
	l.OnOutage = cmp.Or(l.OnOutage, other.OnOutage)
	return l
}
