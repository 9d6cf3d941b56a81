/** Steps with `uses`: what is built in, and actions of the workspace and of other repositories. */
import { expandStrings, parseUses, type Step, type Uses } from '#actions'
import { downloadArtifact, uploadArtifact } from './artifact-steps.ts'
import { checkOut } from './checkout-step.ts'
import { restoreCache, saveCache, useCache } from './cache-steps.ts'
import { wordsOf } from './containers.ts'
import { runAction } from './run-action.ts'
import { runImage } from './run-image.ts'
import { uploadSarifFiles } from './sarif-step.ts'
import type { Conclusion } from './job-input.ts'
import { inputVariables } from './step-environment.ts'
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
  'github/codeql-action/upload-sarif': uploadSarifFiles,
}

/** Runs the step. Its faults are lines of the log; nothing here throws but expressions. */
export async function runUses(
  runner: StepRunner,
  step: UsesStep,
  running: RunningStep,
): Promise<Conclusion> {
  const { report } = runner.surroundings
  const inputs = await runner.evaluate(running, (scope) => expandStrings(step.with, scope))
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
  if (uses.kind === 'docker') return runImageStep(runner, running, uses.image, inputs)
  if (uses.kind === 'local')
    return runAction(
      runner,
      running,
      { folder: uses.path, name: localName(uses.path), origin: null },
      inputs,
    )
  return runActionOfRepository(runner, running, uses, inputs)
}

/** Runs a step that is an image. */
async function runImageStep(
  runner: StepRunner,
  running: RunningStep,
  image: string,
  inputs: Readonly<Record<string, string>>,
): Promise<Conclusion> {
  const { entrypoint = '', args = '' } = inputs
  return runImage(runner, running, {
    image,
    entrypoint: entrypoint === '' ? null : entrypoint,
    args: wordsOf(args),
    env: inputVariables(inputs),
  })
}

const localName = (path: string): string => `./${path === '' ? '.' : path}`

/** Runs an action of another repository, of this forge or of one that it gets actions from. */
async function runActionOfRepository(
  runner: StepRunner,
  running: RunningStep,
  { owner, repo, path, ref }: Extract<Uses, { kind: 'repository' }>,
  inputs: Readonly<Record<string, string>>,
): Promise<Conclusion> {
  const { place, report } = runner.surroundings
  const repository = `${owner}/${repo}`
  let root: string
  try {
    const fetched = await place.fetchAction({ repository, ref })
    if (fetched.line !== null) report.line(fetched.line)
    root = fetched.root
  } catch (error) {
    report.error(running.number, error instanceof Error ? error.message : String(error))
    return 'failure'
  }
  const name = `${repository}${path === '' ? '' : `/${path}`}@${ref}`
  const folder = path === '' ? root : `${root}/${path}`
  return runAction(runner, running, { folder, name, origin: { repository, ref } }, inputs)
}
