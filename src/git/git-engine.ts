/**
 * The engine: implements `Git` (`ports.ts`) over a directory of stores. Small reads and small
 * fetches run on the calling thread; everything else is a task on one of the worker threads
 * (`tasks/`).
 */
import { oidsToBytes } from './object.ts'
import { syncDirectorySync } from '#lib/disk.ts'
import type { FairSemaphore } from '#lib/semaphore.ts'
import { existsSync, renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchFrom } from './client/fetch-from.ts'
import { listRemote } from './client/list-refs.ts'
import type * as client from './client/ports.ts'
import { pushTo } from './client/push-to.ts'
import { findEntry, listTree, outlineTree } from './history/index.ts'
import { Leases } from './leases.ts'
import { Maintenance } from './maintenance.ts'
import type * as git from './ports.ts'
import type { Git, GitOptions, ObjectReader, Oid, RefSnapshot, ServiceRequest } from './ports.ts'
import { advertise } from './protocol/advertise.ts'
import { bundle } from './protocol/bundle.ts'
import { pipeTask } from './protocol/pipe-task.ts'
import { receivePack, type ReceiveContext } from './protocol/receive-pack.ts'
import { ResponseCache } from './protocol/response-cache.ts'
import { bufferOrStreamResponse, RangeSink, recyclingSink } from './protocol/response-stream.ts'
import { SnapshotViews } from './protocol/snapshot-view.ts'
import {
  listRefs,
  uploadPack,
  uploadPackInto,
  uploadPackOrFile,
  uploadPackSync,
  type UploadContext,
} from './protocol/upload-pack.ts'
import { ReadQueue, SYSTEM } from './read-queue.ts'
import type { Settings } from './settings.ts'
import type { StartSweep } from './start-sweep.ts'
import {
  directorySize,
  type PackSizes,
  makeStore,
  randomName,
  removePack,
  settlePack,
} from './store/store-files.ts'
import { Engine } from './tasks/engine.ts'
import { expandPrefix, peelToCommit, readBlob, readCommit, readTag } from './tasks/read-objects.ts'
import { SmallFetches } from './tasks/small-fetches.ts'
import { readSmallOrDelegate } from './tasks/small-reads.ts'
import { ThreadPool } from './tasks/thread-pool.ts'
import { workSemaphore } from './work-semaphore.ts'

/**
 * How long the host has to create a ref for new objects before maintenance may drop what they
 * refer to.
 */
const LEASE_MS = 15 * 60_000

/** The same for existing objects that refs are about to point at. */
const REF_MOVE_LEASE_MS = 60_000

/** The arena of the calling thread, which reads single small objects only. */
const MAX_MAIN_ARENA_BYTES = 8 << 20

type Named<K extends keyof Git> = Parameters<Git[K]>
type OptionsOf<K extends 'merge' | 'revert' | 'commitFiles' | 'createTag'> = Named<K>[1]

export class GitEngine implements Git {
  readonly #threads: ThreadPool
  readonly #engine: Engine
  readonly #smallFetches: SmallFetches
  /** Permits for operations on packs: fetches, pushes, archives. */
  readonly #packPermits: FairSemaphore
  readonly #reads: ReadQueue
  readonly #responses: ResponseCache
  readonly #views = new SnapshotViews()
  readonly #leases = new Leases()
  readonly #packSizes: PackSizes = new Map()
  readonly #maintenance: Maintenance
  readonly #context: ReceiveContext & UploadContext
  readonly #currentPrincipal: () => git.Principal | null

  constructor(
    private readonly settings: Settings,
    private readonly options: GitOptions,
    private readonly startSweep: StartSweep | null,
  ) {
    const { log, remotePacks } = options
    const engineSettings = settings.engine
    this.#currentPrincipal = options.currentPrincipal ?? (() => null)
    this.#threads = new ThreadPool(
      engineSettings,
      settings.workers,
      (message, fields) => log?.('error', `git engine: ${message}`, fields),
      (store) => {
        startSweep?.sweep(store)
        return remotePacks?.beginUse(store) ?? null
      },
    )
    this.#engine = new Engine({
      ...engineSettings,
      arenaBytes: Math.min(engineSettings.arenaBytes, MAX_MAIN_ARENA_BYTES),
    })
    this.#smallFetches = new SmallFetches(this.#engine, settings.mainThreadFetchMs)
    this.#packPermits = workSemaphore(settings.concurrency)
    this.#reads = new ReadQueue(this.#threads, settings.workers, this.#currentPrincipal)
    this.#responses = new ResponseCache({
      directory: engineSettings.tmp,
      diskBytes: settings.responseCacheBytes,
      memoryBytes: Math.floor(engineSettings.memoryBudget / 16),
    })
    this.#maintenance = new Maintenance({
      engine: this.#engine,
      threads: this.#threads,
      leases: this.#leases,
      closeFiles: (store) => this.closeFiles(store),
    })
    this.#context = {
      responses: this.#responses,
      threads: this.#threads,
      acquire: (signal) => this.#packPermits.acquire({ caller: SYSTEM.id, signal }),
      settle: (store, pack) => settlePack(this.#engine.directory(store), pack),
      withdraw: (store, pack) => {
        removePack(this.#engine.directory(store), pack)
        this.#engine.refresh(store)
        this.#threads.refresh(store)
      },
      maxPackBytes: engineSettings.maxPackBytes,
      oldFaults: options.oldFaults ?? 'never',
    }
  }

  // Stores

  async createStore(store: string): Promise<void> {
    makeStore(this.#engine.directory(store))
  }

  async removeStore(store: string): Promise<void> {
    const path = this.#engine.directory(store)
    this.closeFiles(store)
    this.#responses.removeStore(store)
    if (!existsSync(path)) return
    // Renamed first, so that a crash leaves either the whole store or none.
    const { root, tmp } = this.settings.engine
    const removed = join(tmp, `removed-${randomName()}`)
    renameSync(path, removed)
    syncDirectorySync(root)
    await rm(removed, { recursive: true, force: true })
  }

  async sizeOf(store: string): Promise<number> {
    return directorySize(this.#engine.directory(store), this.#packSizes)
  }

  ensureLocal(): null {
    return null
  }

  closeFiles(store: string): void {
    this.#engine.forget(store)
    this.#threads.forget(store)
  }

  // Serving git's protocols

  advertise(
    service: 'git-upload-pack' | 'git-receive-pack',
    refs: RefSnapshot,
    protocol: 0 | 1 | 2,
    { store, hasBundles = false, pushNonce }: Parameters<Git['advertise']>[3] = {},
  ): Uint8Array {
    const isPush = service === 'git-receive-pack'
    const hidden = isPush ? this.options.hiddenFromPush : undefined
    const listsRefs = isPush || protocol !== 2
    const shallow = listsRefs && store !== undefined ? this.#shallowRoots(store) : undefined
    const options = { hidden, shallow, hasBundles, pushNonce }
    return advertise(service, this.#views.of(refs), protocol, this.settings.agent, options)
  }

  #shallowRoots(store: string): readonly Oid[] | undefined {
    const roots = this.#engine.store(store).objects.readShallowRoots()
    return roots === null ? undefined : [...roots]
  }

  listRefs(refs: RefSnapshot, protocol: 0 | 1 | 2, body: Uint8Array): Uint8Array | null {
    return listRefs(this.#views.of(refs), protocol, body)
  }

  uploadPackSync(
    store: string,
    refs: RefSnapshot,
    { protocol, body, onFullClone }: Named<'uploadPackSync'>[2],
  ): ReturnType<Git['uploadPackSync']> {
    const context = {
      ...this.#context,
      onFullClone,
      small: this.#smallFetches,
      isFree: () => this.#packPermits.isFree(this.#currentPrincipal()?.id ?? SYSTEM.id),
    }
    return uploadPackSync(context, store, this.#views.of(refs), protocol, body)
  }

  uploadPack(
    store: string,
    refs: RefSnapshot,
    request: ServiceRequest,
  ): ReadableStream<Uint8Array> {
    const context = this.#contextFor(store, request)
    return uploadPack(context, store, this.#views.of(refs), request)
  }

  uploadPackOrFile(
    store: string,
    refs: RefSnapshot,
    request: ServiceRequest,
  ): ReturnType<Git['uploadPackOrFile']> {
    const context = this.#contextFor(store, request)
    return uploadPackOrFile(context, store, this.#views.of(refs), request)
  }

  uploadPackInto(
    ...[store, refs, request, sink]: Parameters<Git['uploadPackInto']>
  ): ReturnType<Git['uploadPackInto']> {
    const context = this.#contextFor(store, request)
    return uploadPackInto(context, store, this.#views.of(refs), request, sink)
  }

  async bundle(
    store: string,
    refs: RefSnapshot,
    tip: Named<'bundle'>[2],
    options: Named<'bundle'>[3] = {},
  ): ReturnType<Git['bundle']> {
    const context = this.#contextFor(store, options)
    return await bundle(context, store, this.#views.of(refs), tip, options)
  }

  receivePack(
    store: string,
    refs: RefSnapshot,
    request: Named<'receivePack'>[2],
  ): ReadableStream<Uint8Array> {
    const view = this.#views.of(refs)
    const release = this.#leases.hold(store, () => view.names.tips)
    return receivePack(this.#contextFor(store), store, view, request, release)
  }

  // Reading history

  async expandPrefix(store: string, prefix: string): Promise<Oid | null> {
    return expandPrefix(this.#engine.store(store), prefix)
  }

  async peelToCommit(store: string, oid: Oid): Promise<Oid | null> {
    return peelToCommit(this.#engine.store(store), oid)
  }

  readCommit(store: string, oid: Oid): Promise<git.Commit | null> {
    return this.#readSmall(store, 'commit', [oid], (db) => readCommit(db, oid))
  }

  readTag(store: string, oid: Oid): Promise<git.Tag | null> {
    return this.#readSmall(store, 'tag', [oid], (db) => readTag(db, oid))
  }

  isReachable(store: string, oid: Oid, tips: readonly Oid[]): Promise<boolean> {
    // A repository may have 100,000 refs, and as many strings take long to send.
    return this.#threads.call('isReachable', { store, args: [oid, oidsToBytes(tips)] })
  }

  findReachingTips(store: string, oid: Oid, tips: readonly Oid[]): Promise<readonly Oid[]> {
    return this.#threads.call('reachingTips', { store, args: [oid, tips] })
  }

  log(store: string, options: git.LogOptions): Promise<readonly git.Commit[]> {
    return this.#reads.run('log', store, [options])
  }

  countCommits(store: string, options: git.LogOptions): Promise<number> {
    return this.#reads.run('count', store, [options])
  }

  findMergeBases(store: string, a: Oid, b: Oid): Promise<readonly Oid[]> {
    return this.#reads.run('mergeBases', store, [a, b])
  }

  countAheadBehind(store: string, head: Oid, base: Oid): ReturnType<Git['countAheadBehind']> {
    return this.#reads.run('aheadBehind', store, [head, base])
  }

  listTree(
    store: string,
    commit: Oid,
    path: string,
    options?: Named<'listTree'>[3],
  ): Promise<readonly git.TreeEntry[] | null> {
    // Whole trees, and the sizes of many entries, take too long for the calling thread.
    return options?.recursive || options?.sizes
      ? this.#reads.run('tree', store, [commit, path, options])
      : this.#readSmall(store, 'tree', [commit, path, options], (db) =>
          listTree(db, commit, path, options),
        )
  }

  outlineTree(
    store: string,
    commit: Oid,
    path: string,
    options: git.OutlineOptions,
  ): Promise<git.TreeOutline | null> {
    return this.#readSmall(store, 'outline', [commit, path, options], (db) =>
      outlineTree(db, commit, path, options),
    )
  }

  findEntry(store: string, commit: Oid, path: string): Promise<git.TreeEntry | null> {
    return this.#readSmall(store, 'entry', [commit, path], (db) => findEntry(db, commit, path))
  }

  findEntries(
    store: string,
    commit: Oid,
    paths: readonly string[],
  ): Promise<readonly (git.TreeEntry | null)[]> {
    return this.#threads.call('entries', { store, args: [commit, paths] })
  }

  readBlob(store: string, oid: Oid, maxBytes?: number): ReturnType<Git['readBlob']> {
    return this.#readSmall(store, 'blob', [oid, maxBytes], (db) => readBlob(db, oid, maxBytes))
  }

  findLastCommits(
    store: string,
    commit: Oid,
    path: string,
    cached?: readonly git.CachedLastCommits[],
  ): Promise<readonly git.LastCommit[]> {
    return this.#reads.run('lastCommits', store, [commit, path, cached])
  }

  blame(
    store: string,
    commit: Oid,
    path: string,
    range?: { from: number; to: number },
    cached?: readonly git.CachedBlame[],
  ): Promise<readonly git.BlameRange[]> {
    return this.#reads.run('blame', store, [commit, path, range, cached])
  }

  findBusyPaths(
    store: string,
    commit: Oid,
    limits: Named<'findBusyPaths'>[2],
  ): Promise<readonly string[]> {
    return this.#reads.run('busyPaths', store, [commit, limits])
  }

  summarizeHistory(store: string, head: Oid, options: git.SliceOptions): Promise<git.HistorySlice> {
    return this.#reads.run('summarizeHistory', store, [head, options])
  }

  measureLanguages(store: string, commit: Oid): ReturnType<Git['measureLanguages']> {
    return this.#reads.run('languages', store, [commit])
  }

  diff(
    store: string,
    from: Oid | null,
    to: Oid | null,
    options?: git.DiffOptions,
  ): Promise<git.Diff> {
    return this.#reads.run('diff', store, [from, to, options])
  }

  interdiff(
    store: string,
    range: { since: Oid; onto: Oid; head: Oid },
    options?: git.DiffOptions,
  ): Promise<git.Diff | null> {
    return this.#reads.run('interdiff', store, [range, options])
  }

  patch(
    store: string,
    from: Oid | null,
    to: Oid | null,
    options?: git.DiffOptions,
  ): Promise<string> {
    return this.#reads.run('patch', store, [from, to, options])
  }

  previewMerge(store: string, ours: Oid, theirs: Oid): Promise<git.TreeMerge> {
    return this.#reads.run('previewMerge', store, [ours, theirs])
  }

  findConflicts(
    store: string,
    ours: Oid,
    theirs: Oid,
    limits: git.ConflictLimits,
  ): Promise<git.MergeConflicts> {
    return this.#reads.run('findConflicts', store, [ours, theirs, limits])
  }

  searchAdded(
    store: string,
    search: git.AddedSearch,
    signal?: AbortSignal,
  ): Promise<git.AddedMatches> {
    return this.#runCancellable('searchAdded', store, [search], signal)
  }

  findAddedPointers(
    store: string,
    search: git.AddedPointersSearch,
    signal?: AbortSignal,
  ): Promise<git.AddedPointers> {
    return this.#runCancellable('findAddedPointers', store, [search], signal)
  }

  listPointers(store: string, commit: Oid, limit: number): Promise<readonly git.TreePointer[]> {
    return this.#reads.run('listPointers', store, [commit, limit])
  }

  findSha1Collisions(
    store: string,
    range: Named<'findSha1Collisions'>[1],
    signal?: AbortSignal,
  ): Promise<readonly Oid[]> {
    return this.#runCancellable('findSha1Collisions', store, [range], signal)
  }

  async archive(
    store: string,
    commit: Oid,
    options: Named<'archive'>[2],
    response?: git.ArchiveResponseOptions,
  ): Promise<Uint8Array | ReadableStream<Uint8Array>> {
    const context = this.#contextFor(store)
    const args = { store, args: [commit, options] }
    return await bufferOrStreamResponse(async (sink) => {
      const selected = new RangeSink(sink, response?.range)
      try {
        await pipeTask(context, 'archive', args, recyclingSink(selected), response?.signal)
        response?.onWhole?.(selected.size)
      } catch (error) {
        if (!selected.isComplete) throw error
      }
    }, response)
  }

  async streamBlob(
    store: string,
    oid: Oid,
    range: Named<'streamBlob'>[2],
    response?: git.ResponseOptions,
  ): Promise<Uint8Array | ReadableStream<Uint8Array>> {
    const args = { store, args: [oid, range] }
    // A block is little work, and a reader may be slow, so no permit for heavy work is held.
    const context = { threads: this.#threads, acquire: () => Promise.resolve(() => {}) }
    return await bufferOrStreamResponse(
      (sink) => pipeTask(context, 'streamBlob', args, recyclingSink(sink), response?.signal),
      response,
    )
  }

  // Creating objects

  merge(store: string, options: OptionsOf<'merge'>): Promise<git.MergeResult> {
    return this.#create('land', store, options, [options.base, options.head])
  }

  revert(store: string, options: OptionsOf<'revert'>): Promise<git.MergeResult> {
    return this.#create('revert', store, options, [options.base])
  }

  commitFiles(store: string, options: OptionsOf<'commitFiles'>): ReturnType<Git['commitFiles']> {
    return this.#create('commitFiles', store, options, [options.parent])
  }

  createTag(store: string, options: OptionsOf<'createTag'>): Promise<Oid> {
    return this.#create('createTag', store, options, [options.object])
  }

  // Other servers

  listRemote(
    transport: client.Transport,
    options: client.RemoteOptions,
  ): Promise<client.RemoteRefs> {
    return listRemote({ transport, agent: this.settings.agent }, options)
  }

  fetchFrom(
    store: string,
    transport: client.Transport,
    options: client.FetchFromOptions,
  ): Promise<client.FetchResult> {
    return fetchFrom(
      { ...this.#contextFor(store), hold: (name, tips) => this.#leases.hold(name, tips) },
      store,
      { transport, agent: this.settings.agent },
      this.#views.of(options.local).names.tips,
      options,
    )
  }

  async pushTo(
    store: string,
    transport: client.Transport,
    options: client.PushToOptions,
  ): Promise<client.PushReport> {
    const { names } = this.#views.of(options.local)
    const release = this.#leases.hold(store, () => names.tips)
    const remote = { transport, agent: this.settings.agent }
    return await pushTo(this.#contextFor(store), store, remote, names, options).finally(release)
  }

  summarizeRefMoves(
    store: string,
    moves: readonly client.RefMove[],
    trunk: Oid | null,
  ): Promise<readonly client.RefMoveSummary[]> {
    // The host is about to move refs to these objects.
    const targets = moves.map((move) => move.new)
    this.#leases.holdFor(store, targets, REF_MOVE_LEASE_MS)
    return this.#threads.call('facts', { store, moves, trunk })
  }

  // Maintenance

  maintain(
    store: string,
    tips: readonly Oid[],
    options?: git.MaintainOptions,
  ): ReturnType<Git['maintain']> {
    return this.#maintenance.run(store, tips, options)
  }

  async rebuildIndex(store: string, pack: string): Promise<void> {
    await this.#threads.call('rebuildIndex', { store, args: [pack] })
    this.closeFiles(store)
  }

  verify(store: string, tips: readonly Oid[]): Promise<readonly string[]> {
    return this.#threads.call('verify', { store, args: [tips] })
  }

  exportBare(store: string, refs: RefSnapshot, directory: string): Promise<void> {
    const { names } = this.#views.of(refs)
    return this.#threads.call('export', { store, args: [names, refs, directory] })
  }

  load(): git.Load {
    const { running, waiting } = this.#packPermits
    return { packs: { running, waiting }, reads: this.#reads.load }
  }

  async close(): Promise<void> {
    this.startSweep?.stop()
    await this.#threads.close()
    this.#responses.close()
    this.#engine.close()
    if (this.options.sharedRoot) rmSync(this.settings.engine.tmp, { recursive: true, force: true })
  }

  /** The context of a request on a store, with the permits of the current principal. */
  #contextFor(
    store: string,
    { onFullClone, bundleUri }: Pick<ServiceRequest, 'onFullClone' | 'bundleUri'> = {},
  ): ReceiveContext & UploadContext {
    const caller = this.#currentPrincipal()?.id ?? SYSTEM.id
    return {
      ...this.#context,
      onFullClone,
      // A bundle cannot say that its history ends early.
      bundleUri: async () =>
        bundleUri === undefined || this.#shallowRoots(store) !== undefined ? null : bundleUri(),
      acquire: (signal) => this.#packPermits.acquire({ caller, resource: store, signal }),
    }
  }

  /** Reads on the calling thread, or as a task when an object turns out to be large. */
  #readSmall<R>(
    store: string,
    task: string,
    args: readonly unknown[],
    read: (db: ObjectReader) => R,
  ): Promise<R> {
    return readSmallOrDelegate(
      () => this.#engine.store(store).objects,
      read,
      () => this.#reads.run<R>(task, store, args),
    )
  }

  /** Runs a long task that the signal cancels. */
  async #runCancellable<R>(
    task: string,
    store: string,
    args: readonly unknown[],
    signal?: AbortSignal,
  ): Promise<R> {
    const handle = this.#threads.start<R>(task, { store, args }, () => {})
    const cancel = () => handle.cancel()
    if (signal?.aborted) cancel()
    signal?.addEventListener('abort', cancel, { once: true })
    return await handle.result.finally(() => signal?.removeEventListener('abort', cancel))
  }

  /**
   * Runs a task that creates objects. The objects that they refer to are leased until the host has
   * had time to create a ref.
   */
  #create<R>(
    task: string,
    store: string,
    options: object,
    references: readonly (Oid | null)[],
  ): Promise<R> {
    const oids = references.filter((oid) => oid !== null)
    this.#leases.holdFor(store, oids, LEASE_MS)
    return this.#threads.call<R>(task, { store, args: [options] })
  }
}
