/**
 * The index of all gems of a workspace that a caller sees: `versions` and `names` of the compact
 * index, and the older `specs`. What is the same for all callers who see the same gems is kept.
 *
 * Lines of `versions` are only ever added, so that bundler can ask for what is new by a range.
 */
import { gzipSync } from 'node:zlib'
import type { Db } from '#core/db.ts'
import type { Hearth } from '#core/hearth.ts'
import { cache } from '#core/service.ts'
import { writeAs } from '#core/write.ts'
import { sha256 } from '#lib/hash.ts'
import { compareKeys } from '#lib/versions/sort-key.ts'
import { gemKey, isGemPrerelease } from '#lib/versions/gem.ts'
import type { PackageRow } from '../../store.ts'
import { listActiveVersions, type VersionRow } from '../../store-versions.ts'
import { marshalSpecs, type SpecTuple } from './marshal.ts'
import { findGemIndex, insertGemLine, listGemLines, putGemIndex } from './store.ts'

/** The first line has to be there; clients do not read its time. */
const HEAD = 'created_at: 2026-01-01T00:00:00Z\n---\n'
const MAX_CACHED_BYTES = 32 * 1024 ** 2

const kept = cache<{ readonly body: Buffer }>('gem-indexes', {
  maxSize: MAX_CACHED_BYTES,
  sizeOf: ({ body }) => body.length + 200,
})

const listed = (db: Db, package_id: string): VersionRow[] =>
  listActiveVersions(db, package_id).filter(({ yanked }) => yanked === 0)

/** `info/<gem>`: a line for each version, the oldest first. */
export const renderInfo = (db: Db, package_id: string): string =>
  `---\n${listed(db, package_id)
    .map(({ piece }) => `${piece}\n`)
    .join('')}`

const md5 = (text: string): string => new Bun.CryptoHasher('md5').update(text).digest('hex')

/** The number without the platform, and the platform. */
export function splitGemNumber(number: string): { version: string; platform: string } {
  const [version = '', ...rest] = number.split('-')
  return { version, platform: rest.length === 0 ? 'ruby' : rest.join('-') }
}

/** Adds a line for what changed in a gem since its last line: new numbers, and yanked ones. */
async function updateLines(hearth: Hearth, row: PackageRow): Promise<void> {
  await writeAs(hearth, null, (tx) => {
    const known = findGemIndex(tx.db, row.id)
    if (known?.revision === row.revision) return
    const before = new Set(known === null ? [] : (JSON.parse(known.numbers) as string[]))
    const now = listed(tx.db, row.id).map(({ version }) => version)
    const added = now.filter((number) => !before.has(number))
    const yanked = [...before].filter((number) => !now.includes(number))
    const changes = [...added, ...yanked.map((number) => `-${number}`)]
    if (changes.length > 0)
      insertGemLine(
        tx,
        row.id,
        `${row.name} ${changes.join(',')} ${md5(renderInfo(tx.db, row.id))}`,
      )
    const { id: package_id, revision } = row
    putGemIndex(tx, { package_id, revision, numbers: JSON.stringify(now) })
  })
}

async function memoised(
  hearth: Hearth,
  rows: readonly PackageRow[],
  kind: string,
  make: () => Buffer | Promise<Buffer>,
): Promise<Buffer> {
  const set = rows.map(({ id, revision }) => `${id}.${revision}`).sort()
  const key = `${kind} ${sha256(set.join(' '))}`
  const found = kept(hearth).get(key)
  if (found) return found.body
  const body = await make()
  kept(hearth).set(key, { body })
  return body
}

export const versionsFile = (hearth: Hearth, rows: readonly PackageRow[]): Promise<Buffer> =>
  memoised(hearth, rows, 'versions', async () => {
    for (const row of rows)
      if (findGemIndex(hearth.db, row.id)?.revision !== row.revision) await updateLines(hearth, row)
    const ids = rows.map(({ id }) => id)
    return Buffer.from(
      `${HEAD}${listGemLines(hearth.db, ids)
        .map((line) => `${line}\n`)
        .join('')}`,
    )
  })

export const namesFile = (rows: readonly PackageRow[]): Buffer =>
  Buffer.from(
    `---\n${rows
      .map(({ name }) => `${name}\n`)
      .sort()
      .join('')}`,
  )

type Spec = SpecTuple & { readonly key: string }

function latestOf(specs: readonly Spec[]): Spec[] {
  const latest = new Map<string, Spec>()
  for (const spec of specs) {
    const name = `${spec.name} ${spec.platform}`
    const known = latest.get(name)
    if (!known || compareKeys(spec.key, known.key) > 0) latest.set(name, spec)
  }
  return [...latest.values()]
}

export type SpecsKind = 'specs' | 'latest_specs' | 'prerelease_specs'

/** `specs.4.8.gz` and its two relatives. */
export const specsFile = (
  hearth: Hearth,
  rows: readonly PackageRow[],
  kind: SpecsKind,
): Promise<Buffer> =>
  memoised(hearth, rows, kind, () => {
    const specs = rows.flatMap(({ id, name }) =>
      listed(hearth.db, id).map(({ version: number }): Spec => {
        const { version, platform } = splitGemNumber(number)
        return { name, version, platform, key: gemKey(version) }
      }),
    )
    const isEarly = kind === 'prerelease_specs'
    const chosen = specs.filter(({ version }) => isGemPrerelease(version) === isEarly)
    return gzipSync(marshalSpecs(kind === 'latest_specs' ? latestOf(chosen) : chosen))
  })
