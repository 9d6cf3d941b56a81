/** Where a result is: addresses of files as scanners write them, made relative to the repository. */
import { arrayOf, objectOf, type JsonObject } from '#lib/json-value.ts'
import { countOf, textOf } from './json.ts'

/** A file below the root of the repository, or an absolute path that a commit's tree must explain. */
export type FilePlace = { readonly path: string } | { readonly absolute: string }

export type Region = {
  readonly line: number
  readonly end_line: number
  /** Characters before the region, where the file gives no line. */
  readonly offset: number | null
}

const MAX_PATH_CHARS = 1_000

/** Resolves `.` and `..`; null for what leaves the root or is too long. */
export function normalizePath(path: string): string | null {
  const parts: string[] = []
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return null
  }
  const clean = parts.join('/')
  return clean === '' || clean.length > MAX_PATH_CHARS || clean.includes('\0') ? null : clean
}

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** The path of a `file:` address, or of a path with a drive letter, as `/…`; null for others. */
function absolutePath(uri: string): string | null {
  const path = uri.replaceAll('\\', '/')
  const [, host] = /^file:(\/\/[^/]*)?/i.exec(path) ?? []
  if (/^file:/i.test(path))
    return decode(`/${path.slice(5 + (host?.length ?? 0)).replace(/^\/+/, '')}`)
  if (/^[a-z]:\//i.test(path)) return `/${path}`
  return path.startsWith('/') ? decode(path) : null
}

/** The addresses of a run by which files are found. */
export class FileIndex {
  readonly #bases: JsonObject
  readonly #artifacts: readonly unknown[]
  /** Absolute folders that a relative path may stand below, the shortest first. */
  readonly #roots: readonly string[]

  constructor(run: JsonObject) {
    this.#bases = objectOf(run.originalUriBaseIds)
    this.#artifacts = arrayOf(run.artifacts)
    this.#roots = Object.values(this.#bases)
      .slice(0, 100)
      .flatMap((base) => {
        const uri = textOf(objectOf(base).uri)
        const path = uri === null ? null : absolutePath(uri)
        return path === null || path === '/' ? [] : [path.endsWith('/') ? path : `${path}/`]
      })
      .sort((a, b) => a.length - b.length)
  }

  /** The file that an `artifactLocation` names; null when it names none of the repository. */
  place(location: JsonObject): FilePlace | null {
    const index = countOf(location.index)
    const artifact = index === null ? null : objectOf(objectOf(this.#artifacts[index]).location)
    const own = textOf(location.uri)
    const from = own === null && artifact !== null ? artifact : location
    const uri = own ?? textOf(from.uri)
    if (uri === null) return null
    const absolute = absolutePath(uri) ?? this.#below(textOf(from.uriBaseId), uri)
    if (absolute === null) {
      if (/^[a-z][a-z0-9+.-]+:/i.test(uri)) return null
      const path = normalizePath(decode(uri.replaceAll('\\', '/')))
      return path === null ? null : { path }
    }
    const root = this.#roots.find((folder) => absolute.startsWith(folder))
    if (root !== undefined) {
      const path = normalizePath(absolute.slice(root.length))
      return path === null ? null : { path }
    }
    const clean = normalizePath(absolute)
    return clean === null ? null : { absolute: clean }
  }

  /** The absolute path of an address below a base; null when the base has no absolute address. */
  #below(baseId: string | null, uri: string, depth = 0): string | null {
    if (baseId === null || depth > 5) return null
    const base = objectOf(this.#bases[baseId])
    const own = textOf(base.uri)
    if (own === null) return null
    const joined = `${own.endsWith('/') ? own : `${own}/`}${decode(uri.replaceAll('\\', '/'))}`
    return absolutePath(own) === null
      ? this.#below(textOf(base.uriBaseId), joined, depth + 1)
      : absolutePath(joined)
  }
}

/** The lines of a location; the first line where it has no region. */
export function regionOf(physical: JsonObject): Region {
  const region = objectOf(physical.region)
  const line = countOf(region.startLine) ?? 0
  if (line === 0)
    return {
      line: 1,
      end_line: 1,
      offset: countOf(region.charOffset) ?? countOf(region.byteOffset),
    }
  const end = countOf(region.endLine) ?? line
  return { line, end_line: Math.max(line, Math.min(end, line + 10_000)), offset: null }
}
