/** Runs an image as a step: `uses: docker://…`, or an action whose `runs` names one. */
import { basename, dirname } from 'node:path/posix'
import type { ContainerSpec, JobContainers } from '#runner'
import type { Conclusion } from './job-input.ts'
import { readContainer } from './containers.ts'
import { containersOf } from './start-containers.ts'
import type { RunningStep, StepRunner } from './step-runner.ts'

/** The image of a Dockerfile, as steps see that; built for the first part of an action. */
export type BuiltOnce = { readonly dockerfile: string; name: string | null }

/** What a build prints sets no outputs. */
const NO_COMMANDS = { setOutput: () => {}, saveState: () => {}, readFile: () => null }

export async function runImage(
  runner: StepRunner,
  running: RunningStep,
  program: {
    /** The name of an image, or one to build. */
    readonly image: string | BuiltOnce
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
  const { image } = program
  const name = typeof image === 'string' ? image : image.dockerfile
  if (host.containers.whyNot !== null)
    return fail(`${name} needs a runner with containers: ${host.containers.whyNot}`)
  try {
    const containers = await containersOf(runner.surroundings)
    const found = await (typeof image === 'string'
      ? fetchImage(containers, running, image)
      : buildAction(runner, running, containers, image))
    return await runner.executeImage(running, containers, { ...program, image: found })
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
}

/** Throws an Error with one line for the author. */
async function fetchImage(
  containers: JobContainers,
  running: RunningStep,
  name: string,
): Promise<ContainerSpec> {
  const image = readContainer({ image: name })
  if (image === null) throw new Error('The image has no name')
  await containers.pull(image, running.signal ?? new AbortController().signal)
  return image
}

/** Builds the image of an action, unless that of the same files is here. Throws as `fetchImage`. */
async function buildAction(
  runner: StepRunner,
  running: RunningStep,
  containers: JobContainers,
  built: BuiltOnce,
): Promise<ContainerSpec> {
  const { place, report } = runner.surroundings
  const spec = (image: string): ContainerSpec => ({
    image,
    env: {},
    options: [],
    credentials: null,
  })
  if (built.name !== null) return spec(built.name)
  const [path, file] = [dirname(built.dockerfile), basename(built.dockerfile)]
  const { builder } = containers
  report.line(`##[group]Build the image of ${file}`)
  const output = report.outputOf(running.number, NO_COMMANDS)
  try {
    built.name = await place.buildImage(builder, {
      path,
      file,
      output: (bytes) => output.push(bytes),
      signal: running.signal,
      onStale: (why) => report.line(`The image of last time is used, because ${why}`),
    })
    return spec(built.name)
  } finally {
    output.end()
    report.line('##[endgroup]')
  }
}
