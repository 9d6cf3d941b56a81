/**
 * Points where the floor asks features how they are, for the pages and numbers that tell how the
 * forge does.
 */
import type { Hearth } from './hearth.ts'
import { point } from './points.ts'

/** A number of the moment, by its documented name below `hearth_`. */
export type Gauge = {
  readonly name: string
  readonly help: string
  readonly read: (hearth: Hearth) => number
}

export const gauges = point<Gauge>('core.gauges')

/** One line of the status of the site: a word for whether it is well, and a sentence. */
export type Condition = {
  readonly name: string
  readonly state: 'ok' | 'attention' | 'failing' | 'off'
  readonly detail: string
  readonly href: string | null
}

/** What a feature has to say to whoever keeps the site; null when it has nothing to say. */
export const conditions =
  point<(hearth: Hearth) => Condition | null | Promise<Condition | null>>('core.conditions')
