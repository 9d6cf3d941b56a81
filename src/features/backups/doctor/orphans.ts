/**
 * Checks for stores and files that no row references, and for referenced files that are missing.
 */
import { BLOBS, referencedBlobs } from '#core/blobs.ts'
import { referencedFiles } from '#core/files.ts'
import { DAY, HOUR, timestamp } from '#lib/time.ts'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { basename, join } from 'node:path'
import { listNamedStores } from '../store-doctor.ts'
import { fault, note, formatSome, type Check, type Finding } from './finding.ts'
import { moveAway } from './move-away.ts'

/** Stores and files are created before their rows, so recent ones are skipped. */
const isYounger = (path: string, now: number, age: number): boolean =>
  now - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? now) < age

export const orphanStores: Check = {
  name: 'orphan stores',
  appliesToCopies: false,
  run({ hearth }) {
    const { data } = hearth.settings
    const root = join(data, 'repos')
    const named = new Set(listNamedStores(hearth.db))
    const now = hearth.clock.now()
    const orphans = existsSync(root)
      ? readdirSync(root).filter(
          (name) => !named.has(name) && !isYounger(join(root, name), now, HOUR),
        )
      : []
    return orphans.map((name) =>
      fault(
        `repos/${name} belongs to no repository`,
        'It takes up room. After a rollback or a restore it may hold what was pushed since.',
        {
          would: 'move it to lost/, where you can delete it',
          run: () => `moved repos/${name} to ${moveAway(data, `repos/${name}`, timestamp(now))}`,
        },
      ),
    )
  },
}

function* below(root: string, path = ''): Generator<string> {
  const entries = existsSync(join(root, path))
    ? readdirSync(join(root, path), { withFileTypes: true })
    : []
  for (const entry of entries) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    if (entry.isDirectory()) yield* below(root, inner)
    else yield inner
  }
}

export const files: Check = {
  name: 'files',
  appliesToCopies: true,
  async run({ hearth }) {
    const { data } = hearth.settings
    const now = hearth.clock.now()
    const findings: Finding[] = []
    for (const { folder, list: named } of [
      ...referencedFiles.all(hearth),
      referencedBlobs(hearth),
    ]) {
      const root = join(data, folder)
      const wanted = new Set(named(hearth.db))
      const there = new Set(below(root))
      const absent = [...wanted].filter((path) => !there.has(path))
      const distant =
        folder === BLOBS && absent.length > 0
          ? await hearth.storage.remoteBlobs(absent.map((path) => basename(path)))
          : new Set<string>()
      const missing = absent.filter((path) => !distant.has(basename(path)))
      if (distant.size > 0)
        findings.push(
          note(
            `${folder}: ${distant.size} in ${hearth.storage.address ?? 'a bucket'} only`,
            'They come back when they are asked for.',
          ),
        )
      const orphans = [...there].filter(
        (path) => !wanted.has(path) && !isYounger(join(root, path), now, DAY),
      )
      if (missing.length > 0)
        findings.push(
          fault(
            `${folder}: ${missing.length} missing: ${formatSome(missing)}`,
            'What they held cannot be shown or downloaded any more. Restore them from a backup if they matter.',
          ),
        )
      if (orphans.length > 0) {
        findings.push(
          note(
            `${folder}: ${orphans.length} that nothing refers to: ${formatSome(orphans)}`,
            'They take up room.',
            {
              would: 'move them to lost/, where you can delete them',
              run: () => {
                for (const path of orphans) moveAway(data, `${folder}/${path}`, timestamp(now))
                return `moved ${orphans.length} of ${folder} to lost/`
              },
            },
          ),
        )
      }
    }
    return findings
  },
}
