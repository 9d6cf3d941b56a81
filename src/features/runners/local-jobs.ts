/** Whether jobs run in this process, and what the machine lacks for them. */
import type { Hearth } from '#core/hearth.ts'
import { isolationOf, runnerOf } from '#features/checks/index.ts'
import { containersFaultOf } from './job-containers.ts'

export type LocalJobs =
  /** The settings leave all jobs to runners elsewhere. */
  | { readonly kind: 'off' }
  /** The machine cannot isolate them, so they wait for a runner elsewhere. */
  | { readonly kind: 'missing'; readonly reason: string }
  /** `noNetwork`, `noContainers`: why jobs have less than the settings ask for. */
  | {
      readonly kind: 'isolated' | 'unprotected'
      readonly noNetwork: string | null
      readonly noContainers: string | null
      /** Whether jobs have containers whose root may be that of the machine. */
      readonly areContainersRoot: boolean
    }

export async function localJobs(hearth: Hearth): Promise<LocalJobs> {
  const { jobs } = hearth.settings
  if (!jobs.local) return { kind: 'off' }
  const isolation = await isolationOf(hearth)
  if (isolation.kind === 'missing') return isolation
  const noContainers = await containersFaultOf(hearth)
  const containers = {
    noContainers,
    areContainersRoot: noContainers === null && jobs.containers === 'docker',
  }
  if (isolation.kind === 'none') return { kind: 'unprotected', noNetwork: null, ...containers }
  return {
    kind: 'isolated',
    noNetwork: jobs.network === 'internet' ? await runnerOf(hearth).internetFault() : null,
    ...containers,
  }
}
