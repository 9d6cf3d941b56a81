/** Inputs of plans. */
import { Id, RepoPath } from '#core/schema.ts'

export const onPlan = { repo: RepoPath, plan: Id('pln') }
