/** A job as the message of a task. */
import type { Hearth } from '#core/hearth.ts'
import { exportJob, type Json } from '#actions'
import {
  jobServices,
  RUNTIME_SECRET,
  TOKEN_SECRETS,
  type JobToRun,
} from '#features/workflows/index.ts'
import type { JsonStruct } from '#lib/protobuf.ts'
import type { Result, Task } from './messages.ts'

/** The text of a job and what it reads. Runners read at most so much. */
const MAX_PAYLOAD_BYTES = 8 * 1024 ** 2

/** Names under which runners look for the token besides those that jobs know here. */
const TOKEN_NAMES = ['GITEA_TOKEN', 'FORGEJO_TOKEN', ...TOKEN_SECRETS]

const RESULTS: Readonly<Record<string, Result>> = {
  success: 'RESULT_SUCCESS',
  failure: 'RESULT_FAILURE',
  cancelled: 'RESULT_CANCELLED',
  skipped: 'RESULT_SKIPPED',
}

const textOf = (value: Json | undefined): string =>
  value === null || value === undefined ? '' : String(value)

/** The context of the run: texts, but for the event. */
function contextOf(hearth: Hearth, job: JobToRun, runtimeToken: string): JsonStruct {
  const { event = {}, ...github } = job.contexts.github
  const texts = Object.entries(github).map(([key, value]) => [key, textOf(value)])
  return {
    ...(Object.fromEntries(texts) as Record<string, string>),
    event: event as JsonStruct,
    job: job.jobId,
    token: job.token,
    gitea_runtime_token: runtimeToken,
    gitea_default_actions_url: hearth.settings.jobs.actions_url,
  }
}

/** Throws ExpressionFault for a job that no runner could read. */
export function taskMessage(hearth: Hearth, id: number, job: JobToRun): Task | null {
  const services = jobServices(hearth, job, {
    reference: `\${{ secrets.${RUNTIME_SECRET} }}`,
  })
  const runtimeToken = services?.token ?? ''
  const text = exportJob({
    plan: job.plan,
    jobId: job.jobId,
    workflow: job.run.name,
    // The runner says where the results service is: it may know this server by another address.
    env: services ? { ACTIONS_CACHE_SERVICE_V2: 'true', ...services.steps } : {},
  })
  const payload = new TextEncoder().encode(text)
  if (payload.length > MAX_PAYLOAD_BYTES) return null
  const tokens = job.token === '' ? [] : TOKEN_NAMES.map((name) => [name, job.token])
  return {
    id,
    workflowPayload: payload,
    context: contextOf(hearth, job, runtimeToken),
    secrets: {
      ...job.secrets,
      ...(Object.fromEntries(tokens) as Record<string, string>),
      ...(runtimeToken === '' ? {} : { [RUNTIME_SECRET]: runtimeToken }),
    },
    needs: Object.fromEntries(
      Object.entries(job.contexts.needs).map(([name, { outputs, result }]) => [
        name,
        { outputs, result: RESULTS[result] ?? 'RESULT_UNSPECIFIED' },
      ]),
    ),
    vars: Object.fromEntries(
      Object.entries(job.contexts.vars).map(([name, value]) => [name, textOf(value)]),
    ),
  }
}
