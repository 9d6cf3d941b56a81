/**
 * The capabilities of a remote: words of its first line (gitprotocol-capabilities) or separate
 * lines (gitprotocol-v2).
 */
import { RemoteError } from './ports.ts'

export class Capabilities {
  readonly #words: ReadonlyMap<string, readonly string[]>

  /** Each entry is `name` or `name=value`; names may repeat (`symref`). */
  constructor(entries: readonly string[]) {
    const words = new Map<string, string[]>()
    for (const entry of entries) {
      if (entry === '') continue
      const mark = entry.indexOf('=')
      const name = mark < 0 ? entry : entry.slice(0, mark)
      const value = mark < 0 ? '' : entry.slice(mark + 1)
      const have = words.get(name)
      if (have) have.push(value)
      else words.set(name, [value])
    }
    this.#words = words
  }

  has(name: string): boolean {
    return this.#words.has(name)
  }

  all(name: string): readonly string[] {
    return this.#words.get(name) ?? []
  }

  /** Whether a capability's value names a feature (`fetch=shallow filter`). */
  offers(name: string, feature: string): boolean {
    return this.all(name).some((value) => value.split(' ').includes(feature))
  }

  /** Throws RemoteError `unsupported` for a repository whose ids are not SHA-1. */
  requireSha1(): void {
    const formats = this.all('object-format')
    if (formats.length > 0 && !formats.includes('sha1'))
      throw new RemoteError(
        'unsupported',
        `the remote keeps its objects as ${formats.join(', ').slice(0, 40)}, which is not supported here`,
      )
  }
}
