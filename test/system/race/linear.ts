/**
 * Whether what several clients did and saw could have happened one at a time, in an order that
 * keeps to the clock (Herlihy and Wing, "Linearizability", 1990). The search is that of Wing and
 * Gong with a memory of where it has been (Lowe, "Testing for linearizability", 2017). The whole
 * set of refs is one object, because one push may move several at once.
 */

/** What all refs are at, in a fixed order; null for one that is not there. */
export type State = readonly (string | null)[]

export type Move = { readonly ref: number; readonly old: string | null; readonly to: string | null }

/** Times are of one clock. What was never answered ended when its server did. */
type Timed = { readonly began: number; readonly ended: number }
export type Read = Timed & { readonly kind: 'read'; readonly saw: State }
/**
 * `moved` says of each move whether it was made; null when no answer came, so that all of it or
 * nothing may have happened.
 */
export type Push = Timed & {
  readonly kind: 'push'
  readonly moves: readonly Move[]
  readonly atomic: boolean
  readonly moved: readonly boolean[] | null
}
export type Event = Read | Push

/** What a push makes of a state, and which of its moves that were. */
function pushed(state: State, { moves, atomic }: Push): { moved: boolean[]; state: State } {
  const fits = moves.map(({ ref, old }) => state[ref] === old)
  const moved = atomic && fits.includes(false) ? fits.map(() => false) : fits
  const next = [...state]
  moves.forEach(({ ref, to }, at) => {
    if (moved[at]) next[ref] = to
  })
  return { moved, state: next }
}

/** The states that an event may lead to; none when it cannot happen here. */
function after(state: State, event: Event): State[] {
  if (event.kind === 'read')
    return event.saw.every((value, at) => value === state[at]) ? [state] : []
  const { moved, state: next } = pushed(state, event)
  if (event.moved === null) return moved.includes(true) ? [next, state] : [state]
  return event.moved.every((made, at) => made === moved[at]) ? [next] : []
}

export type Verdict =
  | { readonly fits: true; readonly steps: number }
  | { readonly fits: false; readonly at: number; readonly why: string }

/**
 * Looks for such an order. On failure `at` is the number of events that could be put in order at
 * most, and `why` names those of which none can come next.
 */
export function linearize(events: readonly Event[], start: State): Verdict {
  const sorted = [...events].sort((a, b) => a.began - b.began)
  // Done events are a prefix and some behind it: histories of few clients have short tails.
  type Place = {
    readonly first: number
    readonly done: ReadonlySet<number>
    readonly state: State
    readonly count: number
  }
  const seen = new Set<string>()
  const stack: Place[] = [{ first: 0, done: new Set(), state: start, count: 0 }]
  let best: Place = stack[0] ?? { first: 0, done: new Set(), state: start, count: 0 }
  let steps = 0
  for (let place = stack.pop(); place; place = stack.pop()) {
    steps++
    if (place.count > best.count) best = place
    if (place.first === sorted.length) return { fits: true, steps }
    for (const at of ready(sorted, place.first, place.done)) {
      const event = sorted[at]
      if (!event) continue
      for (const state of after(place.state, event)) {
        let first = place.first
        const done = new Set(place.done).add(at)
        while (done.delete(first)) first++
        const key = `${first} ${[...done].sort((a, b) => a - b).join(',')} ${state.join(',')}`
        if (seen.has(key)) continue
        seen.add(key)
        stack.push({ first, done, state, count: place.count + 1 })
      }
    }
  }
  const stuck = ready(sorted, best.first, best.done).map((at) => JSON.stringify(sorted[at]))
  return {
    fits: false,
    at: best.count,
    why: `at ${JSON.stringify(best.state)} none of these can come next: ${stuck.join(' ')}`,
  }
}

/** The events that may come next: those that began before every other that is left had ended. */
function ready(sorted: readonly Event[], first: number, done: ReadonlySet<number>): number[] {
  const all: number[] = []
  let earliest = Infinity
  for (let at = first; at < sorted.length; at++) {
    const event = sorted[at]
    if (!event || event.began > earliest) break
    if (done.has(at)) continue
    all.push(at)
    earliest = Math.min(earliest, event.ended)
  }
  return all
}
