/**
 * What a backup takes from a data directory, held as it is at one moment: names of the same files
 * in a folder of `tmp`, so that nobody can take them away meanwhile, and a copy of the database.
 */
import { copyDatabase, openDatabase } from '#core/db.ts'
import { freezeStore, holdFile, listAway } from '#git'
import type { Db } from '#core/db.ts'
import type { Distant, Source } from '#backup'
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  countRepositories,
  isStored,
  listStoredFiles,
  newestMigration,
  storesOf,
} from './store-snapshot.ts'

/**
 * What stands at the top of a data directory and does not go into a backup, or goes another way.
 */
const LEFT_OUT = new Set([
  'hearth.db',
  'hearth.db-wal',
  'hearth.db-shm',
  'hearth.db-journal',
  'hearth.db.rolling-back',
  'repos',
  'tmp',
  'backups',
  'outbox',
  'lost',
  'lost+found',
  'storage.id',
])
/**
 * Databases beside the forge's own, such as the index of searches: they are made anew from it, and
 * no part of a file that is written to would be whole.
 */
const BESIDE = /\.db(-wal|-shm|-journal)?$/
/** What holds secrets as they are; only encrypted backups do. */
const SECRET = new Set(['secrets', 'hearth.toml'])
/** Named by its content, and so never another (`core/blobs.ts`). */
const BLOB = /^blobs\/[0-9a-f]{2}\/[0-9a-f]{64}$/
/** Files that nobody has finished, and sockets of databases of their own. */
const PASSING = /\.partial$|^\.restoring|-wal$|-shm$/

export type Gathered = {
  readonly sources: Source[]
  readonly folders: string[]
  readonly schema: string
  readonly repositories: number
  readonly notes: string[]
}

function* filesBelow(root: string, path: string, notes: Set<string>): Generator<string> {
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    if (PASSING.test(entry.name)) continue
    if (/[\\:]/.test(entry.name))
      notes.add(`${inner} is left out: its name does not stand on every system`)
    else if (entry.isDirectory()) yield* filesBelow(root, inner, notes)
    else if (entry.isFile()) yield inner
    else notes.add(`${inner} is left out: it is neither a file nor a folder`)
  }
}

/** Where what is not here can be read, a part at a time. */
export type Elsewhere = (path: string, sha256: string) => Distant['read']

/**
 * `staging` is an empty folder on the same file system as the data. Synchronous and long: for a
 * thread.
 */
export function gather(
  data: string,
  staging: string,
  options: { secrets: boolean; elsewhere?: Elsewhere | null; copied: () => void },
): Gathered {
  const repos = join(data, 'repos')
  const held = join(staging, 'files')
  const notes = new Set<string>()
  const wanted = (name: string): boolean =>
    !LEFT_OUT.has(name) && !BESIDE.test(name) && (options.secrets || !SECRET.has(name))
  const freeze = (stores: Iterable<string>): string[] =>
    [...stores].filter((store) => !freezeStore(join(repos, store), join(staging, 'repos', store)))
  const hold = (): void => {
    for (const name of readdirSync(data)) {
      if (!wanted(name) || PASSING.test(name)) continue
      const found = lstatSync(join(data, name))
      if (found.isFile()) holdFile(join(data, name), join(held, name))
      else if (found.isDirectory())
        for (const path of filesBelow(data, name, notes))
          holdFile(join(data, path), join(held, path))
    }
  }
  mkdirSync(held, { recursive: true, mode: 0o700 })

  // Before the copy, so that what it names cannot go meanwhile; and after, for what came while it
  // was made.
  const there = existsSync(repos)
    ? readdirSync(repos, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() ? [entry.name] : [],
      )
    : []
  freeze(there)
  hold()
  const database = join(staging, 'hearth.db')
  copyDatabase(join(data, 'hearth.db'), database)
  options.copied()
  const snapshot = openDatabase({ path: database, readonly: true })
  try {
    const stores = storesOf(snapshot)
    const gone = freeze(stores).filter(
      (store) => !existsSync(join(staging, 'repos', store)) && !isStored(snapshot, store),
    )
    for (const store of gone) notes.add(`the object store ${store} is missing: run hearth doctor`)
    hold()
    const sources: Source[] = [
      { path: 'hearth.db', file: database, compress: true, immutable: false },
    ]
    const folders: string[] = []
    const distant = (path: string, what: Omit<Distant, 'read' | 'mode'>): void => {
      if (!options.elsewhere)
        notes.add(`${path} is in a bucket only, and storage.bucket is not set: it is left out`)
      else
        sources.push({
          path,
          file: {
            ...what,
            mode: path.startsWith('blobs/') ? 0o600 : 0o444,
            read: options.elsewhere(path, what.sha256),
          },
          compress: false,
          immutable: true,
        })
    }
    for (const store of stores) {
      const directory = join(staging, 'repos', store)
      if (!existsSync(directory)) continue
      for (const { name, ...what } of listAway(directory))
        distant(`repos/${store}/objects/pack/${name}.pack`, what)
      for (const path of filesBelow(directory, '', notes)) {
        if (path.endsWith('.away')) continue
        // Names of packs are random and never used again.
        sources.push({
          path: `repos/${store}/${path}`,
          file: join(directory, path),
          compress: false,
          immutable: /^objects\/pack\/pack-[0-9a-f]{40}\.(pack|idx|rev)$/.test(path),
        })
      }
      for (const folder of ['objects/info', 'objects/pack', 'refs'])
        folders.push(`repos/${store}/${folder}`)
    }
    for (const path of filesBelow(held, '', notes))
      sources.push({
        path,
        file: join(held, path),
        compress: /\.(log|txt|json|toml)$/.test(path),
        immutable: BLOB.test(path),
      })
    takeDistant(snapshot, data, sources, new Set(stores), distant)
    return {
      sources,
      folders,
      schema: newestMigration(snapshot),
      repositories: countRepositories(snapshot),
      notes: [...notes],
    }
  } finally {
    snapshot.close()
  }
}

/**
 * What rows name and was not held here: uploaded files that are in a bucket only, and the packs of
 * stores that this machine never had.
 */
function takeDistant(
  snapshot: Db,
  data: string,
  sources: Source[],
  stores: ReadonlySet<string>,
  distant: (path: string, what: Omit<Distant, 'read' | 'mode'>) => void,
): void {
  const held = new Set(sources.map(({ path }) => path))
  for (const { name, store, ...what } of listStoredFiles(snapshot)) {
    if (
      held.has(name) ||
      (store !== null &&
        (!stores.has(store) ||
          existsSync(join(data, 'repos', store, 'objects', 'info', 'in-bucket'))))
    )
      continue
    distant(name, what)
  }
}
