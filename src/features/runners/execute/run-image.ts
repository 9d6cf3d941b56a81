/** Runs an image as a step: `uses: docker://…`, or an action whose `runs` names one. */
import type { Conclusion } from './job-input.ts'
import { readContainer } from './containers.ts'
import { containersOf } from './start-containers.ts'
import type { RunningStep, StepRunner } from './step-runner.ts'

export async function runImage(
  runner: StepRunner,
  running: RunningStep,
  program: {
    readonly image: string
    readonly entrypoint: string | null
    readonly args: readonly string[]
    readonly env: Readonly<Record<string, string>>
  },
): Promise<Conclusion> {
  const { report, host } = runner.surroundings
  const fail = (message: string): Conclusion => {
    report.error(running.number, message)
    return 'failure'
  }
  if (host.containers.whyNot !== null)
    return fail(`${program.image} needs a runner with containers: ${host.containers.whyNot}`)
  const image = readContainer({ image: program.image })
  if (image === null) return fail('The image has no name')
  try {
    const containers = await containersOf(runner.surroundings)
    await containers.pull(image, running.signal ?? new AbortController().signal)
    return await runner.executeImage(running, containers, { ...program, image })
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}
