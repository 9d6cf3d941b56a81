/**
 * The job that asks an error tracker for the stack trace of an error and adds its files to the
 * issue. Many events tell of an error without its calls.
 */
import type { Hearth } from '#core/hearth.ts'
import { job } from '#core/jobs.ts'
import { writeAs, type Tx } from '#core/write.ts'
import {
  fetchStackTrace,
  findIntegration,
  locateStackTrace,
  readSecret,
  type IntegrationRow,
  type LocatedTrace,
} from '#features/integrations/index.ts'
import { findIssue } from '#features/issues/index.ts'
import { repoById } from '#features/repos/index.ts'
import { Refusal } from '#lib/errors.ts'
import { callerOf, requireRights } from './hook-caller.ts'
import { digestOf, hasLocations, withLocations } from './issue-text.ts'
import { homeOf, rewriteIssue } from './rewrite-issue.ts'
import { errorIdOf } from './senders/errors.ts'
import { findHook, findSubject, putSubject, type HookRow } from './store.ts'

type Input = { readonly integration_id: string; readonly fingerprint: string }

/** Asks for the files of an error after the commit, when its service can be asked. */
export function startLocating(tx: Tx, { integration_id, fingerprint }: Input): void {
  const integration = findIntegration(tx.db, integration_id)
  if (integration === null || errorIdOf(integration.provider, fingerprint) === null) return
  if (!readSecret(tx.hearth, integration)) return
  tx.enqueue(
    addLocations,
    { integration_id, fingerprint },
    { key: `${integration_id} ${fingerprint}` },
  )
}

export const addLocations = job<Input>({
  kind: 'add_error_locations',
  queue: 'webhooks',
  // Files are a help, and the service may have none of them.
  retry: [],
  async run({ hearth, signal }, input) {
    const hook = findHook(hearth.db, input.integration_id)
    const integration = hook && findIntegration(hearth.db, input.integration_id)
    if (!hook || integration?.enabled !== 1) return
    const located = await fetchLocated(hearth, { hook, integration, input, signal })
    if (located === null) return
    const caller = callerOf(hearth, { hook, integration })
    try {
      await writeAs(hearth, caller, (tx) => {
        const repo = requireRights(hearth, caller, { hook, integration })
        const subject = findSubject(tx.db, input.integration_id, input.fingerprint)
        const issue =
          subject?.repo_id === repo.id ? findIssue(tx.db, repo.id, subject.number) : null
        // What people here wrote stays.
        if (!subject || !issue || digestOf(issue) !== subject.written) return
        const text = withLocations(issue, homeOf(hearth, repo), located)
        if (text === null) return
        rewriteIssue(tx, repo, issue, text)
        putSubject(tx, { ...subject, written: digestOf(text) })
      })
    } catch (error) {
      // Rights can end between the event and this job.
      if (!(error instanceof Refusal)) throw error
    }
  },
})

async function fetchLocated(
  hearth: Hearth,
  given: {
    readonly hook: HookRow
    readonly integration: IntegrationRow
    readonly input: Input
    readonly signal: AbortSignal
  },
): Promise<LocatedTrace | null> {
  const { hook, integration, input, signal } = given
  const id = errorIdOf(integration.provider, input.fingerprint)
  const repo = repoById(hearth.db, hook.repo_id)
  const subject = findSubject(hearth.db, input.integration_id, input.fingerprint)
  if (id === null || repo === null || subject?.repo_id !== repo.id) return null
  const issue = findIssue(hearth.db, repo.id, subject.number)
  if (issue === null || hasLocations(issue.body)) return null
  const trace = await fetchStackTrace(hearth, integration, id, signal)
  return trace && (await locateStackTrace(hearth, repo, trace))
}
