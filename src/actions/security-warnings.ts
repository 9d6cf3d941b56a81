/**
 * Warnings about valid files that let strangers run commands or read secrets: text of others in
 * scripts, all secrets at once, and code of a pull request beside secrets.
 */
import type { Findings } from './faults.ts'
import { isJsonObject, scalarText, type Json } from './json.ts'
import type { Step, Workflow } from './model.ts'
import { secretsRead } from './plan-job.ts'
import { expressionsIn } from './template.ts'
import { parseUses } from './uses.ts'

/** Values of an event that anybody may choose. */
const CHOSEN_BY_OTHERS = [
  /\bgithub\.event\.(?:issue|pull_request|comment|review|release|workflow_run)\.(?:title|body|display_title|head_branch)\b/i,
  /\bgithub\.event\.pull_request\.head\.(?:ref|label)\b/i,
  /\bgithub\.event\.(?:head_commit|commits)[^}]{0,40}\.(?:message|name|email)\b/i,
  /\bgithub\.head_ref\b/i,
]
const HEAD_OF_PULL = /\bgithub\.(?:head_ref|event\.pull_request\.head\b)|\brefs\/pull\//i

export function warnOfRisks(workflow: Workflow, findings: Findings): void {
  const ofTarget = workflow.on.pull_request_target !== undefined
  for (const job of workflow.jobs)
    if (job.kind === 'steps')
      for (const step of job.steps) findings.try(step, () => warnOfStep(step, ofTarget, findings))
}

function warnOfStep(step: Step, ofTarget: boolean, findings: Findings): void {
  if (secretsRead([step as unknown as Json]) === 'all')
    findings.warn(step, 'This step reads all secrets at once; name the ones that it needs')
  if (step.kind === 'run') {
    const chosen = [...expressionsIn(step.run)].find((text) =>
      CHOSEN_BY_OTHERS.some((pattern) => pattern.test(text)),
    )
    if (chosen !== undefined)
      findings.warn(
        step,
        `Others choose the text of ${chosen.slice(0, 100)}, and it becomes a part of the script: put it into env, and read the variable in the script`,
      )
  } else if (ofTarget && checksOutHead(step))
    findings.warn(
      step,
      'pull_request_target has secrets, and this step checks out code of the pull request: use pull_request, or run nothing of that code',
    )
}

function checksOutHead(step: Step & { readonly kind: 'uses' }): boolean {
  const uses = parseUses(step.uses)
  const isCheckout =
    uses?.kind === 'repository' && `${uses.owner}/${uses.repo}`.toLowerCase() === 'actions/checkout'
  const given = isJsonObject(step.with) ? [step.with.ref, step.with.repository] : []
  return isCheckout && given.some((value) => HEAD_OF_PULL.test(scalarText(value ?? null)))
}
