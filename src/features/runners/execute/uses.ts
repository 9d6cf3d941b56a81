/** Steps with `uses`: what is built in, and actions of the workspace. */
import { ExpressionFault, expandStrings, parseUses, type Step, type Uses } from '#actions'
import { Refusal } from '#lib/errors.ts'
import { downloadArtifact, uploadArtifact } from './artifact-steps.ts'
import { checkOut } from './checkout-step.ts'
import { restoreCache, saveCache, useCache } from './cache-steps.ts'
import { runAction } from './run-action.ts'
import { uploadSarifFiles } from './sarif-step.ts'
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
  'github/codeql-action/upload-sarif': uploadSarifFiles,
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
  if (uses.kind === 'local')
    return runAction(runner, running, { folder: uses.path, name: localName(uses.path) }, inputs)
  return runActionOfForge(runner, running, uses, inputs)
}

const localName = (path: string): string => `./${path === '' ? '.' : path}`

/** Runs an action of another repository of this forge. */
async function runActionOfForge(
  runner: StepRunner,
  running: RunningStep,
  { owner, repo, path, ref }: Extract<Uses, { kind: 'repository' }>,
  inputs: Readonly<Record<string, string>>,
): Promise<Conclusion> {
  const { place, report } = runner.surroundings
  const repository = `${owner}/${repo}`
  const source = { repository, ref, token: null, history: 'none', keepsToken: false } as const
  try {
    const root = await place.fetchAction(source)
    const name = `${repository}${path === '' ? '' : `/${path}`}@${ref}`
    return await runAction(runner, running, { folder: `${root}/${path}`, name }, inputs)
  } catch (error) {
    if (error instanceof ExpressionFault) throw error
    const isMissing =
      error instanceof Refusal && (error.code === 'not_found' || error.code === 'forbidden')
    const message = isMissing
      ? `${repository} is not on this forge, or this job may not read it`
      : error instanceof Error
        ? error.message
        : String(error)
    report.error(
      running.number,
      `${message}. Jobs have no internet. Import ${repository} to this forge, or replace the step by a script.`,
    )
    return 'failure'
  }
}
