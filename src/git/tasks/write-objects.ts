/** Tasks that create objects. Their objects are stored as one synced pack or discarded. */
import { commitSource } from '../history/index.ts'
import {
  commitFiles,
  createTag,
  findConflicts,
  land,
  mergeTrees,
  revert,
  type CommitFilesOptions,
  type CreateTagOptions,
  type LandOptions,
  type RevertOptions,
} from '../merge/index.ts'
import { diffTrees } from '../diff/index.ts'
import type { ConflictLimits, DiffOptions, MergeResult, Oid } from '../ports.ts'
import { WriteSet } from '../store/write-set.ts'
import type { Engine } from './engine.ts'
import { whenMemoryIsFree } from './retry-when-busy.ts'

type StoreCall<A> = { readonly store: string; readonly args: A }

/** Fraction of the engine's memory (1/2) for the new objects of one change. */
const MEMORY_SHARE = 2

function openWriteSet(engine: Engine, name: string): WriteSet {
  const { objects } = engine.store(name)
  objects.refresh()
  const source = commitSource(objects)
  return new WriteSet(
    objects,
    Math.max(64 << 20, engine.settings.memoryBudget / MEMORY_SHARE),
    (oid) => source.get(oid),
  )
}

/**
 * Runs `make` and stores the objects that its result reaches. A result without roots stores
 * nothing.
 */
function persistReachable<R>(
  engine: Engine,
  name: string,
  make: (db: WriteSet) => R,
  roots: (result: R) => readonly Oid[],
): ReturnType<typeof whenMemoryIsFree<R>> {
  return withWriteSet(engine, name, (set) => {
    const value = make(set)
    set.keepReachable(roots(value))
    set.persist(engine.directory(name), engine.settings.tmp)
    if (set.size > 0) engine.store(name).objects.refresh()
    return value
  })
}

/** Runs work on a set, whose memory is released afterwards. It waits for memory when there is none now. */
const withWriteSet = <R>(engine: Engine, name: string, work: (set: WriteSet) => R) =>
  whenMemoryIsFree(() => {
    const set = openWriteSet(engine, name)
    try {
      return work(set)
    } finally {
      set.releaseMemory()
    }
  })

export const writeTasks = {
  previewMerge: (engine: Engine, { store, args: [ours, theirs] }: StoreCall<[Oid, Oid]>) =>
    withWriteSet(engine, store, (db) => mergeTrees(db, ours, theirs)),
  findConflicts: (
    engine: Engine,
    { store, args: [ours, theirs, limits] }: StoreCall<[Oid, Oid, ConflictLimits]>,
  ) => withWriteSet(engine, store, (db) => findConflicts(db, ours, theirs, limits)),
  interdiff: (
    engine: Engine,
    {
      store,
      args: [{ since, onto, head }, options],
    }: StoreCall<[{ since: Oid; onto: Oid; head: Oid }, DiffOptions | undefined]>,
  ) =>
    withWriteSet(engine, store, (db) => {
      const merged = mergeTrees(db, since, onto)
      return 'tree' in merged ? diffTrees(db, merged.tree, head, options) : null
    }),
  land: (engine: Engine, { store, args: [options] }: StoreCall<[LandOptions]>) =>
    persistReachable<MergeResult>(
      engine,
      store,
      (db) => land(db, options),
      (landing) => ('commit' in landing ? [landing.commit] : []),
    ),
  revert: (engine: Engine, { store, args: [options] }: StoreCall<[RevertOptions]>) =>
    persistReachable<MergeResult>(
      engine,
      store,
      (db) => revert(db, options),
      (landing) => ('commit' in landing ? [landing.commit] : []),
    ),
  commitFiles: (engine: Engine, { store, args: [options] }: StoreCall<[CommitFilesOptions]>) =>
    persistReachable(
      engine,
      store,
      (db) => commitFiles(db, options),
      (made) => [made.commit],
    ),
  createTag: (engine: Engine, { store, args: [options] }: StoreCall<[CreateTagOptions]>) =>
    persistReachable(
      engine,
      store,
      (db) => createTag(db, options),
      (oid) => [oid],
    ),
}
