/** Checks every object of every store, and that every ref points at one. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { listStores, listTipsOfStore, moveRefs } from '#features/repos/index.ts'
import { missingFromIndexes } from '#git'
import { BucketError } from '#lib/bucket.ts'
import { bytesText } from '#lib/bytes-text.ts'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { listEarlierOids, listRefsPointingAt, listNamesOfStore } from '../store-doctor.ts'
import { fault, note, formatSome, type Check, type Finding } from './finding.ts'

const LOST_OBJECTS_ADVICE =
  'Objects do not heal: push them again from a clone that has them, or restore a backup.'
/** While a damaged pack exists, clients are not asked for its objects. */
const DAMAGED_PACK_ADVICE =
  'Objects do not heal: restore a backup; or stop the forge, put the files of this pack elsewhere, run hearth doctor --fix, and push from a clone that has them.'

/** The extensions of the files beside a pack, by their name in findings. */
const AID_EXTENSIONS: Readonly<Record<string, string>> = {
  bitmap: '.bitmap',
  order: '.rev',
  times: '.mtimes',
}

/** Returns the path of a damaged file that only speeds up reading and that maintenance rebuilds. */
function findDamagedAid(directory: string, line: string): string | null {
  if (line === 'the commit-graph is damaged')
    return join(directory, 'objects', 'info', 'commit-graph')
  const [, pack, what = ''] =
    /^(pack-[0-9a-f]+): the (bitmap|order|times) (?:is|are) damaged$/.exec(line) ?? []
  return pack === undefined
    ? null
    : join(directory, 'objects', 'pack', `${pack}${AID_EXTENSIONS[what] ?? ''}`)
}

/** Deletes such a file and runs maintenance. */
const rebuildAid = (hearth: Hearth, store: string, path: string): Finding['repair'] => ({
  would: 'make it anew',
  async run() {
    rmSync(path, { force: true })
    hearth.git.closeFiles(store)
    await hearth.git.maintain(store, listTipsOfStore(hearth.db, store))
    return `took ${path} away; maintenance made what is worth having anew`
  },
})

/** Rebuilds the index of a sound pack. */
function rebuildIndex(hearth: Hearth, store: string, line: string): Finding['repair'] {
  const pack =
    /^(pack-[0-9a-f]{40}): (?:the index is damaged|pack and index do not belong together)$/.exec(
      line,
    )?.[1]
  if (pack === undefined) return null
  return {
    would: 'make the index anew from the pack, if that is sound',
    async run() {
      await hearth.git.rebuildIndex(store, pack)
      return 'made the index anew; look again, since what is in the pack could not be looked at before'
    },
  }
}

/**
 * Repairs a ref whose objects are missing, as after a copy of a machine whose last packs had not
 * arrived. While the ref claims them, clients that have the objects do not send them. The ref's
 * earlier positions are in its events.
 */
function resetRefs(hearth: Hearth, store: string, line: string): Finding['repair'] {
  const missing = /^object ([0-9a-f]{40}) is missing, a ref points at it$/.exec(line)?.[1]
  const refs = missing === undefined ? [] : listRefsPointingAt(hearth.db, store, missing)
  if (missing === undefined || refs.length === 0) return null
  const { db, git } = hearth
  return {
    would: `move ${formatSome(refs.map(({ name }) => name))} back to the last commits that are here, so that a push brings the rest`,
    async run() {
      const moved: string[] = []
      // A copy of the database may be older than the bucket.
      const found = await hearth.storage.adoptRemotePacks(store)
      if (found > 0 && (await git.readCommit(store, missing).catch(() => null)))
        return `found ${missing.slice(0, 12)} in ${hearth.storage.address ?? 'the bucket'}`
      for (const { repo_id, name } of refs) {
        let to: string | null = null
        for (const oid of listEarlierOids(db, repo_id, name)) {
          if (oid === missing || !(await git.readCommit(store, oid).catch(() => null))) continue
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
 * Replaces a damaged pack with its copy in the bucket. `renewed` holds the packs already replaced.
 */
function restorePackFromBucket(
  { storage }: Hearth,
  store: string,
  line: string,
  renewed: Set<string>,
): Finding['repair'] {
  const pack = /^(pack-[0-9a-f]{40}): /.exec(line)?.[1]
  if (pack === undefined || !storage.hasRemoteCopy(store, pack)) return null
  return {
    would: `take ${pack} from ${storage.address ?? 'the bucket'} again`,
    async run() {
      if (!renewed.has(pack)) await storage.restorePack(store, pack)
      renewed.add(pack)
      return `took ${pack} from ${storage.address ?? 'the bucket'}, where it is as it was stored`
    },
  }
}

/** Looks in the bucket for packs that this machine does not know. */
function searchBucket(
  { storage }: Hearth,
  store: string,
  renewed: ReadonlySet<string>,
): Finding['repair'] {
  if (storage.address === null) return null
  return {
    would: `look for it in ${storage.address}`,
    async run() {
      const found = await storage.adoptRemotePacks(store)
      if (found === 0 && renewed.size > 0)
        return `${formatSome([...renewed])} came from ${storage.address}: look again`
      if (found === 0)
        throw new Error(`${storage.address} has nothing of ${store} that is not here`)
      return `found ${found} ${found === 1 ? 'pack' : 'packs'} in ${storage.address}: look again`
    },
  }
}

/**
 * Checks the packs of a store that are only in the bucket. Null when all packs are local; the
 * bucket is read only for others.
 */
async function checkOffloaded(
  { storage, settings, db }: Hearth,
  store: string,
): Promise<Finding[] | null> {
  const directory = join(settings.data, 'repos', store)
  const away = storage.offloadedPacks(store)
  // On a machine that replaced another one, even the store may be missing.
  if (away.length === 0 && existsSync(directory)) return null
  if (storage.address === null) {
    return away.length === 0
      ? null
      : [
          fault(
            `${store}: ${formatSome(away.map(({ name }) => name))} in a bucket only, and storage.bucket is not set`,
            `${formatSome(listNamesOfStore(db, store))} cannot be read. Set storage.bucket again.`,
          ),
        ]
  }
  let packs: Awaited<ReturnType<typeof storage.listPacks>>
  try {
    packs = await storage.listPacks(store)
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
  const there = packs.filter((pack) => pack.isRemote)
  const lost = packs.filter((pack) => !pack.isRemote)
  const findings = lost.map(({ name }) =>
    fault(
      `${store}: ${name} is neither here nor in ${storage.address}`,
      `What was in it of ${formatSome(listNamesOfStore(db, store))} cannot be read. Push it again from a clone that has it, or restore a backup.`,
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
              run: async () =>
                `${await storage.adoptRemotePacks(store)} packs of ${store} are known here now`,
            }
          : null,
      ),
    )
  }
  return findings
}

type CheckedStore = {
  readonly store: string
  readonly directory: string
  /** The names of its repositories, for messages. */
  readonly names: string
  readonly tips: readonly string[]
}

/** Checks that the indexes list every object that a ref points at. They are always local. */
const checkIndexes = (hearth: Hearth, { store, directory, names, tips }: CheckedStore): Finding[] =>
  (existsSync(directory) ? missingFromIndexes(directory, tips) : []).map((oid) => {
    const line = `object ${oid} is missing, a ref points at it`
    return fault(
      `${store}: ${line}`,
      `Cloning or reading ${names} may fail. ${LOST_OBJECTS_ADVICE}`,
      resetRefs(hearth, store, line),
    )
  })

function missingStore({ git }: Hearth, { store, names, tips }: CheckedStore): Finding {
  const problem = `${store}: the store is missing, of ${names}`
  return tips.length > 0
    ? fault(problem, 'Its code is gone from this disk: restore it from a backup.')
    : fault(problem, 'No branch needs it, but nothing can be pushed there.', {
        would: 'make an empty one',
        run: async () => {
          await git.createStore(store)
          return `made an empty store ${store}`
        },
      })
}

/** Reads every object of a local store. */
async function checkObjects(
  hearth: Hearth,
  { store, directory, names, tips }: CheckedStore,
): Promise<Finding[]> {
  const lines = await hearth.git
    .verify(store, tips)
    .catch((error: unknown) => [error instanceof Error ? error.message : String(error)])
  const renewed = new Set<string>()
  return lines.map((line) => {
    const aid = findDamagedAid(directory, line)
    if (aid !== null)
      return fault(
        `${store}: ${line}`,
        `It only makes ${names} quicker to read; nothing is lost.`,
        rebuildAid(hearth, store, aid),
      )
    const advice = line.startsWith('pack-') ? DAMAGED_PACK_ADVICE : LOST_OBJECTS_ADVICE
    return fault(
      `${store}: ${line}`,
      `Cloning or reading ${names} may fail. ${advice}`,
      restorePackFromBucket(hearth, store, line, renewed) ??
        rebuildIndex(hearth, store, line) ??
        resetRefs(hearth, store, line) ??
        searchBucket(hearth, store, renewed),
    )
  })
}

function checkPairs({ store, directory }: CheckedStore): Finding[] {
  const packs = join(directory, 'objects', 'pack')
  const names = existsSync(packs) ? readdirSync(packs) : []
  const unindexed = names.filter(
    (name) => name.endsWith('.pack') && !names.includes(name.replace(/pack$/, 'idx')),
  )
  if (unindexed.length === 0) return []
  return [
    fault(
      `${store}: ${formatSome(unindexed)} without an index`,
      'A pack that was never finished, or one whose index was lost. The next start of the forge takes it away; look for lost objects first, in the lines above.',
    ),
  ]
}

export const gitStores: Check = {
  name: 'git stores',
  appliesToCopies: true,
  async run({ hearth, signal }) {
    const { db, settings } = hearth
    const findings: Finding[] = []
    for (const store of listStores(db)) {
      signal.throwIfAborted()
      const checked: CheckedStore = {
        store,
        directory: join(settings.data, 'repos', store),
        names: formatSome(listNamesOfStore(db, store)),
        tips: listTipsOfStore(db, store),
      }
      const offloaded = await checkOffloaded(hearth, store)
      if (offloaded !== null) findings.push(...offloaded, ...checkIndexes(hearth, checked))
      else if (!existsSync(checked.directory)) findings.push(missingStore(hearth, checked))
      else findings.push(...(await checkObjects(hearth, checked)), ...checkPairs(checked))
    }
    return findings
  },
}
