/** Inputs of operations on workflows, runs and jobs. */
import { RepoPath, Type } from '#core/schema.ts'

const idInput = (what: string) =>
  Type.String({ minLength: 1, maxLength: 100, description: `The id of a ${what}.` })

export const WorkflowId = idInput('workflow')
export const RunId = idInput('run')
export const JobId = idInput('job')
export const AttemptInput = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 100_000, description: 'The latest unless given.' }),
)

/** A run that is run again, whole or in part. */
export const RerunInput = Type.Object({
  repo: RepoPath,
  id: RunId,
  failed_only: Type.Optional(
    Type.Boolean({ description: 'Only jobs that did not succeed, and those that need them.' }),
  ),
})
