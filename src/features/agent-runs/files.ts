/** Files of a run: those of its commit, with the changes that are not committed yet. */
import { nextTurn } from '#lib/waiting.ts'
import type { RunContext } from './run-context.ts'
import { ToolError } from './tool.ts'

export const MAX_FILE_BYTES = 1024 * 1024
export const MAX_CHANGED_FILES = 300
const MAX_PATH_LENGTH = 1_000

const decoder = new TextDecoder('utf-8', { fatal: true })

/** A path inside the repository. Throws for one that leads outside, or into `.git`. */
export function readPath(value: unknown): string {
  if (typeof value !== 'string') throw new ToolError('path must be a text')
  const parts = value.split('/').filter((part) => part !== '' && part !== '.')
  const path = parts.join('/')
  if (value.startsWith('/') || path.length > MAX_PATH_LENGTH || parts.includes('..'))
    throw new ToolError(`${value.slice(0, 200)} is not a path inside the repository`)
  if (parts.some((part) => /^\.git[ .]*$|^git~1$/i.test(part)) || /[\0-\x1f\x7f]/.test(path))
    throw new ToolError(`${value.slice(0, 200)} is not a file of the repository`)
  return path
}

/** The text of a file. Null when there is none. Throws for links, folders and binary files. */
export async function readText(context: RunContext, path: string): Promise<string | null> {
  const changed = context.files.get(path)
  if (changed === null) return null
  const bytes = changed ?? (await readCommitted(context, path))
  if (bytes === null) return null
  try {
    return decoder.decode(bytes)
  } catch {
    throw new ToolError(`${path} is not a text file`)
  }
}

async function readCommitted(
  { hearth: { git }, fork, head }: RunContext,
  path: string,
): Promise<Uint8Array | null> {
  const entry = path === '' ? null : await git.findEntry(fork.store, head, path)
  if (entry === null) return null
  if (entry.type !== 'file') throw new ToolError(`${path} is a ${entry.type}, not a file`)
  const blob = await git.readBlob(fork.store, entry.oid, MAX_FILE_BYTES + 1)
  if (blob && blob.size > MAX_FILE_BYTES) throw new ToolError(`${path} is larger than 1 MiB`)
  return blob?.data ?? null
}

/** The new content of a file as bytes. Throws when it is too large. */
export function contentOf({ files }: RunContext, path: string, text: string): Uint8Array {
  const bytes = new TextEncoder().encode(text)
  if (bytes.length > MAX_FILE_BYTES) throw new ToolError(`${path} would be larger than 1 MiB`)
  if (!files.has(path) && files.size >= MAX_CHANGED_FILES)
    throw new ToolError(`${MAX_CHANGED_FILES} files are changed already; submit them first`)
  return bytes
}

/** Paths below a folder, changed and new files included. */
export async function listPaths(
  { hearth: { git }, fork, head, files }: RunContext,
  folder: string,
): Promise<string[]> {
  const tree = (await git.listTree(fork.store, head, '', { recursive: true })) ?? []
  const paths = new Set(tree.flatMap(({ type, path }) => (type === 'file' ? [path] : [])))
  for (const [path, content] of files) content === null ? paths.delete(path) : paths.add(path)
  const prefix = folder === '' ? '' : `${folder}/`
  return [...paths].filter((path) => path === folder || path.startsWith(prefix)).sort()
}

const MAX_SEARCHED_FILES = 5_000
const MAX_SEARCHED_BYTES = 24 * 1024 * 1024
const MAX_HITS = 60
const MAX_HITS_A_FILE = 10
const MAX_LINE_LENGTH = 200

/** Lines that contain a text, ignoring case, as `path:line: text`. */
export async function searchText(
  context: RunContext,
  pattern: string,
  folder: string,
): Promise<string[]> {
  const wanted = pattern.toLowerCase()
  const found: string[] = []
  let bytes = 0
  for (const path of (await listPaths(context, folder)).slice(0, MAX_SEARCHED_FILES)) {
    context.signal.throwIfAborted()
    const text = await readText(context, path).catch(() => null)
    if (text === null) continue
    bytes += text.length
    if (text.toLowerCase().includes(wanted))
      found.push(
        ...text
          .split('\n')
          .flatMap((line, at) => (line.toLowerCase().includes(wanted) ? [{ line, at }] : []))
          .slice(0, MAX_HITS_A_FILE)
          .map(({ line, at }) => `${path}:${at + 1}: ${line.slice(0, MAX_LINE_LENGTH)}`),
      )
    if (found.length >= MAX_HITS || bytes > MAX_SEARCHED_BYTES) break
    await nextTurn()
  }
  return found.slice(0, MAX_HITS)
}
