/** The status of the installation, from core and from the conditions that features report. */
import { statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { conditions, type Condition } from '#core/gauges.ts'
import type { Hearth } from '#core/hearth.ts'
import { countJobs } from '#core/jobs.ts'
import { timestamp } from '#lib/time.ts'
import { mailFailure } from '#features/accounts/index.ts'
import { diagnoseMailError } from './diagnose-mail-error.ts'
import type { SiteStatus } from './schema.ts'
import { countAll, lastMigration } from './store.ts'

const fileBytes = (path: string): number => {
  try {
    return statSync(path).size
  } catch {
    return 0
  }
}

function readDiskSpace({ data }: Hearth['settings']): { free_bytes: number; size_bytes: number } {
  try {
    const { bavail, blocks, bsize } = statfsSync(data)
    return { free_bytes: bavail * bsize, size_bytes: blocks * bsize }
  } catch {
    return { free_bytes: 0, size_bytes: 0 }
  }
}

function countQueues(hearth: Hearth): SiteStatus['queues'] {
  const queues = new Map<string, SiteStatus['queues'][number]>()
  for (const { kind, state, count } of countJobs(hearth.db)) {
    const queue = queues.get(kind) ?? {
      kind,
      waiting: 0,
      running: 0,
      failed: 0,
      every: hearth.jobs.intervalOf(kind),
    }
    queues.set(kind, { ...queue, [state]: count })
  }
  return [...queues.values()]
}

/**
 * Collects the conditions of all features. One that throws is reported as failing and does not hide
 * the others.
 */
async function collectConditions(hearth: Hearth): Promise<Condition[]> {
  const said = await Promise.all(
    conditions.all(hearth).map(async (ask): Promise<Condition | null> => {
      try {
        return await ask(hearth)
      } catch (error) {
        hearth.log.error('a part of the site could not say how it is', { error })
        return {
          name: ask.name || 'part',
          state: 'failing',
          detail: 'It could not be asked; the log says why.',
          href: null,
        }
      }
    }),
  )
  return said.filter((one) => one !== null)
}

export async function collectSiteStatus(hearth: Hearth): Promise<SiteStatus> {
  const { settings, db } = hearth
  const said = await collectConditions(hearth)
  const backups = said.find(({ name }) => name === 'backups')
  const disk = readDiskSpace(settings)
  const jobs = countQueues(hearth)
  const { packs, reads } = hearth.git.load()
  const failed = jobs.reduce((sum, queue) => sum + queue.failed, 0)
  return {
    version: settings.version,
    update_available: null,
    site_url: settings.site_url,
    time: timestamp(hearth.clock.now()),
    uptime_seconds: Math.round(process.uptime()),
    memory_bytes: process.memoryUsage.rss(),
    database: {
      bytes: fileBytes(join(settings.data, 'hearth.db')),
      wal_bytes: fileBytes(join(settings.data, 'hearth.db-wal')),
      migration: lastMigration(db),
    },
    disk: { ...disk, writable: disk.free_bytes >= settings.limits.disk_reserve },
    queues: jobs,
    git: { running: packs.running + reads.running, waiting: packs.waiting + reads.waiting },
    backups: backups ? { state: backups.state, detail: backups.detail } : null,
    counts: countAll(db),
    conditions: [
      ...said,
      {
        name: 'jobs',
        state: failed === 0 ? 'ok' : 'attention',
        href: '/admin/jobs?state=failed',
        detail:
          failed === 0
            ? 'No background job has failed for good.'
            : failed === 1
              ? 'A background job has failed for good and waits for you.'
              : `${failed} background jobs have failed for good and wait for you.`,
      },
    ],
  }
}

/** The state of mail: its settings and the result of the last message. */
export function mailCondition(hearth: Hearth): Condition {
  const { mail, data } = hearth.settings
  const failure = mailFailure(hearth)
  const condition = { name: 'mail', href: '/admin/mail' }
  if (failure !== null) {
    const server = mail === null ? 'the outbox' : new URL(mail.url).host
    return {
      ...condition,
      state: 'failing',
      detail: `Nothing has left since ${timestamp(failure.since).slice(0, 16).replace('T', ' ')} UTC. ${diagnoseMailError(failure.error, server)} What waits is tried again by itself.`,
    }
  }
  if (mail === null)
    return {
      ...condition,
      state: 'attention',
      detail: `No mail server is set (mail.url): messages are written to ${join(data, 'outbox')}.`,
    }
  return {
    ...condition,
    state: 'ok',
    detail: `Mail goes through ${new URL(mail.url).host} as ${mail.from}.`,
  }
}

/** How connections to the site are encrypted. */
export const tlsCondition = ({ settings: { tls, site_url } }: Hearth): Condition => ({
  name: 'encryption',
  href: null,
  ...(tls !== null
    ? {
        state: 'ok' as const,
        detail: `Connections are encrypted here, with ${tls.kind === 'acme' ? `certificates that are fetched for ${tls.domains.join(', ')}` : 'the certificate of tls.certificate'}.`,
      }
    : site_url.startsWith('https:')
      ? { state: 'ok' as const, detail: 'The public address is https: a proxy in front encrypts.' }
      : {
          state: 'attention' as const,
          detail: 'The public address is http: passwords and tokens are sent unencrypted.',
        }),
})
