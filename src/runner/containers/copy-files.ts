/**
 * COPY, ADD and WORKDIR of a Dockerfile: writes files into a container that does not run. No program
 * of the image takes part, because an image may have none.
 */
import { posix } from 'node:path'
import { ByteReader } from '#lib/archives/byte-reader.ts'
import { gunzipFile } from '#lib/archives/gunzip-file.ts'
import { readTarEntries, writeTarEntries, type TarEntry } from '#lib/archives/tar-entries.ts'
import type { Copy } from '../dockerfile/instructions.ts'
import { copyPattern, hasWildcard } from '../dockerfile/patterns.ts'
import type { StageState } from '../dockerfile/stage-state.ts'
import { emptyEntry, type ContextFiles } from './context-files.ts'
import { readIn, statIn, writeIn, type Found } from './docker-api.ts'
import { findOwner, type Owner } from './image-owners.ts'

const MAX_MATCHES = 10_000
const TAR_BLOCK = 512
/** What the kernel takes for an entry at most, whatever is in it. */
const ENTRY_BYTES = 1024
/** Docker takes files with this prefix in a layer for signs that others are deleted. */
const RESERVED_PREFIX = '.wh.'

/** A container that does not run, and what may be written into it. */
export type Target = {
  readonly container: string
  readonly state: StageState
  /** Folders that are no part of the image. */
  readonly volumes: readonly string[]
  readonly signal: AbortSignal
  /** Takes bytes from what the build may still write. Throws an Error where there are none left. */
  readonly take: (bytes: number) => void
}

/** Something that is copied. Its entries have paths below it, and an empty one for itself. */
type Source = {
  readonly kind: 'file' | 'folder'
  readonly name: string
  readonly entries: AsyncIterable<TarEntry>
}

export type Sources = { find(path: string): Promise<Source[]> }

const relative = (path: string): string => posix.resolve('/', path).slice(1)

const notFound = (path: string): Error => new Error(`there is no ${path}`)

/** What a container has at a path, links followed within it; null for nothing. */
async function follow(
  container: string,
  path: string,
  signal: AbortSignal,
): Promise<(Found & { readonly path: string }) | null> {
  const found = await statIn(container, path, signal)
  if (found === null) return null
  if (found.link === null) return { ...found, path }
  const end = await statIn(container, found.link, signal)
  return end === null ? null : { ...end, path: found.link }
}

/** The files of the folder of an action. */
export function contextSources(files: ContextFiles, unpacks: boolean): Sources {
  const sourceOf = async (path: string): Promise<Source> => {
    const found = files.resolve(path)
    if (found === null) throw notFound(path)
    const name = posix.basename(path)
    if (found.isFolder) return { kind: 'folder', name, entries: files.entriesAt(found.path) }
    const unpacked = unpacks ? await archiveEntries(files, found.path) : null
    return unpacked === null
      ? { kind: 'file', name, entries: files.entriesAt(found.path) }
      : { kind: 'folder', name, entries: unpacked }
  }
  return {
    async find(path) {
      const wanted = relative(path)
      if (!hasWildcard(wanted)) return [await sourceOf(wanted)]
      const pattern = copyPattern(wanted)
      const matches = files.paths().filter((one) => one !== '' && pattern.matches(one))
      const sources: Source[] = []
      for (const one of matches) sources.push(await sourceOf(one))
      return sources
    },
  }
}

const PACKED: readonly (readonly [magic: string, name: string])[] = [
  ['fd377a58', 'xz'],
  ['425a68', 'bzip2'],
  ['28b52ffd', 'zstd'],
]

const isTar = (block: Buffer | null): boolean => block?.toString('latin1', 257, 262) === 'ustar'

/** The entries of an archive; null for a file that is none. */
async function archiveEntries(
  files: ContextFiles,
  path: string,
): Promise<AsyncGenerator<TarEntry> | null> {
  const beginning = await files.beginningOf(path, TAR_BLOCK)
  const magic = beginning.toString('hex', 0, 4)
  const packed = PACKED.find(([start]) => magic.startsWith(start))?.[1]
  if (packed !== undefined)
    throw new Error(
      `ADD does not unpack ${packed} here; pack ${path} with gzip, or use COPY and RUN`,
    )
  if (!magic.startsWith('1f8b')) return isTar(beginning) ? unpack(files.read(path)) : null
  const open = () => gunzipFile(files.pathOf(path), Number.MAX_SAFE_INTEGER)
  const probe = open()
  try {
    if (!isTar(await new ByteReader(probe).exactly(TAR_BLOCK))) return null
  } catch {
    // It is too short for an archive, or no gzip file after all.
    return null
  } finally {
    await probe.return(undefined)
  }
  return unpack(open())
}

/** Files, folders and links of an archive of the author. Devices are left out. */
async function* unpack(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  for await (const entry of readTarEntries(bytes)) {
    const path = relative(entry.path)
    if (entry.kind === 'other' || path === '') continue
    const link = entry.kind === 'hard' ? relative(entry.link) : entry.link
    yield { ...entry, path, link }
  }
}

/** The entries of a tar stream of Docker, whose paths begin with the name of what was asked for. */
async function* belowFirst(
  bytes: AsyncIterable<Uint8Array>,
  first: string,
): AsyncGenerator<TarEntry> {
  const below = (path: string): string => {
    const clean = relative(path)
    if (first === '') return clean
    return clean === first ? '' : clean.slice(first.length + 1)
  }
  for await (const entry of readTarEntries(bytes)) {
    if (entry.kind === 'other') continue
    const link = entry.kind === 'hard' ? below(entry.link) : entry.link
    yield { ...entry, path: below(entry.path), link }
  }
}

/** The files of a container of another image. */
export function imageSources(container: string, signal: AbortSignal): Sources {
  const entriesOf = async (path: string): Promise<AsyncGenerator<TarEntry>> =>
    belowFirst(await readIn(container, path, signal), posix.basename(path))
  const sourceOf = async (path: string): Promise<Source> => {
    const found = await follow(container, path, signal)
    if (found === null) throw notFound(path)
    const entries = await entriesOf(found.path)
    return { kind: found.isFolder ? 'folder' : 'file', name: posix.basename(path), entries }
  }
  return {
    async find(path) {
      const wanted = posix.resolve('/', path)
      if (!hasWildcard(wanted)) return [await sourceOf(wanted)]
      const sources: Source[] = []
      for (const one of await matchesIn(wanted, signal, container))
        sources.push(await sourceOf(one))
      return sources
    },
  }
}

/** The paths of a container that a pattern matches. */
async function matchesIn(
  wanted: string,
  signal: AbortSignal,
  container: string,
): Promise<string[]> {
  const parts = wanted.split('/')
  const fixed = parts.slice(0, parts.findIndex(hasWildcard)).join('/') || '/'
  const found = await follow(container, fixed, signal)
  if (!found?.isFolder) return []
  const pattern = copyPattern(wanted)
  const matches: string[] = []
  const bytes = await readIn(container, found.path, signal)
  for await (const { path } of belowFirst(bytes, posix.basename(found.path))) {
    const whole = posix.join(fixed, path)
    if (!pattern.matches(whole)) continue
    matches.push(whole)
    if (matches.length > MAX_MATCHES) throw new Error(`${wanted} matches too many files`)
  }
  return matches.toSorted()
}

function modeOf(text: string | null): number | null {
  if (text === null) return null
  if (!/^[0-7]{1,4}$/.test(text))
    throw new Error(`--chmod=${text} is not supported here; write 755`)
  return Number.parseInt(text, 8)
}

type Changes = { readonly owner: Owner | null; readonly mode: number | null }

/** An entry at a path of the container, with the owner and the mode that the instruction gives. */
function placed(entry: TarEntry, base: string, { owner, mode }: Changes): TarEntry {
  const at = (path: string): string => posix.join('/', base, path).slice(1)
  const path = at(entry.path)
  if (posix.basename(path).startsWith(RESERVED_PREFIX) || /[\0]/.test(path))
    throw new Error(`${path} cannot be in an image, because of its name`)
  const isLink = entry.kind === 'symbolic'
  return {
    ...entry,
    path,
    link: entry.kind === 'hard' ? at(entry.link) : entry.link,
    ...(owner === null ? {} : owner),
    ...(mode === null || isLink ? {} : { mode }),
  }
}

/** The nearest folder of the container that is there, and those below it that are missing. */
async function missingFolders(
  { container, signal }: Target,
  folder: string,
): Promise<{ readonly base: string; readonly missing: string[] }> {
  const missing: string[] = []
  for (let path = posix.resolve('/', folder); ; path = posix.dirname(path)) {
    const found = await follow(container, path, signal)
    if (found !== null) {
      if (!found.isFolder) throw new Error(`${path} is no folder`)
      return { base: found.path, missing }
    }
    missing.unshift(posix.basename(path))
  }
}

function requireImagePath(path: string, { volumes }: Target): void {
  const volume = volumes.find(
    (one) => path === one || path.startsWith(`${one.replace(/\/$/, '')}/`),
  )
  if (volume !== undefined)
    throw new Error(
      `${volume} is a volume of the image that this one begins with, and keeps no files here; choose another folder`,
    )
}

/** Writes entries into the container, as many bytes as the build may write. */
async function write(target: Target, entries: AsyncIterable<TarEntry>): Promise<void> {
  async function* counted(): AsyncGenerator<TarEntry> {
    for await (const entry of entries) {
      target.take(ENTRY_BYTES + entry.size)
      yield entry
    }
  }
  await writeIn(target.container, writeTarEntries(counted()), target.signal)
}

/** Makes a folder with the owner of what the image executes. */
export async function makeFolder(target: Target, folder: string): Promise<void> {
  requireImagePath(folder, target)
  const { base, missing } = await missingFolders(target, folder)
  if (missing.length === 0) return
  const { container, state, signal } = target
  const user = state.config.User ?? ''
  const owner = user === '' ? null : await findOwner(container, user, signal)
  await write(target, foldersBelow(base, missing, { owner, mode: null }))
}

async function* foldersBelow(
  base: string,
  names: readonly string[],
  changes: Changes,
): AsyncGenerator<TarEntry> {
  for (const at of names.keys())
    yield placed(emptyEntry('folder', posix.join(...names.slice(0, at + 1))), base, changes)
}

function documentSource(name: string, text: string): Source {
  const bytes = Buffer.from(text)
  async function* data(): AsyncGenerator<Uint8Array> {
    if (bytes.length > 0) yield bytes
  }
  async function* entries(): AsyncGenerator<TarEntry> {
    const entry = emptyEntry('folder', '')
    yield { ...entry, kind: 'file', mode: 0o644, size: bytes.length, data: data() }
  }
  return { kind: 'file', name, entries: entries() }
}

async function findSources(copy: Copy, sources: Sources, state: StageState): Promise<Source[]> {
  const documents = copy.documents.map(({ name, content, isExpanded }) =>
    documentSource(name, isExpanded ? state.expandDocument(content) : content),
  )
  const found: Source[] = []
  for (const one of copy.sources) found.push(...(await sources.find(state.expand(one))))
  return [...found, ...documents]
}

/** Copies what an instruction names. Throws an Error for its author. */
export async function copyFiles(copy: Copy, sources: Sources, target: Target): Promise<void> {
  const { container, state, signal } = target
  const path = state.resolve(copy.target)
  requireImagePath(path, target)
  const given = copy.owner === null ? null : state.expand(copy.owner)
  const owner = given === null ? null : await findOwner(container, given, signal)
  const changes = { owner, mode: modeOf(copy.mode === null ? null : state.expand(copy.mode)) }
  const found = await findSources(copy, sources, state)
  if (found.length === 0) return
  const there = await follow(container, path.replace(/(.)\/$/, '$1'), signal)
  const isFolder =
    path.endsWith('/') || there?.isFolder || found.length > 1 || found[0]?.kind === 'folder'
  const parent = isFolder ? path : posix.dirname(there?.path ?? path)
  const { base, missing } = await missingFolders(target, parent)
  const folder = posix.join(base, ...missing)
  const file = isFolder ? null : posix.basename(there?.path ?? path)
  await write(target, everything(found, { base, missing, folder, file }, changes))
}

type Destination = {
  readonly base: string
  readonly missing: readonly string[]
  readonly folder: string
  /** The name that a single file gets; null for its own. */
  readonly file: string | null
}

async function* everything(
  found: readonly Source[],
  { base, missing, folder, file }: Destination,
  changes: Changes,
): AsyncGenerator<TarEntry> {
  yield* foldersBelow(base, missing, { owner: changes.owner, mode: null })
  for (const { kind, name, entries } of found) {
    for await (const entry of entries) {
      if (kind === 'file')
        yield placed({ ...entry, path: file ?? name, link: entry.link }, folder, changes)
      // The folder itself is there, and stays as it is.
      else if (entry.path !== '') yield placed(entry, folder, changes)
    }
  }
}
