/** Takes the features of workflows out of the list of features, before the forge reads it. */
import type { Feature } from '#core/hearth.ts'
import { features } from '#features/index.ts'

const LEFT_OUT = new Set(['workflows', 'environments', 'artifacts', 'runners'])

const list = features as Feature[]
list.splice(0, list.length, ...list.filter(({ name }) => !LEFT_OUT.has(name)))
