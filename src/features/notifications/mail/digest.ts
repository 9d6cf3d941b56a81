/** The digest mail: what the agents of a person did since the last one, hourly or daily. */
import { findEvent, type EventRow } from '#core/events.ts'
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs } from '#core/write.ts'
import {
  actorOf,
  deliverMail,
  findUserById,
  MAIL_RETRY_DELAYS,
  sayTo,
  type Say,
} from '#features/accounts/index.ts'
import { eventRecord, fullName, repoById } from '#features/repos/index.ts'
import { DAY, HOUR, timestamp } from '#lib/time.ts'
import { canRead } from '../delivery/visibility.ts'
import {
  listActivity,
  listDigests,
  removeActivity,
  setDigested,
  settingsOf,
} from '../settings/store-settings.ts'
import { unsubscribeUrl } from './unsubscribe-links.ts'

/** Lines for one repository; the rest is a number. */
const MAX_LINES_PER_REPO = 50

/** Events of a fork are listed under its repository, with the same readers. */
const homeOf = (hearth: Hearth, { repo_id }: EventRow): string | null => {
  const repo = repo_id === null ? null : repoById(hearth.db, repo_id)
  return repo && (repo.parent_id ?? repo.id)
}

function sections(hearth: Hearth, user_id: string, ids: readonly string[], say: Say): string[] {
  const rows = ids.flatMap((id) => findEvent(hearth.db, id) ?? [])
  const byRepo = Map.groupBy(rows, (row) => homeOf(hearth, row))
  return [...byRepo].flatMap(([repo_id, events]) => {
    if (repo_id === null || !canRead(hearth, repo_id, user_id)) return []
    const lines = events
      .slice(0, MAX_LINES_PER_REPO)
      .map(
        (event) =>
          `- ${event.time.slice(11, 16)} ${say.sentence(eventRecord(hearth, event).summary)}`,
      )
    const more = events.length - lines.length
    return [
      `${fullName(hearth.db, repo_id)}\n${lines.join('\n')}${more > 0 ? `\n${say('- and {more} more', { more })}` : ''}`,
    ]
  })
}

export const mailDigest = job<{ user_id: string; upto: string }>({
  kind: 'mail_digest',
  queue: 'mail',
  retry: MAIL_RETRY_DELAYS,
  async run({ hearth, id }, { user_id, upto }) {
    const user = findUserById(hearth.db, user_id)
    const ids = listActivity(hearth.db, user_id, upto)
    const wanted =
      user !== null &&
      user.verified_at !== null &&
      user.suspended_at === null &&
      settingsOf(hearth.db, user_id).digest !== 'off'
    const say = sayTo(hearth, user?.email ?? '')
    const parts = wanted ? sections(hearth, user_id, ids, say) : []
    if (wanted && parts.length > 0) {
      const { site_url } = hearth.settings
      const { host, hostname } = new URL(site_url)
      const agents = new Set(
        ids.flatMap(
          (event) => actorOf(hearth, findEvent(hearth.db, event)?.actor_id ?? null)?.username ?? [],
        ),
      )
      await deliverMail(hearth, {
        to: user.email,
        kind: 'digest',
        id: `${id}@${hostname}`,
        subject:
          ids.length === 1
            ? say('What your agents did on {host}: 1 event', { host })
            : say('What your agents did on {host}: {count} events', { host, count: ids.length }),
        list: {
          id: `digest.${hostname}`,
          name: say('What your agents did'),
          url: site_url,
          unsubscribe: unsubscribeUrl(hearth, { user_id, of: 'digest' }),
        },
        text: `${say('{agents} did this since the last digest (times are UTC):', { agents: [...agents].sort().join(', ') })}

${parts.join('\n\n')}

-- 
${say('Get this less often, or not at all:')}
${site_url}/settings/notifications
`,
      })
    }
    await writeAs(hearth, null, (tx) => removeActivity(tx, user_id, upto))
  },
})

/** Enqueues due digests. Events after this point belong to the next digest. */
export const planDigests = job<null>({
  kind: 'plan_digests',
  every: '5m',
  run: ({ hearth }) => {
    const now = hearth.clock.now()
    const due = listDigests(hearth.db, {
      hourly: timestamp(now - HOUR),
      daily: timestamp(now - DAY),
    })
    if (due.length === 0) return
    return writeAs(hearth, null, (tx) => {
      for (const user_id of due) {
        const upto = listActivity(tx.db, user_id, null).at(-1)
        // After a quiet period the next event is mailed within an hour, or a day.
        setDigested(tx, user_id)
        if (upto !== undefined) tx.enqueue(mailDigest, { user_id, upto })
      }
    })
  },
})
