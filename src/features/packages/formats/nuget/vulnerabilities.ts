/**
 * What `dotnet restore` and `dotnet list package --vulnerable` compare with: all advisories, in two
 * pages. What was imported is the same for all workspaces and may be large, so it is rendered in
 * slices and kept until the next import. What the workspace published is read for each request.
 */
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { Hearth } from '#core/hearth.ts'
import { cache, service } from '#core/service.ts'
import { packageAdvisories, type PackageAdvisory } from '#features/repos/index.ts'
import { intervalsOf, nugetRange } from '#lib/advisories/intervals.ts'
import { sha256 } from '#lib/hash.ts'
import { timestamp } from '#lib/time.ts'
import { nextTurn } from '#lib/waiting.ts'
import type { DoorRequest } from '../../door/door-request.ts'
import { jsonResponse } from '../../door/door-response.ts'
import { sizeOfDocument, type PackageDocument } from '../../documents.ts'
import { workspaceIdOf } from '../audits.ts'
import { addressOf } from './documents.ts'

/** https://learn.microsoft.com/nuget/api/vulnerability-info */
const SEVERITIES = { low: 0, medium: 1, high: 2, critical: 3 } as const
const UNKNOWN_SEVERITY = 1

const NEVER = '2000-01-01T00:00:00.000Z'

/** Names of one slice, whose advisories are read in a few milliseconds. */
const NAMES_PER_SLICE = 200
/** A page holds no more: the advisories of the whole world for NuGet have less than 2 MiB. */
const MAX_PAGE_BYTES = 16 * 1024 ** 2
const MAX_CACHED_BYTES = 32 * 1024 ** 2

const gzipInThread = promisify(gzip)

const pages = cache<PackageDocument>('nuget-vulnerabilities', {
  maxSize: MAX_CACHED_BYTES,
  sizeOf: sizeOfDocument,
})

/** Pages that are being rendered, by their revision: callers at the same time share one. */
const rendering = service(
  'nuget-vulnerabilities-rendering',
  () => new Map<string, Promise<PackageDocument>>(),
)

/** The state of all sources. */
function stateOf(hearth: Hearth): { revision: string; updated_at: string } {
  const states = packageAdvisories.all(hearth).map(({ state }) => state(hearth.db))
  return {
    revision: states.map(({ revision }) => revision).join(' '),
    updated_at:
      states
        .map(({ updated_at }) => updated_at ?? NEVER)
        .sort()
        .at(-1) ?? NEVER,
  }
}

/** Both pages. Clients read the second one again whenever they read this. */
export function vulnerabilityIndex(hearth: Hearth, door: DoorRequest): Response {
  const base = `${addressOf(hearth.settings.site_url, door.workspace)}/v3/vulnerabilities`
  const { updated_at } = stateOf(hearth)
  return jsonResponse([
    {
      '@name': 'base',
      '@id': `${base}/base.json`,
      '@updated': updated_at,
      comment: 'All advisories that were imported.',
    },
    {
      '@name': 'published',
      '@id': `${base}/published.json`,
      // It also changes when an advisory is withdrawn or a repository made private.
      '@updated': timestamp(hearth.clock.now()),
      comment: 'The advisories that this workspace published.',
    },
  ])
}

const entriesOf = ({ id, url, severity, affected }: PackageAdvisory): unknown[] =>
  intervalsOf('nuget', affected).map((interval) => ({
    url: url ?? `https://osv.dev/vulnerability/${id}`,
    severity: severity === null ? UNKNOWN_SEVERITY : SEVERITIES[severity],
    versions: nugetRange(interval),
  }))

/** The members of a page for some advisories, as text. */
const membersOf = (advisories: readonly PackageAdvisory[]): string[] =>
  [...Map.groupBy(advisories, ({ name }) => name)].map(
    ([name, list]) => `${JSON.stringify(name)}:${JSON.stringify(list.flatMap(entriesOf))}`,
  )

function publishedBy(hearth: Hearth, door: DoorRequest): PackageAdvisory[] {
  const workspace_id = workspaceIdOf(hearth, door)
  if (workspace_id === null) return []
  return packageAdvisories
    .all(hearth)
    .flatMap(({ listPublished }) => listPublished(hearth.db, 'nuget', workspace_id))
}

export function publishedPage(hearth: Hearth, door: DoorRequest): Response {
  const byName = Map.groupBy(publishedBy(hearth, door), ({ name }) => name)
  const members = [...byName].map(([name, list]) => [name, list.flatMap(entriesOf)])
  return jsonResponse(Object.fromEntries(members) as object)
}

/** The members of the page of what was imported. Names come in their order, so none comes twice. */
async function readImported(hearth: Hearth): Promise<string[]> {
  const members: string[] = []
  let bytes = 0
  for (const { list, listNames } of packageAdvisories.all(hearth)) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const names = listNames(hearth.db, 'nuget', after, NAMES_PER_SLICE)
      for (const member of membersOf(list(hearth.db, 'nuget', names, null))) {
        bytes += Buffer.byteLength(member) + 1
        if (bytes > MAX_PAGE_BYTES) {
          hearth.log.warn('a page of advisories for NuGet is cut off', { bytes: MAX_PAGE_BYTES })
          return members
        }
        members.push(member)
      }
      after = names.at(-1)
      await nextTurn()
    }
  }
  return members
}

async function renderImported(hearth: Hearth, key: string, updated_at: string) {
  const body = new TextEncoder().encode(`{${(await readImported(hearth)).join(',')}}`)
  const page: PackageDocument = {
    body,
    gzip: new Blob([await gzipInThread(body)]),
    content_type: 'application/json',
    etag: `"${sha256(body).slice(0, 32)}"`,
    modified_ms: Math.floor(Date.parse(updated_at) / 1000) * 1000,
  }
  pages(hearth).set(key, page)
  return page
}

/** The page of what was imported. */
export async function importedPage(hearth: Hearth): Promise<PackageDocument> {
  const { revision, updated_at } = stateOf(hearth)
  const kept = pages(hearth).get(revision)
  if (kept) return kept
  const running = rendering(hearth)
  const started = running.get(revision) ?? renderImported(hearth, revision, updated_at)
  running.set(revision, started)
  try {
    return await started
  } finally {
    running.delete(revision)
  }
}
