/** Fetches images of a job, starts its services, and chooses where its steps run. */
import { ExpressionFault } from '#actions'
import type { ExceededLimit, JobContainers, Limits, RunningService, ServiceSpec } from '#runner'
import {
  openPorts,
  portsInContainers,
  portsOfJob,
  readContainer,
  readServices,
  servicesContext,
  socketsOf,
} from './containers.ts'
import type { ExecutableJob, ExecutionHost } from './job-input.ts'
import type { JobReport } from './job-report.ts'
import type { JobWorkplace } from './job-workplace.ts'
import type { StepRunner } from './step-runner.ts'

type Surroundings = {
  readonly host: ExecutionHost
  readonly report: JobReport
  readonly place: JobWorkplace
  readonly steps: StepRunner
  readonly signal: AbortSignal
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)

/** Throws ExpressionFault, whose message is for the author. Whatever was started ends with the job. */
export async function startContainers(job: ExecutableJob, around: Surroundings): Promise<void> {
  const { plan } = job
  if (plan.container === null && plan.services === null) return
  const { host, place, steps, report } = around
  const container = readContainer(await steps.evaluateTemplate(plan.container))
  const services = readServices(await steps.evaluateTemplate(plan.services))
  if (container === null && services.length === 0) return
  if (host.containers.whyNot !== null)
    throw new ExpressionFault(
      `Jobs with container or services need a runner with containers: ${host.containers.whyNot}`,
    )
  report.line('##[group]Initialize containers')
  try {
    const containers = await containersOf(around)
    if (container) {
      report.line(`Pull ${container.image}`)
      await containers.pull(container, around.signal)
    }
    const running = await startServices(containers, services, around)
    // With the network of the machine its loopback device is that of the job.
    const reached = host.network === 'machine' ? [] : running
    const inside = portsInContainers(services, reached, { areStepsThere: container !== null })
    const ports = container === null ? portsOfJob(services, reached) : inside
    place.opened.push(await openPorts(place.folder, [...inside.values(), ...ports.values()]))
    place.useContainers({
      container,
      ports: socketsOf(ports),
      portsOfImages: socketsOf(inside),
      hosts: services.map(({ name }) => name),
    })
    steps.jobContext = {
      container: container ? { id: job.id, network: 'bridge' } : {},
      services: servicesContext(services, running),
    }
  } catch (error) {
    throw error instanceof ExpressionFault ? error : new ExpressionFault(messageOf(error))
  } finally {
    report.line('##[endgroup]')
  }
}

/** The containers of a job, and what its log says when they take too much. */
export const containersOf = ({
  place,
  report,
  host,
}: Pick<Surroundings, 'place' | 'report' | 'host'>): Promise<JobContainers> =>
  place.containers((what) =>
    report.failJob(`Containers of the job ended: ${TAKES_TOO_MUCH[what](host.limits)}`),
  )

const mebibytes = (bytes: number): string => `${Math.round(bytes / 1024 ** 2)} MiB`

const TAKES_TOO_MUCH: Readonly<Record<ExceededLimit, (limits: Limits) => string>> = {
  memory: ({ memoryBytes }) =>
    `they were out of memory (${mebibytes(memoryBytes)} for all together)`,
  disk: ({ diskBytes }) => `they were out of disk space (${mebibytes(diskBytes)} for all together)`,
  full_disk: () => 'the disk of the server is nearly full',
}

async function startServices(
  containers: JobContainers,
  specs: readonly ServiceSpec[],
  { report, signal }: Surroundings,
): Promise<RunningService[]> {
  const running: RunningService[] = []
  for (const spec of specs) {
    report.line(`Start the service ${spec.name} (${spec.image})`)
    await containers.pull(spec, signal)
    running.push(await containers.startService(spec))
  }
  for (const one of running) {
    const fault = await containers.awaitReady(one, signal)
    if (fault !== null) throw new ExpressionFault(`The service ${one.name} is not ready: ${fault}`)
    report.line(`The service ${one.name} is ready`)
  }
  return running
}
