// Package limiter counts requests, tokens, leases and money, and says whether
// one more request may pass.
//
// # What there is
//
// A Rule is what a person writes: a cap on one meter over one window by one
// strategy. A Registry holds a Counter for every rule and subject, by Name, and
// outlives the plans that are compiled from the rules; a Limit binds a Counter
// to the amount that caps it now. A request puts the limits that apply to it on
// a Ticket, with an estimate of its tokens where a limit books them, and takes
// it through a Limiter: Reserve before the upstream is called, then exactly one
// of Commit (it has ended), Release (it may have arrived, and another attempt
// follows) and Cancel (it cannot have arrived). Memory is the Limiter inside one
// process. A Clock tells the time. A Split gives every value that callers
// choose, an end user or an address, counters of its own, for a bounded number
// of values.
//
// # What it promises
//
//   - A reserve is one atomic step over all limits of the ticket, budgets
//     included. One limit without room refuses the request and leaves every
//     count as it was.
//   - Whoever waits Refusal.Wait, and is alone, is admitted; before that a rule
//     over time has no room. A concurrency rule cannot know and says a second.
//   - sliding-window never lets more than its amount through in any span of one
//     window, and refuses nothing that an exact log over 61/60 of the window
//     would admit. It is a ring of 61 slots of a sixtieth of the window each.
//     Tokens run in the same ring. A wait may so be up to 61/60 of the window.
//   - fixed-window and aligned start over at every multiple of the window since
//     the Unix epoch, by V: across a boundary up to twice the amount passes.
//     Once a wall clock was set back V stays ahead of it by that step, and so
//     do the boundaries.
//   - token-bucket and leaky-bucket are exact: integers, no drift. They run at
//     the amount of the plan that asks, so an edit takes effect at once, from
//     the last charge on; a lowered amount caps what is in the bucket.
//   - Leases go back exactly once, by ticket; a gauge never falls below zero.
//     A cancelled request is given back by token-bucket, leaky-bucket and
//     session-window, where its session still runs; a session whose requests
//     were all cancelled never began.
//   - A limit with Reserve holds before the call: what is counted and what is
//     booked are never above its amount together by a reserve. What was used
//     corrects a booking once: what is too much leaves the slot or window in
//     which it was booked, also where others have counted there since, and what
//     is too little is added when the request ends. Where that slot or window
//     has aged out, so has the booking, and only what is above it is added. A
//     cancelled or released request takes its booking back, one of unknown usage
//     leaves it. Whose booking is above the amount is refused without a wait.
//   - A budget resets when a charge or a request comes after its calendar
//     period has ended, in its own time zone, daylight saving included. A wall
//     clock that is set back does not bring an earlier period back.
//   - Commits are numbered from 1 without gaps, and a snapshot says up to which
//     number it goes: it holds exactly those commits, and what open requests
//     have booked. After a crash nobody corrects these: they age out.
//   - Reserves are numbered, too. AwaitKept returns once a snapshot that holds a
//     reserve is on disk, and with it all that was counted before: a request
//     that waits for it before it is sent on is not forgotten by a crash.
//   - Editing an amount keeps the count. Editing meter, strategy or window
//     makes another name, thus a fresh count.
//   - A count that could still refuse somebody is never forgotten: Sweep drops
//     a state that has been idle for two windows, and a counter only when, in
//     addition, no plan and no open ticket refers to it. A total budget without
//     a plan stays for 366 days after its last charge. So switching a policy
//     off and on is no way around its limits. A request that still runs under
//     an old plan, whose idle counter was forgotten, finds the present one.
//   - A value of a Split is pushed out only when nothing is left of what it was
//     counted for.
//   - Counts stop at the largest int64; negative usage and estimates count 0.
//
// One mutex guards all counters and is held for arithmetic alone: no I/O, no
// clock reading, and no allocation but the first charge of a ring. A counter
// with its ring takes some 500 bytes, however much it counts.
//
// # What it is not
//
// It knows no HTTP, no files and no plans: who a request belongs to, which
// limits apply, and what a refusal looks like to the caller is decided
// elsewhere. It queues nothing. Amounts hold for one process.
package limiter
