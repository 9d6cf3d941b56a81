/** Shows the state of the standby. */
import { conditions, gauges } from '#core/gauges.ts'
import type { Feature } from '#core/hearth.ts'
import { condition, standbyGauges } from './condition.ts'

export const feature: Feature = {
  name: 'standby',
  extensions: [conditions.with(condition), ...standbyGauges.map((gauge) => gauges.with(gauge))],
}
