/** The network of a job that runs in this process, by the settings and what the machine offers. */
import { runnerOf } from '#features/checks/index.ts'
import type { Hearth } from '#core/hearth.ts'
import { jobDoors } from '#core/job-doors.ts'
import { jobServices, type JobServices, type JobToRun } from '#features/workflows/index.ts'
import { JOB_DOOR_URL, type Network } from '#runner'
import type { ForgeDoor } from './execute/job-input.ts'

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

export type ForgeAccess = {
  readonly door: ForgeDoor | null
  /** Null where nothing of this server reaches the job. */
  readonly services: JobServices | null
}

/**
 * How a job reaches this forge. With the network of the machine it uses the public address. Others
 * have a door, because that address may be one of the machine or of its neighbours.
 */
export async function forgeAccess(
  hearth: Hearth,
  job: JobToRun,
  network: Network,
): Promise<ForgeAccess> {
  if (network === 'machine') return { door: null, services: jobServices(hearth, job) }
  const { open } = jobDoors(hearth)
  const isPossible = open !== null && (await runnerOf(hearth).offersDoors())
  const services = isPossible ? jobServices(hearth, job, { address: JOB_DOOR_URL }) : null
  if (!isPossible || services === null) return { door: null, services: null }
  const secrets = [job.token, services.token]
  const door: ForgeDoor = {
    address: JOB_DOOR_URL,
    publicAddress: hearth.settings.site_url,
    open: (socket) => open({ socket, address: JOB_DOOR_URL, secrets }),
  }
  return { door, services }
}
