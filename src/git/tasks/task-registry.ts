/** The tasks by the names that messages use. */
import { bytesToOids } from '../object.ts'
import {
  summarizeRefMovesTask,
  type SummarizeRefMovesRequest,
} from '../client/summarize-ref-moves-task.ts'
import { findHavesTask, type FindHavesRequest } from '../client/find-haves-task.ts'
import { packTask, type PackRequest } from '../client/pack-task.ts'
import { diffTrees, formatPatch } from '../diff/index.ts'
import type { PausableWork } from '../history/pausable-work.ts'
import {
  aheadBehind,
  blameTurns,
  busyPathsTurns,
  count,
  findAddedPointers,
  findEntry,
  findSha1Collisions,
  findReachingTips,
  isReachable,
  languages,
  lastCommitsTurns,
  listPointers,
  listTree,
  outlineTree,
  log,
  mergeBases,
  searchAdded,
  summarizeHistory,
} from '../history/index.ts'
import type {
  AddedPointersSearch,
  AddedSearch,
  DiffOptions,
  CachedBlame,
  CachedLastCommits,
  ListTreeOptions,
  OutlineOptions,
  LogOptions,
  Oid,
  SliceOptions,
} from '../ports.ts'
import type { FetchRequest, NamespaceTips } from '../protocol/fetch-request.ts'
import { archiveTask } from './archive.ts'
import type { Engine } from './engine.ts'
import { exportTask } from './export.ts'
import { fetchTask } from './fetch.ts'
import { ingestTask, type IngestRequest } from './ingest.ts'
import { rebuildIndexTask } from './rebuild-index.ts'
import { maintainTask, type MaintainOptions } from './maintain.ts'
import { objectInfoTask } from './object-info.ts'
import type { OpenStore } from './open-store.ts'
import { readBlob, readCommit, readTag, expandPrefix, peelToCommit } from './read-objects.ts'
import { resolveShare, type ShareRequest } from '../pack/resolve-share.ts'
import { retryWhenBusy, whenMemoryIsFree } from './retry-when-busy.ts'
import type { TaskHelpers, Task } from './task.ts'
import { streamBlobTask, type ByteRange } from './stream-blob.ts'
import { verifyTask } from './verify.ts'
import { writeTasks } from './write-objects.ts'

/** Short work returns its value at once, long work a task. */
type TaskStart = { readonly value: unknown } | { readonly task: Task<unknown> }

/** A call on one store. `args` are the arguments of the `Git` function after the store's name. */
export type StoreCall<A extends readonly unknown[]> = { readonly store: string; readonly args: A }

type TaskStarter = (engine: Engine, args: never, helpers: TaskHelpers) => TaskStart

/** The parameters of a function after the first. */
type ArgsAfterFirst<F extends (first: never, ...rest: never[]) => unknown> =
  Parameters<F> extends [unknown, ...infer R] ? R : never

/** Wraps a pure function over the store's objects. */
const storeQuery =
  <A extends readonly unknown[]>(
    answer: (db: ReturnType<Engine['store']>['objects'], ...args: A) => unknown,
  ): TaskStarter =>
  (engine: Engine, call: StoreCall<A>) => {
    const { objects } = engine.store(call.store)
    objects.refresh()
    return whenMemoryIsFree(() => answer(objects, ...call.args))
  }

/** Wraps a long query, which pauses. The packs that it reads stay open meanwhile. */
const pausingQuery =
  <A extends readonly unknown[]>(
    answer: (db: ReturnType<Engine['store']>['objects'], ...args: A) => PausableWork<unknown>,
  ): TaskStarter =>
  (engine: Engine, call: StoreCall<A>) => ({
    task: runPinned(engine.store(call.store), (db) => answer(db, ...call.args)),
  })

function* runPinned(
  { objects }: OpenStore,
  work: (db: OpenStore['objects']) => PausableWork<unknown>,
): Task<unknown> {
  objects.refresh()
  objects.pin()
  try {
    return yield* retryWhenBusy(() => work(objects))
  } finally {
    objects.unpin()
  }
}

export const taskRegistry: Record<string, TaskStarter | undefined> = {
  fetch: (
    engine,
    { store, request, names }: { store: string; request: FetchRequest; names: NamespaceTips },
    { blocks },
  ) => ({ task: fetchTask(engine.store(store), request, names, blocks) }),
  known: (engine, args: FindHavesRequest) => ({
    task: findHavesTask(engine.store(args.store), args),
  }),
  facts: (engine, args: SummarizeRefMovesRequest) => ({
    task: summarizeRefMovesTask(engine.store(args.store), args),
  }),
  pack: (engine, args: PackRequest) => ({ task: packTask(engine.store(args.store), args) }),
  ingest: (engine, args: IngestRequest, helpers) => ({ task: ingestTask(engine, args, helpers) }),
  resolve: (engine, args: ShareRequest) => ({ task: resolveShare(args, engine.memory) }),
  'object-info': (
    engine,
    args: { store: string; names: NamespaceTips; oids: Uint8Array; size: boolean },
  ) => ({
    task: objectInfoTask(engine.store(args.store), args),
  }),

  expand: (engine, { store, args: [prefix] }: StoreCall<[string]>) => ({
    value: expandPrefix(engine.store(store), prefix),
  }),
  peel: (engine, { store, args: [oid] }: StoreCall<[Oid]>) => ({
    value: peelToCommit(engine.store(store), oid),
  }),
  commit: (engine, { store, args: [oid] }: StoreCall<[Oid]>) => ({
    value: readCommit(engine.store(store).objects, oid),
  }),
  tag: (engine, { store, args: [oid] }: StoreCall<[Oid]>) => ({
    value: readTag(engine.store(store).objects, oid),
  }),
  blob: (engine, { store, args: [oid, maxBytes] }: StoreCall<[Oid, number | undefined]>) =>
    whenMemoryIsFree(() => readBlob(engine.store(store).objects, oid, maxBytes)),

  isReachable: storeQuery((db, oid: Oid, tips: Uint8Array) =>
    isReachable(db, oid, bytesToOids(tips)),
  ),
  reachingTips: storeQuery((db, oid: Oid, tips: readonly Oid[]) => findReachingTips(db, oid, tips)),
  log: storeQuery((db, options: LogOptions) => log(db, options)),
  count: storeQuery((db, options: LogOptions) => count(db, options)),
  mergeBases: storeQuery((db, a: Oid, b: Oid) => mergeBases(db, a, b)),
  aheadBehind: storeQuery((db, head: Oid, base: Oid) => aheadBehind(db, head, base)),
  tree: storeQuery((db, commit: Oid, path: string, options?: ListTreeOptions) =>
    listTree(db, commit, path, options),
  ),
  outline: storeQuery((db, commit: Oid, path: string, options: OutlineOptions) =>
    outlineTree(db, commit, path, options),
  ),
  entry: storeQuery((db, commit: Oid, path: string) => findEntry(db, commit, path)),
  entries: storeQuery((db, commit: Oid, paths: readonly string[]) =>
    paths.map((path) => findEntry(db, commit, path)),
  ),
  lastCommits: pausingQuery((db, commit: Oid, path: string, known?: readonly CachedLastCommits[]) =>
    lastCommitsTurns(db, commit, path, known),
  ),
  blame: pausingQuery(
    (
      db,
      commit: Oid,
      path: string,
      range?: { from: number; to: number },
      known?: readonly CachedBlame[],
    ) => blameTurns(db, commit, path, range, known),
  ),
  busyPaths: pausingQuery((db, commit: Oid, most: { commits: number; paths: number }) =>
    busyPathsTurns(db, commit, most),
  ),
  summarizeHistory: pausingQuery((db, head: Oid, options: SliceOptions) =>
    summarizeHistory(db, head, options),
  ),
  languages: storeQuery((db, commit: Oid) => languages(db, commit)),
  diff: storeQuery((db, from: Oid | null, to: Oid | null, options?: DiffOptions) =>
    diffTrees(db, from, to, options ?? {}),
  ),
  patch: storeQuery((db, from: Oid | null, to: Oid | null, options?: DiffOptions) =>
    formatPatch(db, from, to, options ?? {}),
  ),

  findAddedPointers: pausingQuery((db, search: AddedPointersSearch) =>
    findAddedPointers(db, search),
  ),
  listPointers: pausingQuery((db, commit: Oid, limit: number) => listPointers(db, commit, limit)),
  searchAdded: pausingQuery((db, search: AddedSearch) => searchAdded(db, search)),
  findSha1Collisions: pausingQuery((db, range: { tips: readonly Oid[]; hide?: readonly Oid[] }) =>
    findSha1Collisions(db, range),
  ),

  streamBlob: (engine, { store, args: [oid, range] }: StoreCall<[Oid, ByteRange]>) => ({
    task: streamBlobTask(engine, store, oid, range),
  }),
  archive: (engine, { store, args }: StoreCall<ArgsAfterFirst<typeof archiveTask>>) => ({
    task: archiveTask(engine.store(store), ...args),
  }),
  ...writeTasks,
  maintain: (
    engine,
    { store, args: [tips, options] }: StoreCall<[Uint8Array, MaintainOptions]>,
  ) => ({
    task: maintainTask(engine, store, tips, options),
  }),
  rebuildIndex: (engine, { store, args: [pack] }: StoreCall<[string]>) => ({
    task: rebuildIndexTask(engine, store, pack),
  }),
  verify: (engine, { store, args: [tips] }: StoreCall<[Oid[]]>) => ({
    task: verifyTask(engine.store(store), tips),
  }),
  export: (
    engine,
    { store, args: [names, refs, directory] }: StoreCall<ArgsAfterFirst<typeof exportTask>>,
  ) => ({
    task: exportTask(engine.store(store), names, refs, directory),
  }),
}
