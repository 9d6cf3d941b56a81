/**
 * The files that an image is built from, in a folder that nothing but the server changes. Links are
 * read by their text and never followed by the kernel, so none leads out of the folder.
 */
import { createReadStream } from 'node:fs'
import { lstat, readdir, readFile, readlink } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { TarEntry } from '#lib/archives/tar-entries.ts'
import { IgnoredFiles } from '../dockerfile/patterns.ts'

/** As the kernel has it for links of links (path_resolution(7)). */
const MAX_LINKS = 40
const MAX_IGNORE_BYTES = 1024 ** 2
const FOLDER_MODE = 0o755
/** Some milliseconds of patterns, after which others have a turn. */
const STEPS_OF_TURN = 1_000_000
const EXECUTABLE_BITS = 0o111

type Known =
  | { readonly kind: 'file' | 'folder' }
  | { readonly kind: 'symbolic'; readonly to: string }

async function* nothing(): AsyncGenerator<Uint8Array> {}

/** An entry of root without bytes. */
export const emptyEntry = (
  kind: 'folder' | 'symbolic',
  path: string,
  { link = '', mode = FOLDER_MODE }: { readonly link?: string; readonly mode?: number } = {},
): TarEntry => ({ kind, path, link, mode, uid: 0, gid: 0, modified: 0, size: 0, data: nothing() })

export class ContextFiles {
  readonly #known = new Map<string, Known>([['', { kind: 'folder' }]])

  private constructor(private readonly folder: string) {}

  /** `file` is the name of the Dockerfile, which may have patterns of its own. */
  static async open(folder: string, file: string): Promise<ContextFiles> {
    const files = new ContextFiles(folder)
    const names = [`${file}.dockerignore`, '.dockerignore']
    let text = ''
    for (const name of names) {
      const found = await lstat(join(folder, name)).catch(() => null)
      if (!found?.isFile()) continue
      if (found.size > MAX_IGNORE_BYTES) throw new Error(`${name} is too large`)
      text = await readFile(join(folder, name), 'utf8')
      break
    }
    await files.#add('', new IgnoredFiles(text))
    return files
  }

  async #add(below: string, ignored: IgnoredFiles): Promise<void> {
    let turnEnd = ignored.steps + STEPS_OF_TURN
    for (const entry of await readdir(join(this.folder, below), { withFileTypes: true })) {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (ignored.steps > turnEnd) {
        await setImmediate()
        turnEnd = ignored.steps + STEPS_OF_TURN
      }
      if (!ignored.has(path)) {
        // Those of a folder that is left out may be kept.
        for (let at = path.indexOf('/'); at > 0; at = path.indexOf('/', at + 1))
          this.#known.set(path.slice(0, at), { kind: 'folder' })
        const link = entry.isSymbolicLink() ? await readlink(join(this.folder, path)) : null
        const kind = entry.isDirectory() ? 'folder' : 'file'
        this.#known.set(path, link === null ? { kind } : { kind: 'symbolic', to: link })
      }
      if (entry.isDirectory()) await this.#add(path, ignored)
    }
  }

  /** All paths, in the order of their characters. */
  paths(): string[] {
    return [...this.#known.keys()].toSorted()
  }

  /** The path of what a path leads to by links, all within the folder; null for nothing. */
  resolve(path: string): { readonly path: string; readonly isFolder: boolean } | null {
    let links = 0
    const names = path.split('/')
    let at = ''
    while (names.length > 0) {
      const name = names.shift() ?? ''
      if (name === '' || name === '.') continue
      if (name === '..') {
        at = at.includes('/') ? posix.dirname(at) : ''
        continue
      }
      const next = at === '' ? name : `${at}/${name}`
      const known = this.#known.get(next)
      if (known === undefined) return null
      if (known.kind !== 'symbolic') {
        at = next
        continue
      }
      if (++links > MAX_LINKS) return null
      if (known.to.startsWith('/')) at = ''
      names.unshift(...known.to.split('/'))
    }
    return { path: at, isFolder: this.#known.get(at)?.kind === 'folder' }
  }

  /** The bytes of a file at its beginning. */
  async beginningOf(path: string, length: number): Promise<Buffer> {
    const parts: Buffer[] = []
    for await (const part of createReadStream(join(this.folder, path), { end: length - 1 }))
      parts.push(part as Buffer)
    return Buffer.concat(parts)
  }

  /** Opens the file when its first bytes are asked for. */
  async *read(path: string): AsyncGenerator<Uint8Array> {
    yield* createReadStream(join(this.folder, path)) as AsyncIterable<Buffer>
  }

  pathOf(path: string): string {
    return join(this.folder, path)
  }

  /** What is at a resolved path: a file, or a folder with all below it. That itself has an empty path. */
  async *entriesAt(path: string): AsyncGenerator<TarEntry> {
    if (this.#known.get(path)?.kind === 'file') {
      yield await this.#fileEntry(path, '')
      return
    }
    for (const [other, known] of this.#known) {
      const isBelow = path === '' || other === path || other.startsWith(`${path}/`)
      if (!isBelow) continue
      const below = path === '' ? other : other.slice(path.length + 1)
      if (known.kind === 'folder') yield emptyEntry('folder', below)
      else if (known.kind === 'symbolic')
        yield emptyEntry('symbolic', below, { link: known.to, mode: 0o777 })
      else yield await this.#fileEntry(other, below)
    }
  }

  async #fileEntry(path: string, below: string): Promise<TarEntry> {
    const { size, mode, mtimeMs } = await lstat(join(this.folder, path))
    return {
      ...emptyEntry('folder', below),
      kind: 'file',
      mode: (mode & EXECUTABLE_BITS) === 0 ? 0o644 : 0o755,
      modified: mtimeMs / 1_000,
      size,
      data: this.read(path),
    }
  }
}
