/** The whole engine behind its door: `createGit` gives what `ports.ts` promises. */
import { syncDirectorySync } from '#lib/disk.ts'
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fetchFrom } from './client/fetch-from.ts'
import { listRemote } from './client/list-refs.ts'
import { pushTo } from './client/push-to.ts'
import { Gate } from './gate.ts'
import { Leases } from './leases.ts'
import { GitError, type AddedMatches, type Git, type GitOptions, type Oid } from './ports.ts'
import { advertise } from './protocol/advertise.ts'
import { answerStream } from './protocol/answer-stream.ts'
import { pipeTask } from './protocol/pipe-task.ts'
import { receivePack, type ReceiveContext } from './protocol/receive-pack.ts'
import { SharedAnswers } from './protocol/shared-answers.ts'
import { viewOf } from './protocol/snapshot-view.ts'
import { uploadPack, uploadPackOrFile, type UploadContext } from './protocol/upload-pack.ts'
import { settingsOf } from './settings.ts'
import { directorySize, makeStore, randomName, removePack, settlePack, storeDirectory, sweepStore } from './store/files.ts'
import { Engine } from './tasks/engine.ts'
import { expandPrefix, peelToCommit, readCommit, readTag } from './tasks/point-reads.ts'
import { Threads } from './tasks/threads.ts'

/** Milliseconds that a host has to make a ref of a new commit before maintenance may drop what it rests on. */
const LEASE = 15 * 60_000

/** The directory below `tmp` that is the engine's own. */
const INCOMING = 'git'

/** Opens the engine over `options.root`; what an ended process left unfinished is swept first. */
export function createGit(options: GitOptions): Git {
  const settings = { ...settingsOf(options), tmp: join(options.tmp, options.beside ? `${INCOMING}-${process.pid}` : INCOMING) }
  const log = options.log ?? (() => {})
  mkdirSync(settings.root, { recursive: true })
  rmSync(settings.tmp, { recursive: true, force: true })
  mkdirSync(settings.tmp, { recursive: true })
  // What looks unfinished may be another process's work under way, unless this one is alone.
  for (const name of options.beside ? [] : readdirSync(settings.root)) {
    const removed = sweepStore(join(settings.root, name))
    if (removed > 0) log('info', 'swept what an ended process left in a store', { store: name, files: removed })
  }

  const { workers, concurrency, agent, keptBytes, ...engineSettings } = settings
  const threads = new Threads(engineSettings, workers, (message, fields) => log('error', `git engine: ${message}`, fields))
  // Reads of single small objects happen here: they must not wait behind a thread's long work.
  const engine = new Engine({ ...engineSettings, arenaBytes: Math.min(engineSettings.arenaBytes, 8 << 20) })
  const gate = new Gate(concurrency)
  const directory = (store: string) => storeDirectory(settings.root, store)
  const ask = <R>(name: string) => (store: string, ...args: unknown[]) => threads.call<R>(name, { store, args })
  const leases = new Leases()
  /** Work that makes objects; what they rest on is held until the host has had time to make a ref of them. */
  const make =
    <R, A extends { readonly [key: string]: unknown }>(name: string, rests: (options: A) => readonly (Oid | null)[]) =>
    (store: string, args: A): Promise<R> => {
      leases.holdFor(store, rests(args).filter((oid) => oid !== null), LEASE)
      return threads.call<R>(name, { store, args: [args] })
    }
  /** Work that may be given up before its end. */
  const long = async <R>(name: string, store: string, args: readonly unknown[], signal?: AbortSignal): Promise<R> => {
    const handle = threads.start<R>(name, { store, args }, () => {})
    const stop = () => handle.cancel()
    if (signal?.aborted) stop()
    signal?.addEventListener('abort', stop, { once: true })
    return await handle.result.finally(() => signal?.removeEventListener('abort', stop))
  }
  /** Stores under maintenance now. */
  const maintained = new Set<string>()

  const answers = new SharedAnswers({ directory: settings.tmp, diskBytes: keptBytes, memoryBytes: Math.floor(settings.memoryBudget / 16) })
  const context: ReceiveContext & UploadContext = {
    answers,
    threads,
    enter: (signal) => gate.enter(signal),
    settle: (store, pack) => settlePack(directory(store), pack),
    withdraw: (store, pack) => {
      removePack(directory(store), pack)
      engine.refresh(store)
      threads.refresh(store)
    },
    maxPackBytes: settings.maxPackBytes,
  }
  const here = async <R>(read: () => R): Promise<R> => read()

  return {
    createStore: (store) => here(() => makeStore(directory(store))),
    async removeStore(store) {
      const path = directory(store)
      engine.forget(store)
      threads.forget(store)
      answers.forget(store)
      if (!existsSync(path)) return
      // Renamed first: whatever happens on the way, the store is gone as a whole.
      const grave = join(settings.tmp, `removed-${randomName()}`)
      renameSync(path, grave)
      syncDirectorySync(settings.root)
      await rm(grave, { recursive: true, force: true })
    },
    sizeOf: (store) => here(() => directorySize(directory(store))),

    advertise: (service, refs, protocol) => advertise(service, refs, protocol, agent),
    uploadPack: (store, refs, request) => uploadPack(context, store, refs, request),
    uploadPackOrFile: (store, refs, request) => uploadPackOrFile(context, store, refs, request),
    receivePack: (store, refs, request) => {
      const release = leases.hold(store, () => viewOf(refs).names.tips)
      return receivePack(context, store, refs, request, release)
    },

    expand: (store, prefix) => here(() => expandPrefix(engine.store(store), prefix)),
    peel: (store, oid) => here(() => peelToCommit(engine.store(store), oid)),
    commit: (store, oid) => here(() => readCommit(engine.store(store), oid)),
    tag: (store, oid) => here(() => readTag(engine.store(store), oid)),
    isReachable: ask('isReachable'),
    log: ask('log'),
    count: ask('count'),
    mergeBases: ask('mergeBases'),
    aheadBehind: ask('aheadBehind'),

    tree: ask('tree'),
    entry: ask('entry'),
    blob: ask('blob'),
    lastCommits: ask('lastCommits'),
    blame: ask('blame'),
    languages: ask('languages'),

    diff: ask('diff'),
    interdiff: ask('interdiff'),
    patch: ask('patch'),

    previewMerge: ask('previewMerge'),
    land: make('land', ({ base, head }) => [base, head]),
    revert: make('revert', ({ base }) => [base]),
    commitFiles: make('commitFiles', ({ parent }) => [parent]),
    createTag: make('createTag', ({ object }) => [object]),

    archive: (store, commit, archiveOptions) =>
      answerStream((sink) => pipeTask(context, 'archive', { store, args: [commit, archiveOptions] }, sink)),

    listRemote: (transport, remote) => listRemote({ transport, agent }, remote),
    fetchFrom: (store, transport, remote) =>
      fetchFrom({ ...context, hold: (name, tips) => leases.hold(name, tips) }, store, { transport, agent }, remote),
    async pushTo(store, transport, remote) {
      const release = leases.hold(store, () => viewOf(remote.local).names.tips)
      return await pushTo(context, store, { transport, agent }, remote).finally(release)
    },
    moveFacts: (store, moves, trunk) => threads.call('facts', { store, moves, trunk }),

    searchAdded: (store, search, signal) => long<AddedMatches>('searchAdded', store, [search], signal),
    findForged: (store, range, signal) => long<Oid[]>('findForged', store, [range], signal),

    async maintain(store, tips, { graceMs, signal } = {}) {
      if (maintained.has(store)) throw new GitError('invalid', `store "${store}" is being maintained already`)
      maintained.add(store)
      try {
        const args = [tips, { graceMs, leased: leases.of(store) }]
        const handle = threads.start<{ packs: number; bytes: number }>('maintain', { store, args }, () => {})
        const stop = () => handle.cancel()
        signal?.addEventListener('abort', stop, { once: true })
        try {
          return await handle.result
        } finally {
          signal?.removeEventListener('abort', stop)
          // Threads that still have removed packs open would keep their bytes on disk.
          engine.forget(store)
          threads.forget(store)
        }
      } finally {
        maintained.delete(store)
      }
    },
    verify: (store, tips: readonly Oid[]) => threads.call('verify', { store, args: [tips] }),
    exportBare: (store, refs, target) => threads.call('export', { store, args: [viewOf(refs).names, refs, target] }),

    async close() {
      await threads.close()
      answers.close()
      engine.close()
      if (options.beside) rmSync(settings.tmp, { recursive: true, force: true })
    },
  }
}
