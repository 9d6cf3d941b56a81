/** Uploads of scanners by a job that runs here. */
import { call } from '#core/operation.ts'
import type { Hearth } from '#core/hearth.ts'
import type { JobToRun } from '#features/workflows/index.ts'
import type { ExecutionHost } from './execute/job-input.ts'

/** Calls the operation as the job's token, so its permissions decide. */
export function sarifUploadOf(
  hearth: Hearth,
  { repo, run, token }: JobToRun,
): ExecutionHost['uploadSarif'] {
  const operation = hearth.operationsByName.get('upload_sarif')
  if (!operation) return null
  return async ({ sarif, sha, ref, category }) => {
    const caller = hearth.callers.byToken(token)
    if (!caller) throw new Error('The token of this job has ended')
    const output = await call<unknown, unknown>(hearth, operation, caller, {
      repo: repo.full_name,
      commit_sha: sha ?? run.sha,
      git_ref: ref ?? run.ref,
      sarif: Buffer.from(sarif).toString('base64'),
      ...(category === null ? {} : { category }),
    })
    return (output as { id: string }).id
  }
}
