/**
 * Collects the sources of a backup at one moment: hard links in a folder of `tmp`, so that nothing
 * can be deleted meanwhile, and a copy of the database.
 */
import { copyDatabase, openDatabase } from '#core/db.ts'
import { snapshotStore, linkOrCopyFile, listOffloadedPacks } from '#git'
import type { Db } from '#core/db.ts'
import type { Distant, Source } from '#backup'
import { existsSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import {
  countRepositories,
  hasRemoteCopy,
  listStoredFiles,
  newestMigration,
  listStoresOfSnapshot,
} from './store-snapshot.ts'

/** Top-level entries that are not backed up, or are backed up separately. */
const EXCLUDED = new Set([
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
  'standby',
])
/**
 * Other databases, such as the search index. They are rebuilt from the forge's, and a copy of a
 * file that is being written would be inconsistent.
 */
const OTHER_DATABASE = /\.db(-wal|-shm|-journal)?$/
/** Unencrypted secrets, which only encrypted backups contain. */
const SECRET_PATHS = new Set(['secrets', 'hearth.toml'])
/** Named by its content, so it never changes (`core/blobs.ts`). */
const BLOB_PATH = /^blobs\/[0-9a-f]{2}\/[0-9a-f]{64}$/
/** Unfinished files, and the WAL files of other databases. */
const TEMPORARY_FILE = /\.partial$|^\.restoring|-wal$|-shm$/

export type CollectedSources = {
  readonly sources: Source[]
  readonly folders: string[]
  readonly schema: string
  readonly repositories: number
  readonly notes: string[]
}

function* filesBelow(root: string, path: string, notes: Set<string>): Generator<string> {
  for (const entry of readdirSync(join(root, path), { withFileTypes: true })) {
    const inner = path === '' ? entry.name : `${path}/${entry.name}`
    if (TEMPORARY_FILE.test(entry.name)) continue
    if (/[\\:]/.test(entry.name))
      notes.add(`${inner} is left out: its name does not stand on every system`)
    else if (entry.isDirectory()) yield* filesBelow(root, inner, notes)
    else if (entry.isFile()) yield inner
    else notes.add(`${inner} is left out: it is neither a file nor a folder`)
  }
}

/** Returns a function that reads an offloaded file in parts. */
export type RemoteReader = (path: string, sha256: string) => Distant['read']

export type CollectOptions = {
  /** Whether to include unencrypted secrets. */
  readonly secrets: boolean
  readonly elsewhere?: RemoteReader | null
  /** Called after the database was copied. */
  readonly copied: () => void
}

/**
 * Collects the sources. `staging` is an empty folder on the file system of the data. Synchronous
 * and slow, so it runs on a thread.
 */
export const collectSources = (
  data: string,
  staging: string,
  options: CollectOptions,
): CollectedSources => new SourceCollector(data, staging, options).run()

class SourceCollector {
  readonly #sources: Source[] = []
  readonly #folders: string[] = []
  readonly #notes = new Set<string>()
  readonly #linked: string

  constructor(
    private readonly data: string,
    private readonly staging: string,
    private readonly options: CollectOptions,
  ) {
    this.#linked = join(staging, 'files')
  }

  run(): CollectedSources {
    mkdirSync(this.#linked, { recursive: true, mode: 0o700 })
    // Linked before the database is copied, so that nothing it references is deleted, and again
    // afterwards for what was added meanwhile.
    this.#linkStores(this.#listStoreFolders())
    this.#linkFiles()
    const database = join(this.staging, 'hearth.db')
    copyDatabase(join(this.data, 'hearth.db'), database)
    this.options.copied()
    const snapshot = openDatabase({ path: database, readonly: true })
    try {
      const stores = listStoresOfSnapshot(snapshot)
      for (const store of this.#linkStores(stores))
        if (!existsSync(join(this.staging, 'repos', store)) && !hasRemoteCopy(snapshot, store))
          this.#notes.add(`the object store ${store} is missing: run hearth doctor`)
      this.#linkFiles()
      this.#sources.push({ path: 'hearth.db', file: database, compress: true, immutable: false })
      for (const store of stores) this.#addStore(store)
      this.#addFiles()
      addRemoteFiles(snapshot, this.data, this.#sources, new Set(stores), (path, file) =>
        this.#addRemote(path, file),
      )
      return {
        sources: this.#sources,
        folders: this.#folders,
        schema: newestMigration(snapshot),
        repositories: countRepositories(snapshot),
        notes: [...this.#notes],
      }
    } finally {
      snapshot.close()
    }
  }

  #listStoreFolders(): string[] {
    const repos = join(this.data, 'repos')
    if (!existsSync(repos)) return []
    return readdirSync(repos, { withFileTypes: true }).flatMap((entry) =>
      entry.isDirectory() ? [entry.name] : [],
    )
  }

  /** Links the files of object stores into the staging folder. Returns the missing stores. */
  #linkStores(stores: readonly string[]): string[] {
    return stores.filter(
      (store) =>
        !snapshotStore(join(this.data, 'repos', store), join(this.staging, 'repos', store)),
    )
  }

  #isIncluded(name: string): boolean {
    return (
      !EXCLUDED.has(name) &&
      !OTHER_DATABASE.test(name) &&
      (this.options.secrets || !SECRET_PATHS.has(name)) &&
      !TEMPORARY_FILE.test(name)
    )
  }

  /** Links all other files into the staging folder. */
  #linkFiles(): void {
    for (const name of readdirSync(this.data)) {
      if (!this.#isIncluded(name)) continue
      const entry = lstatSync(join(this.data, name))
      if (entry.isFile()) linkOrCopyFile(join(this.data, name), join(this.#linked, name))
      else if (entry.isDirectory())
        for (const path of filesBelow(this.data, name, this.#notes))
          linkOrCopyFile(join(this.data, path), join(this.#linked, path))
    }
  }

  #addStore(store: string): void {
    const directory = join(this.staging, 'repos', store)
    if (!existsSync(directory)) return
    for (const { name, ...file } of listOffloadedPacks(directory))
      this.#addRemote(`repos/${store}/objects/pack/${name}.pack`, file)
    for (const path of filesBelow(directory, '', this.#notes)) {
      if (path.endsWith('.away')) continue
      // Pack names are random and never reused.
      this.#sources.push({
        path: `repos/${store}/${path}`,
        file: join(directory, path),
        compress: false,
        immutable: /^objects\/pack\/pack-[0-9a-f]{40}\.(pack|idx|rev)$/.test(path),
      })
    }
    for (const folder of ['objects/info', 'objects/pack', 'refs'])
      this.#folders.push(`repos/${store}/${folder}`)
  }

  #addFiles(): void {
    for (const path of filesBelow(this.#linked, '', this.#notes))
      this.#sources.push({
        path,
        file: join(this.#linked, path),
        compress: /\.(log|txt|json|toml)$/.test(path),
        immutable: BLOB_PATH.test(path),
      })
  }

  /** Adds an offloaded file, which is read from the bucket. */
  #addRemote(path: string, file: Omit<Distant, 'read' | 'mode'>): void {
    const { elsewhere } = this.options
    if (!elsewhere) {
      this.#notes.add(`${path} is in a bucket only, and storage.bucket is not set: it is left out`)
      return
    }
    this.#sources.push({
      path,
      file: {
        ...file,
        mode: path.startsWith('blobs/') ? 0o600 : 0o444,
        read: elsewhere(path, file.sha256),
      },
      compress: false,
      immutable: true,
    })
  }
}

/**
 * Adds offloaded files that rows reference: uploaded files, and packs of stores that this machine
 * never had.
 */
function addRemoteFiles(
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
