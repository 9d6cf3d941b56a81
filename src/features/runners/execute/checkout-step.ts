/** The built-in `actions/checkout`. */
import type { CheckoutSource, Conclusion } from './job-input.ts'
import { quote } from './shells.ts'
import type { RunningStep, StepRunner } from './step-runner.ts'

const isFolder = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..')

/** Whether a script of the job calls git, which needs a repository. */
const CALLS_GIT = /(?:^|[\s;&|(`])git\s/

/**
 * Writes the files of a commit. A repository comes with them when the step names a depth, also that
 * of one commit, or when a script of the job calls git; without either it would only cost time.
 */
export async function checkOut(
  runner: StepRunner,
  running: RunningStep,
  inputs: Readonly<Record<string, string>>,
): Promise<Conclusion> {
  const { place, report } = runner.surroundings
  const repository = inputs.repository || runner.job.repository
  const path = (inputs.path ?? '').replace(/^\.\//, '').replace(/^\.$/, '')
  const fail = (message: string): Conclusion => {
    report.error(running.number, message)
    return 'failure'
  }
  if (!isFolder(path)) return fail(`The path ${path} is not below the workspace`)
  const source: CheckoutSource = {
    repository,
    ref: inputs.ref || null,
    token: inputs.token || null,
    history: historyOf(runner, inputs),
    keepsToken: inputs['persist-credentials'] !== 'false',
  }
  try {
    const written = await place.checkOut(source, path)
    if (!written) return fail(`The files could not be written to ${path || 'the workspace'}`)
    const { commit } = written
    running.outputs.ref = inputs.ref ?? ''
    running.outputs.commit = commit ?? String(runner.job.contexts.github.sha ?? '')
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error))
  }
  report.line(`Checked out ${repository}${inputs.ref ? ` at ${inputs.ref}` : ''}`)
  if (source.history !== 'none') await makeIndex(runner, running, path)
  return 'success'
}

function historyOf(
  runner: StepRunner,
  inputs: Readonly<Record<string, string>>,
): CheckoutSource['history'] {
  const depth = (inputs['fetch-depth'] ?? '').trim()
  if (depth === '0') return 'all'
  const callsGit = runner.job.plan.steps.some(
    (step) => step.kind === 'run' && CALLS_GIT.test(step.run),
  )
  return callsGit || depth !== '' ? 'commit' : 'none'
}

/** The index has to fit the files as the sandbox sees them, so git makes it there. */
async function makeIndex(
  { surroundings: { place, report } }: StepRunner,
  { number }: RunningStep,
  path: string,
): Promise<void> {
  const folder = quote(path === '' ? place.paths.workspace : `${place.paths.workspace}/${path}`)
  const made = await place.ask(
    `git config --global --add safe.directory ${folder} && git -C ${folder} reset -q`,
  )
  if (made === null)
    report.warning(number, 'git is not available in the sandbox, so the repository has no index')
}
