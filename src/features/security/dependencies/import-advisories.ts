/**
 * Imports advisories in the format of OSV from a file, a folder or a zip archive. The advisories are
 * stored under the import, and count at once when it is complete. An import that was cut off goes on
 * where it stopped, as long as it is given the same files.
 */
import { createReadStream } from 'node:fs'
import { opendir, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import {
  AdvisoryFault,
  MAX_ADVISORY_BYTES,
  readAdvisory,
  type OsvAdvisory,
} from '#lib/advisories/osv.ts'
import { readZip } from '#lib/archives/zip-reader.ts'
import { scanAllDependencies } from './scan-dependencies.ts'
import {
  advanceImport,
  completeImport,
  findRunningImport,
  insertAdvisory,
  insertImport,
  isKnownAdvisory,
  removeImport,
  requireImport,
} from './store-advisories.ts'
import { sweepAdvisories } from './sweep-advisories.ts'

/** Advisories of one transaction, which take about 10 ms. */
const BATCH = 200
const REMOVED_PER_BATCH = 1_000
const MAX_FILES = 2_000_000
const MAX_TOTAL_BYTES = 64 * 1024 ** 3

/** The import cannot be done. The message is a sentence for the operator. */
export class ImportFault extends Error {}

type Source = {
  /** Changes with what is imported. */
  readonly fingerprint: string
  /** The files in a fixed order; one is read only when it is asked for. */
  readonly files: () => AsyncIterable<{ name: string; read: () => Promise<Uint8Array> }>
}

async function collect(name: string, parts: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const part of parts) {
    size += part.length
    if (size > MAX_ADVISORY_BYTES) throw new ImportFault(`${name} is larger than 16 MiB`)
    chunks.push(part)
  }
  return Buffer.concat(chunks)
}

async function* filesOfZip(path: string) {
  for await (const file of readZip(path, MAX_TOTAL_BYTES, MAX_FILES))
    if (file.path.endsWith('.json'))
      yield { name: file.path, read: () => collect(file.path, file.data) }
}

async function listFolder(folder: string): Promise<string[]> {
  const paths: string[] = []
  for await (const entry of await opendir(folder, { recursive: true })) {
    if (entry.isFile() && entry.name.endsWith('.json'))
      paths.push(join(entry.parentPath, entry.name))
    if (paths.length > MAX_FILES) throw new ImportFault(`${folder} has too many files`)
  }
  return paths.sort()
}

async function* filesOf(paths: readonly string[]) {
  for (const path of paths) yield { name: path, read: () => collect(path, createReadStream(path)) }
}

const hashOf = (text: string): string => new Bun.CryptoHasher('sha256').update(text).digest('hex')

async function openSource(given: string): Promise<Source> {
  const path = resolve(given)
  const info = await stat(path).catch(() => null)
  if (info === null) throw new ImportFault(`${path} is not there`)
  if (info.isDirectory()) {
    const paths = await listFolder(path)
    if (paths.length === 0) throw new ImportFault(`${path} has no .json files`)
    const hash = new Bun.CryptoHasher('sha256')
    for (const one of paths) {
      const { size, mtimeMs } = await stat(one)
      hash.update(`${one}\0${size}\0${mtimeMs}\n`)
    }
    return { fingerprint: hash.digest('hex'), files: () => filesOf(paths) }
  }
  const fingerprint = hashOf(`${path}\0${info.size}\0${info.mtimeMs}`)
  const isZip = (await readStart(path, 4)).toString('latin1') === 'PK\x03\x04'
  return { fingerprint, files: () => (isZip ? filesOfZip(path) : filesOf([path])) }
}

async function readStart(path: string, length: number): Promise<Buffer> {
  for await (const part of createReadStream(path, { start: 0, end: length - 1 }))
    return part as Buffer
  return Buffer.alloc(0)
}

/** A file holds one advisory or a list of them. */
function parseAdvisories(name: string, bytes: Uint8Array): OsvAdvisory[] {
  try {
    const value = JSON.parse(new TextDecoder().decode(bytes)) as unknown
    return (Array.isArray(value) ? value : [value]).map(readAdvisory)
  } catch (error) {
    const reason = error instanceof AdvisoryFault ? error.message : 'is no JSON'
    throw new ImportFault(`${name} ${reason}. Nothing was imported`)
  }
}

export type ImportProgress = { readonly files: number; readonly advisories: number }

export type ImportResult = ImportProgress & {
  /** Files that an import before had read already. */
  readonly resumedAt: number
}

async function removeAll(hearth: Hearth, seq: number): Promise<void> {
  while (await writeAs(hearth, null, (tx) => removeImport(tx, seq, REMOVED_PER_BATCH)));
}

/** Stores a batch, without what is known in the same state. */
function storeBatch(
  hearth: Hearth,
  seq: number,
  position: number,
  advisories: readonly OsvAdvisory[],
): Promise<void> {
  return writeAs(hearth, null, (tx) => {
    let added = 0
    for (const advisory of advisories)
      if (!isKnownAdvisory(tx.db, advisory) && insertAdvisory(tx, seq, advisory)) added++
    advanceImport(tx, seq, { position, added })
  })
}

async function storeFiles(
  hearth: Hearth,
  { files }: Source,
  { seq, position: done }: { seq: number; position: number },
  tell: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<number> {
  let position = 0
  let batch: OsvAdvisory[] = []
  for await (const { name, read } of files()) {
    signal.throwIfAborted()
    if (position++ < done) continue
    batch.push(...parseAdvisories(name, await read()))
    if (batch.length < BATCH) continue
    for (let at = 0; at < batch.length; at += BATCH) {
      const isLast = at + BATCH >= batch.length
      await storeBatch(hearth, seq, isLast ? position : done, batch.slice(at, at + BATCH))
    }
    done = position
    batch = []
    tell({ files: position, advisories: requireImport(hearth.db, seq).advisories })
  }
  await storeBatch(hearth, seq, position, batch)
  return position
}

/** Throws ImportFault, after which nothing of the import counts. */
export async function importAdvisories(
  hearth: Hearth,
  path: string,
  tell: (progress: ImportProgress) => void,
  signal: AbortSignal,
): Promise<ImportResult> {
  const source = await openSource(path)
  const running = findRunningImport(hearth.db, source.fingerprint)
  const seq =
    running?.seq ?? (await writeAs(hearth, null, (tx) => insertImport(tx, source.fingerprint)))
  let files: number
  try {
    files = await storeFiles(
      hearth,
      source,
      { seq, position: running?.position ?? 0 },
      tell,
      signal,
    )
    if (files === 0) throw new ImportFault(`${path} has no .json files`)
  } catch (error) {
    // A stop leaves what is stored, so that the next import goes on.
    if (!signal.aborted) await removeAll(hearth, seq)
    if (error instanceof Error && error.message.startsWith('The archive'))
      throw new ImportFault(`${error.message}. Nothing was imported`)
    throw error
  }
  await writeAs(hearth, null, (tx) => {
    completeImport(tx, seq)
    tx.enqueue(scanAllDependencies, null, { key: 'all' })
    tx.enqueue(sweepAdvisories, null, { key: 'sweep' })
  })
  const { advisories } = requireImport(hearth.db, seq)
  return { files, advisories, resumedAt: running?.position ?? 0 }
}
