/** Every object of every store, and every ref's place in it. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { listStores, listTipsOfStore, moveRefs } from '#features/repos/index.ts'
import { missingFromIndexes } from '#git'
import { BucketError } from '#lib/bucket.ts'
import { bytesText } from '#lib/bytes-text.ts'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listEarlier, listRefsAt, namesOfStore } from '../store-doctor.ts'
import { fault, note, some, type Check, type Finding } from './finding.ts'

const LOST = 'Objects do not heal: push them again from a clone that has them, or restore a backup.'
/** While a damaged pack is there, nobody is asked for what is in it. */
const DAMAGED =
  'Objects do not heal: restore a backup; or stop the forge, put the files of this pack elsewhere, run hearth doctor --fix, and push from a clone that has them.'

/** What is said of the files beside a pack, with their endings. */
const BESIDE: Readonly<Record<string, string>> = {
  bitmap: '.bitmap',
  order: '.rev',
  times: '.mtimes',
}

/** What only makes reading quicker, and is made again by maintenance. */
function damagedAid(directory: string, line: string): string | null {
  if (line === 'the commit-graph is damaged')
    return join(directory, 'objects', 'info', 'commit-graph')
  const [, pack, what = ''] =
    /^(pack-[0-9a-f]+): the (bitmap|order|times) (?:is|are) damaged$/.exec(line) ?? []
  return pack === undefined
    ? null
    : join(directory, 'objects', 'pack', `${pack}${BESIDE[what] ?? ''}`)
}

/** Takes such a file away, and has it made anew. */
const remakeAid = (hearth: Hearth, store: string, path: string): Finding['mend'] => ({
  would: 'make it anew',
  async run() {
    rmSync(path, { force: true })
    hearth.git.letGo(store)
    await hearth.git.maintain(store, listTipsOfStore(hearth.db, store))
    return `took ${path} away; maintenance made what is worth having anew`
  },
})

/**
 * An index tells where objects lie in their pack, and can be made from the pack as long as that is
 * sound.
 */
function damagedIndex(hearth: Hearth, store: string, line: string): Finding['mend'] {
  const pack =
    /^(pack-[0-9a-f]{40}): (?:the index is damaged|pack and index do not belong together)$/.exec(
      line,
    )?.[1]
  if (pack === undefined) return null
  return {
    would: 'make the index anew from the pack, if that is sound',
    async run() {
      await hearth.git.remake(store, pack)
      return 'made the index anew; look again, since what is in the pack could not be looked at before'
    },
  }
}

/**
 * A ref that is ahead of its objects, as after a copy of a machine whose last packs had not come.
 * Clients that have them are not asked for them while the ref says that they are here; where it was
 * before is in its events, and so is where it is now.
 */
function aheadOfObjects(hearth: Hearth, store: string, line: string): Finding['mend'] {
  const missing = /^object ([0-9a-f]{40}) is missing, a ref points at it$/.exec(line)?.[1]
  const refs = missing === undefined ? [] : listRefsAt(hearth.db, store, missing)
  if (missing === undefined || refs.length === 0) return null
  const { db, git } = hearth
  return {
    would: `move ${some(refs.map(({ name }) => name))} back to the last commits that are here, so that a push brings the rest`,
    async run() {
      const moved: string[] = []
      // A copy of the database may be behind the bucket.
      const found = await hearth.storage.adopt(store)
      if (found > 0 && (await git.commit(store, missing).catch(() => null)))
        return `found ${missing.slice(0, 12)} in ${hearth.storage.address ?? 'the bucket'}`
      for (const { repo_id, name } of refs) {
        let to: string | null = null
        for (const oid of listEarlier(db, repo_id, name)) {
          if (oid === missing || !(await git.commit(store, oid).catch(() => null))) continue
          to = oid
          break
        }
        await writeAs(hearth, null, (tx) =>
          moveRefs(tx, { id: repo_id }, [
            { name, old: missing, new: to, peeled: null, commits: 0, forced: true },
          ]),
        )
        moved.push(
          `${name} from ${missing.slice(0, 12)} ${to === null ? 'away' : `to ${to.slice(0, 12)}`}`,
        )
      }
      return `moved ${moved.join(', ')}`
    },
  }
}

/**
 * A pack that is damaged here may be sound in the bucket. `renewed` are those that were taken from
 * there already.
 */
function sameFromBucket(
  { storage }: Hearth,
  store: string,
  line: string,
  renewed: Set<string>,
): Finding['mend'] {
  const pack = /^(pack-[0-9a-f]{40}): /.exec(line)?.[1]
  if (pack === undefined || !storage.hasCopy(store, pack)) return null
  return {
    would: `take ${pack} from ${storage.address ?? 'the bucket'} again`,
    async run() {
      if (!renewed.has(pack)) await storage.renew(store, pack)
      renewed.add(pack)
      return `took ${pack} from ${storage.address ?? 'the bucket'}, where it is as it was stored`
    },
  }
}

/** Packs that this machine does not know of may be in the bucket. */
function inTheBucket(
  { storage }: Hearth,
  store: string,
  renewed: ReadonlySet<string>,
): Finding['mend'] {
  if (storage.address === null) return null
  return {
    would: `look for it in ${storage.address}`,
    async run() {
      const found = await storage.adopt(store)
      if (found === 0 && renewed.size > 0)
        return `${some([...renewed])} came from ${storage.address}: look again`
      if (found === 0)
        throw new Error(`${storage.address} has nothing of ${store} that is not here`)
      return `found ${found} ${found === 1 ? 'pack' : 'packs'} in ${storage.address}: look again`
    },
  }
}

/**
 * What a bucket has of a store and this machine does not. Null when all of it is here, so that it
 * can be read; the bucket is asked only for what is not.
 */
async function elsewhere(
  { storage, settings, db }: Hearth,
  store: string,
): Promise<Finding[] | null> {
  const directory = join(settings.data, 'repos', store)
  const away = storage.awayOf(store)
  // On a machine that took the place of another, the store may not even be there.
  if (away.length === 0 && existsSync(directory)) return null
  if (storage.address === null) {
    return away.length === 0
      ? null
      : [
          fault(
            `${store}: ${some(away.map(({ name }) => name))} in a bucket only, and storage.bucket is not set`,
            `${some(namesOfStore(db, store))} cannot be read. Set storage.bucket again.`,
          ),
        ]
  }
  let packs
  try {
    packs = await storage.look(store)
  } catch (error) {
    if (!(error instanceof BucketError)) throw error
    return [
      fault(
        `${store}: ${away.length} packs are in the bucket only, and it cannot be asked: ${error.message}`,
        'They cannot be read until it can.',
      ),
    ]
  }
  if (packs.length === 0) return null
  const there = packs.filter((pack) => pack.there)
  const lost = packs.filter((pack) => !pack.there)
  const findings = lost.map(({ name }) =>
    fault(
      `${store}: ${name} is neither here nor in ${storage.address}`,
      `What was in it of ${some(namesOfStore(db, store))} cannot be read. Push it again from a clone that has it, or restore a backup.`,
    ),
  )
  if (there.length > 0) {
    const unknown = away.length === 0 && !existsSync(directory)
    findings.push(
      note(
        `${store}: ${there.length} ${there.length === 1 ? 'pack is' : 'packs are'} in ${storage.address} only, ${bytesText(there.reduce((sum, { size }) => sum + size, 0))}, as large as when stored`,
        'They come back when they are asked for; their objects are not read here.',
        unknown
          ? {
              would: 'fetch their indexes',
              run: async () => `${await storage.adopt(store)} packs of ${store} are known here now`,
            }
          : null,
      ),
    )
  }
  return findings
}

export const gitStores: Check = {
  name: 'git stores',
  ofCopies: true,
  async run({ hearth, signal }) {
    const { db, git, settings } = hearth
    const findings: Finding[] = []
    for (const store of listStores(db)) {
      signal.throwIfAborted()
      const directory = join(settings.data, 'repos', store)
      const names = some(namesOfStore(db, store))
      const tips = listTipsOfStore(db, store)
      const distant = await elsewhere(hearth, store)
      if (distant !== null) {
        findings.push(...distant)
        // Which objects there are is known from the indexes, which stay here.
        for (const oid of existsSync(directory) ? missingFromIndexes(directory, tips) : []) {
          const line = `object ${oid} is missing, a ref points at it`
          findings.push(
            fault(
              `${store}: ${line}`,
              `Cloning or reading ${names} may fail. ${LOST}`,
              aheadOfObjects(hearth, store, line),
            ),
          )
        }
        continue
      }
      if (!existsSync(directory)) {
        findings.push(
          tips.length > 0
            ? fault(
                `${store}: the store is missing, of ${names}`,
                'Its code is gone from this disk: restore it from a backup.',
              )
            : fault(
                `${store}: the store is missing, of ${names}`,
                'No branch needs it, but nothing can be pushed there.',
                {
                  would: 'make an empty one',
                  run: async () => {
                    await git.createStore(store)
                    return `made an empty store ${store}`
                  },
                },
              ),
        )
        continue
      }
      const lines = await git
        .verify(store, tips)
        .catch((error: unknown) => [error instanceof Error ? error.message : String(error)])
      const renewed = new Set<string>()
      for (const line of lines) {
        const aid = damagedAid(directory, line)
        findings.push(
          aid === null
            ? fault(
                `${store}: ${line}`,
                `Cloning or reading ${names} may fail. ${line.startsWith('pack-') ? DAMAGED : LOST}`,
                sameFromBucket(hearth, store, line, renewed) ??
                  damagedIndex(hearth, store, line) ??
                  aheadOfObjects(hearth, store, line) ??
                  inTheBucket(hearth, store, renewed),
              )
            : fault(
                `${store}: ${line}`,
                `It only makes ${names} quicker to read; nothing is lost.`,
                remakeAid(hearth, store, aid),
              ),
        )
      }
      const packs = join(directory, 'objects', 'pack')
      const halves = existsSync(packs)
        ? readdirSync(packs).filter(
            (name, _, all) => name.endsWith('.pack') && !all.includes(name.replace(/pack$/, 'idx')),
          )
        : []
      if (halves.length > 0)
        findings.push(
          fault(
            `${store}: ${some(halves)} without an index`,
            'A pack that was never finished, or one whose index was lost. The next start of the forge takes it away; look for lost objects first, in the lines above.',
          ),
        )
    }
    return findings
  },
}
