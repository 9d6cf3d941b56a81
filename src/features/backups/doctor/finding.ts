/** Findings of the doctor, written for administrators. */
import type { Hearth } from '#core/hearth.ts'
import type { DatabaseInspection } from '../backup-tasks.ts'

export type Finding = {
  /** A fault needs a repair; a note is information. */
  readonly level: 'fault' | 'note'
  readonly problem: string
  /** The consequence, and what to do. */
  readonly advice: string
  /**
   * What `--fix` would do, and a function that does it and returns what it did; null where only a
   * person can help.
   */
  readonly repair: { readonly would: string; readonly run: () => Promise<string> | string } | null
}

export type CheckContext = {
  readonly hearth: Hearth
  readonly signal: AbortSignal
  /** Reads the whole database file on a thread. All checks share one run. */
  inspectDatabase(): Promise<DatabaseInspection>
}

export type Check = {
  readonly name: string
  /** Whether the check applies to a restored copy; the others check the machine. */
  readonly appliesToCopies: boolean
  run(context: CheckContext): Promise<Finding[]> | Finding[]
}

export const fault = (
  problem: string,
  advice: string,
  repair: Finding['repair'] = null,
): Finding => ({
  level: 'fault',
  problem,
  advice,
  repair,
})
export const note = (
  problem: string,
  advice: string,
  repair: Finding['repair'] = null,
): Finding => ({
  level: 'note',
  problem,
  advice,
  repair,
})
/** Joins the first items of a list, with the number of the others. */
export const formatSome = (items: readonly string[], most = 5): string =>
  items.length <= most
    ? items.join(', ')
    : `${items.slice(0, most).join(', ')} and ${items.length - most} more`
