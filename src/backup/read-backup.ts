/** Lists the backups of a store, and reads and checks them. */
import {
  requireValidContent,
  decodeManifest,
  isBackupId,
  manifestPath,
  type BackupContent,
  type FileEntry,
  type Manifest,
} from './manifest.ts'
import { fetchPart, createPartDecoder } from './parts.ts'
import { BackupError, MissingObjectError, type BackupStore } from './backup-store.ts'
import { createDecrypter } from './encryption.ts'
import type { ReportProgress } from './write-backup.ts'

/** One backup of a store. If its manifest is damaged, `fault` holds the reason. */
export type ListedBackup = {
  readonly id: string
  readonly manifest: Manifest | null
  readonly fault: string | null
}

/** All backups, newest first. */
export async function listBackups(store: BackupStore): Promise<ListedBackup[]> {
  const ids: string[] = []
  for await (const { name } of store.list('backups/')) {
    const id = /^backups\/([^/]+)\.json$/.exec(name)?.[1]
    if (id !== undefined && isBackupId(id)) ids.push(id)
  }
  const found: ListedBackup[] = []
  for (const id of ids.sort().reverse()) {
    try {
      found.push({ id, manifest: await readManifest(store, id), fault: null })
    } catch (error) {
      if (!(error instanceof BackupError)) throw error
      if (!(error instanceof MissingObjectError))
        found.push({ id, manifest: null, fault: error.message })
    }
  }
  return found
}

export const readManifest = async (store: BackupStore, id: string): Promise<Manifest> =>
  decodeManifest(await store.get(manifestPath(id)), `${store.address}/${manifestPath(id)}`)

/** The backup with an id, or the newest intact one. Throws BackupError when there is none. */
export async function requireBackup(store: BackupStore, id: string | null): Promise<Manifest> {
  if (id !== null) {
    if (!isBackupId(id)) throw new BackupError(`${JSON.stringify(id)} is no id of a backup`)
    return readManifest(store, id)
  }
  const all = await listBackups(store)
  const whole = all.find(({ manifest }) => manifest !== null)?.manifest
  if (whole) return whole
  throw new BackupError(all[0]?.fault ?? `${store.address} holds no backup`)
}

/** The files of a backup. Throws BackupError when it is encrypted and no identity decrypts it. */
export async function readContent(
  manifest: Manifest,
  identities: readonly string[],
): Promise<BackupContent> {
  if (manifest.content !== null) return manifest.content
  if (identities.length === 0)
    throw new BackupError(
      `the backup ${manifest.id} is encrypted: name the file with the age identity (--identity FILE)`,
    )
  const bytes = await createDecrypter(identities)(Buffer.from(manifest.sealed ?? '', 'base64'))
  const content: unknown = JSON.parse(new TextDecoder().decode(bytes))
  requireValidContent(content, manifest.parts, `the backup ${manifest.id}`)
  return content
}

const MAX_FAULTS = 100

/**
 * Reads a backup completely and returns its faults, one line each; none means intact. An encrypted
 * backup without an identity is checked part by part against the hashes of the stored bytes;
 * otherwise every file is checked against its own hash.
 */
export async function checkBackup(
  store: BackupStore,
  manifest: Manifest,
  identities: readonly string[],
  tell: ReportProgress,
  signal: AbortSignal,
): Promise<string[]> {
  const faults: string[] = []
  const addFault = (fault: string) => {
    if (faults.length < MAX_FAULTS && !faults.includes(fault)) faults.push(fault)
  }
  const check = async (path: string | null, run: () => Promise<void>) => {
    try {
      await run()
    } catch (error) {
      if (!(error instanceof BackupError)) throw error
      addFault(path === null ? error.message : `${path}: ${error.message}`)
    }
  }
  const fetch = (name: string): Promise<Uint8Array> => {
    signal.throwIfAborted()
    return fetchPart(store, manifest, name)
  }
  if (manifest.content === null && identities.length === 0) {
    await checkParts(Object.keys(manifest.parts), fetch, check, tell)
    return faults
  }
  const { files } = await readContent(manifest, identities)
  const decode = createPartDecoder(identities)
  await checkFiles(files, async (name) => decode(name, await fetch(name)), check, tell)
  if (!files.some(({ path }) => path === 'hearth.db')) addFault('there is no database in it')
  return faults
}

type ReadPart = (name: string) => Promise<Uint8Array>
/** Runs a check and collects the BackupError that it throws, with the path if there is one. */
type RunCheck = (path: string | null, run: () => Promise<void>) => Promise<void>

async function checkParts(
  names: readonly string[],
  fetch: ReadPart,
  check: RunCheck,
  tell: ReportProgress,
): Promise<void> {
  const progress = { phase: 'checking', files_total: names.length, bytes_done: 0, bytes_total: 0 }
  for (const [index, name] of names.entries()) {
    await check(null, async () => void (await fetch(name)))
    tell({ ...progress, files_done: index + 1 })
  }
}

async function checkFiles(
  files: readonly FileEntry[],
  read: ReadPart,
  check: RunCheck,
  tell: ReportProgress,
): Promise<void> {
  const bytes_total = files.reduce((sum, { size }) => sum + size, 0)
  let bytes_done = 0
  for (const [index, file] of files.entries()) {
    await check(file.path, async () => {
      const hasher = new Bun.CryptoHasher('sha256')
      for (const name of file.parts) hasher.update(await read(name))
      if (hasher.digest('hex') !== file.sha256)
        throw new BackupError('it has other bytes than when it was backed up')
    })
    bytes_done += file.size
    tell({
      phase: 'checking',
      files_done: index + 1,
      files_total: files.length,
      bytes_done,
      bytes_total,
    })
  }
}
