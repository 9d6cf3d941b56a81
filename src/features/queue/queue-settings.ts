/** Whether a base has a queue, and the limits of its tests. Rules can only make them stricter. */
import type { Hearth } from '#core/hearth.ts'
import { contextFor, contextOf, queueRules, type PullContext } from '#features/pulls/index.ts'
import { hasWaiting } from './store.ts'

/** Whether merges into a base are queued; `context` is that of the repository. */
export const isQueued = (hearth: Hearth, context: PullContext, base_ref: string): boolean =>
  contextFor(hearth, context, base_ref).settings.merge_queue

export function limitsOf(
  hearth: Hearth,
  context: PullContext,
  base_ref: string,
): { slots: number; timeout_minutes: number } {
  const { queue_slots, check_timeout_minutes } = context.settings
  const rules = queueRules.all(hearth).flatMap((rule) => rule(hearth, context, base_ref) ?? [])
  return {
    slots: Math.min(queue_slots, ...rules.map(({ slots }) => slots)),
    timeout_minutes: Math.min(
      check_timeout_minutes,
      ...rules.flatMap(({ timeout_minutes }) => timeout_minutes ?? []),
    ),
  }
}

/** Whether the queue of a branch has anything to show. */
export const hasQueue = (hearth: Hearth, repo_id: string, base_ref: string): boolean =>
  hasWaiting(hearth.db, { repo_id, base_ref }) ||
  isQueued(hearth, contextOf(hearth.db, repo_id), base_ref)
