/** The network of a job that runs in this process, by the settings and what the machine offers. */
import { runnerOf } from '#features/checks/index.ts'
import type { Hearth } from '#core/hearth.ts'
import type { Network } from '#runner'

export type JobNetwork = {
  readonly network: Network
  /** What the log says about it. */
  readonly notice: string | null
}

/** Changes by people without Write never reach what only this machine reaches. */
export async function networkOfJob(
  hearth: Hearth,
  { isTrusted }: { readonly isTrusted: boolean },
): Promise<JobNetwork> {
  const { jobs, checks } = hearth.settings
  if (checks.isolation === 'none') return { network: 'machine', notice: null }
  const network = jobs.network === 'machine' && !isTrusted ? 'internet' : jobs.network
  if (network !== 'internet') return { network, notice: null }
  const fault = await runnerOf(hearth).internetFault()
  return fault === null
    ? { network, notice: null }
    : { network: 'none', notice: `This job has no network: ${fault}` }
}
