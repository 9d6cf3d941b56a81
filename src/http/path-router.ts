/**
 * Finds what a path leads to. A pattern has fixed segments, parameters (`:name`, one segment that is
 * not empty) and at its end perhaps `*`, which stands for any rest, also an empty one. In each place
 * a fixed segment is tried first, then a parameter, then the rest. A slash at the end of a path
 * makes no difference.
 */
type Place<T> = {
  readonly fixed: Map<string, Place<T>>
  parameter: Place<T> | null
  value: T | null
  rest: T | null
}

const newPlace = <T>(): Place<T> => ({ fixed: new Map(), parameter: null, value: null, rest: null })

export class PathRouter<T> {
  readonly #root: Place<T> = newPlace()

  /** Throws a TypeError for a pattern that is there. */
  add(pattern: string, value: T): void {
    const segments = pattern === '/' ? [] : pattern.slice(1).split('/')
    const takesRest = segments.at(-1) === '*'
    if (takesRest) segments.pop()
    let place = this.#root
    for (const segment of segments) place = next(place, segment)
    const field = takesRest ? 'rest' : 'value'
    if (place[field] !== null) throw new TypeError(`two routes are ${pattern}`)
    place[field] = value
  }

  find(path: string): T | null {
    return findFrom(this.#root, path, 1)
  }
}

function next<T>(place: Place<T>, segment: string): Place<T> {
  if (segment.startsWith(':')) return (place.parameter ??= newPlace())
  const found = place.fixed.get(segment) ?? newPlace<T>()
  place.fixed.set(segment, found)
  return found
}

/** `start` is behind the slash before the next segment; behind the end of the path without one. */
function findFrom<T>(place: Place<T>, path: string, start: number): T | null {
  if (start > path.length) return place.value
  const slash = path.indexOf('/', start)
  const end = slash < 0 ? path.length : slash
  if (start === path.length) return place.value ?? place.rest
  const fixed = place.fixed.get(path.slice(start, end))
  const found = fixed ? findFrom(fixed, path, end + 1) : null
  if (found !== null || start === end) return found ?? place.rest
  const below = place.parameter ? findFrom(place.parameter, path, end + 1) : null
  return below ?? place.rest
}
