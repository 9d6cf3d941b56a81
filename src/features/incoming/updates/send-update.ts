/** One attempt to tell a service what became of an issue. */
import type { Hearth } from '#core/hearth.ts'
import { writeAs } from '#core/write.ts'
import { actorOf } from '#features/accounts/index.ts'
import {
  addressBelow,
  configOf,
  findIntegration,
  integrationClient,
  readSecret,
  type IntegrationRow,
} from '#features/integrations/index.ts'
import { cutTo, findComment, findIssue } from '#features/issues/index.ts'
import { Refusal } from '#lib/errors.ts'
import type { JsonObject } from '#lib/json-value.ts'
import { OutboundError } from '#lib/outbound/outbound.ts'
import { redactText } from '#lib/redact.ts'
import { SECOND } from '#lib/time.ts'
import { callerOf, requireRights } from '../hook-caller.ts'
import { readHookSecret } from '../hook-record.ts'
import { findHook, findSubject, type HookRow } from '../store.ts'
import {
  NothingToTell,
  UpdateFailed,
  type Ask,
  type IssueFacts,
  type Receiver,
  type TrackerRequest,
  type Update,
} from './receiver.ts'
import { findReceiver } from './receivers.ts'
import { setStarted, type UpdateRow } from './store-updates.ts'

const ATTEMPT_TIMEOUT_MS = 15 * SECOND
const MAX_ANSWER_BYTES = 1024 * 1024
const MAX_SAID_CHARS = 150
const MAX_COMMENT_CHARS = 20_000

/** What came of an attempt that is not made again. */
export type Told = {
  readonly state: 'sent' | 'cancelled'
  readonly message: string | null
  /** The status that the service has now; null when it was not told one. */
  readonly open: boolean | null
}

const cancelled = (message: string): Told => ({ state: 'cancelled', message, open: null })

/** Statuses that another attempt does not change. A token can be mended meanwhile. */
const FINAL = new Set([400, 404, 405, 410, 413, 422])

type Answered = { readonly status: number; readonly headers: Record<string, unknown> }

function retryAfterMs({ headers }: Answered): number | null {
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) && seconds > 0 ? seconds * SECOND : null
}

const addressOf = (base: string, { path, search = '' }: TrackerRequest): URL => {
  if (path === '') return new URL(base)
  const url = addressBelow(base, path)
  url.search = search
  return url
}

/** What a service says about an error, on one line and without the secret. */
function saidBy(body: Uint8Array, secret: string): string {
  const text = new TextDecoder().decode(body.subarray(0, 4 * MAX_SAID_CHARS))
  const safe = secret.length < 4 ? text : text.replaceAll(secret, '[secret]')
  const line = safe.replace(/[\s\p{Cc}]+/gu, ' ').trim()
  return line === '' ? '' : `: ${line.slice(0, MAX_SAID_CHARS)}`
}

type Connection = {
  readonly integration: IntegrationRow
  readonly receiver: Receiver
  readonly config: JsonObject
  readonly base: string
  readonly secret: string
}

const askerOf =
  (
    hearth: Hearth,
    { integration, receiver, config, base, secret }: Connection,
    signal: AbortSignal,
  ): Ask =>
  async (request) => {
    const { method, body } = request
    let response: Awaited<ReturnType<ReturnType<typeof integrationClient>['request']>>
    try {
      response = await integrationClient(hearth).request(addressOf(base, request), {
        method,
        headers: {
          'user-agent': 'hearth',
          accept: 'application/json',
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...request.headers,
          ...receiver.headers(config, secret),
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        timeoutMs: ATTEMPT_TIMEOUT_MS,
        maxBytes: MAX_ANSWER_BYTES,
        truncate: true,
        signal,
      })
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error
      throw new UpdateFailed(error.message.replaceAll('outbound.allow', 'integrations.allow'), true)
    }
    const { status } = response
    if (status >= 200 && status < 300) return readAnswer(response.body)
    throw new UpdateFailed(
      `${integration.name} answered with status ${status}${saidBy(response.body, secret)}`,
      !FINAL.has(status),
      retryAfterMs(response),
    )
  }

/** What is no JSON counts as an empty answer: most requests need none. */
function readAnswer(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(body))
  } catch {
    return null
  }
}

function connectionOf(hearth: Hearth, { integration_id }: HookRow): Connection | string {
  const integration = findIntegration(hearth.db, integration_id)
  const receiver = integration && findReceiver(integration.provider)
  if (!integration || !receiver || integration.enabled === 0)
    return 'the integration is switched off'
  const secret = readSecret(hearth, integration)
  if (secret === null) return 'the secret cannot be read with this installation key'
  const config = configOf(integration)
  const base = receiver.base(config)
  const missing = receiver.lacks(config, secret !== '')
  if (missing !== null || base === null) return `the integration lacks ${missing ?? 'its address'}`
  return { integration, receiver, config, base, secret }
}

/** Names begin with @ here, and may be those of others there. */
const withoutMentions = (text: string): string => text.replace(/@(?=\w)/g, '@\u200b')

function updateOf(hearth: Hearth, row: UpdateRow, repo_id: string, issue: IssueFacts): Update {
  const stored = findIssue(hearth.db, repo_id, row.number)
  if (stored === null) throw new NothingToTell('the issue is gone')
  if (row.kind === 'status')
    return { kind: 'status', open: stored.open === 1, reason: stored.reason }
  const comment = findComment(hearth.db, row.comment_id ?? '')
  if (comment === null) throw new NothingToTell('the comment was deleted')
  const { username } = actorOf(hearth, comment.author_id)
  const { text } = redactText(cutTo(comment.body, MAX_COMMENT_CHARS))
  const address = `${issue.url}#${comment.id}`
  return {
    kind: 'comment',
    text: `${username} wrote on ${issue.repo}#${row.number} (${address}):\n\n${withoutMentions(text)}`,
    // The rest of the address changes when the forge or the repository moves.
    marker: `#${comment.id}`,
  }
}

/** Throws `UpdateFailed`. */
export async function sendUpdate(
  hearth: Hearth,
  row: UpdateRow,
  signal: AbortSignal,
): Promise<Told> {
  const hook = findHook(hearth.db, row.integration_id)
  if (hook === null) return cancelled('the service sends no events any more')
  if ((row.kind === 'status' ? hook.sync_status : hook.sync_comments) === 0)
    return cancelled('this was switched off')
  const connection = connectionOf(hearth, hook)
  if (typeof connection === 'string') return cancelled(connection)
  const { integration, receiver, config } = connection
  try {
    const repo = requireRights(hearth, callerOf(hearth, { hook, integration }), {
      hook,
      integration,
    })
    const url = `${hearth.settings.site_url}/${repo.full_name}/issues/${row.number}`
    const issue = { repo: repo.full_name, number: row.number, url }
    const update = updateOf(hearth, row, repo.id, issue)
    const subject = findSubject(hearth.db, row.integration_id, row.fingerprint)
    if (update.kind === 'status' && (subject === null || (subject.open === 1) === update.open))
      return cancelled('it is so there already')
    if (row.started === 0) await writeAs(hearth, null, (tx) => setStarted(tx, row.seq))
    await receiver.send(askerOf(hearth, connection, signal), update, {
      fingerprint: row.fingerprint,
      config,
      issue,
      signingSecret: readHookSecret(hearth, hook),
      id: `${row.integration_id}-${row.seq}`,
      mayBeThereSince: row.started === 1 ? row.created_at : null,
    })
    return { state: 'sent', message: null, open: update.kind === 'status' ? update.open : null }
  } catch (error) {
    if (error instanceof NothingToTell || error instanceof Refusal) return cancelled(error.message)
    throw error
  }
}
