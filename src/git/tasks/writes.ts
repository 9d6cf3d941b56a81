/** Work that makes objects: what it makes is kept as one synced pack, or forgotten. */
import { commitSource } from '../history/index.ts'
import {
  commitFiles,
  createTag,
  land,
  mergeTrees,
  revert,
  type CommitFilesOptions,
  type CreateTagOptions,
  type LandOptions,
  type RevertOptions,
} from '../merge/index.ts'
import { diffTrees } from '../diff/index.ts'
import type { DiffOptions, Landing, Oid } from '../ports.ts'
import { WriteSet } from '../store/write-set.ts'
import type { Engine } from './engine.ts'

type Asked<A> = { readonly store: string; readonly args: A }

/** Bytes of new objects that one change may hold, of the engine's memory. */
const SHARE = 2

function open(engine: Engine, name: string): WriteSet {
  const { objects } = engine.store(name)
  objects.refresh()
  const source = commitSource(objects)
  return new WriteSet(objects, Math.max(64 << 20, engine.settings.memoryBudget / SHARE), (oid) =>
    source.get(oid),
  )
}

/** Runs `make` and keeps what its result reaches; a result without roots keeps nothing. */
function kept<R>(
  engine: Engine,
  name: string,
  make: (db: WriteSet) => R,
  roots: (result: R) => readonly Oid[],
): { value: R } {
  const set = open(engine, name)
  const value = make(set)
  set.keepReachable(roots(value))
  set.persist(engine.directory(name), engine.settings.tmp)
  if (set.size > 0) engine.store(name).objects.refresh()
  return { value }
}

export const writes = {
  previewMerge: (engine: Engine, { store, args: [ours, theirs] }: Asked<[Oid, Oid]>) => ({
    value: mergeTrees(open(engine, store), ours, theirs),
  }),
  interdiff: (
    engine: Engine,
    {
      store,
      args: [{ since, onto, head }, options],
    }: Asked<[{ since: Oid; onto: Oid; head: Oid }, DiffOptions | undefined]>,
  ) => {
    const db = open(engine, store)
    const merged = mergeTrees(db, since, onto)
    return { value: 'tree' in merged ? diffTrees(db, merged.tree, head, options) : null }
  },
  land: (engine: Engine, { store, args: [options] }: Asked<[LandOptions]>) =>
    kept<Landing>(
      engine,
      store,
      (db) => land(db, options),
      (landing) => ('commit' in landing ? [landing.commit] : []),
    ),
  revert: (engine: Engine, { store, args: [options] }: Asked<[RevertOptions]>) =>
    kept<Landing>(
      engine,
      store,
      (db) => revert(db, options),
      (landing) => ('commit' in landing ? [landing.commit] : []),
    ),
  commitFiles: (engine: Engine, { store, args: [options] }: Asked<[CommitFilesOptions]>) =>
    kept(
      engine,
      store,
      (db) => commitFiles(db, options),
      (made) => [made.commit],
    ),
  createTag: (engine: Engine, { store, args: [options] }: Asked<[CreateTagOptions]>) =>
    kept(
      engine,
      store,
      (db) => createTag(db, options),
      (oid) => [oid],
    ),
}
