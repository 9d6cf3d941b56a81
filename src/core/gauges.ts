/** Extension points for `/metrics` and for the status page of administrators. */
import type { Hearth } from './hearth.ts'
import { extensionPoint } from './extension-points.ts'

/** A current value, exported as `hearth_<name>`. */
export type Gauge = {
  readonly name: string
  readonly help: string
  readonly read: (hearth: Hearth) => number
}

export const gauges = extensionPoint<Gauge>('core.gauges')

/** One line of the site's status. */
export type Condition = {
  readonly name: string
  readonly state: 'ok' | 'attention' | 'failing' | 'off'
  readonly detail: string
  readonly href: string | null
}

/** The condition of a feature for administrators; null when there is none to report. */
export const conditions =
  extensionPoint<(hearth: Hearth) => Condition | null | Promise<Condition | null>>(
    'core.conditions',
  )
