/** Steps with `uses`: what is built in, and actions of the workspace. */
import { expandStrings, parseUses, type Step } from '#actions'
import { downloadArtifact, uploadArtifact } from './artifact-steps.ts'
import { restoreCache, saveCache, useCache } from './cache-steps.ts'
import { runLocalAction } from './run-action.ts'
import type { Conclusion } from './job-input.ts'
import type { RunningStep, StepRunner } from './step-runner.ts'

type UsesStep = Step & { readonly kind: 'uses' }

type BuiltIn = (
  runner: StepRunner,
  running: RunningStep,
  inputs: Readonly<Record<string, string>>,
) => Promise<Conclusion>

/** Actions that the executor brings itself, whatever version a step names. */
const BUILT_IN: Readonly<Record<string, BuiltIn>> = {
  'actions/checkout': checkOut,
  'actions/upload-artifact': uploadArtifact,
  'actions/download-artifact': downloadArtifact,
  'actions/cache': useCache,
  'actions/cache/restore': restoreCache,
  'actions/cache/save': saveCache,
}

/** Runs the step. Its faults are lines of the log; nothing here throws but expressions. */
export async function runUses(
  runner: StepRunner,
  step: UsesStep,
  running: RunningStep,
): Promise<Conclusion> {
  const { report } = runner.surroundings
  const inputs = await runner.evaluate(running.frame, (scope) => expandStrings(step.with, scope))
  report.line(`##[group]Run ${step.uses}`)
  for (const [name, value] of Object.entries(inputs)) report.line(`  ${name}: ${value}`)
  report.line('##[endgroup]')
  const uses = parseUses(step.uses)
  const fail = (message: string): Conclusion => {
    report.error(running.number, message)
    return 'failure'
  }
  if (uses === null) return fail(`${step.uses} names no action`)
  if (uses.kind === 'repository') {
    const path = [uses.owner, uses.repo, ...(uses.path === '' ? [] : [uses.path])].join('/')
    const builtIn = BUILT_IN[path.toLowerCase()]
    if (builtIn) return builtIn(runner, running, inputs)
  }
  if (uses.kind === 'docker')
    return fail(`${step.uses} needs a runner with containers; this one has none`)
  if (uses.kind === 'local') return runLocalAction(runner, running, uses.path, inputs)
  return fail(
    `${step.uses} is not available without the internet. Import ${uses.owner}/${uses.repo} to this forge, or replace the step by a script.`,
  )
}

const isFolder = (path: string): boolean => !path.startsWith('/') && !path.split('/').includes('..')

/** The built-in `actions/checkout`: files of a commit, without a repository around them. */
async function checkOut(
  runner: StepRunner,
  running: RunningStep,
  inputs: Readonly<Record<string, string>>,
): Promise<Conclusion> {
  const { place, report } = runner.surroundings
  const repository = inputs.repository || runner.job.repository
  const path = (inputs.path ?? '').replace(/^\.\//, '').replace(/^\.$/, '')
  if (!isFolder(path)) {
    report.error(running.number, `The path ${path} is not below the workspace`)
    return 'failure'
  }
  try {
    if (!(await place.checkOut({ repository, ref: inputs.ref || null }, path))) {
      report.error(running.number, `The files could not be written to ${path || 'the workspace'}`)
      return 'failure'
    }
  } catch (error) {
    report.error(running.number, error instanceof Error ? error.message : String(error))
    return 'failure'
  }
  report.line(`Checked out ${repository}${inputs.ref ? ` at ${inputs.ref}` : ''}`)
  if ((inputs['fetch-depth'] ?? '1') !== '1')
    report.warning(
      running.number,
      'fetch-depth has no effect: the files are there without their history',
    )
  running.outputs.ref = inputs.ref ?? ''
  running.outputs.commit = String(runner.job.contexts.github.sha ?? '')
  return 'success'
}
