package limitertest

import (
	"time"

	"relay/limiter"
)

// budget knows the date on which its period began, as a number like 20261130,
// and begins anew when a local date belongs to a later period.
type budget struct {
	period string
	zone   *time.Location
	begun  int
	spent  int64
}

func zoneOf(name string) *time.Location {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return time.UTC
	}
	return zone
}

// begins returns the date on which the period of a moment begins; always the
// same where there is one period for ever.
func (c *budget) begins(wall int64) int {
	at := time.Unix(0, wall).In(c.zone)
	switch c.period {
	case limiter.PeriodDay:
	case limiter.PeriodWeek:
		for at.Weekday() != time.Monday {
			at = time.Date(at.Year(), at.Month(), at.Day()-1, 12, 0, 0, 0, time.UTC)
		}
	case limiter.PeriodMonth:
		return at.Year()*10000 + int(at.Month())*100 + 1
	default:
		return 1
	}
	return at.Year()*10000 + int(at.Month())*100 + at.Day()
}

func (c *budget) stands(now limiter.Instant, _ int64) int64 {
	if c.begins(now.Wall) > c.begun {
		return 0
	}
	return c.spent
}

func (c *budget) charge(now limiter.Instant, _, n int64) int64 {
	if begins := c.begins(now.Wall); begins > c.begun {
		c.begun, c.spent = begins, 0
	}
	c.spent = add(c.spent, n)
	return 0
}

func (c *budget) cancel(int64) {}
func (c *budget) release()     {}

// wait looks for the end of the period in the next hundred days, which is
// right where no local date comes twice.
func (c *budget) wait(now limiter.Instant, target, amount int64) time.Duration {
	if c.period == limiter.PeriodTotal {
		return -1
	}
	return search(c, now, target, amount, int64(100*24*time.Hour))
}

// resets returns when the period that is full ends, in Unix nanoseconds.
func (c *budget) resets(now limiter.Instant) int64 {
	if c.period == limiter.PeriodTotal {
		return 0
	}
	return now.Wall + int64(c.wait(now, 0, 0))
}

func (c *budget) clone() counter { clone := *c; return &clone }
func (c *budget) append(text []byte) []byte {
	return numbers(text, int64(c.begun), c.spent)
}
