/** A workspace with a repository, and services that send events to its address. */
import { connectIntegration } from '#features/integrations/connect-integration.ts'
import { listIncomingDeliveries } from '#features/incoming/list-incoming-deliveries.ts'
import { listTrackerUpdates } from '#features/incoming/list-tracker-updates.ts'
import { setIncomingHook } from '#features/incoming/set-incoming-hook.ts'
import { getIssue } from '#features/issues/get-issue.ts'
import { listIssues } from '#features/issues/list-issues.ts'
import { hmacSha256 } from '#lib/hash.ts'
import { makeListening } from '../../http/listening-world.ts'

export const SECRET = 'a-signing-secret'
export const REPO = 'acme/site'

const NEED_TOKENS = ['jira', 'linear', 'gitlab', 'youtrack']

export const sign = (body: string): string => Buffer.from(hmacSha256(SECRET, body)).toString('hex')

export async function makeIncomingWorld() {
  const { world, server } = await makeListening({ integrations_allow: ['http://127.0.0.1'] })
  const base = server.url
  const ada = await world.user('ada')
  const bob = await world.user('bob')
  await world.workspace('acme', { owner: ada, members: [bob] })
  await world.repo(REPO, { as: ada })

  /** Connects a service and lets it send; returns what sends a body with headers. */
  async function connect(
    provider: string,
    {
      secret = SECRET,
      ...more
    }: {
      secret?: string
      config?: Record<string, unknown>
      labels?: string[]
      token?: string
      sync?: { sync_status?: boolean; sync_comments?: boolean }
    } = {},
  ) {
    const { id } = await world.call(connectIntegration, ada, {
      workspace: 'acme',
      provider,
      ...(more.config ? { config: more.config } : {}),
      ...(more.token !== undefined || NEED_TOKENS.includes(provider)
        ? { secret: more.token ?? 'api-token' }
        : {}),
    })
    const hook = await world.call(setIncomingHook, ada, {
      workspace: 'acme',
      id,
      repo: REPO,
      secret,
      ...(more.labels ? { labels: more.labels } : {}),
      ...more.sync,
    })
    const path = new URL(hook.url).pathname
    const send = (body: unknown, headers: Record<string, string> = {}): Promise<Response> =>
      fetch(new URL(path, base), {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      })
    const deliveries = async () =>
      (await world.call(listIncomingDeliveries, ada, { workspace: 'acme', id })).items
    /** Sends an event as the service signs it. */
    const sendSigned = (body: object, headers: Record<string, string> = {}) => {
      const text = JSON.stringify(body)
      const digest = sign(text)
      return send(text, {
        'x-hub-signature-256': `sha256=${digest}`,
        'x-hub-signature': `sha256=${digest}`,
        'x-gitea-signature': digest,
        'linear-signature': digest,
        'sentry-hook-signature': digest,
        'x-gitlab-token': SECRET,
        ...headers,
      })
    }
    const updates = async () =>
      (await world.call(listTrackerUpdates, ada, { workspace: 'acme', id })).items
    return { id, hook, send, sendSigned, deliveries, updates }
  }

  return {
    world,
    ada,
    bob,
    base,
    connect,
    issues: async (state: 'open' | 'closed' | 'all' = 'open') =>
      (await world.call(listIssues, ada, { repo: REPO, state })).items,
    issue: (number: number) => world.call(getIssue, ada, { repo: REPO, number }),
  }
}
