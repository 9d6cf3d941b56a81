/** What a job calls on this server besides git and REST: the results service and ID tokens. */
import type { Hearth } from '#core/hearth.ts'
import { levelFor } from '#actions'
import type { JobToRun } from './queue.ts'
import { runtimeToken } from './runtime-token.ts'
import { effectivePermissions } from './token-rights.ts'

/** The name under which steps read the runtime token as a secret, so that logs hide it. */
export const RUNTIME_SECRET = 'HEARTH_RUNTIME_TOKEN'

/** Below it are the documents that relying parties read. It is the issuer of ID tokens. */
export const ID_TOKEN_ISSUER = '/api/actions'
export const ID_TOKEN_PATH = `${ID_TOKEN_ISSUER}/id-token`

/** Whether a job may ask for ID tokens. Changes by people without Write never may. */
export const mayHaveIdToken = ({
  plan,
  isTrusted,
}: Pick<JobToRun, 'plan' | 'isTrusted'>): boolean =>
  isTrusted && levelFor(effectivePermissions(plan.permissions, isTrusted), 'id-token') === 'write'

export type JobServices = {
  readonly token: string
  /** Variables of JavaScript actions. */
  readonly actions: Readonly<Record<string, string>>
  /** Variables of all steps. */
  readonly steps: Readonly<Record<string, string>>
}

/**
 * Null for a job that does not run. `reference` stands for the token in the variables, `address` for
 * that of the site.
 */
export function jobServices(
  hearth: Hearth,
  job: Pick<JobToRun, 'id' | 'plan' | 'isTrusted'>,
  {
    reference,
    address = hearth.settings.site_url,
  }: { readonly reference?: string; readonly address?: string } = {},
): JobServices | null {
  const token = runtimeToken(hearth, job.id)
  if (token === null) return null
  const value = reference ?? token
  return {
    token,
    actions: {
      ACTIONS_RUNTIME_TOKEN: value,
      ACTIONS_RESULTS_URL: `${address}/`,
      ACTIONS_CACHE_SERVICE_V2: 'true',
    },
    steps: mayHaveIdToken(job)
      ? {
          ACTIONS_ID_TOKEN_REQUEST_TOKEN: value,
          // Clients append `&audience=`.
          ACTIONS_ID_TOKEN_REQUEST_URL: `${address}${ID_TOKEN_PATH}?api-version=2.0`,
        }
      : {},
  }
}
