/** The whole engine behind its door: `createGit` gives what `ports.ts` promises. */
import { syncDirectorySync } from '#lib/disk.ts'
import { nextTurn } from '#lib/waiting.ts'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchFrom } from './client/fetch-from.ts'
import { listRemote } from './client/list-refs.ts'
import { pushTo } from './client/push-to.ts'
import { withElsewhere } from './elsewhere.ts'
import { Gate } from './gate.ts'
import { Leases } from './leases.ts'
import { findEntry, listTree } from './history/index.ts'
import { isOid } from './object.ts'
import {
  GitError,
  type AddedMatches,
  type Git,
  type GitOptions,
  type ObjectReader,
  type Oid,
  type TreeEntry,
} from './ports.ts'
import { advertise } from './protocol/advertise.ts'
import { answerSoon, givingBack } from './protocol/answer-stream.ts'
import { pipeTask } from './protocol/pipe-task.ts'
import { receivePack, type ReceiveContext } from './protocol/receive-pack.ts'
import { SharedAnswers } from './protocol/shared-answers.ts'
import { viewOf } from './protocol/snapshot-view.ts'
import {
  answerNow,
  answerRefs,
  uploadPack,
  uploadPackOrFile,
  type UploadContext,
} from './protocol/upload-pack.ts'
import { settingsOf } from './settings.ts'
import {
  directorySize,
  makeStore,
  randomName,
  removePack,
  settlePack,
  storeDirectory,
  sweepStore,
} from './store/files.ts'
import { OidMap } from './store/oid-map.ts'
import { Engine } from './tasks/engine.ts'
import type { Maintained } from './tasks/maintain.ts'
import { expandPrefix, peelToCommit, readBlob, readCommit, readTag } from './tasks/point-reads.ts'
import { quickly } from './tasks/quick-reads.ts'
import { SmallFetches } from './tasks/small-fetches.ts'
import { Threads } from './tasks/threads.ts'

/**
 * Milliseconds that a host has to make a ref of a new commit before maintenance may drop what it
 * rests on.
 */
const LEASE = 15 * 60_000

/** The same for what refs are about to point at. */
const MOVE_LEASE = 60_000

/** Reads that one thread has begun at once; they take turns. */
const READS_PER_THREAD = 8

/** A signal that comes at a time of `performance.now()`, with the error that says so. */
function lateAt(until: number): { readonly signal: AbortSignal; clear(): void } {
  const controller = new AbortController()
  const end = (): void =>
    controller.abort(new GitError('late', 'this took too long and was given up'))
  const left = until - performance.now()
  if (left <= 0) end()
  const timer = setTimeout(end, Math.max(0, left))
  return { signal: controller.signal, clear: () => clearTimeout(timer) }
}

/** Ids that come in parts as bytes, each once; others have their turn between the parts. */
async function rawIds(parts: Iterable<readonly Oid[]>, signal?: AbortSignal): Promise<Uint8Array> {
  const all = new OidMap()
  const raw = Buffer.alloc(20)
  for (const part of parts) {
    for (const oid of part) if (isOid(oid) && raw.write(oid, 'hex') === 20) all.add(raw, 0)
    await nextTurn()
    signal?.throwIfAborted()
  }
  return all.bytes.slice()
}

/**
 * Removes packs, unless something that is named now is in none of the others: then all of them
 * stay. Says whether they are gone.
 */
function removeUnlessNamed(
  engine: Engine,
  store: string,
  doomed: readonly string[],
  named: readonly Oid[],
): boolean {
  engine.refresh(store)
  const { objects } = engine.store(store)
  const left = objects.packs.filter((pack) => !doomed.includes(pack.name))
  const isLeft = (oid: Oid): boolean => {
    const raw = Buffer.from(oid, 'hex')
    return left.some((pack) => (pack.indexIfThere?.find(raw, 0) ?? -1) >= 0)
  }
  if (new Set(named).values().some((oid) => !isLeft(oid) && objects.has(oid))) return false
  for (const pack of doomed) removePack(engine.directory(store), pack)
  return true
}

/** The directory below `tmp` that is the engine's own. */
const INCOMING = 'git'

/** Opens the engine over `options.root`; what an ended process left unfinished is swept first. */
export function createGit(options: GitOptions): Git {
  const settings = {
    ...settingsOf(options),
    tmp: join(options.tmp, options.beside ? `${INCOMING}-${process.pid}` : INCOMING),
  }
  const log = options.log ?? (() => {})
  mkdirSync(settings.root, { recursive: true })
  rmSync(settings.tmp, { recursive: true, force: true })
  mkdirSync(settings.tmp, { recursive: true })
  // What looks unfinished may be another process's work under way, unless this one is alone.
  for (const name of options.beside ? [] : readdirSync(settings.root)) {
    const removed = sweepStore(join(settings.root, name))
    if (removed > 0)
      log('info', 'swept what an ended process left in a store', { store: name, files: removed })
  }

  const { workers, concurrency, agent, keptBytes, smallMs: _, ...engineSettings } = settings
  const { elsewhere } = options
  const threads = new Threads(
    engineSettings,
    workers,
    (message, fields) => log('error', `git engine: ${message}`, fields),
    elsewhere ? (store) => elsewhere.begin(store) : null,
  )
  // Reads of single small objects happen here: they must not wait behind a thread's long work.
  const engine = new Engine({
    ...engineSettings,
    arenaBytes: Math.min(engineSettings.arenaBytes, 8 << 20),
  })
  const small = new SmallFetches(engine, settings.smallMs)
  const packs = new Gate(concurrency)
  // Threads share their time among what they have begun, so that a short question is not held up by
  // a long one. Of the places most stay open to others, whatever one party asks for.
  const reads = new Gate(
    Math.max(1, workers) * READS_PER_THREAD,
    Math.max(1, Math.floor((Math.max(1, workers) * READS_PER_THREAD) / 2)),
  )
  // What nobody waits for leaves a thread to those who do.
  const background = new Gate(Math.max(1, workers - 1), Infinity)
  const asker = options.asker ?? (() => null)
  /** What the host has done for nobody in particular is one party among the others. */
  const HOST = ''
  const directory = (store: string) => storeDirectory(settings.root, store)
  const point =
    <R>(name: string) =>
    (store: string, ...args: unknown[]) =>
      threads.call<R>(name, { store, args })
  const ask =
    <R>(name: string) =>
    async (store: string, ...args: unknown[]): Promise<R> => {
      const { party, until } = asker() ?? { party: HOST, until: null }
      const late = until === null ? null : lateAt(until)
      const yieldPlace = party === HOST ? await background.enter({ party: store, store }) : null
      try {
        const leave = await reads
          .enter({ party, store, signal: late?.signal })
          .catch((error: unknown) => {
            throw late?.signal.aborted ? late.signal.reason : error
          })
        try {
          const handle = threads.start<R>(name, { store, args }, () => {})
          late?.signal.addEventListener('abort', () => handle.cancel(), { once: true })
          return await handle.result.catch((error: unknown) => {
            throw late?.signal.aborted ? late.signal.reason : error
          })
        } finally {
          leave()
        }
      } finally {
        late?.clear()
        yieldPlace?.()
      }
    }
  const quick = <R>(
    store: string,
    name: string,
    answer: (db: ObjectReader) => R,
    ...args: unknown[]
  ): Promise<R> =>
    quickly(
      () => engine.store(store).objects,
      answer,
      () => ask<R>(name)(store, ...args),
    )
  const leases = new Leases()
  /**
   * Work that makes objects; what they rest on is held until the host has had time to make a ref of
   * them.
   */
  const make =
    <R, A extends { readonly [key: string]: unknown }>(
      name: string,
      rests: (options: A) => readonly (Oid | null)[],
    ) =>
    (store: string, args: A): Promise<R> => {
      leases.holdFor(
        store,
        rests(args).filter((oid) => oid !== null),
        LEASE,
      )
      return threads.call<R>(name, { store, args: [args] })
    }
  /** Work that may be given up before its end. */
  const long = async <R>(
    name: string,
    store: string,
    args: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<R> => {
    const handle = threads.start<R>(name, { store, args }, () => {})
    const stop = () => handle.cancel()
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    return await handle.result.finally(() => signal?.removeEventListener('abort', stop))
  }
  /** Stores under maintenance now, one round after the other. */
  const maintained = new Map<string, Promise<void>>()

  const answers = new SharedAnswers({
    directory: settings.tmp,
    diskBytes: keptBytes,
    memoryBytes: Math.floor(settings.memoryBudget / 16),
  })
  const context: ReceiveContext & UploadContext = {
    answers,
    threads,
    enter: (signal) => packs.enter({ party: HOST, store: '', signal }),
    settle: (store, pack) => settlePack(directory(store), pack),
    withdraw: (store, pack) => {
      removePack(directory(store), pack)
      engine.refresh(store)
      threads.refresh(store)
    },
    maxPackBytes: settings.maxPackBytes,
  }
  /** The same with the places of whoever has this done. */
  const contextFor = (store: string, onCopy?: () => void): typeof context => {
    const party = asker()?.party ?? HOST
    return { ...context, onCopy, enter: (signal) => packs.enter({ party, store, signal }) }
  }
  const here = async <R>(read: () => R): Promise<R> => read()

  const letGo = (store: string): void => {
    engine.forget(store)
    threads.forget(store)
  }

  const git: Git = {
    createStore: (store) => here(() => makeStore(directory(store))),
    async removeStore(store) {
      const path = directory(store)
      letGo(store)
      answers.forget(store)
      if (!existsSync(path)) return
      // Renamed first: whatever happens on the way, the store is gone as a whole.
      const grave = join(settings.tmp, `removed-${randomName()}`)
      renameSync(path, grave)
      syncDirectorySync(settings.root)
      await rm(grave, { recursive: true, force: true })
    },
    sizeOf: (store) => here(() => directorySize(directory(store))),
    ready: () => null,
    letGo,

    advertise: (service, refs, protocol) => advertise(service, refs, protocol, agent),
    listRefs: (refs, protocol, body) => answerRefs(refs, protocol, body),
    answerNow: (store, refs, { protocol, body, onCopy }) =>
      answerNow(
        { ...context, onCopy, small, isFree: () => packs.isFree(asker()?.party ?? HOST) },
        store,
        refs,
        protocol,
        body,
      ),
    uploadPack: (store, refs, request) =>
      uploadPack(contextFor(store, request.onCopy), store, refs, request),
    uploadPackOrFile: (store, refs, request) =>
      uploadPackOrFile(contextFor(store, request.onCopy), store, refs, request),
    receivePack: (store, refs, request) => {
      const release = leases.hold(store, () => viewOf(refs).names.tips)
      return receivePack(contextFor(store), store, refs, request, release)
    },

    expand: (store, prefix) => here(() => expandPrefix(engine.store(store), prefix)),
    peel: (store, oid) => here(() => peelToCommit(engine.store(store), oid)),
    commit: (store, oid) => here(() => readCommit(engine.store(store), oid)),
    tag: (store, oid) => here(() => readTag(engine.store(store), oid)),
    isReachable: point('isReachable'),
    log: ask('log'),
    count: ask('count'),
    mergeBases: ask('mergeBases'),
    aheadBehind: ask('aheadBehind'),

    // Sizes of many entries and whole trees are for threads.
    tree: (store, commit, path, listing) =>
      listing?.recursive || listing?.sizes
        ? ask<readonly TreeEntry[] | null>('tree')(store, commit, path, listing)
        : quick(store, 'tree', (db) => listTree(db, commit, path), commit, path),
    entry: (store, commit, path) =>
      quick(store, 'entry', (db) => findEntry(db, commit, path), commit, path),
    blob: (store, oid, maxBytes) =>
      quick(store, 'blob', (db) => readBlob(db, oid, maxBytes), oid, maxBytes),
    lastCommits: ask('lastCommits'),
    blame: ask('blame'),
    busyPaths: ask('busyPaths'),
    languages: ask('languages'),

    diff: ask('diff'),
    interdiff: ask('interdiff'),
    patch: ask('patch'),

    previewMerge: ask('previewMerge'),
    land: make('land', ({ base, head }) => [base, head]),
    revert: make('revert', ({ base }) => [base]),
    commitFiles: make('commitFiles', ({ parent }) => [parent]),
    createTag: make('createTag', ({ object }) => [object]),

    archive: (store, commit, archiveOptions, sending) => {
      const own = contextFor(store)
      return answerSoon(
        (sink) =>
          pipeTask(
            own,
            'archive',
            { store, args: [commit, archiveOptions] },
            givingBack(sink),
            sending?.signal,
          ),
        sending,
      )
    },

    listRemote: (transport, remote) => listRemote({ transport, agent }, remote),
    fetchFrom: (store, transport, remote) =>
      fetchFrom(
        { ...contextFor(store), hold: (name, tips) => leases.hold(name, tips) },
        store,
        { transport, agent },
        remote,
      ),
    async pushTo(store, transport, remote) {
      const release = leases.hold(store, () => viewOf(remote.local).names.tips)
      return await pushTo(contextFor(store), store, { transport, agent }, remote).finally(release)
    },
    moveFacts: (store, moves, trunk) => {
      // Whoever asks is about to make refs of them.
      leases.holdFor(
        store,
        moves.map(({ new: to }) => to),
        MOVE_LEASE,
      )
      return threads.call('facts', { store, moves, trunk })
    },

    searchAdded: (store, search, signal) =>
      long<AddedMatches>('searchAdded', store, [search], signal),
    findForged: (store, range, signal) => long<Oid[]>('findForged', store, [range], signal),

    async maintain(store, tips, { kept, still, signal, ...rest } = {}) {
      for (let round = maintained.get(store); round; round = maintained.get(store)) await round
      signal?.throwIfAborted()
      const over = Promise.withResolvers<void>()
      maintained.set(store, over.promise)
      try {
        // In the moment in which the refs were read: a push that ends a moment later is in neither
        // otherwise.
        const leased = leases.of(store)
        // A store that had to be fetched first has kept the caller waiting since.
        const named = still ? [...new Set([...tips, ...still()])] : tips
        const args = [named, { ...rest, leased, kept: await rawIds(kept ?? [], signal) }]
        const handle = threads.start<Maintained>('maintain', { store, args }, () => {})
        const stop = () => handle.cancel()
        signal?.addEventListener('abort', stop, { once: true })
        try {
          const { doomed, dropped, ...made } = await handle.result
          if (doomed.length === 0) return { ...made, dropped }
          // From here to the end of `finally` nothing else runs: what a ref names now, it names
          // when the packs are gone.
          const before = new Set(named)
          const since = (still?.() ?? []).filter((oid) => !before.has(oid))
          const gone = removeUnlessNamed(engine, store, doomed, [...since, ...leases.of(store)])
          return {
            ...made,
            packs: gone ? made.packs - doomed.length : made.packs,
            bytes: directorySize(directory(store)),
            dropped: gone ? dropped : 0,
          }
        } finally {
          signal?.removeEventListener('abort', stop)
          // Threads that still have removed packs open would keep their bytes on disk.
          letGo(store)
        }
      } finally {
        maintained.delete(store)
        over.resolve()
      }
    },
    async remake(store, pack) {
      await threads.call('remake', { store, args: [pack] })
      letGo(store)
    },
    verify: (store, tips: readonly Oid[]) => threads.call('verify', { store, args: [tips] }),
    exportBare: (store, refs, target) =>
      threads.call('export', { store, args: [viewOf(refs).names, refs, target] }),

    load: () => ({
      packs: { running: packs.running, waiting: packs.waiting },
      reads: { running: reads.running, waiting: reads.waiting },
    }),

    async close() {
      await threads.close()
      answers.close()
      engine.close()
      if (options.beside) rmSync(settings.tmp, { recursive: true, force: true })
    },
  }
  return elsewhere ? withElsewhere(git, elsewhere) : git
}
