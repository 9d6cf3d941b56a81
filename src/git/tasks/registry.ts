/** The tasks by their names: what a message may ask of a thread. */
import { factsTask, type FactsRequest } from '../client/facts-task.ts'
import { knownTask, type KnownRequest } from '../client/known-task.ts'
import { packTask, type PackRequest } from '../client/pack-task.ts'
import { diffTrees, formatPatch } from '../diff/index.ts'
import type { Turns } from '../history/turns.ts'
import {
  aheadBehind,
  blameTurns,
  busyPathsTurns,
  count,
  findEntry,
  findForged,
  isReachable,
  languages,
  lastCommitsTurns,
  listTree,
  log,
  mergeBases,
  searchAdded,
} from '../history/index.ts'
import type {
  AddedSearch,
  DiffOptions,
  KnownBlame,
  KnownLastCommits,
  LogOptions,
  Oid,
} from '../ports.ts'
import type { FetchRequest, NamespaceTips } from '../protocol/fetch-request.ts'
import { archiveTask } from './archive.ts'
import type { Engine } from './engine.ts'
import { exportTask } from './export.ts'
import { fetchTask } from './fetch.ts'
import { ingestTask, type IngestRequest } from './ingest.ts'
import { remakeTask } from './remake.ts'
import { maintainTask, type MaintainOptions } from './maintain.ts'
import { objectInfoTask } from './object-info.ts'
import type { OpenStore } from './open-store.ts'
import { readBlob, readCommit, readTag, expandPrefix, peelToCommit } from './point-reads.ts'
import { resolvePart, type PartRequest } from '../pack/resolve-part.ts'
import type { Help, Task } from './task.ts'
import { verifyTask } from './verify.ts'
import { writes } from './writes.ts'

/** Short work gives its value at once, long work a task. */
type Made = { readonly value: unknown } | { readonly task: Task<unknown> }

/** What asks one store; `args` are the arguments of the door's function behind the store's name. */
export type Asked<A extends readonly unknown[]> = { readonly store: string; readonly args: A }

type Entry = (engine: Engine, args: never, help: Help) => Made

/** The arguments behind the first. */
type Rest<F extends (first: never, ...rest: never[]) => unknown> =
  Parameters<F> extends [unknown, ...infer R] ? R : never

/** A question about history: a pure function over the store's objects. */
const ask =
  <A extends readonly unknown[]>(
    answer: (db: ReturnType<Engine['store']>['objects'], ...args: A) => unknown,
  ): Entry =>
  (engine: Engine, asked: Asked<A>) => {
    const { objects } = engine.store(asked.store)
    objects.refresh()
    return { value: answer(objects, ...asked.args) }
  }

/** A question that may take long: it pauses, and what it reads stays open meanwhile. */
const inTurns =
  <A extends readonly unknown[]>(
    answer: (db: ReturnType<Engine['store']>['objects'], ...args: A) => Turns<unknown>,
  ): Entry =>
  (engine: Engine, asked: Asked<A>) => ({
    task: pinned(engine.store(asked.store), (db) => answer(db, ...asked.args)),
  })

function* pinned(
  { objects }: OpenStore,
  work: (db: OpenStore['objects']) => Turns<unknown>,
): Task<unknown> {
  objects.refresh()
  objects.pin()
  try {
    return yield* work(objects)
  } finally {
    objects.unpin()
  }
}

export const registry: Record<string, Entry | undefined> = {
  fetch: (engine, args: { store: string; request: FetchRequest; names: NamespaceTips }) => ({
    task: fetchTask(engine.store(args.store), args.request, args.names),
  }),
  known: (engine, args: KnownRequest) => ({ task: knownTask(engine.store(args.store), args) }),
  facts: (engine, args: FactsRequest) => ({ task: factsTask(engine.store(args.store), args) }),
  pack: (engine, args: PackRequest) => ({ task: packTask(engine.store(args.store), args) }),
  ingest: (engine, args: IngestRequest, help) => ({ task: ingestTask(engine, args, help) }),
  resolve: (_, args: PartRequest) => ({ task: resolvePart(args) }),
  'object-info': (
    engine,
    args: { store: string; names: NamespaceTips; oids: readonly string[]; size: boolean },
  ) => ({
    task: objectInfoTask(engine.store(args.store), args),
  }),

  expand: (engine, { store, args: [prefix] }: Asked<[string]>) => ({
    value: expandPrefix(engine.store(store), prefix),
  }),
  peel: (engine, { store, args: [oid] }: Asked<[Oid]>) => ({
    value: peelToCommit(engine.store(store), oid),
  }),
  commit: (engine, { store, args: [oid] }: Asked<[Oid]>) => ({
    value: readCommit(engine.store(store), oid),
  }),
  tag: (engine, { store, args: [oid] }: Asked<[Oid]>) => ({
    value: readTag(engine.store(store), oid),
  }),
  blob: (engine, { store, args: [oid, maxBytes] }: Asked<[Oid, number | undefined]>) => ({
    value: readBlob(engine.store(store).objects, oid, maxBytes),
  }),

  isReachable: ask((db, oid: Oid, tips: readonly Oid[]) => isReachable(db, oid, tips)),
  log: ask((db, options: LogOptions) => log(db, options)),
  count: ask((db, options: LogOptions) => count(db, options)),
  mergeBases: ask((db, a: Oid, b: Oid) => mergeBases(db, a, b)),
  aheadBehind: ask((db, head: Oid, base: Oid) => aheadBehind(db, head, base)),
  tree: ask((db, commit: Oid, path: string, options?: { recursive?: boolean; sizes?: boolean }) =>
    listTree(db, commit, path, options),
  ),
  entry: ask((db, commit: Oid, path: string) => findEntry(db, commit, path)),
  lastCommits: inTurns((db, commit: Oid, path: string, known?: readonly KnownLastCommits[]) =>
    lastCommitsTurns(db, commit, path, known),
  ),
  blame: inTurns(
    (
      db,
      commit: Oid,
      path: string,
      range?: { from: number; to: number },
      known?: readonly KnownBlame[],
    ) => blameTurns(db, commit, path, range, known),
  ),
  busyPaths: inTurns((db, commit: Oid, most: { commits: number; paths: number }) =>
    busyPathsTurns(db, commit, most),
  ),
  languages: ask((db, commit: Oid) => languages(db, commit)),
  diff: ask((db, from: Oid | null, to: Oid | null, options?: DiffOptions) =>
    diffTrees(db, from, to, options ?? {}),
  ),
  patch: ask((db, from: Oid | null, to: Oid | null, options?: DiffOptions) =>
    formatPatch(db, from, to, options ?? {}),
  ),

  searchAdded: inTurns((db, search: AddedSearch) => searchAdded(db, search)),
  findForged: inTurns((db, range: { tips: readonly Oid[]; hide?: readonly Oid[] }) =>
    findForged(db, range),
  ),

  archive: (engine, { store, args }: Asked<Rest<typeof archiveTask>>) => ({
    task: archiveTask(engine.store(store), ...args),
  }),
  ...writes,
  maintain: (engine, { store, args: [tips, options] }: Asked<[Oid[], MaintainOptions]>) => ({
    task: maintainTask(engine, store, tips, options),
  }),
  remake: (engine, { store, args: [pack] }: Asked<[string]>) => ({
    task: remakeTask(engine, store, pack),
  }),
  verify: (engine, { store, args: [tips] }: Asked<[Oid[]]>) => ({
    task: verifyTask(engine.store(store), tips),
  }),
  export: (engine, { store, args: [names, refs, directory] }: Asked<Rest<typeof exportTask>>) => ({
    task: exportTask(engine.store(store), names, refs, directory),
  }),
}
