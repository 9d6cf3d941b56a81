/** Pushes of whole repositories, such as those of people who move in. */
import { service } from '#core/service.ts'
import type { Tx } from '#core/write.ts'

/** A push of more refs starts runs of workflows for the default branch alone; GitHub starts none. */
export const MAX_REFS_WITH_RUNS = 5_000

/** Transactions that move refs of such a push. */
export const bulkPushes = service('bulk pushes', () => new WeakSet<Tx>())
