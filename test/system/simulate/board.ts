/**
 * What the callers know of each other's work: repositories, and the pull requests that wait for
 * somebody.
 */
import type { Random } from '../crash/random.ts'

export type Place = {
  readonly repo: string
  readonly kind: 'plain' | 'strict' | 'checked' | 'queued'
  /** Commands of its issues. */
  readonly checks: readonly string[]
}

/** A pull request that is ready, as its author left it. */
export type Open = {
  readonly place: Place
  readonly number: number
  readonly author: string
  readonly file: string
  reverts: boolean
  tries: number
}

/** A tree that has both halves, or the other file, must never be on main where commands are run. */
export const BROKEN = 'BROKEN'
export const CHECKS = [`test ! -e ${BROKEN}`, 'test "$(ls | grep -c ^half-)" -lt 2']

export class Board {
  readonly open: Open[] = []
  readonly merged: Open[] = []
  /** Commits that were pushed straight to main, by repository, acknowledged or not. */
  readonly pushed = new Map<string, Set<string>>()
  /** Names of refs that a rule keeps from being made. */
  readonly forbidden: { repo: string; ref: string }[] = []

  constructor(readonly places: readonly Place[]) {}

  /**
   * Takes one off the board, so that two do not treat it at once all the time; whoever took it puts
   * it back unless it is over.
   */
  take(random: Random, fits: (one: Open) => boolean = () => true): Open | null {
    const fitting = this.open.filter(fits)
    const one = fitting[Math.floor(random.next() * fitting.length)]
    if (!one) return null
    this.open.splice(this.open.indexOf(one), 1)
    return one
  }

  /** What nobody could bring to an end is left alone after some tries. */
  putBack(one: Open): void {
    if (++one.tries < 40) this.open.push(one)
  }

  pushing(repo: string, oid: string): void {
    const known = this.pushed.get(repo) ?? new Set()
    this.pushed.set(repo, known.add(oid))
  }
}
