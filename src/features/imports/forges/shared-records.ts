/** What the dialects of forges have in common. */
import type { Fields } from './fields.ts'
import type { ForeignLabel, ForeignMilestone } from './forge.ts'
import { ForgeError } from './forge-client.ts'

export const labelOf = (label: Fields): ForeignLabel => ({
  name: label.text('name'),
  color: label.text('color'),
  description: label.optional('description'),
})

export const milestoneOf = (milestone: Fields): ForeignMilestone => ({
  id: milestone.id('id'),
  title: milestone.text('title'),
  description: milestone.optional('description'),
  due_on: milestone.optional('due_on'),
  created_ms: milestone.time('created_at') ?? 0,
  closed_ms:
    milestone.text('state') === 'closed'
      ? (milestone.time('closed_at') ?? milestone.time('updated_at') ?? 0)
      : null,
})

/** A part that a repository has switched off is missing: it has nothing to take. */
export function orMissing(error: unknown): Fields[] {
  if (error instanceof ForgeError && error.isMissing) return []
  throw error
}
