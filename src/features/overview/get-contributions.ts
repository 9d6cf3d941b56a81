import { publicRead } from '#core/access.ts'
import { operation } from '#core/operation.ts'
import { Type } from '#core/schema.ts'
import { requireUser, Username } from '#features/accounts/index.ts'
import { DAY, timestamp } from '#lib/time.ts'
import { countContributions } from './count-contributions.ts'

/** 53 whole weeks. */
const PERIOD_DAYS = 53 * 7

export const getContributions = operation({
  name: 'get_contributions',
  summary:
    'How much a person did on each day of the last year, in repositories that you can see: pushes, issues, pull requests, reviews, comments, releases and wiki pages.',
  route: null,
  access: publicRead({ scope: 'repo:read' }),
  input: Type.Object({ username: Username }),
  output: Type.Object({
    total: Type.Integer(),
    /** Every day from the first to the last, without gaps. */
    days: Type.Array(Type.Object({ day: Type.String(), count: Type.Integer() })),
  }),

  handler: async ({ hearth, db, caller }, { username }) => {
    const person = requireUser(db, username)
    const today = Math.floor(hearth.clock.now() / DAY) * DAY
    // Weeks start on Monday. The first day of the epoch was a Thursday.
    const weekday = (Math.floor(today / DAY) + 3) % 7
    const first = today - weekday * DAY - (PERIOD_DAYS - 7) * DAY
    const dayOf = (time: number): string => timestamp(time).slice(0, 10)
    const period = { first: dayOf(first), last: dayOf(today) }
    const counts = await countContributions(db, caller, person.id, period)
    const days: { day: string; count: number }[] = []
    for (let at = first; at <= today; at += DAY) {
      const day = dayOf(at)
      days.push({ day, count: counts.get(day) ?? 0 })
    }
    return { total: days.reduce((sum, { count }) => sum + count, 0), days }
  },
})
