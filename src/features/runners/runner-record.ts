/** Runners as records. */
import type { Hearth } from '#core/hearth.ts'
import { fullName } from '#features/repos/index.ts'
import { MINUTE } from '#lib/time.ts'
import type { Runner } from './schema.ts'
import { listBusyRunners, type RunnerRow } from './store-runners.ts'

/** A runner that said nothing for so long is offline; they ask for jobs every few seconds. */
const OFFLINE_AFTER_MS = 2 * MINUTE

const SYSTEMS = [
  { os: 'linux', names: /^(linux|ubuntu|debian|fedora|alpine)/ },
  { os: 'macos', names: /^(macos|osx|darwin)/ },
  { os: 'windows', names: /^win/ },
] as const
const PROCESSORS = ['x64', 'amd64', 'arm64', 'arm', 'x86', 'riscv64']

const firstOf = <T>(labels: readonly string[], find: (label: string) => T | undefined): T | null =>
  labels.map(find).find((found) => found !== undefined) ?? null

export function runnerRecords(hearth: Hearth, rows: readonly RunnerRow[]): Runner[] {
  const busy = new Set(
    listBusyRunners(
      hearth.db,
      rows.map(({ id }) => id),
    ),
  )
  const offlineBefore = hearth.clock.now() - OFFLINE_AFTER_MS
  return rows.map((row) => {
    const labels = JSON.parse(row.uuid === null ? row.allowed_labels : row.labels) as string[]
    const isSeen = row.last_seen_at !== null && Date.parse(row.last_seen_at) > offlineBefore
    return {
      id: row.id,
      name: row.name,
      scope: row.repo_id !== null ? 'repository' : row.workspace_id !== null ? 'workspace' : 'site',
      repo: row.repo_id === null ? null : fullName(hearth.db, row.repo_id),
      labels,
      os: firstOf(labels, (label) => SYSTEMS.find(({ names }) => names.test(label))?.os),
      arch: firstOf(labels, (label) => PROCESSORS.find((name) => label === name)),
      version: row.uuid === null ? null : row.version,
      state: busy.has(row.id) ? 'busy' : isSeen ? 'online' : 'offline',
      ephemeral: row.ephemeral === 1,
      accepts_untrusted: row.accepts_untrusted === 1,
      last_seen_at: row.last_seen_at,
      created_at: row.created_at,
    }
  })
}

export function runnerRecord(hearth: Hearth, row: RunnerRow): Runner {
  const [record] = runnerRecords(hearth, [row])
  if (!record) throw new TypeError('a runner has a record')
  return record
}
