/**
 * The forge is killed between the moment at which a tracker has a comment and the moment at which
 * the forge reads the answer, and also before the tracker has it: after the next start each comment
 * is at its service once. `bun test/system/tracker-kills.ts [--executable PATH]`
 */
import { createHmac } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  claim,
  EXECUTABLE,
  OWNER,
  requireBuilt,
  startForge,
  type ForgeProcess,
} from '../../scripts/support/forge.ts'
import { runScript, type Option } from '../../scripts/support/options.ts'
import {
  giteaIssue,
  githubIssue,
  gitlabIssue,
  glitchtip,
  jiraIssue,
  linearIssue,
  sentryIssue,
} from '../features/incoming/payloads.ts'

const OPTIONS = {
  executable: { kind: 'text', default: EXECUTABLE, help: 'The built executable.' },
} as const satisfies Record<string, Option>

const SECRET = 'a-signing-secret'
const REPO = `${OWNER.workspace}/shop`
const MAX_WAIT_MS = 60_000

type Service = {
  readonly provider: string
  readonly event: object
  readonly headers?: Record<string, string>
  readonly config?: object
}

const SERVICES: readonly Service[] = [
  { provider: 'github', event: githubIssue('opened'), headers: { 'x-github-event': 'issues' } },
  { provider: 'gitea', event: giteaIssue('opened'), headers: { 'x-gitea-event': 'issues' } },
  { provider: 'gitlab', event: gitlabIssue('open', 'opened') },
  { provider: 'jira', event: jiraIssue('jira:issue_created', 'new') },
  { provider: 'linear', event: linearIssue('create', 'started') },
  {
    provider: 'sentry',
    event: sentryIssue('created'),
    headers: { 'sentry-hook-resource': 'issue' },
    config: { organization: 'test-org' },
  },
  { provider: 'glitchtip', event: glitchtip },
]

/** What the services were sent as comments. */
let comments: string[] = []
let posts = 0
/** Called at a comment; says whether the service has taken it when the connection ends. */
let atComment: (() => Promise<'taken' | 'lost'>) | null = null
let arrived = Promise.withResolvers<void>()

/** The comments in the form of a service. */
function listed(path: string, body: string): object {
  if (path.endsWith('/graphql')) {
    const { comment } = (JSON.parse(body) as { variables: { comment: string } }).variables
    const nodes = comments.filter((one) => one.includes(`"comment":"${comment}"`))
    return { data: { issue: { comments: { nodes } } } }
  }
  const sent = comments.map((one) => JSON.parse(one) as object)
  if (path.startsWith('/api/0/')) return sent.map((data) => ({ data }))
  return path.startsWith('/rest/') ? { comments: sent } : sent
}

const services = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  async fetch(request) {
    const { pathname } = new URL(request.url)
    const body = await request.text()
    const isList = request.method === 'GET' || body.startsWith('{"query":"query')
    if (isList && /\/(comments?|notes)\/?$|graphql$/.test(pathname))
      return Response.json(listed(pathname, body))
    if (!/\/(comments?|notes)\/?$|graphql$/.test(pathname)) return Response.json({})
    posts++
    const kill = atComment
    atComment = null
    const fate = kill === null ? 'taken' : await kill()
    if (fate === 'taken') comments.push(body)
    arrived.resolve()
    return Response.json({ data: { commentCreate: { success: true } } })
  },
})

type Call = <T>(method: string, path: string, body?: unknown) => Promise<T>

const callerOf =
  (url: string, token: string): Call =>
  async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const response = await fetch(`${url}/api${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return (await response.json()) as T
  }

/** Connects a service and lets it open an issue. Gives the ids of both. */
async function open(url: string, call: Call, service: Service) {
  const base = `/v1/workspaces/${OWNER.workspace}/integrations`
  const { id } = await call<{ id: string }>('POST', base, {
    provider: service.provider,
    config: { base_url: `http://127.0.0.1:${services.port}`, ...service.config },
    secret: 'api-token',
  })
  const hook = await call<{ url: string }>(
    'PUT',
    `/workspaces/${OWNER.workspace}/integrations/${id}/incoming`,
    {
      repo: REPO,
      secret: SECRET,
      sync_comments: true,
    },
  )
  const body = JSON.stringify(service.event)
  const digest = createHmac('sha256', SECRET).update(body).digest('hex')
  const answer = await fetch(new URL(new URL(hook.url).pathname, url), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${digest}`,
      'x-hub-signature': `sha256=${digest}`,
      'x-gitea-signature': digest,
      'linear-signature': digest,
      'sentry-hook-signature': digest,
      'x-gitlab-token': SECRET,
      ...service.headers,
    },
    body,
  })
  if (answer.status !== 202) throw new Error(`${service.provider}: ${await answer.text()}`)
  const [{ number } = { number: 0 }] = (await call<
    { items: { number: number }[] } | { number: number }[]
  >('GET', `/v1/repos/${REPO}/issues`)) as { number: number }[]
  return { id, number }
}

type Update = { kind: string; state: string }

/** Waits until nothing is left to be sent to a service. */
async function settled(call: Call, id: string): Promise<string[]> {
  const until = Date.now() + MAX_WAIT_MS
  for (;;) {
    const list = await call<Update[]>(
      'GET',
      `/workspaces/${OWNER.workspace}/integrations/${id}/incoming/updates`,
    )
    if (list.length > 0 && list.every(({ state }) => state !== 'waiting'))
      return list.map(({ state }) => state)
    if (Date.now() > until) throw new Error(`an update still waits: ${JSON.stringify(list)}`)
    await Bun.sleep(100)
  }
}

await runScript('bun test/system/tracker-kills.ts [options]', OPTIONS, async ({ executable }) => {
  const directory = mkdtempSync(join(tmpdir(), 'tracker-kills-'))
  const start = (): Promise<ForgeProcess> =>
    startForge({
      executable: requireBuilt(executable),
      data: join(directory, 'data'),
      log: join(directory, 'log'),
      environment: { HEARTH_INTEGRATIONS_ALLOW: 'http://127.0.0.1', HEARTH_LIMITS_RATE: 'false' },
    })
  let forge = await start()
  let faults = 0
  try {
    const { token } = await claim(forge)
    await callerOf(forge.url, token)('POST', '/v1/repos', {
      workspace: OWNER.workspace,
      name: 'shop',
    })
    for (const service of SERVICES) {
      const made = await open(forge.url, callerOf(forge.url, token), service)
      for (const fate of ['taken', 'lost'] as const) {
        comments = []
        posts = 0
        arrived = Promise.withResolvers()
        atComment = async () => {
          await forge.kill()
          return fate
        }
        await callerOf(forge.url, token)(
          'POST',
          `/v1/repos/${REPO}/issues/${made.number}/comments`,
          {
            body: `Killed when it was ${fate}.`,
          },
        )
        await arrived.promise
        forge = await start()
        const states = await settled(callerOf(forge.url, token), made.id)
        const isRight =
          comments.length === 1 &&
          posts === (fate === 'taken' ? 1 : 2) &&
          states.every((state) => state === 'sent')
        if (!isRight) faults++
        process.stdout.write(
          `${isRight ? 'ok  ' : 'FAIL'} ${service.provider}, ${fate}: ${posts} sent, ${comments.length} there, ${states.join(' ')}\n`,
        )
      }
    }
  } finally {
    await forge.kill()
    void services.stop(true)
    rmSync(directory, { recursive: true, force: true })
  }
  return faults === 0 ? 0 : 1
})
