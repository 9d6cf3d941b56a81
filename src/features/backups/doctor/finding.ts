/** What the doctor finds, in words for whoever runs the forge. */
import type { Hearth } from '#core/hearth.ts'

export type Finding = {
  /** A fault is something to mend; a note is something to know. */
  readonly level: 'fault' | 'note'
  readonly what: string
  /** What follows from it, and what to do. */
  readonly means: string
  /**
   * What `--fix` would do, and the doing, which says what it did; null where only a person can
   * help.
   */
  readonly mend: { readonly would: string; readonly run: () => Promise<string> | string } | null
}

export type Look = { readonly hearth: Hearth; readonly signal: AbortSignal }

export type Check = {
  readonly name: string
  /** Whether it also tells something of a restored copy; the others look at the machine. */
  readonly ofCopies: boolean
  run(look: Look): Promise<Finding[]> | Finding[]
}

export const fault = (what: string, means: string, mend: Finding['mend'] = null): Finding => ({
  level: 'fault',
  what,
  means,
  mend,
})
export const note = (what: string, means: string, mend: Finding['mend'] = null): Finding => ({
  level: 'note',
  what,
  means,
  mend,
})
/** A beginning of a list, with how many are left. */
export const some = (items: readonly string[], most = 5): string =>
  items.length <= most
    ? items.join(', ')
    : `${items.slice(0, most).join(', ')} and ${items.length - most} more`
