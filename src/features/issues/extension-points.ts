/** Extension points of issues for later features. */
import type { RepoGrant } from '#core/access.ts'
import { extensionPoint } from '#core/extension-points.ts'
import type { Tx } from '#core/write.ts'

/**
 * Starts the built-in agent on an issue for the caller of the transaction, and returns the actor
 * that is assigned. A program of the operator does the work where one is named. Throws when it
 * cannot.
 */
export const builtInAssignees = extensionPoint<
  (tx: Tx, repo: RepoGrant, issue: number, program: string | null) => string
>('issues.built_in_assignees')
