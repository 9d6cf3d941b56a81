/** Finds backups in a place and reads what is in them. */
import {
  checkContent,
  decodeManifest,
  isBackupId,
  manifestName,
  type Content,
  type Manifest,
} from './manifest.ts'
import { fetchPart, unpacker } from './parts.ts'
import { BackupError, Missing, type Place } from './place.ts'
import { opener } from './sealing.ts'
import type { Tell } from './write-backup.ts'

/** One backup of a place; one whose manifest is damaged has the reason instead. */
export type Listed = {
  readonly id: string
  readonly manifest: Manifest | null
  readonly fault: string | null
}

/** All backups, the newest first. */
export async function listBackups(place: Place): Promise<Listed[]> {
  const ids: string[] = []
  for await (const { name } of place.list('backups/')) {
    const id = /^backups\/([^/]+)\.json$/.exec(name)?.[1]
    if (id !== undefined && isBackupId(id)) ids.push(id)
  }
  const found: Listed[] = []
  for (const id of ids.sort().reverse()) {
    try {
      found.push({ id, manifest: await readManifest(place, id), fault: null })
    } catch (error) {
      if (!(error instanceof BackupError)) throw error
      if (!(error instanceof Missing)) found.push({ id, manifest: null, fault: error.message })
    }
  }
  return found
}

export const readManifest = async (place: Place, id: string): Promise<Manifest> =>
  decodeManifest(await place.get(manifestName(id)), `${place.address}/${manifestName(id)}`)

/** The backup of an id, or the newest whole one. Gives BackupError when there is none. */
export async function requireBackup(place: Place, id: string | null): Promise<Manifest> {
  if (id !== null) {
    if (!isBackupId(id)) throw new BackupError(`${JSON.stringify(id)} is no id of a backup`)
    return readManifest(place, id)
  }
  const all = await listBackups(place)
  const whole = all.find(({ manifest }) => manifest !== null)?.manifest
  if (whole) return whole
  throw new BackupError(all[0]?.fault ?? `${place.address} holds no backup`)
}

/** What files a backup holds. Gives BackupError when it is encrypted and no identity opens it. */
export async function contentOf(
  manifest: Manifest,
  identities: readonly string[],
): Promise<Content> {
  if (manifest.content !== null) return manifest.content
  if (identities.length === 0)
    throw new BackupError(
      `the backup ${manifest.id} is encrypted: name the file with the age identity (--identity FILE)`,
    )
  const bytes = await opener(identities)(Buffer.from(manifest.sealed ?? '', 'base64'))
  const content: unknown = JSON.parse(new TextDecoder().decode(bytes))
  checkContent(content, manifest.parts, `the backup ${manifest.id}`)
  return content
}

const MOST_FAULTS = 100

/**
 * Reads all of a backup and says what is wrong with it, one line each; empty means sound. Without
 * an identity an encrypted one is held against its sums as it is stored, else every file against
 * its own.
 */
export async function checkBackup(
  place: Place,
  manifest: Manifest,
  identities: readonly string[],
  tell: Tell,
  signal: AbortSignal,
): Promise<string[]> {
  const faults: string[] = []
  const say = (fault: string) => {
    if (faults.length < MOST_FAULTS && !faults.includes(fault)) faults.push(fault)
  }
  const attempt = async (what: string, run: () => Promise<void>) => {
    try {
      await run()
    } catch (error) {
      if (!(error instanceof BackupError)) throw error
      say(what === '' ? error.message : `${what}: ${error.message}`)
    }
  }
  if (manifest.content === null && identities.length === 0) {
    const names = Object.keys(manifest.parts)
    let files_done = 0
    for (const name of names) {
      signal.throwIfAborted()
      await attempt('', async () => void (await fetchPart(place, manifest, name)))
      tell({
        phase: 'checking',
        files_done: ++files_done,
        files_total: names.length,
        bytes_done: 0,
        bytes_total: 0,
      })
    }
    return faults
  }
  const content = await contentOf(manifest, identities)
  const unpack = unpacker(identities)
  let files_done = 0
  let bytes_done = 0
  const bytes_total = content.files.reduce((sum, { size }) => sum + size, 0)
  for (const file of content.files) {
    await attempt(file.path, async () => {
      const hasher = new Bun.CryptoHasher('sha256')
      for (const name of file.parts) {
        signal.throwIfAborted()
        hasher.update(await unpack(name, await fetchPart(place, manifest, name)))
      }
      if (hasher.digest('hex') !== file.sha256)
        throw new BackupError('it has other bytes than when it was backed up')
    })
    bytes_done += file.size
    tell({
      phase: 'checking',
      files_done: ++files_done,
      files_total: content.files.length,
      bytes_done,
      bytes_total,
    })
  }
  if (!content.files.some(({ path }) => path === 'hearth.db')) say('there is no database in it')
  return faults
}
