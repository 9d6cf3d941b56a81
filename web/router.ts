/**
 * Matches paths to routes. In a pattern `:name` stands for one segment, which may have a fixed
 * ending (`:name.diff`), and a final `*name` for the rest.
 */

type Route<T> = {
  readonly pattern: RegExp
  readonly names: readonly string[]
  readonly value: T
  /** Of paths that match, or the fewest of them if the pattern ends in `*name`. */
  readonly slashes: number
  readonly isOpen: boolean
}

const escape = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** Counts to one more than `max`. */
function countSlashes(path: string, max: number): number {
  let count = 0
  for (let at = path.indexOf('/'); at >= 0 && count <= max; at = path.indexOf('/', at + 1)) count++
  return count
}

function compile<T>(path: string, value: T): Route<T> {
  const names: string[] = []
  const pattern = path
    .split('/')
    .map((segment) => {
      const [, kind, name, end = ''] = /^([:*])(\w+)(\.\w+)?$/.exec(segment) ?? []
      if (!kind || !name) return escape(segment)
      names.push(name)
      return `${kind === ':' ? '([^/]+?)' : '(.+)'}${escape(end)}`
    })
    .join('/')
  return {
    pattern: new RegExp(`^${pattern}$`),
    names,
    value,
    slashes: countSlashes(path, Infinity),
    isOpen: path.includes('/*'),
  }
}

export type Match<T> = { readonly value: T; readonly params: Record<string, string> }

/** Orders paths: literal segments before `:name.diff`, that before `:name`, and `*name` last. */
const weightOf = (path: string): string =>
  path
    .split('/')
    .map((segment) => {
      if (segment.startsWith('*')) return '3'
      if (!segment.startsWith(':')) return '0'
      return segment.includes('.') ? '1' : '2'
    })
    .join('')

/**
 * A table of routes. Literal segments take precedence over `:name`, and `:name` over `*name`, in
 * any order of declaration.
 */
export class Router<T> {
  readonly #fixed = new Map<string, T>()
  readonly #routes: Route<T>[] = []
  readonly #maxSlashes: number

  constructor(entries: readonly (readonly [path: string, value: T])[]) {
    const weighed = entries.map(([path, value]) => ({ path, value, weight: weightOf(path) }))
    weighed.sort((a, b) => (a.weight < b.weight ? -1 : a.weight > b.weight ? 1 : 0))
    for (const { path, value } of weighed) {
      if (!/\/[:*]/.test(path)) {
        if (this.#fixed.has(path)) throw new TypeError(`two pages are at ${path}`)
        this.#fixed.set(path, value)
      } else this.#routes.push(compile(path, value))
    }
    this.#maxSlashes = Math.max(0, ...this.#routes.map(({ slashes }) => slashes))
  }

  /** Null when no route matches or a segment is not valid percent-encoding. */
  find(path: string): Match<T> | null {
    const fixed = this.#fixed.get(path)
    if (fixed !== undefined) return { value: fixed, params: {} }
    // Patterns read a long path once each, so most are told apart by the number of segments.
    const count = countSlashes(path, this.#maxSlashes)
    for (const { pattern, names, value, slashes, isOpen } of this.#routes) {
      if (isOpen ? count < slashes : count !== slashes) continue
      const found = pattern.exec(path)
      if (!found) continue
      try {
        return {
          value,
          params: Object.fromEntries(
            names.map((name, index) => [name, decodeURIComponent(found[index + 1] ?? '')]),
          ),
        }
      } catch {
        return null
      }
    }
    return null
  }
}
